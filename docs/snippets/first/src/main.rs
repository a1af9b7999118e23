use hooks_sdk::{cli::Program, prelude::*, rmcp::ServerHandler};

#[lifecycle::hook(
    post_tool_use,
    matcher(tool_name = "Bash", input_contains = "git commit"),
    strength = suggestion,
    text = "You just committed to {project_name}. Is there something worth a note?",
    server = Notes
)]
struct AfterCommit;

struct Notes;

impl ServerHandler for Notes {}

fn main() -> std::process::ExitCode {
    Program::new("notes", || Ok(Notes))
        .package(hooks_sdk::package!())
        .main()
}

//! A served program with a hook of each kind: the tests of the commands run it as a person, a client and a script do.

use std::{env, process::ExitCode};

use hooks_sdk::{
    Collected,
    cli::Program,
    core::{BuildErrors, Registry, RegistryBuilder},
    guidance,
    lifecycle::{self, LifecycleHook, point, strength},
    log::{DecisionLog, Posture},
    plugin::{self, Instance, ListHook, ListOf, PluginHook, ready::Confirm},
    rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations},
    server::Policy,
    session::SessionState,
};
use hooks_tests::toy_server::{Answer, ToyServer};

/// The tools, and what they answer.
const TOOLS: [(&str, &str); 4] = [
    ("session_init", "The session is open."),
    ("find_notes", "There is one note: buy milk."),
    ("list_notes", "1. buy milk"),
    ("delete_note", "The note is gone."),
];

/// Where a session stands.
#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Finding notes needs no session.
    #[stage(start, allow(find_notes), next(session_init => Open))]
    New,
    /// Everything can be called.
    #[stage(allow(any))]
    Open,
}

#[lifecycle::hook(
    post_tool_use,
    matcher(tool_name = "Bash", input_contains = "git commit"),
    strength = suggestion,
    text = "You just committed work. What did you learn that would help in a later session? Keep it as a note.",
    server = ToyServer
)]
struct AfterCommit;

#[lifecycle::hook(
    session_start,
    strength = important,
    context_tool = "find_notes",
    context_tool_args(project = "{project_name}"),
    server = ToyServer
)]
struct RecentNotes;

#[lifecycle::hook(session_end, strength = suggestion, text = "This session is ending.", server = ToyServer)]
struct SessionEnding;

#[guidance::hook(
    session, start,
    requirement = MUST,
    name = "Open the session",
    text = "Call `session_init` before any other tool of this server.",
    server = ToyServer
)]
struct OpenSession;

/// A machine that begins with a tool which the server lacks.
#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
enum Lacking {
    #[stage(start, next(sign_in => SignedIn))]
    SignedOut,
    #[stage(allow(any))]
    SignedIn,
}

/// Hooks with mistakes that no compiler sees.
fn mistakes() -> Result<Collected<ToyServer>, BuildErrors> {
    let text = "Call `write_note` for {project}, or find_note.";
    let begin = LifecycleHook::text("begin", point::session_start, strength::suggestion, text);
    let keep = PluginHook::deny("keep", plugin::point::tool_pre_invoke, "no").items(&["erase_*"]);
    // No mistake: a rule is about the author's tools, whatever a list hook hides.
    let hidden = ListHook::hide("hidden", ListOf::Tools, &["delete_*"]);
    let guard =
        PluginHook::deny("guard", plugin::point::tool_pre_invoke, "no").items(&["delete_*"]);
    let hooks = [keep.into(), guard.into(), hidden.into()];
    let registry = hooks
        .into_iter()
        .fold(Registry::builder().add(begin.into()), RegistryBuilder::add);
    Collected::of(registry.build()?)
}

/// A tool that takes any object. All but one only read.
fn listed(name: &'static str) -> Tool {
    let schema = JsonObject::from_iter([("type".to_owned(), "object".into())]);
    let annotations = ToolAnnotations::new().read_only(name != "delete_note");
    Tool::new(name, "", schema).with_annotations(annotations)
}

async fn says(text: &'static str) -> Answer {
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
}

fn main() -> ExitCode {
    let has = |what: &str| env::var_os("NOTEBOOK_HAS").is_some_and(|has| has == what);
    let instructs = has("instructions");
    let make = move || {
        let mut server = ToyServer::default();
        server.instructions = instructs.then(|| "Look the notes up before you answer.".to_owned());
        Ok(TOOLS.iter().fold(server, |server, tool| {
            server.with_tool(listed(tool.0), move |_| says(tool.1))
        }))
    };
    let asked = if has("mistakes") {
        "delete_nite"
    } else {
        "delete_note"
    };
    let confirm = Instance::of(Confirm::new().tool(asked));
    let program = Program::new("notes", make)
        .id("notebook")
        .about("Keeps notes for tests")
        .version("1.2.3")
        .author("Ada")
        .license("MIT")
        .registry_name("io.github.acme/notes")
        .policy(Policy::new().with(confirm))
        .offer_hooks();
    let program = if has("mistakes") {
        program.collected(mistakes)
    } else if has("a machine without its tool") {
        program.session::<Lacking>()
    } else {
        program.session::<Stage>()
    };
    match env::var_os("NOTEBOOK_LOG") {
        Some(file) => program.log(DecisionLog::to(file, Posture::Deny)).main(),
        None => program.main(),
    }
}

//! `cargo hooks check`: what `serve` would refuse, what no client delivers, and texts that name a tool which does not exist.

use std::process::ExitCode;

use clap::Args;
use hooks_clients::{
    self as clients,
    dump::{Diagnostic, Dump, DumpedHook},
};
use hooks_text::nearest;

use super::{
    CommandError, print,
    server::{Server, asked, note},
};

/// The exit code where something was found.
const FOUND: u8 = 1;

/// The exit code where the program cannot be asked.
const CANNOT_ASK: u8 = 2;

/// The arguments of `cargo hooks check`.
#[derive(Clone, Debug, Args)]
pub(super) struct Check {
    #[command(flatten)]
    server: Server,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) fn run(self) -> ExitCode {
        let found = self.found();
        found.unwrap_or_else(|error| {
            print::outcome(Err(error));
            ExitCode::from(CANNOT_ASK)
        })
    }

    fn found(&self) -> Result<ExitCode, CommandError> {
        let path = self.server.path()?;
        let program: Dump = asked(&path, &["hooks", "dump", "--json", "--tools"], b"")?;
        let found = findings(&program);
        if self.json {
            print::json(&found)?;
        } else {
            let lines = found.iter().map(|each| format!("FOUND: {each}"));
            let notes = note(&program)
                .into_iter()
                .map(|note| format!("note: {note}"));
            let mut lines: Vec<String> = lines.chain(notes).collect();
            if found.is_empty() {
                lines.push("nothing was found".to_owned());
            }
            print::text(&lines.join("\n"))?;
        }
        Ok(match found.is_empty() {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(FOUND),
        })
    }
}

/// Returns everything that is wrong with a server.
fn findings(program: &Dump) -> Vec<Diagnostic> {
    let mut found = program.problems.clone();
    found.extend(program.hooks.iter().filter_map(undelivered));
    if let Some(server) = &program.server {
        for hook in &program.hooks {
            found.extend(unknown_tools(hook, &server.tools));
        }
    }
    found
}

/// Says that no client of this tool's table delivers a text.
fn undelivered(hook: &DumpedHook) -> Option<Diagnostic> {
    let event = hook.event?;
    let reaches = |client: &&clients::Client| client.mapping(event).delivery.reaches_agent();
    if clients::ALL.iter().any(reaches) {
        return None;
    }
    let found = Diagnostic::new(
        format!("no client sends a text to its agent at `{event}`"),
        "declare the hook at another event".to_owned(),
    );
    Some(found.at(hook.hooks.join(", ")))
}

/// Returns the tools that a text tells the agent to call and that the server does not list, where the server has one of a
/// similar name. Any other word in backticks may be a tool of the client, a file or a member.
fn unknown_tools(hook: &DumpedHook, tools: &[String]) -> Vec<Diagnostic> {
    let text = hook.text.as_deref().unwrap_or_default();
    let mut words: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    words.sort_unstable();
    words.dedup();
    let is_name = |word: &&str| {
        let mut letters = word.chars();
        word.contains('_') && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let unknown = words.into_iter().filter(is_name);
    let unknown = unknown.filter(|word| !tools.iter().any(|tool| tool == word));
    let found = unknown.filter_map(|word| {
        let near = nearest(word, tools.iter().map(String::as_str))?;
        let found = Diagnostic::new(
            format!("the text names `{word}`, and the server has no such tool"),
            format!("write `{near}`"),
        );
        Some(found.at(hook.hooks.join(", ")))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use hooks_core::lifecycle::Event;

    use super::*;

    fn hook(event: Event, text: &str) -> DumpedHook {
        let mut hook = DumpedHook::default();
        (hook.event, hook.hooks) = (Some(event), vec!["begin".to_owned()]);
        hook.text = Some(text.to_owned());
        hook
    }

    #[test]
    fn a_text_that_nobody_gets_is_found() {
        let found = |event| undelivered(&hook(event, "Say it.")).map(|found| found.to_string());
        assert_eq!(
            found(Event::SessionEnd).as_deref(),
            Some(
                "begin: no client sends a text to its agent at `session_end`\nhelp: declare the hook at another event"
            )
        );
        assert_eq!(found(Event::PostToolUse), None);
    }

    #[test]
    fn a_misspelt_tool_is_found_and_other_words_are_not() {
        let tools = ["add_note", "search"].map(str::to_owned);
        let found = |text| unknown_tools(&hook(Event::SessionStart, text), &tools);
        let wrong = found("Keep it with `add_nota`, then `add_nota` again.");
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert_eq!(wrong[0].help.as_deref(), Some("write `add_note`"));
        for right in [
            "`add_note`",
            "`Cargo.lock`",
            "`project_name`",
            "`searchx`",
            "add_nota",
        ] {
            assert_eq!(found(right), [], "{right}");
        }
    }
}

//! `cargo hooks check`: what `serve` would refuse, what no client delivers, names in texts that nothing has, and rules without an
//! effect.

mod texts;

use std::process::ExitCode;

use clap::Args;
use hooks_clients::{
    self as clients,
    dump::{Diagnostic, Dump, DumpedHook},
};

use self::texts::{unknown_tools, unknown_variables};
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
    found.extend(program.hooks.iter().flat_map(unknown_variables));
    if let Some(server) = &program.server {
        found.extend(server.findings.iter().cloned());
        let texts = program.hooks.iter();
        found.extend(texts.flat_map(|hook| unknown_tools(hook, (&program.name, server))));
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

#[cfg(test)]
mod tests {
    use hooks_core::lifecycle::Event;

    use super::*;

    #[test]
    fn a_text_that_nobody_gets_is_found() {
        let found = |event| {
            let mut hook = DumpedHook::default();
            (hook.event, hook.hooks) = (Some(event), vec!["begin".to_owned()]);
            undelivered(&hook).map(|found| found.to_string())
        };
        assert_eq!(
            found(Event::SessionEnd).as_deref(),
            Some(
                "begin: no client sends a text to its agent at `session_end`\nhelp: declare the hook at another event"
            )
        );
        assert_eq!(found(Event::PostToolUse), None);
    }
}

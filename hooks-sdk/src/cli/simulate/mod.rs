//! `hooks simulate`: shows what the hooks and rules would have done in a recorded session.

mod claude_code;
mod codex;
mod codex_calls;
mod judge;
mod moment;
mod report;
mod shown;
mod step;
mod transcript;
mod written;

use std::{
    fs::File,
    io::{self, BufReader, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};

use self::{report::SimulationReport, step::Simulation};
use super::{
    CommandError, Program, judge::UserAnswer, options::OutputFormat, print, program::runtime,
};
use crate::server::ServerHandler;

/// The file cannot be read.
const UNREADABLE: u8 = 2;

/// The arguments of `hooks simulate`.
#[derive(Clone, Debug, Args)]
pub(super) struct Simulate {
    /// The client's session file
    #[arg(value_name = "TRANSCRIPT.jsonl")]
    file: PathBuf,
    /// The client that wrote the file; without it, the entries tell
    #[arg(long, value_name = "CLIENT", value_parser = clients())]
    client: Option<String>,
    /// Make the texts that functions of the server make, and call the context tools, with the server's own storage
    #[arg(long)]
    ask: bool,
    /// What the user answers to the questions of rules; without it, the user agreed to the calls that succeeded
    #[arg(long, value_enum, value_name = "ANSWER")]
    answer: Option<UserAnswer>,
    #[command(flatten)]
    format: OutputFormat,
}

fn clients() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(["claude-code", "codex"])
}

impl Simulate {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        match self.report(program) {
            Ok(report) => {
                let shown = match self.format.json {
                    true => print::json(&report),
                    false => print::text(&report.page()),
                };
                match shown {
                    Ok(()) => ExitCode::from(u8::from(report.refuses())),
                    Err(error) => unreadable(&error),
                }
            }
            Err(error) => unreadable(&error),
        }
    }

    fn report<H: ServerHandler>(
        &self,
        program: &Program<H>,
    ) -> Result<SimulationReport, CommandError> {
        let name = self.file.display();
        let wrong = |error: io::Error| format!("cannot read `{name}`: {error}");
        let file = File::open(&self.file).map_err(wrong)?;
        let runtime = runtime()?;
        let hooks = program.hooks()?;
        let mut simulation = Simulation::new(program, &hooks, self.ask, self.answer);
        let mut failure = None;
        let read = transcript::read(
            BufReader::new(file),
            self.client.as_deref(),
            |client, moments| {
                for moment in moments {
                    if let Err(error) = runtime.block_on(simulation.step(client, &moment)) {
                        failure = Some(error);
                        return Err(io::Error::other("the simulation ended"));
                    }
                }
                Ok(())
            },
        );
        runtime.shutdown_background();
        if let Some(failure) = failure {
            return Err(failure);
        }
        let (client, reading) = read.map_err(wrong)?;
        let Some(client) = client.filter(|_| reading.known > 0) else {
            return Err(format!(
                "`{name}` is no session file: none of its {} is an entry of Claude Code or Codex CLI\nhelp: name a file \
                 such as ~/.claude/projects/PROJECT/SESSION.jsonl or ~/.codex/sessions/2026/11/22/rollout-….jsonl",
                print::counted(reading.lines, "line")
            )
            .into());
        };
        Ok(simulation.end(client, reading))
    }
}

fn unreadable(error: &CommandError) -> ExitCode {
    let error = error.to_string();
    _ = writeln!(io::stderr(), "error: {}", print::shown(&error));
    ExitCode::from(UNREADABLE)
}

#[cfg(all(test, feature = "policy"))]
mod policy_tests;
#[cfg(test)]
mod tests;

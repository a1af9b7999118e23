//! The commands of an author, which are those of `cargo hooks`: this program starts that tool, and names itself as the server.

use std::{env, ffi::OsString, process::Command, process::ExitCode};

use clap::Args;

use super::{CommandError, print};
use crate::clients::{config::quoted, find_program};

/// The program of `cargo hooks`.
const TOOL: &str = "cargo-hooks";

/// The exit code where the tool cannot be started. It is that of `cargo hooks prove` where a client cannot be run.
const CANNOT_RUN: u8 = 2;

/// The arguments, which the tool reads.
#[derive(Clone, Debug, Args)]
pub(super) struct Tool {
    /// The arguments of the command of `cargo hooks`
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<OsString>,
}

impl Tool {
    /// Starts this command of the tool in the place of this process.
    pub(super) fn run(self, command: &str) -> ExitCode {
        self.started(command).unwrap_or_else(|error| {
            print::outcome(Err(error));
            ExitCode::from(CANNOT_RUN)
        })
    }

    fn started(&self, command: &str) -> Result<ExitCode, CommandError> {
        let own = env::current_exe()?;
        let Some(tool) = find_program(TOOL) else {
            let words = self.arguments.iter().map(|word| word.to_string_lossy());
            let words = words.map(|word| format!(" {}", quoted(&word)));
            return Err(format!(
                "`hooks {command}` is a command of `cargo hooks`, which is not on the PATH\nhelp: run `cargo install {TOOL}`, and \
                 then `cargo hooks {command} --server {}{}`",
                quoted(&own.to_string_lossy()),
                words.collect::<String>()
            )
            .into());
        };
        let mut tool = Command::new(tool);
        tool.arg(command).arg("--server").arg(own);
        tool.args(&self.arguments);
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            Err(format!("`{TOOL}` cannot be started: {}", tool.exec()).into())
        }
        #[cfg(not(unix))]
        {
            let code = tool.status()?.code().unwrap_or_default();
            Ok(ExitCode::from(u8::try_from(code).unwrap_or(CANNOT_RUN)))
        }
    }
}

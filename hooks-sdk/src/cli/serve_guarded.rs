//! `serve --guardian`: asks a guardian over HTTP about each step.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CommandError, Program, tokens::tokens};
use crate::{
    aos::{Guardian, Posture},
    server::ServerHandler,
};

/// The options of `serve` for a server that a guardian guards. A binary with commands of its own flattens them into its
/// `serve`, and calls [`Program::guarded_by`].
#[derive(Args, Clone, Debug, Default)]
pub struct ServeGuarded {
    /// Ask the guardian at this URL about each call of a tool, such as `http://127.0.0.1:8790/aos`
    #[arg(long, value_name = "URL", requires = "on_guardian_failure")]
    guardian: Option<String>,
    /// What becomes of a call when the guardian gives no decision
    #[arg(long, value_enum, requires = "guardian")]
    on_guardian_failure: Option<OnGuardianFailure>,
    /// Send the guardian the bearer token in this file
    #[arg(long, value_name = "FILE", requires = "guardian")]
    guardian_bearer_file: Option<PathBuf>,
}

/// A posture, as a word of the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum OnGuardianFailure {
    /// The call is refused
    Deny,
    /// The call goes on, and the log has a line about it
    Proceed,
}

impl<H: ServerHandler> Program<H> {
    /// Asks the guardian that the options name, in place of one that [`guardian`](Program::guardian) has set. Without a URL
    /// in the options, changes nothing.
    ///
    /// # Errors
    ///
    /// The file of the token cannot be read, or it has no token or several.
    pub fn guarded_by(self, options: &ServeGuarded) -> Result<Program<H>, CommandError> {
        let (Some(url), Some(posture)) = (&options.guardian, options.on_guardian_failure) else {
            return Ok(self);
        };
        let mut client = Guardian::http(url).on_failure(match posture {
            OnGuardianFailure::Deny => Posture::Deny,
            OnGuardianFailure::Proceed => Posture::Proceed,
        });
        if let Some(file) = &options.guardian_bearer_file {
            match tokens(file)?.as_slice() {
                [token] => client = client.bearer(token),
                several => {
                    return Err(format!(
                        "`{}` has {} tokens\nhelp: write the one token of the guardian into a file of its own",
                        file.display(),
                        several.len()
                    )
                    .into());
                }
            }
        }
        Ok(self.guardian(client))
    }
}

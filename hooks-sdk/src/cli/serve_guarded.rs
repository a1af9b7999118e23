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
#[command(next_help_heading = "By a guardian")]
pub struct ServeGuarded {
    /// Ask the guardian at this URL about each call of a tool, such as `http://127.0.0.1:8790/aos`
    #[arg(long, value_name = "URL", requires = "on_guardian_failure")]
    guardian: Option<String>,
    /// The effect on a call when the guardian gives no decision
    #[arg(long, value_enum, value_name = "POSTURE", requires = "guardian")]
    on_guardian_failure: Option<OnGuardianFailure>,
    /// Send the guardian the bearer token in this file
    #[arg(long, value_name = "FILE", requires = "guardian")]
    guardian_bearer_file: Option<PathBuf>,
    /// Allow a URL of `http` that leads to another computer: steps and secrets pass the network unencrypted
    #[arg(long, requires = "guardian")]
    guardian_plain_http: bool,
    /// The URL of this server's provider, which is sent to the guardian [default: the server's `websiteUrl`, else
    /// `https://NAME.invalid`]
    #[arg(long, value_name = "URL", requires = "guardian")]
    guardian_provider_url: Option<String>,
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
    /// Asks the guardian that the options name. Without a URL in the options, changes nothing.
    ///
    /// # Errors
    ///
    /// [`guardian`](Program::guardian) has set a guardian, too; or the file of the token cannot be read, or it has no token
    /// or several.
    pub fn guarded_by(self, options: &ServeGuarded) -> Result<Program<H>, CommandError> {
        let (Some(url), Some(posture)) = (&options.guardian, options.on_guardian_failure) else {
            return Ok(self);
        };
        if self.settings.guardian.is_some() {
            return Err(
                "the program has a guardian of its own, and `--guardian` names another\nhelp: leave out `--guardian`, \
                 or `Program::guardian` in the program: one guardian decides"
                    .into(),
            );
        }
        let provider = match &options.guardian_provider_url {
            Some(url) => url.clone(),
            // Every guardian requires one, and this one says that there is none.
            None => format!("https://{}.invalid", self.name),
        };
        let mut client = Guardian::http(url)
            .provider_url(provider)
            .posture(match posture {
                OnGuardianFailure::Deny => Posture::Deny,
                OnGuardianFailure::Proceed => Posture::Proceed,
            });
        if options.guardian_plain_http {
            client = client.allow_plain_http();
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aos::Agent,
        cli::program::{SessionPlace, runtime},
    };

    struct Notes;

    impl ServerHandler for Notes {}

    fn options() -> ServeGuarded {
        ServeGuarded {
            guardian: Some("http://127.0.0.1:9/aos".to_owned()),
            on_guardian_failure: Some(OnGuardianFailure::Deny),
            ..ServeGuarded::default()
        }
    }

    fn checked(program: &Program<Notes>) -> Result<(), String> {
        let made = program.hooked(|guidance| guidance, SessionPlace::Nowhere);
        let hooked = runtime().unwrap().block_on(made);
        let hooked = hooked.map_err(|problem| problem.to_string())?;
        hooked.check().map_err(|problems| problems.to_string())
    }

    #[test]
    fn two_settings_that_both_name_a_guardian_are_an_error() {
        let own = Guardian::local(())
            .agent(Agent::new("notes", "Notes").provider("Example", "https://example.com"));
        let program = Program::new("notes", || Ok(Notes)).guardian(own.posture(Posture::Deny));
        let program = program.guarded_by(&ServeGuarded::default()).unwrap();
        let Err(problem) = program.guarded_by(&options()) else {
            panic!("one of them was ignored");
        };
        let problem = problem.to_string();
        assert!(problem.contains("a guardian of its own"), "{problem}");
    }

    #[test]
    fn a_server_without_a_website_is_guarded_and_names_its_provider_by_an_option() {
        for url in [None, Some("https://example.com".to_owned())] {
            let options = ServeGuarded {
                guardian_provider_url: url,
                ..options()
            };
            let program = Program::new("notes", || Ok(Notes));
            checked(&program.guarded_by(&options).unwrap()).unwrap();
        }
    }

    #[test]
    fn plain_http_to_another_computer_needs_its_option() {
        let mut options = options();
        options.guardian = Some("http://guardian.example/aos".to_owned());
        let guarded = |options: &ServeGuarded| {
            let program = Program::new("notes", || Ok(Notes));
            checked(&program.guarded_by(options).unwrap())
        };
        let problem = guarded(&options).unwrap_err();
        assert!(problem.contains("--guardian-plain-http"), "{problem}");
        options.guardian_plain_http = true;
        guarded(&options).unwrap();
    }
}

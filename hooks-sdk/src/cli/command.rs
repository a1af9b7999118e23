//! The commands about hooks.

use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches, Subcommand};

use super::{
    Program, doctor, explain, fire, install, list,
    options::{OutputFormat, binary},
    package, print, uninstall,
};
use crate::server::ServerHandler;
use hooks_server::internal::AnyAuthor;

/// The commands about a server's hooks, as a clap subcommand.
///
/// ```no_run,standalone_crate
/// use clap::{CommandFactory, Parser};
/// use hooks_sdk::{cli::{Hooks, Program}, rmcp::ServerHandler};
///
/// struct Notes;
///
/// impl ServerHandler for Notes {}
///
/// #[derive(Parser)]
/// enum Cli {
///     /// Count the notes
///     Count,
///     /// The server's hooks
///     #[command(subcommand)]
///     Hooks(Hooks),
/// }
///
/// fn main() -> std::process::ExitCode {
///     match Cli::parse() {
///         Cli::Count => std::process::ExitCode::SUCCESS,
///         Cli::Hooks(hooks) => hooks
///             .command_line(Cli::command)
///             .run(&Program::new("notes", || Ok(Notes))),
///     }
/// }
/// ```
///
/// It must be the subcommand `hooks` of the binary, because installed entries run `hooks fire`.
#[derive(Debug)]
pub struct Hooks {
    command: Command,
    binary: Option<fn() -> clap::Command>,
}

impl FromArgMatches for Hooks {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Hooks, clap::Error> {
        Command::from_arg_matches(matches).map(|command| Hooks {
            command,
            binary: None,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.command.update_from_arg_matches(matches)
    }
}

impl Subcommand for Hooks {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        Command::augment_subcommands(command)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Command::augment_subcommands_for_update(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Command::has_subcommand(name)
    }
}

// Not a doc comment: clap would print it.
#[derive(Debug, Subcommand)]
enum Command {
    /// List the hooks by event, each with its strength and its first sentence
    List(OutputFormat),
    /// Show which hooks fire at an event in each client, with their texts, and why others do not
    ///
    /// Fires nothing and records nothing. Calls context tools, as a real event does. The number of tokens is an estimate: a
    /// quarter of the number of characters.
    #[command(after_long_help = examples(&[
        "explain --event post_tool_use --tool Bash --input 'git commit -m x'",
        "explain --event session_start --client codex",
    ]))]
    Explain(explain::Explain),
    /// Write the hooks, and the server, into an agent client's configuration
    ///
    /// Writes one entry for each event at which a hook can fire. Keeps everything else in the client's files, including
    /// comments and layout. Writes all files or none, and keeps their previous bytes for `uninstall`. Does not change a
    /// file that does not parse. A second `install` updates old entries. On a terminal, prints the diff first.
    #[command(after_long_help = examples(&[
        "install --client claude-code",
        "install --client all",
        "install --client codex --scope project --dry-run",
        "install --client gemini --no-server",
    ]))]
    Install(install::Install),
    /// Remove from a client's configuration what `install` wrote
    ///
    /// Restores the previous bytes of each file that nobody has changed since `install`. Removes only this server's
    /// entries from any other file.
    #[command(after_long_help = examples(&["uninstall --client claude-code", "uninstall --client all"]))]
    Uninstall(uninstall::Uninstall),
    /// Check the clients, their versions, the entries and the command, and report what keeps hooks from working
    ///
    /// Looks up each client on the PATH and asks for its version. Runs the command as the client runs it, with an event
    /// at which no hook fires. Lists where the client is known to differ, such as events at which no text reaches the
    /// agent.
    Doctor(doctor::Doctor),
    /// Run each client once against a stand-in for its model service, and show which texts reach the model
    ///
    /// Uses a throw-away home and project, in which the hooks are installed as `install` does it, with a probe at each
    /// event. Nothing of yours is read or written, no key is needed, and no model is asked. The client itself runs as you,
    /// and makes an empty commit in the throw-away project. Exit code: 0 if everything is as the table of clients says, 1
    /// if a text does not arrive or something else differs, 2 if a client cannot be run.
    #[cfg(feature = "prove")]
    #[command(after_long_help = examples(&["prove", "prove --client codex", "prove --json --timeout 60"]))]
    Prove(super::prove::Prove),
    /// Answer one event of a client: read it as JSON from standard input, and write the answer to standard output
    ///
    /// Clients run this command; people rarely do. Whatever standard input holds, standard output is a JSON object that
    /// the client understands, and the exit code is 0.
    Fire(fire::Fire),
    /// Write a folder that a client loads as a plugin, or packages for a registry: the hooks, the server and its skills
    ///
    /// A plugin without a program works on every computer that has this program on its PATH. Writes the whole folder or
    /// nothing, and replaces only a folder that is an earlier package of this server.
    #[command(after_long_help = examples(&[
        "package --format claude-plugin dist/claude",
        "package --format codex-plugin dist/codex",
        "package --format agent-plugins dist/plugin --json",
    ]))]
    Package(package::Package),
    /// Check a configuration file of plugin hooks, and show what it decides
    #[cfg(feature = "plugin")]
    #[command(subcommand)]
    Policy(super::policy::PolicyCommand),
    /// Verify the decision log, show it, or make a key for it
    #[cfg(feature = "log")]
    #[command(subcommand)]
    Log(super::log::Log),
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// Writes the examples below a command's help, as a user of this program types them.
fn examples(commands: &[&str]) -> String {
    let mut text = String::from(if commands.len() == 1 {
        "Example:"
    } else {
        "Examples:"
    });
    for command in commands {
        text.push_str(&format!("\n  {} hooks {command}", binary()));
    }
    text
}

impl Hooks {
    /// Sets the command line of a binary with commands of its own, usually to `Cli::command`, of clap's `CommandFactory`:
    /// `hooks completions` knows its commands and options.
    ///
    /// Without it, `hooks completions` knows `hooks`, and `serve` as [`Program::main`] has it.
    #[must_use]
    pub fn command_line(self, binary: fn() -> clap::Command) -> Hooks {
        Hooks {
            binary: Some(binary),
            ..self
        }
    }

    /// Runs the command.
    pub fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        self.run_any(&program.without_type())
    }

    fn run_any(self, program: &Program<AnyAuthor>) -> ExitCode {
        if !matches!(self.command, Command::Fire(_))
            && let Err(wrong) = program.check_name()
        {
            return print::outcome(Err(wrong));
        }
        let outcome = match self.command {
            // `fire` always answers, so it has no failure to report.
            Command::Fire(fire) => return fire.run(program),
            // Its exit code says whether everything works.
            Command::Doctor(doctor) => return doctor.run(program),
            #[cfg(feature = "prove")]
            Command::Prove(prove) => return prove.run(program),
            // Its exit code says what the policy decides.
            #[cfg(feature = "plugin")]
            Command::Policy(policy) => return policy.run(program),
            // Its exit code says whether somebody changed the log.
            #[cfg(feature = "log")]
            Command::Log(log) => return log.run(),
            Command::List(format) => list::run(program, format),
            Command::Explain(explain) => explain.run(program),
            Command::Install(install) => install.run(program),
            Command::Uninstall(uninstall) => uninstall.run(program),
            Command::Package(package) => package.run(program),
            Command::Completions { shell } => {
                let own = self.binary.map(|binary| binary());
                let own = own.unwrap_or_else(|| program.command());
                let script = completions(shell, own, &binary());
                print::text(&script)
            }
        };
        print::outcome(outcome)
    }
}

/// Returns the completions of a command line, for the name under which the user starts it.
fn completions(shell: clap_complete::Shell, mut command_line: clap::Command, name: &str) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_line, name, &mut script);
    let script = String::from_utf8_lossy(&script);
    // clap_complete 4.6 writes a hyphen of the program's name in two ways for bash, which then finds no command's options.
    let [sought, written] = ["__", "__subcmd__"].map(|hyphen| name.replace('-', hyphen));
    script.replace(&format!("{written}__"), &format!("{sought}__"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::process;

    use clap_complete::Shell;

    use super::*;
    use crate::cli::tests::Notes;

    #[test]
    fn bash_completes_every_command_and_option() {
        let command_line = Program::new("notes", || Ok(Notes)).command();
        let script = completions(Shell::Bash, command_line, "notes");
        let complete = |words: &[&str]| {
            let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
            let asks = format!(
                "{script}\nCOMP_WORDS=({}); COMP_CWORD={}\n_notes notes '{last}' '{before}'\necho \"${{COMPREPLY[@]}}\"",
                words.join(" "),
                words.len() - 1
            );
            let output = process::Command::new("bash").args(["-c", &asks]).output();
            let output = output.unwrap();
            assert!(
                output.status.success() && output.stderr.is_empty(),
                "{output:?}"
            );
            String::from_utf8(output.stdout)
                .unwrap()
                .trim_end()
                .to_owned()
        };
        assert_eq!(complete(&["notes", "s"]), "serve");
        #[cfg(feature = "http")]
        assert_eq!(complete(&["notes", "serve", "--ht"]), "--http");
        assert_eq!(complete(&["notes", "hooks", "inst"]), "install");
        assert_eq!(
            complete(&["notes", "hooks", "install", "--no"]),
            "--no-server"
        );
        assert_eq!(
            complete(&["notes", "hooks", "explain", "--client", "cl"]),
            "claude-code cline"
        );
    }
}

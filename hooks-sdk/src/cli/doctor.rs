//! `hooks doctor`

use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::{
    Failure, Program,
    command::{self, Format},
    install::Target,
    print,
};
use crate::{
    clients::{self, Client, Scope, config::Record},
    server::ServerHandler,
};

/// How long a client may take to say its version, or our command to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The arguments of `hooks doctor`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct Doctor {
    /// Only this client
    #[arg(long, value_name = "CLIENT", value_parser = command::client_parser())]
    client: Option<&'static dyn Client>,
    /// The project's folder, instead of the current one
    #[arg(long, alias = "project", value_name = "FOLDER")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// What was found of one client.
#[derive(Debug, Serialize)]
struct Found {
    client: &'static str,
    program: Option<PathBuf>,
    version: Option<String>,
    scopes: Vec<InScope>,
    command: Result<String, String>,
    further_step: Option<&'static str>,
    notes: Vec<String>,
}

/// What is installed for one scope.
#[derive(Debug, Serialize)]
struct InScope {
    scope: &'static str,
    recorded: bool,
    state: String,
}

impl Doctor {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), Failure> {
        let each = clients::ALL
            .into_iter()
            .filter(|client| self.client.is_none_or(|only| only.name() == client.name()));
        let found = each
            .map(|client| self.look_at(program, client))
            .collect::<Result<Vec<Found>, Failure>>()?;
        if self.format.json {
            return print::json(&found);
        }
        let pages: Vec<String> = found.iter().map(page).collect();
        print::text(&pages.join("\n"))
    }

    fn look_at<H: ServerHandler>(
        &self,
        program: &Program<H>,
        client: &'static dyn Client,
    ) -> Result<Found, Failure> {
        let at = on_path(client.program());
        let version = at.as_deref().and_then(version);
        let mut scopes = Vec::new();
        for (scope, word) in [(Scope::User, "user"), (Scope::Project, "project")] {
            let target = Target {
                client,
                scope,
                project: self.folder.clone(),
            };
            scopes.push(state(program, &target, word)?);
        }
        Ok(Found {
            client: client.name(),
            program: at,
            version,
            scopes,
            command: answers(client),
            further_step: client.further_step(Scope::User),
            notes: program.notes(client)?,
        })
    }
}

fn state<H: ServerHandler>(
    program: &Program<H>,
    target: &Target,
    word: &'static str,
) -> Result<InScope, Failure> {
    let place = target.place()?;
    let data = program
        .folder()
        .ok_or("this user has no folder for the data of programs")?;
    let record = Record::find(&data, target.client.name(), target.scope, &place.project)?;
    let hooks = program.plan(target, false)?.preview(&data);
    let state = match (&record, hooks) {
        (_, Err(error)) => error.to_string(),
        (None, Ok(_)) => "not installed".to_owned(),
        (Some(_), Ok(changes)) if changes.iter().any(|change| change.changes()) => {
            "entries are missing or out of date: run `hooks install` again".to_owned()
        }
        (Some(_), Ok(_)) => "entries are present and current".to_owned(),
    };
    Ok(InScope {
        scope: word,
        recorded: record.is_some(),
        state,
    })
}

/// The program of this name on the PATH.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version");
    let answer = run(command, b"").ok()?;
    answer.lines().next().map(|line| line.trim().to_owned())
}

/// Whether the installed command answers an empty event, and how fast.
fn answers(client: &dyn Client) -> Result<String, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(["hooks", "fire", "--client", client.name()]);
    let begun = Instant::now();
    let answer = run(command, b"{}")?;
    match serde_json::from_str::<Value>(&answer) {
        Ok(Value::Object(_)) => Ok(format!("answers in {} ms", begun.elapsed().as_millis())),
        _ => Err(format!(
            "it answers with something else than an object: {}",
            print::clip(&answer, 100)
        )),
    }
}

/// Runs a command to its end, at most for [`PATIENCE`], and gives its standard output.
fn run(mut command: Command, input: &[u8]) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input has its reasons.
        _ = stdin.write_all(input);
    }
    let begun = Instant::now();
    loop {
        match child.try_wait().map_err(failed)? {
            Some(status) if status.success() => break,
            Some(status) => return Err(format!("it ended with {status}")),
            None if begun.elapsed() > PATIENCE => {
                _ = child.kill();
                _ = child.wait();
                return Err(format!("it did not end within {} s", PATIENCE.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    let output = child.wait_with_output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn page(found: &Found) -> String {
    let mut page = format!("{}\n", found.client);
    let line = match (&found.program, &found.version) {
        (Some(program), Some(version)) => format!("installed: {version} ({})", program.display()),
        (Some(program), None) => format!(
            "installed: {}, which does not say its version",
            program.display()
        ),
        (None, _) => "not found on the PATH".to_owned(),
    };
    page.push_str(&format!("  {line}\n"));
    for scope in &found.scopes {
        page.push_str(&format!("  {} scope: {}\n", scope.scope, scope.state));
    }
    page.push_str(&match &found.command {
        Ok(how) => format!("  the command {how}\n"),
        Err(wrong) => format!("  the command does not work: {wrong}\n"),
    });
    if let Some(step) = found.further_step {
        page.push_str(&format!("  to do: {step}\n"));
    }
    for note in &found.notes {
        page.push_str(&format!("  note: {note}\n"));
    }
    page
}

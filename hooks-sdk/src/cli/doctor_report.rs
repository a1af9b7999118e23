//! The report of `hooks doctor`.

use std::path::PathBuf;

use serde::Serialize;

use super::CommandError;
use crate::{clients::Client, core::Timestamp, lifecycle::Event};

/// What `doctor` found out about one client.
#[derive(Debug, Serialize)]
pub(super) struct ClientReport {
    pub(super) client: &'static str,
    /// Whether everything that is installed works.
    pub(super) works: bool,
    pub(super) program: Option<PathBuf>,
    pub(super) version: Option<String>,
    /// The folder of the user's files; `None` if the variable names no absolute path, and the client was not checked.
    pub(super) folder: Option<PathBuf>,
    /// The variable that names the folder.
    pub(super) folder_variable: Option<&'static str>,
    pub(super) scopes: Vec<InScope>,
    pub(super) command: Result<String, String>,
    /// Whether the server starts; `None` if no client starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<Result<String, String>>,
    /// The last firing at each event with an entry; `None` if no receipt has one.
    pub(super) last_firings: Vec<(Event, Option<Timestamp>)>,
    pub(super) further_step: Option<&'static str>,
    /// What keeps the hooks off without a word, each with what mends it.
    pub(super) wrong: Vec<String>,
    /// Records of installations elsewhere, as in another project, that cannot be read.
    pub(super) unreadable: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// The installation of one scope.
#[derive(Debug, Serialize)]
pub(super) struct InScope {
    pub(super) scope: &'static str,
    pub(super) recorded: bool,
    /// Whether the client's file has entries of this server.
    pub(super) installed: bool,
    pub(super) state: String,
    /// Whether the installation wrote the entry of the server.
    #[serde(skip)]
    pub(super) has_server: bool,
    /// Whether the entries are as the program would write them.
    #[serde(skip)]
    pub(super) is_current: bool,
    /// The command lines from the client's file that `doctor` ran.
    pub(super) commands: Vec<String>,
    /// The program of an entry that does not exist.
    #[serde(skip)]
    pub(super) gone: Option<PathBuf>,
    /// A sentence about the program of the entries.
    #[serde(skip)]
    pub(super) note: Option<String>,
}

impl ClientReport {
    /// Makes the report on a client whose folder is not known.
    pub(super) fn unchecked(
        client: &'static Client,
        program: Option<PathBuf>,
        version: Option<String>,
        error: &CommandError,
    ) -> ClientReport {
        ClientReport {
            client: client.name,
            works: false,
            program,
            version,
            folder: None,
            folder_variable: None,
            scopes: Vec::new(),
            command: Err("it was not run".to_owned()),
            server: None,
            last_firings: Vec::new(),
            further_step: None,
            wrong: vec![error.to_string()],
            unreadable: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Formats the report for people.
    pub(super) fn page(&self) -> String {
        let mut page = format!("{}\n", self.client);
        let line = match (&self.program, &self.version) {
            (Some(program), Some(version)) => {
                format!("installed: {version} ({})", program.display())
            }
            (Some(program), None) => format!(
                "installed: {}, which does not report its version",
                program.display()
            ),
            (None, _) => "not found on the PATH".to_owned(),
        };
        page.push_str(&format!("  {line}\n"));
        let Some(folder) = &self.folder else {
            page.push_str(&format!("  not checked: {}\n", self.wrong.join("\n")));
            return page;
        };
        let why = match self.folder_variable {
            Some(variable) => format!(", which `{variable}` names"),
            None => String::new(),
        };
        page.push_str(&format!("  your files: {}{why}\n", folder.display()));
        for scope in &self.scopes {
            page.push_str(&format!("  {} scope: {}\n", scope.scope, scope.state));
        }
        page.push_str(&match &self.command {
            Ok(how) => format!("  the command {how}\n"),
            Err(wrong) => format!("  the command does not work: {wrong}\n"),
        });
        match &self.server {
            Some(Ok(how)) => page.push_str(&format!("  the server {how}\n")),
            Some(Err(wrong)) => page.push_str(&format!("  the server does not start: {wrong}\n")),
            None => {}
        }
        for (event, at) in &self.last_firings {
            page.push_str(&match at {
                Some(at) => format!("  {event} fired last at {at}\n"),
                None => format!("  {event} has not fired\n"),
            });
        }
        for wrong in &self.wrong {
            page.push_str(&format!("  hooks are off: {wrong}\n"));
        }
        for error in &self.unreadable {
            page.push_str(&format!("  not known: {error}\n"));
        }
        if let Some(step) = self.further_step {
            page.push_str(&format!("  to do: {step}\n"));
        }
        for note in &self.notes {
            page.push_str(&format!("  note: {note}\n"));
        }
        page
    }
}

//! The plan of one client's entries.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    super::{InstallScope, by_name},
    command::EntryOwner,
    document,
    error::ConfigError,
    file, hooks, own,
    record::{InstallationKey, Record},
    servers::ServerEntry,
    text::Text,
};

/// A hook entry for a client.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEntry {
    /// The JSON file.
    pub file: PathBuf,
    /// The client's name for the event.
    pub event: String,
    /// The entry in the event's list: an object with a `command`, or with a list `hooks` of such objects.
    pub value: Value,
}

/// The entries of one client, in one scope.
///
/// Its hooks are complete for their files: the server's other hook entries in these files are removed. The words of each
/// command end with `--id` and the server's id, by which its entries are found again.
///
/// ```
/// use std::path::Path;
/// use hooks_sdk::clients::{InstallScope, config::{HookEntry, Plan, InstallationKey, command_line}};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let home = tempfile::tempdir()?;
/// # let home = home.path();
/// let program = Path::new("/opt/my tools/notes");
/// let words = ["hooks", "fire", "--event", "session_start", "--id", "notes"];
/// let command = command_line(program, &words);
/// let key = InstallationKey::new("notes", "claude-code", InstallScope::User, home);
/// let plan = Plan::new(key, program).hook(HookEntry {
///     file: home.join(".claude/settings.json"),
///     event: "SessionStart".to_owned(),
///     value: serde_json::json!({"hooks": [{"type": "command", "command": command}]}),
/// });
/// let data = home.join("data/notes");
/// for change in plan.preview(&data)? {
///     eprint!("{}", change.diff());
/// }
/// plan.apply(&data)?;
/// assert!(home.join(".claude/settings.json").exists());
///
/// for record in hooks_sdk::clients::config::Records::read(&data)?.installed {
///     record.uninstall()?;
/// }
/// assert!(!home.join(".claude").exists());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan {
    pub(super) key: InstallationKey,
    pub(super) program: PathBuf,
    /// The hooks.
    pub hooks: Vec<HookEntry>,
    server: Option<ServerEntry>,
    /// The files that are wholly the program's own, each with its content.
    pub own: Vec<(PathBuf, String)>,
    /// The members with which a JSON file begins if it does not exist.
    pub created: Vec<(PathBuf, Map<String, Value>)>,
}

/// One of the program's hook entries in a client's file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Installed {
    /// The event, as the client calls it; empty for a generated file that names none.
    pub event: String,
    /// The command line that the client runs.
    pub command: String,
    /// The program that the command line starts.
    pub program: PathBuf,
}

/// The entries for one file.
pub(super) struct Target<'p> {
    pub(super) named: &'p Path,
    pub(super) real: PathBuf,
    /// Each event's name in that file, with its entries.
    pub(super) hooks: Vec<(&'p str, Vec<&'p Value>)>,
    pub(super) server: Option<&'p ServerEntry>,
    /// The content of a file that is wholly the program's own.
    pub(super) own: Option<&'p str>,
    /// The members of the file if it is created.
    pub(super) created: Option<&'p Map<String, Value>>,
}

impl Plan {
    /// Makes an empty plan. `program` is the binary that entries start.
    pub fn new(key: InstallationKey, program: &Path) -> Plan {
        Plan {
            key: key.earlier(program),
            program: program.to_owned(),
            hooks: Vec::new(),
            server: None,
            own: Vec::new(),
            created: Vec::new(),
        }
    }

    /// Takes over entries without an id that start this program.
    #[must_use]
    pub fn earlier(mut self, program: &Path) -> Plan {
        self.key = self.key.earlier(program);
        self
    }

    /// Returns the rule for the server's entries. `record` is the installation before.
    pub(super) fn owner(&self, record: Option<&Record>) -> EntryOwner {
        let moved = record.and_then(|record| record.starts.as_deref());
        let programs = self.key.earlier.iter().map(PathBuf::as_path).chain(moved);
        programs.fold(EntryOwner::new(&self.key.id), EntryOwner::earlier)
    }

    /// Adds a hook.
    #[must_use]
    pub fn hook(mut self, entry: HookEntry) -> Plan {
        self.hooks.push(entry);
        self
    }

    /// Adds the MCP server.
    #[must_use]
    pub fn server(mut self, entry: ServerEntry) -> Plan {
        self.server = Some(entry);
        self
    }

    /// Checks that the client reads a file. A file that it would ignore is not edited.
    pub(super) fn check_reading(&self, file: &Path, text: &Text<'_>) -> Result<(), ConfigError> {
        let Some(client) = by_name(&self.key.client) else {
            return Ok(());
        };
        let name = file.file_name().and_then(|name| name.to_str());
        let mut readings = client.readings.iter();
        let reading = readings.find(|it| it.file.is_empty() || name == Some(it.file));
        reading.map_or(Ok(()), |it| it.check(client.title, file, text))
    }

    /// Adds a file that is wholly the program's own, such as a plugin.
    ///
    /// Its content has a line `const COMMAND = ["PROGRAM", "hooks", "fire", …, "--id", "ID"]`, one JSON array, by which the file is
    /// recognized if the record of the installation is lost. Another program's file and one that the user has changed
    /// are not replaced. Uninstalling removes the file, unless the user has changed it.
    #[must_use]
    pub fn own_file(mut self, file: PathBuf, content: String) -> Plan {
        self.own.push((file, content));
        self
    }

    /// Sets the members with which a JSON file begins if it does not exist, such as the version of its format.
    ///
    /// Uninstalling removes a created file that has no other members left.
    #[must_use]
    pub fn created_with(mut self, file: PathBuf, members: Map<String, Value>) -> Plan {
        if !members.is_empty() {
            self.created.push((file, members));
        }
        self
    }

    /// Returns the plan without the MCP server, if the server has a file of its own, which is this one.
    pub fn without_server(mut self, file: &Path) -> Option<Plan> {
        let is_alone = self.hooks.iter().all(|hook| hook.file != file);
        let server = self.server.take().filter(|server| server.file == file);
        server.filter(|_| is_alone).map(|_| self)
    }

    /// Returns the program's current hook entries in the plan's files, whoever wrote them.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn installed(&self) -> Result<Vec<Installed>, ConfigError> {
        let owner = self.owner(None);
        let mut all = Vec::new();
        for target in self.targets()? {
            let Some(content) = file::read(target.named, &target.real)? else {
                continue;
            };
            if target.own.is_some() {
                all.extend(own::installed(&content.bytes, &owner));
            } else if !target.hooks.is_empty() {
                let text = Text::read(target.named, &content.bytes)?;
                let settings = document::parsed(target.named, text.body)?.value();
                all.extend(hooks::installed(&settings, &owner));
            }
        }
        Ok(all)
    }

    /// Returns the files, each once: links and paths to the same file are one target.
    ///
    /// A file of the project that is behind a link out of the project is refused: whoever wrote the project would choose
    /// which file of the user changes.
    pub(super) fn targets(&self) -> Result<Vec<Target<'_>>, ConfigError> {
        let mut targets: BTreeMap<PathBuf, Target<'_>> = BTreeMap::new();
        for entry in &self.hooks {
            let target = target(&mut targets, &entry.file)?;
            let events = &mut target.hooks;
            match events.iter_mut().find(|(event, _)| *event == entry.event) {
                Some((_, entries)) => entries.push(&entry.value),
                None => events.push((&entry.event, vec![&entry.value])),
            }
        }
        if let Some(entry) = &self.server {
            target(&mut targets, &entry.file)?.server = Some(entry);
        }
        for (file, content) in &self.own {
            target(&mut targets, file)?.own = Some(content);
        }
        for (file, members) in &self.created {
            // A file without entries is not created.
            if let Some(target) = targets.get_mut(&file::resolve(file)?) {
                target.created = Some(members);
            }
        }
        if self.key.scope != InstallScope::User {
            for target in targets.values() {
                file::check_inside(&self.key.project, target.named, &target.real)?;
            }
        }
        Ok(targets.into_values().collect())
    }
}

fn target<'t, 'p>(
    targets: &'t mut BTreeMap<PathBuf, Target<'p>>,
    named: &'p Path,
) -> Result<&'t mut Target<'p>, ConfigError> {
    let real = file::resolve(named)?;
    Ok(targets.entry(real.clone()).or_insert_with(|| Target {
        named,
        real,
        hooks: Vec::new(),
        server: None,
        own: None,
        created: None,
    }))
}

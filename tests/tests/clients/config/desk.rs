//! A home folder with a client's files, and the plans that are carried out there.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use hooks_sdk::clients::{
    InstallScope,
    config::{
        ConfigError, FileChange, Format, HookEntry, InstallationKey, Plan, Record, Records,
        ServerEntry, command_line,
    },
};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Desk {
    /// Removed when it is dropped.
    _folder: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) program: PathBuf,
}

/// A folder in memory, where the system has one: each write waits for the disk, and the tests write thousands of times.
fn in_memory() -> io::Result<TempDir> {
    tempfile::tempdir_in("/dev/shm")
}

impl Desk {
    pub(crate) fn new() -> Desk {
        let folder = in_memory().or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("a folder");
        let home = root.join("Zoë's home");
        fs::create_dir(&home).expect("made");
        let program = root.join("my bin/notes");
        fs::create_dir(root.join("my bin")).expect("made");
        fs::write(&program, "").expect("written");
        Desk {
            _folder: folder,
            home,
            program,
        }
    }

    /// One with these settings.
    pub(crate) fn with(settings: impl AsRef<[u8]>) -> Desk {
        let desk = Desk::new();
        desk.write(&desk.settings(), settings);
        desk
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.home.join(".client/settings.json")
    }

    pub(crate) fn toml(&self) -> PathBuf {
        self.home.join(".client/config.toml")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.home.join("data/notes")
    }

    pub(crate) fn write(&self, file: &Path, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, bytes).expect("written");
    }

    pub(crate) fn read(&self, file: &Path) -> String {
        fs::read_to_string(file).expect("readable")
    }

    pub(crate) fn value(&self) -> Value {
        value(&self.read(&self.settings()))
    }

    pub(crate) fn command(&self, event: &str) -> String {
        let args = ["hooks", "fire", "--event", event, "--id", "notes"];
        command_line(&self.program, &args)
    }

    pub(crate) fn entry(&self, event: &str) -> Value {
        let command = self.command(event);
        json!({"hooks": [{"type": "command", "command": command, "timeout": 10}]})
    }

    pub(crate) fn empty_plan(&self) -> Plan {
        let key = InstallationKey::new("notes", "client", InstallScope::User, &self.home);
        Plan::new(key, &self.program)
    }

    /// Hooks at these events.
    pub(crate) fn plan(&self, events: &[&str]) -> Plan {
        events.iter().fold(self.empty_plan(), |plan, event| {
            plan.hook(self.hook(event, self.entry(event)))
        })
    }

    pub(crate) fn hook(&self, event: &str, value: Value) -> HookEntry {
        HookEntry {
            file: self.settings(),
            event: event.to_owned(),
            value,
        }
    }

    pub(crate) fn server(&self, format: Format) -> ServerEntry {
        let (file, path) = match format {
            Format::Toml => (self.toml(), "mcp_servers"),
            _ => (self.settings(), "mcpServers"),
        };
        ServerEntry {
            file,
            path: vec![path.to_owned()],
            name: "notes".to_owned(),
            value: json!({"command": self.program, "args": ["serve"]}),
        }
    }

    /// Carries out a plan, and finds that it has nothing more to do then.
    pub(crate) fn install(&self, plan: &Plan) -> Vec<FileChange> {
        let previewed = plan.preview(&self.data()).expect("a preview");
        let changes = plan.apply(&self.data()).expect("installed");
        assert_eq!(previewed, changes);
        let again = plan.preview(&self.data()).expect("a preview");
        for change in &again {
            assert!(!change.changes(), "{}", change.diff());
        }
        changes
    }

    pub(crate) fn refused(&self, plan: &Plan) -> ConfigError {
        let before = self.files();
        let error = plan.apply(&self.data()).expect_err("refused");
        assert_eq!(self.files(), before, "{error}");
        error
    }

    pub(crate) fn record(&self) -> Record {
        let mut records = installed(&self.data());
        assert_eq!(records.len(), 1);
        records.remove(0)
    }

    /// The file of the only record.
    pub(crate) fn record_file(&self) -> PathBuf {
        let files = fs::read_dir(self.data().join("installs")).expect("a folder");
        let mut files = files.map(|file| file.expect("a file").path());
        let is_record = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
        files.find(is_record).expect("a record")
    }

    pub(crate) fn uninstall(&self) {
        self.record().uninstall().expect("uninstalled");
        assert_eq!(installed(&self.data()), []);
    }

    /// Every file below the home folder with its bytes, and every folder but those of our own records.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let mut files = Vec::new();
        gather(&self.home, &mut files);
        files.retain(|(path, _)| !path.starts_with(self.home.join("data")));
        files
    }
}

/// The recorded installations, each of which can be read.
pub(crate) fn installed(data: &Path) -> Vec<Record> {
    let records = Records::read(data).expect("readable");
    assert!(records.unreadable.is_empty(), "{records:?}");
    records.installed
}

/// A JSON text without its comments, as a value.
pub(crate) fn value(text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    let parsed = jsonc_parser::parse_to_serde_value::<Value>(text, &Default::default());
    parsed.expect("valid JSON")
}

fn gather(folder: &Path, files: &mut Vec<(PathBuf, Option<Vec<u8>>)>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.push((path.clone(), None));
            gather(&path, files);
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            files.push((path, Some(bytes)));
        }
    }
    files.sort();
}

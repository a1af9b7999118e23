//! A record of an installation in one client that cannot be read: the other clients do not share the trouble.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::user::{User, run_with};

/// A user with hooks in three clients, whose entries start a copy of the program.
struct Broken {
    user: User,
    record: PathBuf,
}

impl Broken {
    fn new() -> Broken {
        let user = User::new();
        for client in ["claude-code", "codex", "gemini"] {
            user.said(&["hooks", "install", "--client", client]);
        }
        let records = user.data().join("installs");
        let found = fs::read_dir(records).unwrap();
        let mut paths = found.map(|entry| entry.unwrap().path());
        let is_codex = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("codex-user") && name.ends_with(".json")
        };
        let record = paths.find(is_codex).unwrap();
        fs::write(&record, "{\"version\": 1, \"cli").unwrap();
        Broken { user, record }
    }

    fn copy(&self) -> PathBuf {
        self.user.data().join("bin/notebook")
    }

    /// Runs a command. Returns its exit code, and both of its outputs.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        run_with(&self.user, &[], arguments)
    }

    /// Everything of the broken installation is where it was.
    fn is_whole(&self) -> bool {
        let hooks = fs::read_to_string(self.user.home().join(".codex/hooks.json"));
        fs::read_to_string(&self.record).unwrap() == "{\"version\": 1, \"cli"
            && hooks.unwrap().contains("--id notebook")
            && self.copy().exists()
    }
}

/// The report on a client.
fn of<'r>(report: &'r Value, client: &str) -> &'r Value {
    let mut all = report.as_array().unwrap().iter();
    all.find(|it| it["client"] == client).unwrap()
}

#[test]
fn the_doctor_names_a_broken_record_and_checks_the_other_clients() {
    let broken = Broken::new();
    let (code, said, errors) = broken.run(&["hooks", "doctor", "--json"]);
    assert_eq!(code, 1, "{errors}");
    let report: Value = serde_json::from_str(&said).unwrap();
    for client in ["claude-code", "gemini"] {
        assert_eq!(of(&report, client)["works"], true, "{said}");
    }
    let codex = of(&report, "codex");
    assert_eq!(codex["works"], false);
    let state = codex["scopes"][0]["state"].as_str().unwrap();
    let begins = format!(
        "{}: the record of the installation is broken: ",
        broken.record.display()
    );
    assert!(
        state.starts_with(&begins) && state.contains("\nhelp: "),
        "{state}"
    );
    let (code, page, _) = broken.run(&["hooks", "doctor", "--client", "gemini"]);
    assert!(code == 0 && !page.contains("broken"), "{page}");
    assert!(broken.is_whole());

    // A record of another project, and one of no client.
    let elsewhere = broken
        .record
        .with_file_name("gemini-project-0123456789abcdef.json");
    let strange = broken.record.with_file_name("mine.json");
    for path in [&elsewhere, &strange] {
        fs::write(path, "[]").unwrap();
    }
    let (code, page, errors) = broken.run(&["hooks", "doctor"]);
    assert_eq!(code, 1);
    assert_eq!(
        page.matches(&*elsewhere.to_string_lossy()).count(),
        1,
        "{page}"
    );
    assert!(errors.contains(&*strange.to_string_lossy()), "{errors}");
    let (code, page, errors) = broken.run(&["hooks", "doctor", "--client", "claude-code"]);
    assert!(code == 0 && errors.is_empty(), "{page}{errors}");
}

#[test]
fn an_uninstallation_passes_by_a_broken_record_and_leaves_the_copy() {
    let broken = Broken::new();
    let name = broken.record.to_string_lossy().into_owned();
    // Another client's broken record is a warning.
    let (code, said, errors) = broken.run(&["hooks", "uninstall", "--client", "gemini"]);
    assert_eq!(code, 0, "{errors}");
    assert!(said.starts_with("Removed from Gemini CLI.\n"), "{said}");
    assert!(
        errors.starts_with(&format!("warning: {name}: ")),
        "{errors}"
    );
    assert!(!broken.user.home().join(".gemini").exists());
    // The client's own is an error.
    let (code, said, errors) = broken.run(&["hooks", "uninstall", "--client", "codex"]);
    assert!(code == 1 && said.is_empty(), "{said}");
    assert!(errors.starts_with(&format!("error: {name}: ")), "{errors}");
    // The others of `all` go on. The broken installation may start the copy.
    let (code, said, errors) = broken.run(&["hooks", "uninstall", "--client", "all"]);
    assert!(
        said.starts_with("Removed from Claude Code.\n"),
        "{said}{errors}"
    );
    assert!(code == 1 && errors.contains(&name), "{errors}");
    assert!(!broken.user.home().join(".claude").exists());
    assert!(broken.is_whole());
}

#[test]
fn an_installation_passes_by_the_broken_record_of_another_client() {
    let broken = Broken::new();
    let install = [
        "hooks", "install", "--client", "gemini", "--scope", "project",
    ];
    let (code, said, errors) = broken.run(&install);
    assert_eq!(code, 0, "{said}{errors}");
    let (code, _, errors) = broken.run(&["hooks", "install", "--client", "codex"]);
    assert!(code == 1 && errors.contains("is broken"), "{errors}");
    assert!(broken.is_whole());
}

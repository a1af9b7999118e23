//! Trouble with the installation in one client, which the others do not share: a record that cannot be read, and a folder that
//! is not named by its whole path.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::user::{User, finished};

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
        let records = user.database().with_file_name("installs");
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
        self.user.database().with_file_name("bin/memory-server")
    }

    /// Runs a command. Returns its exit code, and both of its outputs.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        run(&self.user, &[], arguments)
    }

    /// Everything of the broken installation is where it was.
    fn is_whole(&self) -> bool {
        let hooks = fs::read_to_string(self.user.home().join(".codex/hooks.json"));
        fs::read_to_string(&self.record).unwrap() == "{\"version\": 1, \"cli"
            && hooks.unwrap().contains("--id memory-server")
            && self.copy().exists()
    }
}

/// Runs a command with these variables. Returns its exit code, and both of its outputs.
fn run(user: &User, variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_memory-server"));
    let mut process = user.process(program, arguments);
    process.envs(variables.iter().copied());
    let output = finished(&mut process, b"");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap();
    (code, text(&output.stdout), text(&output.stderr))
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

#[test]
fn the_doctor_names_a_relative_folder_and_checks_the_other_clients() {
    let user = User::new();
    for client in ["codex", "gemini"] {
        assert_eq!(
            run(&user, &[], &["hooks", "install", "--client", client]).0,
            0
        );
    }
    let variables = [("CODEX_HOME", "foo"), ("CLAUDE_CONFIG_DIR", "./bar")];
    let (code, page, errors) = run(&user, &variables, &["hooks", "doctor"]);
    assert_eq!(code, 1, "{page}{errors}");
    for (variable, folder) in variables {
        let expected = format!(
            "  not checked: the variable `{variable}` names `{folder}`, which is not an absolute path\nhelp: write \
             the whole path, or unset the variable\n"
        );
        assert_eq!(page.matches(&expected).count(), 1, "{page}");
    }
    let gemini = page.split("\ngemini\n").nth(1).unwrap();
    assert!(
        gemini.contains("user scope: entries are present and current"),
        "{page}"
    );
    let (code, said, _) = run(&user, &variables, &["hooks", "doctor", "--json"]);
    let report: Value = serde_json::from_str(&said).unwrap();
    let works: Vec<_> = report
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["works"] == json!(false))
        .map(|it| it["client"].as_str().unwrap())
        .collect();
    assert_eq!((code, works), (1, vec!["claude-code", "codex"]));
    // Each other client has nothing to do with it.
    let doctor = ["hooks", "doctor", "--client", "gemini"];
    assert_eq!(run(&user, &variables, &doctor).0, 0);

    // So it is with an installation in all clients.
    for program in ["codex", "gemini"] {
        user.has_program(program);
    }
    let user_files = ["hooks", "install", "--client", "all"];
    let (code, said, errors) = run(&user, &variables, &user_files);
    assert!(said.contains("installed in Gemini CLI.\n"), "{said}");
    assert!(
        code == 1 && errors.starts_with("error: Codex CLI: the variable `CODEX_HOME`"),
        "{errors}"
    );
}

//! Files that are wholly ours.

use std::{fs, path::PathBuf, thread};

use hooks_sdk::clients::config::{ConfigError, Format, Obstacle, Plan};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{
    desk::Desk,
    generate::{config, settings},
};

impl Desk {
    pub(super) fn plugin(&self) -> PathBuf {
        self.home.join(".client/plugins/notes-hooks.js")
    }

    fn words(&self) -> Vec<String> {
        let program = self.program.display().to_string();
        let words = [
            &program, "hooks", "fire", "--client", "it's", "--id", "notes",
        ];
        words.map(str::to_owned).to_vec()
    }

    fn code(&self, rest: &str) -> String {
        let words = json!(self.words());
        format!("// Hooks of `notes`.\nconst COMMAND = {words}\n{rest}\n")
    }

    fn own(&self, rest: &str) -> Plan {
        self.empty_plan().own_file(self.plugin(), self.code(rest))
    }

    fn refused_own(&self, obstacle: Obstacle) -> ConfigError {
        let error = self.refused(&self.own("new"));
        assert_eq!(error.obstacle, obstacle, "{error}");
        assert_eq!(error.file, self.plugin());
        error
    }
}

#[test]
fn an_own_file_comes_and_goes_with_its_folders() {
    for folder in [None, Some(".client"), Some(".client/plugins")] {
        let desk = Desk::new();
        if let Some(folder) = folder {
            fs::create_dir_all(desk.home.join(folder)).expect("made");
        }
        let before = desk.files();
        desk.install(&desk.own("one"));
        assert_eq!(desk.read(&desk.plugin()), desk.code("one"));
        // Another version of the program.
        desk.install(&desk.own("two"));
        assert_eq!(desk.read(&desk.plugin()), desk.code("two"));
        desk.uninstall();
        assert_eq!(desk.files(), before);
    }
}

#[test]
fn folders_with_files_of_others_stay_and_are_named() {
    let desk = Desk::new();
    desk.install(&desk.own("one"));
    let others = desk.home.join(".client/package.json");
    desk.write(&others, "{}");
    let changes = desk.record().uninstall().expect("uninstalled");
    assert!(changes[0].changes() && changes[0].after.is_none());
    let left = changes[0].left.as_deref().expect("a note");
    assert!(left.contains("/.client stays"), "{left}");
    assert!(others.exists() && !desk.home.join(".client/plugins").exists());
}

#[test]
fn an_own_file_that_the_user_changed_stays_and_is_named() {
    let desk = Desk::new();
    desk.install(&desk.own("one"));
    let edited = desk.code("one // mine");
    desk.write(&desk.plugin(), &edited);
    let error = desk.refused_own(Obstacle::Edited);
    assert!(
        error.to_string().contains("\nhelp: move it away"),
        "{error}"
    );
    let changes = desk.record().uninstall().expect("uninstalled");
    assert!(!changes[0].changes());
    let left = changes[0].left.as_deref().expect("a note");
    assert!(left.contains("delete it"), "{left}");
    assert_eq!(desk.read(&desk.plugin()), edited);
}

#[test]
fn a_file_of_another_program_is_not_replaced() {
    let desk = Desk::new();
    for code in [
        "",
        "export default {}",
        "const COMMAND = [\"/bin/other\", \"hooks\", \"fire\"]",
        "const COMMAND = [\"/bin/notes\", \"serve\"]",
        "const COMMAND = [\"/bin/notes\"]",
        "const COMMAND = []",
        "const COMMAND = [1]",
        "const COMMAND = \"notes hooks fire\"",
        "const COMMAND = [\"/bin/notes\", \"hooks\", \"fire\"]",
        "const COMMAND = [\"/bin/notes\", \"hooks\", \"fire\", \"--id\", \"notes-2\"]",
        "  const COMMAND = [\"/bin/notes\", \"hooks\", \"fire\"]",
    ] {
        desk.write(&desk.plugin(), code);
        desk.refused_own(Obstacle::NameTaken);
        assert_eq!(desk.own("").installed().expect("readable"), [], "{code}");
    }
    fs::write(desk.plugin(), b"const COMMAND = [\"\xff\"]").expect("written");
    desk.refused_own(Obstacle::NameTaken);
    fs::remove_file(desk.plugin()).expect("removed");
    fs::create_dir(desk.plugin()).expect("made");
    desk.refused_own(Obstacle::NotAFile);
}

#[test]
fn an_own_file_without_a_record_is_known_by_its_command() {
    let desk = Desk::new();
    let moved = "// x\r\nconst COMMAND = [\"/elsewhere/other\", \"hooks\", \"fire\", \"--id\", \"notes\"];\r\nold";
    desk.write(&desk.plugin(), moved);
    let installed = desk.own("new").installed().expect("readable");
    assert_eq!(installed.len(), 1);
    assert_eq!(installed[0].program.to_str(), Some("/elsewhere/other"));
    assert_eq!(
        installed[0].command,
        "/elsewhere/other hooks fire --id notes"
    );
    desk.install(&desk.own("new"));
    let installed = desk.own("new").installed().expect("readable");
    let program = desk.program.display();
    let line = format!(r"'{program}' hooks fire --client 'it'\''s' --id notes");
    assert_eq!(installed[0].command, line);
    assert_eq!(
        (&*installed[0].event, &installed[0].program),
        ("", &desk.program)
    );
    desk.uninstall();
    assert!(!desk.plugin().exists());
}

#[test]
fn with_other_files_it_is_all_or_none() {
    let desk = Desk::with("{");
    let plan = desk.plan(&["Stop"]).own_file(desk.plugin(), desk.code("x"));
    assert_eq!(desk.refused(&plan).obstacle, Obstacle::Syntax);
    desk.write(&desk.settings(), "{}");
    desk.write(&desk.plugin(), "theirs");
    assert_eq!(desk.refused(&plan).obstacle, Obstacle::NameTaken);
}

#[cfg(unix)]
#[test]
fn links_and_read_only_files_are_as_elsewhere() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = Desk::new();
    fs::create_dir_all(desk.plugin().parent().expect("a folder")).expect("made");
    symlink("../../code/x.js", desk.plugin()).expect("linked");
    let before = desk.files();
    desk.install(&desk.own("one"));
    assert_eq!(desk.read(&desk.home.join("code/x.js")), desk.code("one"));
    desk.uninstall();
    assert_eq!(desk.files(), before);

    desk.install(&desk.own("one"));
    let mode = |mode| fs::set_permissions(desk.plugin(), fs::Permissions::from_mode(mode));
    mode(0o444).expect("set");
    desk.refused_own(Obstacle::ReadOnly);
    let error = desk.record().uninstall().expect_err("read-only");
    assert_eq!(error.obstacle, Obstacle::ReadOnly, "{error}");
    assert_eq!(desk.read(&desk.plugin()), desk.code("one"));
    mode(0o644).expect("set");
    desk.uninstall();
    assert_eq!(desk.files(), before);
}

#[test]
fn many_at_once_are_one() {
    let desk = Desk::new();
    let before = desk.files();
    thread::scope(|threads| {
        for number in 0..8 {
            let desk = &desk;
            threads.spawn(move || {
                let plan = desk.own(if number % 2 == 0 { "one" } else { "two" });
                plan.apply(&desk.data()).expect("installed");
            });
        }
    });
    let code = desk.read(&desk.plugin());
    assert!([desk.code("one"), desk.code("two")].contains(&code));
    desk.uninstall();
    assert_eq!(desk.files(), before);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_of_a_client_s_files_come_and_go_together(
        settings in prop::option::of(settings()),
        config in prop::option::of(config()),
        folder in any::<bool>(),
        neighbour in any::<bool>(),
        versions in prop::collection::vec("[ -~é\r\n\u{feff}]{0,30}", 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let desk = Desk::new();
        if let Some(settings) = &settings {
            desk.write(&desk.settings(), settings);
        }
        if let Some(config) = &config {
            desk.write(&desk.toml(), config);
        }
        if folder || neighbour {
            fs::create_dir_all(desk.plugin().parent().expect("a folder")).expect("made");
        }
        if neighbour {
            desk.write(&desk.plugin().with_file_name("other.js"), "theirs");
        }
        let before = desk.files();
        for version in &versions {
            let plan = desk.plan(&["Stop", "Start"]).server(desk.server(Format::Toml));
            let plan = plan.own_file(desk.plugin(), desk.code(version));
            desk.install(&plan.created_with(desk.settings(), version_of(version)));
        }
        prop_assert_eq!(desk.read(&desk.plugin()), desk.code(versions.last().expect("one")));
        let code = desk.read(&desk.plugin());
        let at = (0..=code.len()).rev().filter(|at| code.is_char_boundary(*at));
        let cut = *cut.get(&at.collect::<Vec<_>>());
        if cut < code.len() {
            // What is cut, such as by a full disk, is not ours any more.
            desk.write(&desk.plugin(), &code[..cut]);
            let changes = desk.record().uninstall().expect("uninstalled");
            prop_assert!(changes.iter().any(|change| change.left.is_some()));
            prop_assert_eq!(desk.read(&desk.plugin()), &code[..cut]);
        } else {
            desk.uninstall();
            prop_assert_eq!(desk.files(), before);
        }
    }
}

fn version_of(text: &str) -> Map<String, Value> {
    Map::from_iter([("$version".to_owned(), json!(text))])
}

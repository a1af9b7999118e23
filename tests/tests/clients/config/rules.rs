//! What an installation writes, and what it leaves alone.

use std::fs;

use serde_json::json;

use super::desk::{Desk, value};

const OTHERS: &str = r#"{
    // The model that I like.
    "model": "opus", /* for now */
    "hooks": {
        "PostToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "date"}]}, // mine

            // more to come
        ],
    },
    "unknown": [1,2,   3],
}"#;

#[test]
fn only_our_entries_are_added() {
    let desk = Desk::with(OTHERS);
    desk.install(&desk.plan(&["PostToolUse", "SessionStart"]));
    let command = |event| serde_json::to_string(&desk.command(event)).expect("JSON");
    let expected = OTHERS.replace(
        "// mine\n",
        &format!(
            r#"// mine
            {{
                "hooks": [
                    {{
                        "command": {},
                        "timeout": 10,
                        "type": "command",
                    }},
                ],
            }},
"#,
            command("PostToolUse")
        ),
    );
    let expected = expected.replace(
        "        ],\n    },",
        &format!(
            r#"        ],
        "SessionStart": [
            {{
                "hooks": [
                    {{
                        "command": {},
                        "timeout": 10,
                        "type": "command"
                    }}
                ]
            }}
        ],
    }},"#,
            command("SessionStart")
        ),
    );
    assert_eq!(desk.read(&desk.settings()), expected);
    desk.uninstall();
    assert_eq!(desk.read(&desk.settings()), OTHERS);
}

#[test]
fn a_missing_file_is_made_with_its_folders_and_removed_again() {
    let desk = Desk::new();
    let before = desk.files();
    let changes = desk.install(&desk.plan(&["Stop"]));
    assert_eq!(changes[0].before, None);
    assert!(changes[0].diff().starts_with("--- /dev/null\n"));
    assert_eq!(
        desk.value(),
        json!({"hooks": {"Stop": [desk.entry("Stop")]}})
    );
    assert!(desk.read(&desk.settings()).ends_with("}\n"));
    desk.uninstall();
    assert_eq!(desk.files(), before);
}

#[test]
fn a_preview_writes_nothing() {
    let desk = Desk::new();
    let before = desk.files();
    let changes = desk.plan(&["Stop"]).preview(&desk.data()).expect("shown");
    assert!(changes[0].changes());
    assert_eq!(desk.files(), before);
    assert!(!desk.data().exists());
}

#[test]
fn layouts_are_kept() {
    for settings in [
        "",
        " \n",
        "// nothing yet",
        "{}",
        "{ }",
        "{}\n",
        "{\n}",
        "{ /* here */ }",
        "{\n  // here\n}\n",
        "{\r\n\t\"a\": 1\r\n}",
        "\u{feff}{\r\n  \"hooks\": {}\r\n}\r\n",
        "{\"a\":1}",
        "{\"a\":1,}",
        "{\"hooks\":{\"Stop\":[]}}",
        "{\"hooks\":{\"Stop\":[1 // one\n]}}",
        "{\"hooks\": {\n  \"Stop\": [\n    {} /* a */ , // b\n    // c\n  ] }}",
        "{\n  \"a\": 1 // last\n}",
        "{\n  \"a\": 1 /* last */, /* really\n */ // yes\n}",
        "{ \"a\": 1\n, \"b\": 2\n}",
        "\n\n  {\n      \"a\": 1\n  }\n",
    ] {
        let desk = Desk::with(settings);
        desk.install(&desk.plan(&["Stop", "Start"]));
        let installed = desk.read(&desk.settings());
        let letters = settings.replace([' ', '\t', '\r', '\n'], "");
        assert_eq!(survivors(&letters, &installed), letters, "{installed}");
        if settings.contains("\r\n") {
            assert_eq!(
                installed.matches('\n').count(),
                installed.matches("\r\n").count()
            );
        }
        if settings.contains('{') {
            assert_eq!(
                settings.ends_with('\n'),
                installed.ends_with('\n'),
                "{installed}"
            );
        }
        assert!(value(&installed)["hooks"]["Start"].is_array());
        desk.uninstall();
        assert_eq!(desk.read(&desk.settings()), settings);
    }
}

/// The characters of a text that are found in order in another.
fn survivors(text: &str, within: &str) -> String {
    let mut rest = within.chars();
    text.chars()
        .filter(|wanted| rest.any(|found| found == *wanted))
        .collect()
}

#[test]
fn an_entry_of_an_older_version_is_replaced_in_place() {
    let desk = Desk::with(
        r#"{"hooks": {"Stop": [
  // first
  {"hooks": [{"command": "/old/name hooks fire --old --id notes", "timeout": 5, "note": "mine"}]}, // ours
  {"hooks": [{"command": "notes hooks fire --twice --id notes"}]},
  {"hooks": [{"command": "other"}, {"command": "notes hooks fire --id notes"}]}
], "Gone": [{"hooks": [{"command": "notes hooks fire --id notes"}]}]}}"#,
    );
    desk.install(&desk.plan(&["Stop"]));
    let mut own = desk.entry("Stop");
    own["hooks"][0]["note"] = json!("mine");
    assert_eq!(
        desk.value(),
        json!({"hooks": {"Stop": [own, {"hooks": [{"command": "other"}]}], "Gone": []}})
    );
    let text = desk.read(&desk.settings());
    assert!(
        text.contains("// first") && text.contains("// ours"),
        "{text}"
    );
    // What was there before was ours, so that it does not come back.
    desk.uninstall();
    assert_eq!(
        desk.value(),
        json!({"hooks": {"Stop": [{"hooks": [{"command": "other"}]}], "Gone": []}})
    );
}

#[test]
fn ours_in_somebodys_own_command_counts_and_is_theirs() {
    let settings = r#"{"hooks": {"Stop": [{"hooks": [{"command": "timeout 3 notes hooks fire --id notes"}]}]}}"#;
    let desk = Desk::with(settings);
    desk.install(&desk.plan(&["Stop"]));
    assert_eq!(desk.read(&desk.settings()), settings);
    desk.uninstall();
    assert_eq!(desk.read(&desk.settings()), settings);
}

#[test]
fn entries_of_before_the_guard_are_ours_too() {
    let desk = Desk::with("{\"a\": 1}");
    let plan = desk.plan(&["Stop"]);
    assert_eq!(plan.installed().expect("readable"), []);
    desk.install(&plan);
    let current = desk.read(&desk.settings());
    let program = format!("'{}'", desk.program.display());
    let guard = format!("test -x {program} || exit 0; exec ");
    let old = current.replace(&guard, "");
    assert_ne!(old, current);
    for (text, command) in [
        (&current, desk.command("Stop")),
        (&old, desk.command("Stop").replace(&guard, "")),
    ] {
        desk.write(&desk.settings(), text);
        let installed = plan.installed().expect("readable");
        assert_eq!(installed.len(), 1);
        assert_eq!(installed[0].event, "Stop");
        assert_eq!(installed[0].command, command);
        assert_eq!(installed[0].program, desk.program);
    }
    desk.install(&plan);
    assert_eq!(desk.read(&desk.settings()), current);
    desk.write(&desk.settings(), &old);
    desk.uninstall();
    assert_eq!(desk.value(), json!({"a": 1}));
}

#[test]
fn entries_may_be_flat() {
    let desk = Desk::with("{}");
    let entry = |timeout| json!({"command": desk.command("stop"), "timeout": timeout});
    desk.install(&desk.empty_plan().hook(desk.hook("stop", entry(1))));
    desk.install(&desk.empty_plan().hook(desk.hook("stop", entry(2))));
    assert_eq!(desk.value(), json!({"hooks": {"stop": [entry(2)]}}));
    // The client groups them now.
    desk.install(&desk.plan(&["stop"]));
    assert_eq!(
        desk.value(),
        json!({"hooks": {"stop": [desk.entry("stop")]}})
    );
    desk.uninstall();
    assert_eq!(desk.read(&desk.settings()), "{}");
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_its_target_changes() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = Desk::new();
    let target = desk.home.join("dotfiles/settings.json");
    desk.write(&target, "{}");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("set");
    desk.write(&desk.home.join(".client/keep"), "");
    symlink("../dotfiles/settings.json", desk.settings()).expect("linked");
    desk.install(&desk.plan(&["Stop"]));
    assert!(desk.settings().is_symlink());
    assert!(desk.read(&target).contains("hooks fire"));
    let mode =
        |path: &std::path::Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&target), 0o640);
    for entry in fs::read_dir(desk.data().join("installs")).expect("a folder") {
        assert_eq!(mode(&entry.expect("an entry").path()), 0o600);
    }
    desk.uninstall();
    assert_eq!(desk.read(&target), "{}");
    assert!(desk.settings().is_symlink());
    assert_eq!(mode(&target), 0o640);
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_gets_its_target() {
    let desk = Desk::new();
    desk.write(&desk.home.join(".client/keep"), "");
    std::os::unix::fs::symlink("../new/settings.json", desk.settings()).expect("linked");
    let before = desk.files();
    desk.install(&desk.plan(&["Stop"]));
    assert!(desk.home.join("new/settings.json").is_file());
    desk.uninstall();
    assert_eq!(desk.files(), before);
}

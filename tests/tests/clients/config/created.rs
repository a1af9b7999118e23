//! Members of a file that exist only because we create it, and server entries whose command is a list.

use std::fs;

use hooks_sdk::clients::config::{Format, Obstacle, ServerEntry};
use serde_json::{Map, Value, json};

use super::desk::{Desk, value};

fn version() -> Map<String, Value> {
    Map::from_iter([("$version".to_owned(), json!(4))])
}

#[test]
fn a_created_file_begins_with_its_members_and_goes_when_it_has_no_others() {
    let desk = Desk::new();
    let plan = |desk: &Desk| {
        let plan = desk.plan(&["Stop"]).server(desk.server(Format::Json));
        plan.created_with(desk.settings(), version())
    };
    let before = desk.files();
    desk.install(&plan(&desk));
    let text = desk.read(&desk.settings());
    assert!(
        text.starts_with("{\n  \"$version\": 4,\n  \"hooks\""),
        "{text}"
    );
    desk.uninstall();
    assert_eq!(desk.files(), before);

    // The client has written the file again, with another version.
    desk.install(&plan(&desk));
    let text = desk.read(&desk.settings());
    let text = text.replace("  ", "\t").replace(": 4", ": 5");
    desk.write(&desk.settings(), text);
    desk.install(&plan(&desk));
    desk.uninstall();
    assert_eq!(desk.files(), before);

    for (mine, left) in [
        ("\"a\": 1,", json!({"$version": 4, "a": 1})),
        ("// mine\n", json!({"$version": 4})),
    ] {
        desk.install(&plan(&desk));
        let text = desk.read(&desk.settings());
        desk.write(
            &desk.settings(),
            text.replacen('{', &format!("{{ {mine}"), 1),
        );
        desk.uninstall();
        assert_eq!(desk.value(), left);
        fs::remove_dir_all(desk.home.join(".client")).expect("removed");
    }
}

#[test]
fn a_file_that_is_there_gets_no_members() {
    for settings in ["{}", "", " \n", "{\"$version\": 3}"] {
        let desk = Desk::with(settings);
        let plan = desk
            .plan(&["Stop"])
            .created_with(desk.settings(), version());
        desk.install(&plan);
        assert!(!desk.read(&desk.settings()).contains("\"$version\": 4"));
        let text = desk.read(&desk.settings());
        desk.write(&desk.settings(), text + "\n");
        desk.uninstall();
        assert!(desk.settings().exists(), "{settings}");
    }
    // Members alone are no reason for a file.
    let desk = Desk::new();
    let before = desk.files();
    desk.install(&desk.empty_plan().created_with(desk.settings(), version()));
    let started = json!({"mcpServers": {"x": {"command": desk.program}}});
    assert_eq!(desk.files(), before);
    desk.write(&desk.settings(), started.to_string());
    let plan = desk.empty_plan().server(desk.server(Format::Json));
    desk.install(&plan.created_with(desk.settings(), version()));
    assert_eq!(desk.value(), started);
}

#[test]
fn an_emptied_file_that_was_created_goes() {
    let desk = Desk::new();
    let before = desk.files();
    let toml = || desk.server(Format::Toml);
    desk.install(&desk.plan(&["Stop"]).server(toml()));
    for file in [desk.settings(), desk.toml()] {
        let text = desk.read(&file);
        desk.write(&file, format!("\n{text}"));
    }
    desk.uninstall();
    assert_eq!(desk.files(), before);
}

#[test]
fn a_command_may_be_a_list() {
    let desk = Desk::new();
    let entry = |more: &str| ServerEntry {
        path: vec!["mcp".to_owned()],
        value: json!({"type": "local", "command": [desk.program, "serve", more]}),
        ..desk.server(Format::Json)
    };
    let text = "{\n  // mine\n  \"mcp\": {\"other\": {\"command\": [\"x\"]}}\n}";
    desk.write(&desk.settings(), text);
    desk.install(&desk.empty_plan().server(entry("a")));
    desk.install(&desk.empty_plan().server(entry("b")));
    assert_eq!(desk.value()["mcp"]["notes"], entry("b").value);
    // The user's change of an argument does not make it another's.
    let edited = desk.read(&desk.settings()).replace("\"b\"", "\"c\"");
    desk.write(&desk.settings(), edited);
    desk.uninstall();
    assert_eq!(desk.value(), value(text));
    assert!(desk.read(&desk.settings()).contains("// mine"));

    for (name, command) in [
        ("mine", json!([desk.program, "x"])),
        ("notes", json!([desk.program])),
    ] {
        let text = json!({"mcp": {name: {"command": command}}}).to_string();
        desk.write(&desk.settings(), &text);
        desk.install(&desk.empty_plan().server(entry("a")));
        assert_eq!(desk.read(&desk.settings()), text);
        desk.uninstall();
    }
    for command in [json!([]), json!([1]), json!({}), json!(["other"])] {
        let text = json!({"mcp": {"notes": {"command": command}}}).to_string();
        desk.write(&desk.settings(), &text);
        let error = desk.refused(&desk.empty_plan().server(entry("a")));
        assert_eq!(error.obstacle, Obstacle::NameTaken, "{error}");
    }
}

//! What is undone when the user changed the files since.

use std::fs;

use hooks_sdk::clients::{
    InstallScope,
    config::{Format, InstallationKey, Obstacle, Plan, Record},
};
use serde_json::json;

use super::desk::{Desk, installed, value};

#[test]
fn a_table_goes_with_what_was_put_in_it_and_comments_around_it_stay() {
    let desk = Desk::new();
    desk.write(&desk.toml(), "a = 1 # one\n");
    desk.install(&desk.empty_plan().server(desk.server(Format::Toml)));
    let text = desk.read(&desk.toml()).replace("[mcp", "# above\n[mcp");
    let text = text + "[mcp_servers.notes.env]\nA = '1'\n\n# below\n[z]\nb = 2";
    desk.write(&desk.toml(), text);
    desk.uninstall();
    assert_eq!(
        desk.read(&desk.toml()),
        "a = 1 # one\n\n# above\n\n# below\n[z]\nb = 2"
    );
}

#[test]
fn ours_go_from_members_that_an_object_has_twice() {
    const THEIRS: &str = r#"{"hooks": [{"type": "command", "command": "date"}]}"#;
    let lists = [r#""Stop": [OURS, THEIRS]"#; 12].join(", ");
    let servers = [r#""notes": SERVER"#; 12].join(", ");
    for (text, left) in [
        (
            &*format!(r#"{{"hooks": {{{lists}}}, "mcpServers": {{{servers}}}}}"#),
            12,
        ),
        (r#"{"hooks": {"Stop": [OURS], "Stop": [THEIRS]}}"#, 1),
        (r#"{"hooks": {"Stop": [THEIRS, OURS], "Stop": [OURS]}}"#, 1),
        (
            r#"{"hooks": {"Stop": [OURS]}, "hooks": {"Stop": [THEIRS], "Stop": [OURS]}}"#,
            1,
        ),
        (
            r#"{"hooks": {"Stop": [{"hooks": [INNER], "hooks": [INNER]}]}, "a": THEIRS}"#,
            1,
        ),
        (
            r#"{"mcpServers": {"notes": SERVER, "notes": SERVER}, "mcpServers": {"notes": SERVER}, "a": [THEIRS, THEIRS]}"#,
            2,
        ),
    ] {
        let desk = Desk::new();
        let server = desk.server(Format::Json);
        let ours = desk.entry("Stop");
        let text = text
            .replace("OURS", &ours.to_string())
            .replace("INNER", &ours["hooks"][0].to_string())
            .replace("SERVER", &server.value.to_string())
            .replace("THEIRS", THEIRS);
        desk.install(&desk.plan(&["Stop"]).server(server));
        desk.write(&desk.settings(), text);
        desk.uninstall();
        let text = desk.read(&desk.settings());
        assert!(!text.contains("notes"), "{text}");
        assert_eq!(text.matches("date").count(), left, "{text}");
        value(&text);
    }
}

#[test]
fn an_edit_between_two_installations_is_kept() {
    let desk = Desk::with("{\"a\": 1}");
    desk.install(&desk.plan(&["Stop"]));
    let text = desk.read(&desk.settings());
    desk.write(&desk.settings(), text.replace("\"a\": 1", "\"a\": 2"));
    desk.install(&desk.plan(&["Stop", "Start"]));
    desk.uninstall();
    assert_eq!(desk.value(), json!({"a": 2}));
}

#[test]
fn an_edit_that_was_taken_back_does_not_matter() {
    let desk = Desk::with("{ }");
    desk.install(&desk.plan(&["Stop"]));
    let text = desk.read(&desk.settings());
    desk.write(&desk.settings(), format!("{text}\n\n"));
    desk.install(&desk.plan(&["Stop"]));
    desk.write(&desk.settings(), text);
    desk.uninstall();
    assert_eq!(desk.read(&desk.settings()), "{ }");
}

#[test]
fn entries_that_the_user_removed_are_new_when_they_come_again() {
    let desk = Desk::with("{}");
    desk.install(&desk.plan(&["Stop"]).server(desk.server(Format::Json)));
    desk.write(&desk.settings(), "{\"a\": 1}");
    desk.install(&desk.plan(&["Stop"]).server(desk.server(Format::Json)));
    desk.uninstall();
    assert_eq!(desk.read(&desk.settings()), "{\"a\": 1}");
}

#[test]
fn what_a_plan_no_longer_wants_is_undone_too() {
    let desk = Desk::with("{}");
    desk.write(&desk.toml(), "a = 1");
    desk.install(&desk.plan(&["Stop"]).server(desk.server(Format::Toml)));
    desk.install(&desk.plan(&["Start"]));
    assert!(desk.read(&desk.toml()).contains("notes"));
    desk.uninstall();
    assert_eq!(desk.read(&desk.settings()), "{}");
    assert_eq!(desk.read(&desk.toml()), "a = 1");
}

#[test]
fn a_file_that_no_longer_parses_keeps_every_file_and_the_record() {
    let desk = Desk::with("{}");
    desk.write(&desk.toml(), "a = 1");
    desk.install(&desk.plan(&["Stop"]).server(desk.server(Format::Toml)));
    desk.write(&desk.toml(), "a = = 1");
    let before = desk.files();
    let error = desk.record().uninstall().expect_err("does not parse");
    assert_eq!(error.obstacle, Obstacle::Syntax, "{error}");
    assert_eq!(desk.files(), before);
    let record = value(&desk.read(&desk.record_file()));
    assert_eq!(record["files"].as_array().map(Vec::len), Some(2));
}

#[test]
fn files_that_are_gone_stay_gone() {
    let desk = Desk::new();
    desk.install(&desk.plan(&["Stop"]));
    fs::remove_dir_all(desk.home.join(".client")).expect("removed");
    desk.uninstall();
    assert!(!desk.home.join(".client").exists());
}

#[test]
fn a_lost_backup_leaves_the_entries_to_be_removed() {
    let desk = Desk::with("{ }");
    desk.install(&desk.plan(&["Stop"]));
    for entry in fs::read_dir(desk.data().join("installs")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "original")
        {
            fs::write(path, "spoilt").expect("written");
        }
    }
    desk.uninstall();
    assert_eq!(desk.value(), json!({}));
}

#[test]
fn each_client_and_project_has_a_record() {
    let desk = Desk::with("{}");
    assert_eq!(installed(&desk.data()), []);
    desk.install(&desk.plan(&["Stop"]));
    let project = desk.home.join("project");
    let mut hook = desk.hook("Stop", desk.entry("Stop"));
    hook.file = project.join(".client/settings.json");
    let key = InstallationKey::new("notes", "client", InstallScope::Project, &project);
    let plan = Plan::new(key.clone(), &desk.program);
    plan.hook(hook).apply(&desk.data()).expect("installed");
    let records = installed(&desk.data());
    let scopes: Vec<InstallScope> = records.iter().map(|record| record.scope).collect();
    assert_eq!(scopes, [InstallScope::Project, InstallScope::User]);
    let found = Record::find(&desk.data(), &key);
    let found = found.expect("readable").expect("a record");
    assert_eq!(found.project.as_ref(), Some(&project));
    assert_eq!(found.client, "client");
    found.uninstall().expect("uninstalled");
    assert!(!project.exists());
    assert_eq!(desk.record().scope, InstallScope::User);
}

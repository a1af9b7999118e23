//! Whose the entries are: those of two servers whose programs have one file name, and those of earlier versions.

use std::{fs, path::Path};

use hooks_sdk::{
    clients::{
        ALL, Client, GateEntries, InstallScope, Installation, Place,
        config::{InstallationKey, Plan, Record},
    },
    lifecycle::Event,
};
use serde_json::{Value, json};

use super::desk::{Desk, value};

/// Two servers whose programs have one file name. The first has a gate of the shell, the second has texts.
fn plans(client: &Client, scope: InstallScope, place: &Place) -> [Plan; 2] {
    let mut gates = GateEntries::closed();
    gates.kinds = vec!["shell"];
    let gate = Path::new("/a/server");
    let gate = Installation {
        gates: Some(&gates),
        ..Installation::new("policy-server", scope, place, "policy", gate)
    };
    let texts = Path::new("/b/server");
    let texts = Installation {
        events: &Event::ALL,
        ..Installation::new("memory-server", scope, place, "memory", texts)
    };
    [gate.plan(client, true), texts.plan(client, true)]
}

#[test]
fn two_servers_of_one_file_name_keep_their_entries_in_every_client() {
    for client in ALL {
        for &scope in client.scopes {
            let desk = Desk::new();
            let project = desk.home.join("project");
            fs::create_dir(&project).expect("made");
            let place = Place::new(&desk.home, &project);
            let [gate, texts] = plans(client, scope, &place);
            let [data_of_gate, data_of_texts] =
                ["a", "b"].map(|name| desk.home.join("data").join(name));
            let record = |data: &Path, id: &str| {
                let key = InstallationKey::new(id, client.name, scope, &project);
                Record::find(data, &key)
                    .expect("readable")
                    .expect("recorded")
            };
            let name = client.name;
            let mut alone = Vec::new();
            // Each order, again, and an update of the first beside the second.
            for (plan, data) in [
                (&gate, &data_of_gate),
                (&texts, &data_of_texts),
                (&gate, &data_of_gate),
                (&texts, &data_of_texts),
            ] {
                plan.apply(data).expect("installed");
                alone.push(gate.installed().expect("readable"));
                for (plan, data) in [(&gate, &data_of_gate), (&texts, &data_of_texts)] {
                    let there = plan.preview(data).expect("a preview");
                    let is_missing = there.iter().any(|change| change.changes());
                    assert!(alone.len() < 2 || !is_missing, "{name} {scope:?}");
                }
            }
            assert_eq!(alone[0], alone[3], "{name} {scope:?}");
            let planned = [&gate, &texts].map(|plan| plan.hooks.iter().map(|hook| &hook.value));
            let planned: Vec<_> = planned.into_iter().flatten().flat_map(commands).collect();
            for found in found(client, scope, &place) {
                assert!(planned.contains(&found), "{name} {scope:?}: {found:?}");
            }
            record(&data_of_texts, "memory-server")
                .uninstall()
                .expect("uninstalled");
            assert_eq!(
                gate.installed().expect("readable"),
                alone[0],
                "{name} {scope:?}"
            );
            assert_eq!(texts.installed().expect("readable"), [], "{name} {scope:?}");
            record(&data_of_gate, "policy-server")
                .uninstall()
                .expect("uninstalled");
            // In another order than they came, objects and lists can stay.
            texts.apply(&data_of_texts).expect("installed");
            record(&data_of_texts, "memory-server")
                .uninstall()
                .expect("uninstalled");
            for (file, content) in desk.files() {
                let text = String::from_utf8_lossy(&content.unwrap_or_default()).into_owned();
                assert!(
                    !text.contains("hooks fire"),
                    "{name} {scope:?} {file:?}: {text}"
                );
            }
        }
    }
}

/// The commands of an entry, each with whether the entry has a matcher.
fn commands(entry: &Value) -> Vec<(String, bool)> {
    let inner = entry["hooks"].as_array();
    let inner = inner.map_or(std::slice::from_ref(entry), Vec::as_slice);
    let command = |hook: &Value| {
        hook["command"]
            .as_str()
            .or(hook["bash"].as_str())
            .map(str::to_owned)
    };
    let commands = inner.iter().filter_map(command);
    commands
        .map(|command| (command, entry.get("matcher").is_some()))
        .collect()
}

/// The commands in the client's file of hooks.
fn found(client: &Client, scope: InstallScope, place: &Place) -> Vec<(String, bool)> {
    let file = fs::read(client.hooks_file(scope, place, "memory")).unwrap_or_default();
    let settings: Value = serde_json::from_slice(&file).unwrap_or_default();
    let lists = settings["hooks"].as_object().into_iter().flatten();
    let entries = lists.flat_map(|(_, list)| list.as_array().into_iter().flatten());
    entries.flat_map(commands).collect()
}

#[test]
fn ours_leaves_the_group_of_another_server() {
    let desk = Desk::new();
    let command = desk.command("Stop");
    let other = "test -x /a/notes || exit 0; exec /a/notes hooks fire --id other";
    let group = |command: &str| json!({"matcher": "Bash", "hooks": [{"command": command}]});
    desk.write(
        &desk.settings(),
        json!({"hooks": {"Stop": [{"matcher": "Bash", "hooks": [{"command": other}, {"command": command}]}]}}).to_string(),
    );
    desk.install(&desk.plan(&["Stop"]));
    assert_eq!(
        desk.value()["hooks"]["Stop"],
        json!([group(other), desk.entry("Stop")])
    );
    desk.uninstall();
    assert_eq!(desk.value()["hooks"]["Stop"], json!([group(other)]));
}

/// An entry as it was before entries had ids.
fn earlier(program: &Path) -> String {
    let line =
        hooks_sdk::clients::config::command_line(program, &["hooks", "fire", "--event", "Stop"]);
    json!({"hooks": {"Stop": [{"hooks": [{"command": line}]}]}}).to_string()
}

#[test]
fn entries_without_an_id_are_taken_over_by_their_absolute_path_only() {
    let desk = Desk::new();
    desk.write(&desk.settings(), earlier(&desk.program));
    let changes = desk.install(&desk.plan(&["Stop"]));
    assert_eq!(changes[0].taken_over, 1);
    assert_eq!(
        desk.value()["hooks"]["Stop"][0]["hooks"][0]["command"],
        desk.command("Stop")
    );
    assert_eq!(
        desk.value()["hooks"]["Stop"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(desk.install(&desk.plan(&["Stop"]))[0].taken_over, 0);
    // Of the same file name, of another folder, and without a folder.
    for other in ["/elsewhere/notes", "notes"] {
        let desk = Desk::new();
        let before = earlier(Path::new(other));
        desk.write(&desk.settings(), &before);
        let changes = desk.install(&desk.plan(&["Stop"]));
        assert_eq!(changes[0].taken_over, 0, "{other}");
        let hooks = desk.value()["hooks"]["Stop"].clone();
        assert_eq!(hooks[0], value(&before)["hooks"]["Stop"][0], "{other}");
        assert_eq!(hooks[1], desk.entry("Stop"), "{other}");
        desk.uninstall();
        assert_eq!(desk.read(&desk.settings()), before, "{other}");
    }
}

/// What becomes of an installation of an earlier version.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    Undone,
    Updated,
    /// It is another server's, whose program is still there.
    Left,
}

#[test]
fn an_installation_of_an_earlier_version_is_updated_and_undone() {
    for (is_moved, then) in [
        (false, Then::Undone),
        (false, Then::Updated),
        (true, Then::Undone),
        (true, Then::Updated),
        (true, Then::Left),
    ] {
        let mine = "{\"mine\": 1}";
        let desk = Desk::with(mine);
        desk.install(&desk.plan(&["Stop"]));
        let program = match is_moved {
            true => desk.program.with_file_name("old"),
            false => desk.program.clone(),
        };
        as_earlier(&desk, &program);
        if then == Then::Left {
            desk.write(&program, "");
        }
        let key = InstallationKey::new("notes", "client", InstallScope::User, &desk.home);
        let found = Record::find(&desk.data(), &key.earlier(&desk.program)).expect("readable");
        match then {
            Then::Undone => {
                found.expect("recorded").uninstall().expect("undone");
            }
            Then::Updated => {
                let changes = desk.install(&desk.plan(&["Stop"]));
                assert_eq!(changes[0].taken_over, 1, "{is_moved}");
                assert_eq!(desk.value()["hooks"]["Stop"], json!([desk.entry("Stop")]));
                desk.uninstall();
            }
            Then::Left => {
                assert_eq!(found, None);
                assert_eq!(desk.install(&desk.plan(&["Stop"]))[0].taken_over, 0);
                let stop = &desk.value()["hooks"]["Stop"];
                assert_eq!(stop.as_array().map(Vec::len), Some(2));
                continue;
            }
        }
        assert_eq!(desk.read(&desk.settings()), mine, "{is_moved} {then:?}");
    }
}

/// Makes of an installation one of an earlier version, which knew no ids.
fn as_earlier(desk: &Desk, program: &Path) {
    let records = desk.data().join("installs");
    let path = desk.record_file();
    let mut record = value(&desk.read(&path));
    record.as_object_mut().expect("members").remove("id");
    let [new, old] = [&desk.program, program].map(|path| path.display().to_string());
    let settings = desk
        .read(&desk.settings())
        .replace(" --id notes", "")
        .replace(&new, &old);
    desk.write(&desk.settings(), &settings);
    record["starts"] = json!(program);
    record["files"][0]["written"] = json!(digest(&settings));
    fs::remove_file(&path).expect("removed");
    desk.write(&records.join("client-user.json"), record.to_string());
}

fn digest(text: &str) -> String {
    use sha2::{Digest, Sha256};
    let digits = Sha256::digest(text.as_bytes());
    digits.iter().map(|byte| format!("{byte:02x}")).collect()
}

//! Several installations at once.

use std::{fs, thread};

use hooks_sdk::clients::{
    InstallScope,
    config::{Format, HookEntry, InstallationKey, Plan, ServerEntry, command_line},
};
use serde_json::json;

use super::desk::{Desk, installed, value};

#[test]
fn the_same_installation_twice_at_once_is_one() {
    for settings in [None, Some("{\n  // mine\n  \"a\": 1\n}\n")] {
        let desk = Desk::new();
        if let Some(settings) = settings {
            desk.write(&desk.settings(), settings);
        }
        let before = desk.files();
        thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    let plan = desk.plan(&["Stop", "Start"]);
                    let plan = plan.server(desk.server(Format::Toml));
                    plan.apply(&desk.data()).expect("installed");
                });
            }
        });
        let hooks = json!({"Stop": [desk.entry("Stop")], "Start": [desk.entry("Start")]});
        assert_eq!(desk.value()["hooks"], hooks);
        assert_eq!(
            desk.read(&desk.toml())
                .matches("[mcp_servers.notes]")
                .count(),
            1
        );
        desk.uninstall();
        assert_eq!(desk.files(), before);
    }
}

#[test]
fn different_servers_at_once_all_arrive() {
    let desk = Desk::with("{}");
    let names: Vec<String> = (0..8).map(|number| format!("server-{number}")).collect();
    let plan = |name: &String| {
        let program = desk.home.join(name);
        let command = command_line(&program, &["hooks", "fire", "--id", name]);
        let key = InstallationKey::new(name, "client", InstallScope::User, &desk.home);
        let plan = Plan::new(key, &program);
        plan.hook(HookEntry {
            file: desk.settings(),
            event: "Stop".to_owned(),
            value: json!({"hooks": [{"command": command}]}),
        })
        .server(ServerEntry {
            name: name.clone(),
            value: json!({"command": program}),
            ..desk.server(Format::Toml)
        })
    };
    let data = |name: &String| desk.home.join("data").join(name);
    thread::scope(|threads| {
        for name in &names {
            threads.spawn(|| plan(name).apply(&data(name)).expect("installed"));
        }
    });
    let stop = desk.value()["hooks"]["Stop"].clone();
    assert_eq!(stop.as_array().expect("a list").len(), 8);
    assert_eq!(desk.read(&desk.toml()).matches("[mcp_servers.").count(), 8);
    thread::scope(|threads| {
        for name in &names {
            threads.spawn(|| {
                for record in installed(&data(name)) {
                    record.uninstall().expect("uninstalled");
                }
            });
        }
    });
    assert_eq!(
        value(&desk.read(&desk.settings()))["hooks"]
            .get("Stop")
            .and_then(|stop| stop.get(0)),
        None
    );
    assert!(!desk.read(&desk.settings()).contains("hooks fire"));
    let left = fs::read_to_string(desk.toml()).unwrap_or_default();
    assert!(!left.contains("mcp_servers"), "{left}");
}

//! What is installed into any client, in any scope, can be taken away to the byte.

use std::path::{Path, PathBuf};

use hooks_sdk::{
    clients::{ALL, Client, InstallScope, Installation, Place, config::Record},
    lifecycle::Event,
};
use proptest::{prelude::*, sample};

use crate::config::{
    desk::Desk,
    generate::{config, settings},
};

fn any_target() -> impl Strategy<Value = (&'static Client, InstallScope)> {
    let scopes = |client: &&'static Client| {
        let client = *client;
        client.scopes.iter().map(move |scope| (client, *scope))
    };
    let all: Vec<_> = ALL.iter().flat_map(scopes).collect();
    sample::select(all)
}

/// What the file holds before: something that its client can read, or nothing.
fn fill(desk: &Desk, file: &Path, json: &Option<String>, toml: &Option<String>) {
    let text = match file.extension().and_then(|ending| ending.to_str()) {
        Some("json") => json,
        Some("toml") => toml,
        _ => return,
    };
    if let Some(text) = text {
        desk.write(file, text);
    }
}

/// The files of a client, each once.
fn files(client: &Client, scope: InstallScope, place: &Place) -> Vec<PathBuf> {
    let hooks = client.hooks_file(scope, place, "notes");
    let servers = client.servers_file(scope, place).map(|(file, _)| file);
    let servers = servers.filter(|file| *file != hooks);
    [hooks].into_iter().chain(servers).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn uninstalling_gives_every_file_back(
        (client, scope) in any_target(),
        hooks in (prop::option::of(settings()), prop::option::of(config())),
        servers in (prop::option::of(settings()), prop::option::of(config())),
        events in sample::subsequence(Event::ALL.to_vec(), 0..=6), with_server in any::<bool>(),
    ) {
        let desk = Desk::new();
        let project = desk.home.join("a project");
        std::fs::create_dir(&project).expect("made");
        let place = Place::new(&desk.home, &project);
        for (file, (json, toml)) in files(client, scope, &place).iter().zip([hooks, servers]) {
            fill(&desk, file, &json, &toml);
        }
        let before = desk.files();
        let arguments = ["--place".to_owned(), "a b".to_owned()];
        let to = Installation {
            events: &events,
            arguments: &arguments,
            ..Installation::new("notes", scope, &place, "notes", &desk.program)
        };
        let plan = to.plan(client, with_server);
        match plan.apply(&desk.data()) {
            Ok(_) => {
                for change in plan.preview(&desk.data()).expect("a preview") {
                    prop_assert!(!change.changes(), "{}", change.diff());
                }
                let record = desk.record();
                prop_assert_eq!((&*record.client, record.scope), (client.name, scope));
                desk.uninstall();
            }
            // What the user has at the place of a list or of an object.
            Err(error) => prop_assert!(error.to_string().contains("help: "), "{}", error),
        }
        prop_assert_eq!(desk.files(), before);
    }
}

#[test]
fn all_clients_fit_into_one_project_and_leave_it_as_it_was() {
    let desk = Desk::new();
    let project = desk.home.join("a project");
    std::fs::create_dir(&project).expect("made");
    let place = Place::new(&desk.home, &project);
    let before = desk.files();
    let targets = || {
        ALL.into_iter().flat_map(|client| {
            let scopes = client.scopes.iter();
            scopes.map(move |scope| (client, *scope))
        })
    };
    for (client, scope) in targets() {
        let to = Installation {
            events: &Event::ALL,
            ..Installation::new("notes", scope, &place, "notes", &desk.program)
        };
        let plan = to.plan(client, true);
        plan.apply(&desk.data()).expect("installed");
        let installed = plan.installed().expect("readable");
        let reached = Event::ALL.map(|event| client.mapping(event).delivery.reaches_agent());
        let reached = reached.into_iter().filter(|reached| *reached).count();
        assert!(installed.len() >= reached, "{} {scope:?}", client.name);
    }
    let all: Vec<_> = targets().collect();
    for (client, scope) in all.into_iter().rev() {
        let to = Installation::new("notes", scope, &place, "notes", &desk.program);
        let record = Record::find(&desk.data(), &to.key(client));
        let record = record.expect("readable").expect("recorded");
        record.uninstall().expect("uninstalled");
    }
    assert_eq!(desk.files(), before);
}

//! The recordings, and a server whose declarations cover every event.

use std::{fs, path::PathBuf};

use futures::future::BoxFuture;
use hooks_sdk::{
    clients::{self, Client, Fired},
    core::HookError,
    lifecycle::{
        Event,
        host::{ClientPolicy, ContextTools, LifecycleHost},
    },
};
use serde_json::{Map, Value};

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/clients"))
}

pub(crate) fn read(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).expect(name)
}

pub(crate) fn client(name: &str) -> &'static dyn Client {
    clients::by_name(name).expect("a client")
}

/// Each recording by its client's name and its file's, such as `codex/Stop.json`.
pub(crate) fn all() -> Vec<(&'static dyn Client, String)> {
    let mut all = Vec::new();
    for client in clients::ALL {
        for entry in fs::read_dir(folder().join(client.name())).expect("recordings") {
            let name = entry.expect("a file").file_name();
            let name = name.to_str().expect("UTF-8");
            all.push((client, format!("{}/{name}", client.name())));
        }
    }
    all.sort_by(|a, b| a.1.cmp(&b.1));
    all
}

/// A host with the declarations of `declarations.json`, of a server that the user trusts.
pub(crate) fn host() -> LifecycleHost {
    let declared: Value = serde_json::from_slice(&read("declarations.json")).expect("JSON");
    let mut host = LifecycleHost::new(ClientPolicy::default().trusting("memory"));
    let registered = host.register("memory", &declared);
    assert_eq!(registered.refused, []);
    host
}

/// A tool that says its `message`.
pub(crate) struct Echo;

impl ContextTools for Echo {
    fn call<'a>(
        &'a self,
        _server: &'a str,
        _tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        let said = args
            .get("message")
            .and_then(Value::as_str)
            .map(str::to_owned);
        Box::pin(async { said.ok_or_else(|| HookError::new("nothing to say")) })
    }
}

pub(crate) async fn fire(client: &dyn Client, event: Option<Event>, input: &[u8]) -> Fired {
    clients::fire(client, event, &["memory"], input, &host(), &Echo).await
}

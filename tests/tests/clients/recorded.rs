//! The recordings, and a server whose declarations cover every event.

use std::{fs, path::PathBuf};

use futures::future::BoxFuture;
use hooks_sdk::{
    clients::{self, Client, Fired},
    core::HookError,
    lifecycle::{
        Event,
        host::{ClientControls, ContextTools, LifecycleHost},
    },
};
use serde_json::{Map, Value};

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/clients"))
}

pub(crate) fn read(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).expect(name)
}

pub(crate) fn client(name: &str) -> &'static Client {
    clients::by_name(name).expect("a client")
}

/// Each recording by its client's name and its file's, such as `codex/Stop.json`. A client that was not run has none of
/// its own, but those that were made from its documents.
pub(crate) fn all() -> Vec<(&'static Client, String)> {
    let mut all = Vec::new();
    for client in clients::ALL {
        for folder in [client.name.to_owned(), format!("{}/camel", client.name)] {
            let Ok(entries) = fs::read_dir(self::folder().join(&folder)) else {
                continue;
            };
            let names = entries.map(|entry| entry.expect("a file").file_name());
            let names = names.map(|name| name.to_str().expect("UTF-8").to_owned());
            let files = names.filter(|name| name.ends_with(".json"));
            all.extend(files.map(|name| (client, format!("{folder}/{name}"))));
        }
    }
    all.sort_by(|a, b| a.1.cmp(&b.1));
    all
}

/// Returns the file of the recording of an event.
pub(crate) fn recording(client: &Client, event: Event) -> PathBuf {
    let native = client.mapping(event).native;
    let tool = if event.is_tool_event() { ".shell" } else { "" };
    folder().join(format!("{}/{native}{tool}.json", client.name))
}

/// Returns the client's name for the event of a recording: the beginning of its file's name.
pub(crate) fn native(name: &str) -> &str {
    let (folder, file) = name.rsplit_once('/').expect("a file's name");
    let client = clients::by_name(folder).into_iter();
    let natives = client.flat_map(|client| Event::ALL.map(|event| client.mapping(event).native));
    let known = natives.filter(|native| file.starts_with(&format!("{native}.")));
    // A client's name for an event may have points in it.
    let known = known.max_by_key(|native| native.len());
    known.unwrap_or_else(|| file.split('.').next().expect("an event"))
}

/// Fires a recording, with the event that the entry would name.
pub(crate) async fn fire_recorded(client: &Client, name: &str) -> Fired {
    fire(client, client.event(native(name)), &read(name)).await
}

/// Returns the text of an answer in any client's form.
pub(crate) fn text(output: &Value) -> Option<&str> {
    let mut places = [
        "/hookSpecificOutput/additionalContext",
        "/hookSpecificOutput/permissionDecisionReason",
        "/additionalContext",
        "/additional_context",
        "/message",
        "/reason",
        "/followup_message",
    ]
    .iter();
    places.find_map(|place| output.pointer(place))?.as_str()
}

/// A host with the declarations of `declarations.json`, of a server that the user trusts.
pub(crate) fn host() -> LifecycleHost {
    let declared: Value = serde_json::from_slice(&read("declarations.json")).expect("JSON");
    let mut host = LifecycleHost::new(ClientControls::default());
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

pub(crate) async fn fire(client: &Client, event: Option<Event>, input: &[u8]) -> Fired {
    clients::fire(client, event, &["memory"], input, &host(), &Echo).await
}

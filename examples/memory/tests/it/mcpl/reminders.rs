//! Reminders: pushed when they are due, once, whatever happens to the server and its hosts.

use std::{path::Path, time::Duration};

use hooks_sdk::{
    mcpl::{ErrorObject, wire::method},
    testing::{
        McplHost, McplHostBuilder,
        mcpl::{McplGrants, Reaction},
    },
};
use jiff::Timestamp;
use memory_server::{
    Memory,
    store::{Options, Store},
};
use serde_json::json;

use super::{call, fresh, met, no_failures, opened, soon, until};

/// Whose the reminders of these tests' host are.
const OWNER: &str = "host:hooks-sdk testing host";

/// A store whose reminders are tried again soon.
fn eager(path: &Path) -> Store {
    let mut options = Options::default();
    options.retry_after = Duration::from_millis(300);
    Store::open(path, options).unwrap()
}

async fn connect(builder: McplHostBuilder, path: &Path) -> McplHost {
    let server = Memory::new(eager(path)).hooked().unwrap();
    builder.connect(server).await.unwrap()
}

/// Keeps a reminder that is due soon, and returns when.
async fn kept_soon(store: &Store, owner: &str, text: &str) -> Timestamp {
    let kept = soon(async |at| store.remind(owner, "shop", text, &at).await.ok());
    kept.await.1
}

/// Lets the agent of a host set a reminder that is due soon. Returns the answer, and when it is due.
async fn set_soon(host: &McplHost) -> (String, Timestamp) {
    let set = soon(async |at| {
        let reminder = json!({ "project": "shop", "text": "follow up with Alice", "at": at });
        let answer = call(host, "remind_me", reminder).await;
        (!answer.is_error()).then(|| answer.text())
    });
    set.await
}

async fn enable(host: &McplHost) {
    let policy = McplGrants::new().enable(["memory.*"]);
    host.update_feature_sets(&policy).await.unwrap();
}

/// Waits until each server has looked for reminders again, and has nothing left to do.
async fn a_while() {
    // A clock that stands still moves when nothing else does, and servers look every 30 seconds.
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(31)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_reminder_is_pushed_when_it_is_due_and_once_even_after_a_restart() {
    let (_folder, path) = fresh();
    let host = opened(McplHost::builder(), &path).await;
    let (answer, due) = set_soon(&host).await;
    assert!(
        answer.contains("This client is told when it is due."),
        "{answer}"
    );
    let id = &answer.split("ID: ").nth(1).unwrap()[..36];

    let pushed = host.wait_for(method::PUSH_EVENT).await.unwrap();
    assert!(due <= Timestamp::now(), "not yet");
    let params = &pushed["params"];
    assert_eq!(params["featureSet"], "memory.proactive");
    let event = params["eventId"].as_str().unwrap();
    assert!(event.starts_with(&format!("reminder {id}#2")), "{event}");
    assert_eq!(
        params["origin"],
        json!({ "server": "memory", "memoryId": id, "project": "shop" })
    );
    assert_eq!(
        params["payload"]["content"],
        json!([{ "type": "text", "text": "follow up with Alice" }])
    );
    a_while().await;
    assert_eq!(host.received(method::PUSH_EVENT).len(), 1);
    let list = call(&host, "list_reminders", json!({ "project": "shop" })).await;
    assert_eq!(list.text(), "[shop] No reminders wait.");
    no_failures(&host);
    drop(host);

    let again = met(McplHost::builder(), &path).await;
    a_while().await;
    assert!(again.received(method::PUSH_EVENT).is_empty());
}

#[tokio::test]
async fn a_reminder_that_was_not_taken_comes_again_under_its_id() {
    let (_folder, path) = fresh();
    let refusal = json!({ "accepted": false, "reason": "busy" });
    let builder = McplHost::builder()
        .react_once(method::PUSH_EVENT, Reaction::result(refusal))
        .react_once(
            method::PUSH_EVENT,
            Reaction::error(ErrorObject::internal("no")),
        );
    kept_soon(&eager(&path), OWNER, "follow up").await;
    let host = connect(builder, &path).await;
    let mut events = Vec::new();
    for _ in 0..3 {
        let pushed = host.wait_for(method::PUSH_EVENT).await.unwrap();
        events.push(pushed["params"].clone());
    }
    assert!(events.iter().all(|event| event == &events[0]), "{events:?}");
    a_while().await;
    assert_eq!(host.received(method::PUSH_EVENT).len(), 3);
    assert!(
        eager(&path)
            .reminders(OWNER, "shop")
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_cancelled_reminder_is_not_pushed() {
    let (_folder, path) = fresh();
    // Nothing is pushed before it is cancelled, however late that is.
    let host = opened(McplHost::builder().enable(["memory.notes"]), &path).await;
    let (answer, due) = set_soon(&host).await;
    let id = &answer.split("ID: ").nth(1).unwrap()[..36];
    let cancel = json!({ "project": "shop", "reminder_id": id });
    let cancelled = call(&host, "cancel_reminder", cancel.clone()).await;
    assert!(
        cancelled.text().contains("It said: follow up with Alice"),
        "{cancelled:?}"
    );
    let again = call(&host, "cancel_reminder", cancel).await;
    assert!(
        again.is_error() && again.text().contains("help: take the ID"),
        "{again:?}"
    );
    until(due).await;
    enable(&host).await;
    a_while().await;
    assert!(host.received(method::PUSH_EVENT).is_empty());
}

/// A host, and whose it is by the name that the user gave to its server.
async fn of_user(path: &Path, host: &str, user: Option<&str>) -> McplHost {
    let server = Memory::new(eager(path)).named(user.map(str::to_owned));
    let builder = McplHost::builder().host_name(host);
    builder.connect(server.hooked().unwrap()).await.unwrap()
}

#[tokio::test]
async fn a_reminder_is_pushed_listed_and_cancelled_only_where_its_owner_is() {
    let (_folder, path) = fresh();
    let kim = of_user(&path, "connectome", Some("kim")).await;
    let lee = of_user(&path, "connectome", Some("lee")).await;
    let nobody = of_user(&path, "connectome", None).await;
    let other = of_user(&path, "another", Some("kim")).await;
    let project = json!({ "project": "shop" });
    // It is still there when the others look for it, however late that is.
    kim.disable(["memory.proactive"]).await.unwrap();
    let (answer, due) = set_soon(&kim).await;
    let id = &answer.split("ID: ").nth(1).unwrap()[..36];
    let cancel = json!({ "project": "shop", "reminder_id": id });
    for stranger in [&lee, &nobody, &other] {
        let list = call(stranger, "list_reminders", project.clone()).await;
        assert_eq!(list.text(), "[shop] No reminders wait.");
        let refused = call(stranger, "cancel_reminder", cancel.clone()).await;
        assert!(refused.is_error(), "{refused:?}");
    }
    let own = call(&kim, "list_reminders", project).await.text();
    assert!(own.contains("follow up with Alice"), "{own}");
    until(due).await;
    a_while().await;
    enable(&kim).await;
    kim.wait_for(method::PUSH_EVENT).await.unwrap();
    a_while().await;
    for stranger in [lee, nobody, other] {
        assert!(stranger.received(method::PUSH_EVENT).is_empty());
    }
    // One whose host was away waits for the next host of the same name.
    kim.disable(["memory.proactive"]).await.unwrap();
    set_soon(&kim).await;
    drop(kim);
    let kim = of_user(&path, "connectome", Some("kim")).await;
    kim.wait_for(method::PUSH_EVENT).await.unwrap();
}

//! Hooks of a configuration file, before and after it changes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hooks_sdk::{
    Policy,
    plugin::{HttpRequest, PluginContext, PluginHook, point},
};
use hooks_tests::policy_file::write;
use tokio::sync::Semaphore;

use super::rig::{self, Serving, desk, serve_hooked};

fn rule(content_type: &str) -> String {
    format!(
        "plugins:\n  - name: closed\n    kind: deny\n    hooks: [http_pre_request]\n    reason: closed for today\n    conditions:\n      - content_types: [{content_type}]\n"
    )
}

/// The first request waits at its HTTP hook while the file changes, and a later one is refused.
#[tokio::test]
async fn a_request_keeps_the_hooks_with_which_it_began() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.yaml");
    write(&file, "plugins: []\n");
    let (came, goes) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let is_first = Arc::new(AtomicBool::new(true));
    let hook = {
        let (came, goes) = (came.clone(), goes.clone());
        PluginHook::answering_any(
            "wait",
            point::http_pre_request,
            move |_: &HttpRequest, _: &mut PluginContext| {
                let (came, goes) = (came.clone(), goes.clone());
                let waits = is_first.swap(false, Ordering::Relaxed);
                Box::pin(async move {
                    if waits {
                        came.add_permits(1);
                        goes.acquire().await.expect("a permit").forget();
                    }
                })
            },
        )
        .deadline(Duration::from_secs(60))
    };
    let policy = Policy::new().file(&file);
    let desk = desk();
    let address = serve_hooked(&desk, Serving::Json, [hook], policy).await;
    let client = rig::stateless(address);
    let first = tokio::spawn({
        let client = client.clone();
        async move { rig::call(&client).await }
    });
    came.acquire().await.expect("a permit").forget();
    let rule = "plugins:\n  - name: closed\n    kind: deny\n    hooks: [tool_pre_invoke]\n    reason: closed for today\n";
    write(&file, rule);
    let answer = rig::call(&client).await.message();
    assert!(answer.to_string().contains("closed for today"), "{answer}");
    let ran = desk.ran().len();
    goes.add_permits(1);
    rig::received(&first.await.expect("an answer"));
    assert_eq!(desk.ran().len(), ran + 1);
}

#[tokio::test]
async fn a_changed_file_applies_to_the_next_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.yaml");
    write(&file, "plugins: []\n");
    let policy = Policy::new().file(&file);
    let address = serve_hooked(&desk(), Serving::Json, [], policy).await;
    let client = rig::stateless(address);
    rig::received(&rig::call(&client).await);
    write(&file, &rule("application/json"));
    let answer = rig::call(&client).await;
    assert_eq!(answer.status, 403, "{answer:?}");
    assert_eq!(answer.message()["reason"], "closed for today");
}

/// The file stops hiding the tool and denies it instead, while an HTTP hook of the request runs.
#[tokio::test]
async fn a_request_keeps_the_list_hooks_with_which_it_began() {
    for serving in [Serving::Events, Serving::Json] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("policy.yaml");
        write(&file, "lists: { tools: { hide: [headers] } }\n");
        let is_armed = Arc::new(AtomicBool::new(false));
        let hook = {
            let (file, is_armed) = (file.clone(), is_armed.clone());
            PluginHook::answering_any(
                "change",
                point::http_pre_request,
                move |_: &HttpRequest, _: &mut PluginContext| {
                    let (file, changes) = (file.clone(), is_armed.swap(false, Ordering::Relaxed));
                    Box::pin(async move {
                        if changes {
                            let rule = "plugins:\n  - name: closed\n    kind: deny\n    hooks: [tool_pre_invoke]\n    reason: closed for today\n";
                            write(&file, rule);
                        }
                    })
                },
            )
            .deadline(Duration::from_secs(60))
        };
        let desk = desk();
        let address = serve_hooked(&desk, serving, [hook], Policy::new().file(&file)).await;
        let client = rig::legacy(address, serving).await;
        is_armed.store(true, Ordering::Relaxed);
        let answer = rig::call(&client).await.message();
        assert_eq!(desk.ran().len(), 0, "{answer}");
        assert!(answer.to_string().contains("there is no tool"), "{answer}");
        let later = rig::call(&client).await.message();
        assert!(later.to_string().contains("closed for today"), "{later}");
    }
}

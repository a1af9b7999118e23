use hooks_sdk::{core::Registry, lifecycle, prelude::*};
use serde_json::{Map, json};

struct Memory(&'static str);

#[lifecycle::hook(session_start, strength = suggestion)]
async fn of_every_server() -> &'static str {
    "always the same"
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn of_a_server(memory: &Memory) -> String {
    memory.0.to_owned()
}

/// Looks at the event.
#[lifecycle::hook(session_start, strength = suggestion, id = "with-an-event", deadline = "5s", posture = proceed)]
async fn with_an_event<'m>(memory: &'m Memory, start: &'m SessionStart) -> Option<String> {
    let project = start.project_name.as_deref()?;
    std::future::ready(()).await;
    Some(format!("{} knows {project}", memory.0))
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(ids, ["of_every_server", "of_a_server", "with-an-event"]);
    let by_hand = Registry::builder()
        .add(of_every_server_hook())
        .add(of_a_server_hook())
        .add(with_an_event_hook())
        .build();
    assert_eq!(by_hand.unwrap().iter().len(), 3);

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let memory = Memory("memory");
    let ask = |id: &str, arguments: serde_json::Value| {
        let hook = registry
            .get(id)
            .unwrap()
            .detail::<lifecycle::LifecycleHook>()
            .unwrap();
        let arguments: Map<_, _> = arguments.as_object().unwrap().clone();
        runtime
            .block_on(hook.served().unwrap().answer(&memory, arguments))
            .unwrap()
    };
    assert_eq!(ask("of_every_server", json!({})), "always the same");
    assert_eq!(ask("of_a_server", json!({})), "memory");
    assert_eq!(
        ask("with-an-event", json!({"project_name": "annal"})),
        "memory knows annal"
    );
    assert_eq!(
        ask("with-an-event", json!({"project_name": "{project_name}"})),
        ""
    );
    let described = registry
        .get("with-an-event")
        .unwrap()
        .detail::<lifecycle::LifecycleHook>()
        .unwrap();
    assert_eq!(
        described.served().unwrap().description(),
        "Looks at the event."
    );
}

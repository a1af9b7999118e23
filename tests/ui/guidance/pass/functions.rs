use hooks_sdk::{
    core::Registry,
    guidance::{self, HookType, Lifecycle, Moment},
    prelude::*,
};

struct Memory(&'static str);

#[guidance::hook(session, start, requirement = MAY, name = "Always")]
async fn of_every_server() -> &'static str {
    "always the same"
}

#[guidance::hook(session, start, requirement = MAY, name = "Memory", app = "notes")]
async fn of_a_server(memory: &Memory) -> String {
    memory.0.to_owned()
}

/// Looks at the firing.
#[guidance::hook(
    action, start,
    requirement = MUST,
    name = "Firing",
    id = "firing",
    tool = "store_*",
    deadline = "5s",
    posture = proceed
)]
async fn with_a_firing<'m>(memory: &'m Memory, firing: &'m Firing) -> Option<String> {
    let tool = firing.tool.as_deref()?;
    std::future::ready(()).await;
    Some(format!("{} knows {tool}", memory.0))
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(
        ids,
        [
            "session:start:of-every-server",
            "notes:session:start:of-a-server",
            "action:start:firing"
        ]
    );
    let by_hand = Registry::builder()
        .add(of_every_server_hook())
        .add(of_a_server_hook())
        .add(with_a_firing_hook())
        .build();
    assert_eq!(by_hand.unwrap().iter().len(), 3);
    assert_eq!(guidance::problems(&registry), []);

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let memory = Memory("memory");
    let mut firing = Firing::at(Moment::new(HookType::Action, Lifecycle::Start));
    let ask = |id: &str, firing: &Firing| {
        let hook = registry
            .get(id)
            .unwrap()
            .detail::<guidance::GuidanceHook>()
            .unwrap();
        runtime.block_on(hook.text(&memory, firing)).unwrap()
    };
    assert_eq!(ask(ids[0], &firing).as_deref(), Some("always the same"));
    assert_eq!(ask(ids[1], &firing).as_deref(), Some("memory"));
    assert_eq!(ask(ids[2], &firing), None);
    firing.tool = Some("store_note".to_owned());
    assert_eq!(
        ask(ids[2], &firing).as_deref(),
        Some("memory knows store_note")
    );
    let input = registry
        .get(ids[2])
        .unwrap()
        .detail::<guidance::GuidanceHook>()
        .unwrap()
        .input();
    assert_eq!(input.description.as_deref(), Some("Looks at the firing."));
}

use hooks_sdk::{core::Registry, prelude::*};
use serde_json::{Map, json};

type Words = String;

struct Memory(&'static str);

#[hooks_sdk::hooks]
impl Memory {
    const LIMIT: usize = { 5 };

    fn unhooked(&self) -> usize {
        Self::LIMIT
    }

    /// What the memory knows.
    #[lifecycle::hook(session_start, strength = required)]
    async fn recall(&self, start: &SessionStart) -> Result<Words, std::io::Error> {
        std::future::ready(()).await;
        Ok(format!(
            "{} {} {:?}",
            self.0,
            self.unhooked(),
            start.project_name
        ))
    }

    #[hooks_sdk::lifecycle::hook(session_end, strength = suggestion)]
    pub(crate) async fn forget(&self) -> &'static str {
        "forgotten"
    }

    #[lifecycle::hook(session_start, strength = suggestion, id = "one")]
    #[lifecycle::hook(session_end, strength = suggestion, id = "two")]
    async fn twice<'a>(self: &Self) -> Option<String> {
        None
    }
}

#[test]
fn is_accepted() {
    let registry = Registry::collect::<Memory>().unwrap();
    let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(ids, ["recall", "forget", "one", "two"]);
    let recall = registry
        .get("recall")
        .unwrap()
        .detail::<lifecycle::LifecycleHook>()
        .unwrap();
    let served = recall.served().unwrap();
    assert_eq!(served.description(), "What the memory knows.");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let arguments: Map<_, _> = json!({"project_name": "annal"})
        .as_object()
        .unwrap()
        .clone();
    let answer = runtime
        .block_on(served.answer(&Memory("memory"), arguments))
        .unwrap();
    assert_eq!(answer, "memory 5 Some(\"annal\")");
    assert_eq!(registry.get("recall").unwrap().origin().line, 17);
}

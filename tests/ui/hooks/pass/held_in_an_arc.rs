use std::sync::Arc;

use hooks_sdk::{core::Registry, prelude::*};
use serde_json::Map;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> &'static str {
        "recalled"
    }
}

#[test]
fn is_accepted() {
    let registry = Registry::collect::<Arc<Memory>>().unwrap();
    let hook = registry
        .get("recall")
        .unwrap()
        .detail::<lifecycle::LifecycleHook>()
        .unwrap();
    let memory = Arc::new(Memory);
    let answer = hook.served().unwrap().answer(&memory, Map::new());
    assert_eq!(futures::executor::block_on(answer).unwrap(), "recalled");
}

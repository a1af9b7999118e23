use hooks_sdk::{core::Registry, prelude::*};

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[cfg(all())]
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn kept(&self) -> String {
        String::new()
    }

    #[lifecycle::hook(session_start, strength = suggestion)]
    #[cfg(any())]
    async fn gone(&self, event: &NoSuchEvent) -> String {
        String::new()
    }

    #[cfg_attr(all(), lifecycle::hook(session_end, strength = suggestion), inline)]
    async fn conditionally(&self) -> String {
        String::new()
    }

    #[cfg_attr(any(), lifecycle::hook(no_such_point))]
    #[cfg_attr(all(), expect(dead_code))]
    async fn never(&self) -> String {
        String::new()
    }

    #[cfg_attr(any(), cfg(any()))]
    #[lifecycle::hook(pre_request, strength = suggestion)]
    async fn under_a_condition_that_does_not_hold(&self) -> String {
        String::new()
    }

    #[cfg_attr(all(), cfg(any()))]
    #[lifecycle::hook(pre_request, strength = suggestion)]
    async fn under_a_condition_that_holds(&self) -> String {
        String::new()
    }
}

#[test]
fn is_accepted() {
    let registry = Registry::collect::<Memory>().unwrap();
    let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(
        ids,
        [
            "kept",
            "conditionally",
            "under_a_condition_that_does_not_hold"
        ]
    );
}

//! A crate that re-exports the SDK, and whose users do not name it.

mod framework {
    pub(crate) use hooks_sdk as hooks;
}

use framework::hooks::{core::Registry, guidance};

struct Memory;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", crate = framework::hooks)]
struct Words;

#[guidance::hook(action, start, requirement = MAY, name = "Recall", features(tools), crate = crate::framework::hooks)]
async fn recall(_memory: &Memory) -> String {
    String::new()
}

guidance::dir!(
    "guidance/dirs/folder_of_hooks",
    crate = crate::framework::hooks
);

#[test]
fn is_accepted() {
    assert_eq!(Words::hook().id(), "session:start:words");
    assert_eq!(recall_hook().id(), "action:start:recall");
    assert!(
        Registry::collect::<Memory>()
            .unwrap()
            .get("session:start:welcome")
            .is_some()
    );
}

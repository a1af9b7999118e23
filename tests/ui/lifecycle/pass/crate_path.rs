// A crate that re-exports the SDK, and whose users do not name it.
mod framework {
    pub use hooks_sdk as hooks;
}

use framework::hooks::lifecycle;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", crate = framework::hooks)]
struct Words;

#[lifecycle::hook(session_start, strength = suggestion, crate = crate::crate_path::framework::hooks)]
async fn recall(_memory: &Memory) -> String {
    String::new()
}

#[test]
fn is_accepted() {
    assert_eq!(Words::hook().id(), "words");
    assert_eq!(recall_hook().id(), "recall");
}

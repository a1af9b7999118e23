use hooks_sdk as sdk;

mod re_exports {
    pub use ::hooks_sdk as inner;
}

use re_exports::inner::mcpl;

struct Memory;

/// Recalls.
#[mcpl::feature_set("memory", sends(push), crate = crate::crate_path::re_exports::inner)]
struct Recall;

#[mcpl::hook(before_inference, feature_set = Recall, inject(system), on_failure = fail, crate = re_exports::inner)]
async fn recall(
    _memory: &Memory,
    _turn: &mcpl::BeforeInference,
    _cx: &mcpl::Context,
) -> Option<mcpl::Injection> {
    None
}

#[sdk::hooks]
impl Memory {
    #[rmcp::tool(description = "Edits.")]
    #[mcpl::tool(feature_set = Recall, guard = false, crate = crate::crate_path::re_exports::inner)]
    pub async fn edit(&self) -> String {
        String::new()
    }
}

#[test]
fn is_accepted() {
    assert!(
        crate::collected::<Memory>(file!())
            .unwrap()
            .get("mcpl:tool:edit")
            .is_some()
    );
}

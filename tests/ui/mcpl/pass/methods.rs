use hooks_sdk::prelude::*;

struct Memory;

/// Recalls.
#[mcpl::feature_set("memory")]
struct Recall;

#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::hook(lifecycle, feature_set = Recall)]
    #[mcpl::hook(enabled, feature_set = Recall)]
    #[cfg_attr(not(unix), mcpl::hook(rollback, feature_set = Recall))]
    #[cfg_attr(any(), mcpl::hook(rollback, feature_set = Recall))]
    #[lifecycle::hook(session_end, strength = suggestion)]
    async fn both(&self) -> Silence {
        Silence
    }

    #[mcpl::hook(before_inference, feature_set = Recall)]
    async fn recall<'t>(
        &'t self,
        turn: &'t BeforeInference,
        _cx: &mcpl::Context,
    ) -> Result<Vec<Injection>, Self> {
        let asked = turn.user_message.as_deref().ok_or(Memory)?;
        Ok(vec![Injection::new("memory", Position::BeforeUser, asked)])
    }

    fn _other(&self) {}
}

struct Silence;

impl mcpl::McplAnswer<mcpl::point::lifecycle> for Silence {
    fn answer(self) -> Result<(), hooks_sdk::core::HookError> {
        Ok(())
    }
}

impl mcpl::McplAnswer<mcpl::point::enabled> for Silence {
    fn answer(self) -> Result<(), hooks_sdk::core::HookError> {
        Ok(())
    }
}

impl lifecycle::Answer for Silence {
    fn answer(self) -> Result<String, hooks_sdk::core::HookError> {
        Ok(String::new())
    }
}

impl From<Memory> for hooks_sdk::core::HookError {
    fn from(_: Memory) -> Self {
        Self::new("nothing asked")
    }
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(mcpl::problems(&registry), []);
    for id in [
        "mcpl:lifecycle:both",
        "mcpl:enabled:both",
        "both",
        "mcpl:before_inference:recall",
    ] {
        assert!(registry.get(id).is_some(), "{id}");
    }
    assert!(registry.get("mcpl:rollback:both").is_none());
}

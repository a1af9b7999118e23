use hooks_sdk::{
    core::Registry,
    guidance::{GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel},
    prelude::*,
};

struct Memory<S>(S);

impl<S: Send + Sync + 'static> Memory<S> {
    async fn recall(&self, firing: &Firing) -> Option<String> {
        firing.session_id.clone()
    }

    fn hooks() -> Registry {
        let recall = HookInput::new(
            HookType::Session,
            Lifecycle::Start,
            "recall",
            "Recall",
            RequirementLevel::Should,
        );
        let recall = GuidanceHook::answering(recall, |memory: &Self, firing| {
            Box::pin(memory.recall(firing))
        });
        Registry::builder()
            .add(recall.into())
            .build()
            .expect("one hook")
    }
}

#[test]
fn is_accepted() {
    assert_eq!(Memory::<u8>::hooks().iter().len(), 1);
}

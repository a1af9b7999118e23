use hooks_sdk::{
    core::Registry,
    lifecycle::{LifecycleHook, point, strength},
    prelude::*,
};

struct Memory<S>(S);

impl<S: Send + Sync + 'static> Memory<S> {
    async fn recall(&self, start: &SessionStart) -> Option<String> {
        start.project_name.clone()
    }

    fn hooks() -> Registry {
        let recall = LifecycleHook::answering(
            "recall",
            point::session_start,
            strength::required,
            |memory: &Self, start: SessionStart| {
                Box::pin(async move { memory.recall(&start).await })
            },
        );
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

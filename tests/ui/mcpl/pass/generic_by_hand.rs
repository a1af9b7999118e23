use hooks_sdk::{
    core::Registry,
    mcpl::{Derived, McplHook, point},
    prelude::*,
};

struct Memory<S>(S);

/// Recalls.
#[mcpl::feature_set("memory")]
struct Recall;

impl<S: Sync> Memory<S> {
    async fn recall(&self, turn: &BeforeInference) -> Vec<Injection> {
        _ = (&self.0, turn);
        Vec::new()
    }
}

fn hooks<S: Send + Sync + 'static>() -> Registry {
    let recall = McplHook::answering::<Recall, _, _, _>(
        "recall",
        point::before_inference,
        |memory: &Memory<S>, turn, _| Box::pin(memory.recall(turn)),
    );
    let watch = McplHook::answering_any::<Recall, _, _>("watch", point::lifecycle, |_, _| {
        Box::pin(async {})
    });
    Registry::builder()
        .add(recall.into())
        .add(watch.into())
        .add(
            McplHook::tool::<Recall, Memory<S>>("edit")
                .unguarded()
                .into(),
        )
        .build()
        .unwrap()
}

#[test]
fn is_accepted() {
    let registry = hooks::<u8>();
    assert_eq!(mcpl::problems(&registry), []);
    assert_eq!(Derived::of(&registry).tools().count(), 1);
}

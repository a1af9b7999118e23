use hooks_sdk::prelude::*;

struct Memory;

/// Never.
#[cfg(any())]
#[mcpl::feature_set("never", sends(push))]
struct Never;

/// Never either.
#[mcpl::feature_set("never", sends(push))]
#[cfg(any())]
struct NeverEither;

/// Always.
#[mcpl::feature_set("always", sends(push))]
#[cfg(not(any()))]
struct Always;

#[mcpl::hook(enabled, feature_set = Nothing)]
#[cfg(any())]
async fn never(_memory: &Memory) {}

#[hooks_sdk::hooks]
impl Memory {
    #[cfg(any())]
    #[mcpl::hook(enabled, feature_set = Nothing)]
    async fn nor(&self) {}

    #[cfg(not(any()))]
    #[mcpl::hook(enabled, feature_set = Always)]
    async fn always(&self) {}
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(mcpl::problems(&registry), []);
    assert_eq!(registry.iter().len(), 2);
}

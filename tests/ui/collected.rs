use std::any::Any;

use hooks_core::{BuildErrors, Hook, Registry, internal::linked};

/// As `Registry::collect`, of the hooks of one file. Those without an owner belong to every server in a program, also to
/// those of other files.
pub fn collected<H: Any>(file: &str) -> Result<Registry, BuildErrors> {
    struct Nobody;
    let is_own = |hook: &Hook| {
        let is_owned = !hook.owner().includes::<Nobody>();
        hook.owner().includes::<H>() && (is_owned || hook.origin().file == file)
    };
    let mut hooks: Vec<_> = linked().filter(is_own).collect();
    hooks.sort_by(|a, b| a.origin().cmp(&b.origin()).then_with(|| a.id().cmp(b.id())));
    let registry = hooks
        .into_iter()
        .fold(Registry::builder(), |all, hook| all.add(hook));
    registry.build()
}

//! The capabilities that a 0.5 host grants: an allowlist of paths. An absent path is denied.

use crate::wire::path;

/// The most paths that are kept. The protocol has 17.
const MAX_PATHS: usize = 1024;

/// The longest path that is kept, in bytes. The protocol's own are shorter.
const MAX_PATH: usize = 256;

/// `effectiveCapabilities`, as received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Grant(Vec<String>);

impl Grant {
    pub(super) fn of(paths: &[String]) -> Grant {
        if paths.len() > MAX_PATHS {
            tracing::warn!(
                paths = paths.len(),
                "the host grants more paths than there are; the first {MAX_PATHS} count"
            );
        }
        let kept = paths.iter().filter(|path| path.len() <= MAX_PATH);
        Grant(kept.take(MAX_PATHS).cloned().collect())
    }

    pub(super) fn paths(&self) -> &[String] {
        &self.0
    }

    /// Whether a path is granted.
    pub(super) fn covers(&self, path: &str) -> bool {
        self.0.iter().any(|pattern| path::covers(pattern, path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_one_segment() {
        for (pattern, path, covered) in [
            ("tools", "tools", true),
            ("channels.*", "channels.publish", true),
            ("channels", "channels.publish", false),
            ("channels.publish", "channels", false),
            ("*", "tools", true),
            ("*", "channels.publish", false),
            (
                "contextHooks.*.inject.system",
                "contextHooks.beforeInference.inject.system",
                true,
            ),
            (
                "contextHooks.beforeInference.*",
                "contextHooks.beforeInference.inject.system",
                false,
            ),
            ("*.*", "channels.publish", true),
            ("", "tools", false),
            ("channels.p*", "channels.publish", false),
        ] {
            let grant = Grant::of(&[pattern.to_owned()]);
            assert_eq!(grant.covers(path), covered, "{pattern} of {path}");
        }
        assert!(!Grant::default().covers("tools"));
    }
}


/// Returns whether this run takes a rule out.
pub(crate) fn without(rule: &str) -> bool {
    static OUT: std::sync::LazyLock<Option<String>> =
        std::sync::LazyLock::new(|| std::env::var("HOOKS_MUTATION").ok());
    OUT.as_deref() == Some(rule)
}

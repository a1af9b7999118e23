//! Passwords in addresses: what stands between the user's name and the `@`, as in `https://kim:hunter2@host`.

use std::sync::LazyLock;

use regex::Regex;

static WITH_PASSWORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"://[^ \t\r\n/?#:@]{0,64}:([^ \t\r\n/?#@]{1,256})@")
        .expect("a test compiles every pattern")
});

/// Where such passwords begin and end, in bytes.
pub(crate) fn passwords(text: &str) -> impl Iterator<Item = (usize, usize)> {
    WITH_PASSWORD
        .captures_iter(text)
        .filter_map(|found| found.get(1))
        .filter(|password| !password.as_str().starts_with(['<', '$', '{', '*']))
        .map(|password| (password.start(), password.end()))
}

#[cfg(test)]
mod tests {
    use super::passwords;

    #[test]
    fn the_password_alone_is_found() {
        let text = "postgres://kim:hunter2@db/shop, https://example.org/a:b@c, http://kim@host, ssh://u:$PASS@h";
        assert_eq!(passwords(text).collect::<Vec<_>>(), [(15, 22)]);
    }
}

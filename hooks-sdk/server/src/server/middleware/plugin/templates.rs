//! URI templates (RFC 6570): whether a template yields a URI.

use regex::{Regex, RegexBuilder};

/// The longest template that is read, in bytes. A longer one yields no URI.
const LONGEST: usize = 8 * 1024;

/// A URI template of the author's.
#[derive(Debug)]
pub(super) struct Template {
    /// Matches the URIs that the template yields.
    pub(super) yields: Regex,
    /// Matches the URIs that a server may read with the template, if it does not stop a variable at a slash.
    pub(super) may_yield: Regex,
}

impl Template {
    /// Reads a template. Returns `None` if it is too long.
    pub(super) fn parse(text: &str) -> Option<Template> {
        if text.len() > LONGEST {
            return None;
        }
        let (mut yields, mut may_yield) = ("^".to_owned(), "^".to_owned());
        let mut add = |literal: &str, variable: [&str; 2]| {
            for (pattern, variable) in [&mut yields, &mut may_yield].into_iter().zip(variable) {
                pattern.push_str(&regex::escape(literal));
                pattern.push_str(variable);
            }
        };
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{')
            && let Some((expression, after)) = after.split_once('}')
        {
            add(literal, [strictly(expression), ".*"]);
            rest = after;
        }
        add(rest, ["$"; 2]);
        let whole = |pattern: &str| {
            let mut whole = RegexBuilder::new(pattern);
            whole.dot_matches_new_line(true).build().ok()
        };
        Some(Template {
            yields: whole(&yields)?,
            may_yield: whole(&may_yield)?,
        })
    }
}

/// Returns the pattern of an expression, by its operator.
fn strictly(expression: &str) -> &'static str {
    match expression.as_bytes().first() {
        Some(b'+') => ".*",
        Some(b'#') => "(?:#.*)?",
        Some(b'.') => r"(?:\.[^/?#]*)?",
        Some(b'/') => "(?:/[^?#]*)?",
        Some(b';') => "(?:;[^/?#]*)?",
        Some(b'?') => r"(?:\?[^#]*)?",
        Some(b'&') => "(?:&[^#]*)?",
        _ => "[^/?#]*",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_yields_the_uris_of_its_expressions() {
        let yields =
            |template: &str, uri: &str| Template::parse(template).unwrap().yields.is_match(uri);
        assert!(yields("file:///internal/{name}", "file:///internal/a%20b"));
        assert!(!yields("file:///internal/{name}", "file:///internal/a/b"));
        assert!(!yields("file:///internal/{name}", "file:///other/a"));
        assert!(yields("file:///{+path}", "file:///a/b?c#d"));
        assert!(yields("db://t{/rows*}{?page,size}", "db://t/1/2?page=3"));
        assert!(yields("db://t{/rows*}{?page,size}", "db://t"));
        assert!(!yields("db://t{/rows*}", "db://t?x"));
        assert!(yields("a.(b){x}", "a.(b)c") && !yields("a.(b){x}", "aX(b)c"));
        assert!(yields("open{brace", "open{brace"));
        assert!(Template::parse(&"x".repeat(LONGEST + 1)).is_none());
    }

    #[test]
    fn a_server_may_read_more_with_a_template() {
        let template = Template::parse("file:///internal/{name}").unwrap();
        assert!(template.may_yield.is_match("file:///internal/a/b?c"));
        assert!(!template.may_yield.is_match("file:///notes"));
    }
}

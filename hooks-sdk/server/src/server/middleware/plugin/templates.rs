//! URI templates (RFC 6570): whether a template yields a URI, and the same URI by another template.

use std::borrow::Cow;

use regex::{Captures, Regex, RegexBuilder};

/// The longest template that is read, in bytes. A longer one yields no URI.
const LONGEST: usize = 8 * 1024;

/// A URI template of the author's.
#[derive(Debug)]
pub(super) struct Template {
    /// Literal texts and expressions in turn. It begins and ends with a literal.
    parts: Vec<String>,
    /// The URIs that the template yields, with a group for each expression.
    yields: Regex,
    /// The URIs that a server may read with the template, if it does not stop a variable at a slash.
    may_yield: Regex,
}

impl Template {
    /// Reads a template. Returns `None` if it is too long.
    pub(super) fn parse(text: &str) -> Option<Template> {
        if text.len() > LONGEST {
            return None;
        }
        let mut parts = vec![String::new()];
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            let Some((expression, after)) = after.split_once('}') else {
                break;
            };
            if let Some(last) = parts.last_mut() {
                last.push_str(literal);
            }
            parts.push(expression.to_owned());
            parts.push(String::new());
            rest = after;
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(rest);
        }
        let pattern = |of: fn(&str) -> &'static str| {
            let parts = parts.iter().enumerate();
            let pattern: String = parts
                .map(|(at, part)| match at % 2 {
                    0 => Cow::Owned(regex::escape(part)),
                    _ => Cow::Borrowed(of(part)),
                })
                .collect();
            let whole = RegexBuilder::new(&format!("^{pattern}$"))
                .dot_matches_new_line(true)
                .build();
            whole.ok()
        };
        Some(Template {
            yields: pattern(strictly)?,
            may_yield: pattern(|_| ".*")?,
            parts,
        })
    }

    /// Returns whether the template yields the URI.
    pub(super) fn yields(&self, uri: &str) -> bool {
        self.yields.is_match(uri)
    }

    /// Returns whether a server may read the URI with the template.
    pub(super) fn may_yield(&self, uri: &str) -> bool {
        self.may_yield.is_match(uri)
    }

    /// Returns the URI that `to` yields for the same variables. Returns `None` if the template does not yield the URI, or
    /// if the two have other expressions.
    pub(super) fn translate(&self, uri: &str, to: &Template) -> Option<String> {
        let groups: Captures<'_> = self.yields.captures(uri)?;
        let expressions = |of: &'_ Template| -> Vec<String> {
            of.parts.iter().skip(1).step_by(2).cloned().collect()
        };
        if expressions(self) != expressions(to) {
            return None;
        }
        let mut translated = String::new();
        for (at, part) in to.parts.iter().enumerate() {
            match at % 2 {
                0 => translated.push_str(part),
                _ => translated.push_str(groups.get(at / 2 + 1)?.as_str()),
            }
        }
        Some(translated)
    }
}

/// Returns the pattern of an expression, by its operator.
fn strictly(expression: &str) -> &'static str {
    match expression.as_bytes().first() {
        Some(b'+') => "(.*)",
        Some(b'#') => "((?:#.*)?)",
        Some(b'.') => r"((?:\.[^/?#]*)?)",
        Some(b'/') => "((?:/[^?#]*)?)",
        Some(b';') => "((?:;[^/?#]*)?)",
        Some(b'?') => r"((?:\?[^#]*)?)",
        Some(b'&') => "((?:&[^#]*)?)",
        _ => "([^/?#]*)",
    }
}

/// Returns the URI without percent-encoding, as many servers read it.
pub(super) fn decoded(uri: &str) -> Cow<'_, str> {
    if !uri.contains('%') {
        return Cow::Borrowed(uri);
    }
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let bytes = uri.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = (digit(bytes.get(at + 1)), digit(bytes.get(at + 2)));
        match (byte, pair) {
            (b'%', (Some(high), Some(low))) => {
                // Two digits are a byte.
                decoded.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 3;
            }
            _ => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&decoded).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_yields_the_uris_of_its_expressions() {
        let yields = |template: &str, uri: &str| Template::parse(template).unwrap().yields(uri);
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
        assert!(template.may_yield("file:///internal/a/b?c"));
        assert!(!template.may_yield("file:///notes"));
    }

    #[test]
    fn a_uri_of_one_template_is_a_uri_of_another() {
        let parse = |text: &str| Template::parse(text).unwrap();
        let (own, shown) = (parse("file:///{a}/x/{b}"), parse("doc://{a}/{b}"));
        let translated = shown.translate("doc://1/2%20", &own);
        assert_eq!(translated.as_deref(), Some("file:///1/x/2%20"));
        assert_eq!(shown.translate("other://1/2", &own), None);
        assert_eq!(parse("doc://{b}/{a}").translate("doc://1/2", &own), None);
    }

    #[test]
    fn encoded_bytes_are_decoded_once() {
        assert_eq!(decoded("file:///%69n%2ft%252f%"), "file:///in/t%2f%");
        assert_eq!(decoded("plain"), "plain");
    }
}

//! A member of a JSON object in its writer's form: the same order and digits, without white space between tokens.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Returns the last member of this name, in snake_case or in camelCase, of an object.
pub(super) fn member(object: &[u8], name: &str) -> Option<String> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_slice(object).ok()?;
    let camel = || members.get(&super::input::camel_case(name));
    let value = members.get(name).or_else(camel)?;
    Some(compact(value.get()))
}

/// Removes the white space between tokens.
fn compact(value: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let kept = value.bytes().filter(|byte| {
        let is_space = !is_text && matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        is_text ^= *byte == b'"' && !is_escaped;
        is_escaped = is_text && *byte == b'\\' && !is_escaped;
        !is_space
    });
    String::from_utf8_lossy(&kept.collect::<Vec<u8>>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_keeps_its_order_and_its_digits() {
        let object = br#" { "a" : [ { "tool_input" : 1 } ], "tool_input" : { "z" : 1.50e3 , "a" : "x \" : , } y" ,
            "n" : 12345678901234567890123 , "e" : [ ] } , "b" : null } "#;
        assert_eq!(
            member(object, "tool_input").as_deref(),
            Some(r#"{"z":1.50e3,"a":"x \" : , } y","n":12345678901234567890123,"e":[]}"#)
        );
        assert_eq!(member(object, "b").as_deref(), Some("null"));
        assert_eq!(member(object, "tool_response"), None);
    }

    #[test]
    fn names_are_read_as_a_parser_reads_them() {
        let last = br#"{"tool_input":1,"toolInput":2,"tool\u005finput":3}"#;
        assert_eq!(member(last, "tool_input").as_deref(), Some("3"));
        let camel = br#"{"toolInput":{"a": 2}}"#;
        assert_eq!(member(camel, "tool_input").as_deref(), Some(r#"{"a":2}"#));
        for no_object in [&b""[..], b"[]", b"{", b"{\"a\"", b"{\"a\":", b"\xff", b"{}"] {
            assert_eq!(member(no_object, "a"), None);
        }
    }
}

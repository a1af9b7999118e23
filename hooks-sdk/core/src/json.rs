//! Walks over JSON values, however deep they are.

use std::iter;

use serde_json::{Number, Value};

/// A part of a JSON value.
#[derive(Clone, Copy, Debug)]
pub enum JsonPart<'v> {
    /// The name of a member. Its value is the next part.
    Name(&'v str),
    /// A value, whose own parts follow.
    Value(&'v Value),
}

/// Returns each part of a value in the order of the text, with the number of lists and objects around it. The first part is
/// the value itself. Does not recurse, so that a deep value cannot exhaust the stack.
pub fn json_parts(value: &Value) -> impl Iterator<Item = (usize, JsonPart<'_>)> {
    let mut open = vec![(0, JsonPart::Value(value))];
    iter::from_fn(move || {
        let (depth, part) = open.pop()?;
        match part {
            JsonPart::Value(Value::Array(items)) => {
                let items = items.iter().rev();
                open.extend(items.map(|item| (depth + 1, JsonPart::Value(item))));
            }
            JsonPart::Value(Value::Object(members)) => {
                for (name, value) in members.iter().rev() {
                    open.push((depth + 1, JsonPart::Value(value)));
                    open.push((depth + 1, JsonPart::Name(name)));
                }
            }
            _ => {}
        }
        Some((depth, part))
    })
}

/// Returns whether two values are equal at every depth. `1` equals `1.0`, as some languages write it.
pub fn is_equal_json(a: &Value, b: &Value) -> bool {
    let is_equal_number = |a: &Number, b: &Number| match a.is_f64() || b.is_f64() {
        true => a.as_f64() == b.as_f64(),
        false => a == b,
    };
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => is_equal_number(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal_json(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let held =
                |(name, a): (&String, &Value)| b.get(name).is_some_and(|b| is_equal_json(a, b));
            a.len() == b.len() && a.iter().all(held)
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_part_comes_in_order_with_its_depth() {
        let value = json!({"a": [1, {"b": "x"}], "c": null});
        let parts = json_parts(&value).map(|(depth, part)| match part {
            JsonPart::Name(name) => format!("{depth} {name}:"),
            JsonPart::Value(value) => format!("{depth} {value}"),
        });
        let expected = [
            r#"0 {"a":[1,{"b":"x"}],"c":null}"#,
            "1 a:",
            r#"1 [1,{"b":"x"}]"#,
            "2 1",
            r#"2 {"b":"x"}"#,
            "3 b:",
            r#"3 "x""#,
            "1 c:",
            "1 null",
        ];
        assert!(parts.eq(expected), "{value}");
    }

    #[test]
    fn a_deep_value_is_no_danger() {
        let mut deep = json!(1);
        for _ in 0..100_000 {
            deep = Value::Array(vec![deep]);
        }
        assert_eq!(json_parts(&deep).count(), 100_001);
        // Dropping it would recurse.
        std::mem::forget(deep);
    }

    #[test]
    fn numbers_are_equal_by_their_value() {
        assert!(is_equal_json(&json!({"a": [1]}), &json!({"a": [1.0]})));
        assert!(!is_equal_json(&json!({"a": 1}), &json!({"b": 1})));
        assert!(!is_equal_json(&json!([1]), &json!([1, 2])));
    }
}

//! Comparing what was recorded with what ours gave, where a recording stands for any value of a kind.

use serde_json::Value;

use crate::vectors::Mismatch;

/// Compares two values: `<iso8601-ms-Z>` stands for any UTC timestamp with milliseconds.
pub(super) fn same(expected: &Value, got: &Value) -> Result<(), Mismatch> {
    if alike(expected, got) {
        return Ok(());
    }
    Err(Mismatch {
        expected: expected.to_string(),
        got: got.to_string(),
    })
}

fn alike(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::String(expected), Value::String(got)) if expected == "<iso8601-ms-Z>" => {
            is_timestamp(got)
        }
        (Value::Array(expected), Value::Array(got)) => {
            expected.len() == got.len()
                && expected
                    .iter()
                    .zip(got)
                    .all(|(expected, got)| alike(expected, got))
        }
        (Value::Object(expected), Value::Object(got)) => {
            let held = |(key, expected): (&String, &Value)| {
                got.get(key).is_some_and(|got| alike(expected, got))
            };
            expected.len() == got.len() && expected.iter().all(held)
        }
        (Value::Number(expected), Value::Number(got)) => expected.as_f64() == got.as_f64(),
        _ => expected == got,
    }
}

fn is_timestamp(text: &str) -> bool {
    const SHAPE: &str = "0000-00-00T00:00:00.000Z";
    let fits =
        |(shape, letter): (u8, u8)| shape == letter || shape == b'0' && letter.is_ascii_digit();
    text.len() == SHAPE.len() && SHAPE.bytes().zip(text.bytes()).all(fits)
}

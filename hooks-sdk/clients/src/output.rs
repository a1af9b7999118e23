//! The answer of a tool, as text.

use serde_json::Value;

/// Returns the text of an answer: a text unchanged, the texts of MCP content joined by line ends, or compact JSON. Where an
/// answer has a part for the model and a part for the user, the model's counts.
pub(super) fn text(answer: &Value) -> String {
    let part = |name| answer.get(name).filter(|part| !is_empty(part));
    match part("llmContent").or_else(|| part("returnDisplay")) {
        Some(said) => unwrapped(plain(said)),
        None => plain(answer),
    }
}

fn plain(answer: &Value) -> String {
    if let Value::String(text) = answer {
        return text.clone();
    }
    let content = answer.get("content").unwrap_or(answer);
    texts(content).unwrap_or_else(|| answer.to_string())
}

/// Returns the texts among blocks of MCP content; `None` if it is something else, or has none.
fn texts(content: &Value) -> Option<String> {
    let blocks = content.as_array()?;
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(parts) => parts.is_empty(),
        _ => false,
    }
}

/// Removes the element in which some clients wrap a tool's answer.
fn unwrapped(text: String) -> String {
    let inside = text
        .strip_prefix("<untrusted_context>\n")
        .and_then(|rest| rest.strip_suffix("\n</untrusted_context>"));
    match inside {
        Some(inside) => inside.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_become_text() {
        assert_eq!(text(&json!("as it is\n")), "as it is\n");
        let blocks = json!([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]);
        assert_eq!(text(&blocks), "a\nb");
        assert_eq!(text(&json!({ "content": blocks })), "a\nb");
        for other in [
            json!([]),
            json!({"stdout": "x"}),
            json!([1, "a"]),
            json!({"content": "c"}),
            json!(1),
        ] {
            assert_eq!(text(&other), other.to_string());
        }
    }

    #[test]
    fn what_the_model_reads_is_said() {
        let wrapped = "<untrusted_context>\nOutput: x\n</untrusted_context>";
        assert_eq!(
            text(&json!({"llmContent": wrapped, "returnDisplay": "x"})),
            "Output: x"
        );
        assert_eq!(
            text(&json!({"llmContent": [{"text": wrapped}]})),
            "Output: x"
        );
        assert_eq!(text(&json!({"llmContent": "", "returnDisplay": "x"})), "x");
        assert_eq!(text(&json!({"other": 1})), r#"{"other":1}"#);
        assert_eq!(text(&json!("plain")), "plain");
    }
}

//! The Chat Completions API, as Copilot CLI, OpenCode, Qwen Code and Cline use it.

use serde_json::{Value, json};

use super::{Asked, Call, DONE, Reply, Turn, events, items, names, text_of, told};

pub(super) fn asked(path: &str, body: &Value) -> Result<Asked, Value> {
    if path.ends_with("/models") {
        let model = json!({ "id": "stand-in", "object": "model" });
        return Err(json!({ "object": "list", "data": [model] }));
    }
    if !path.ends_with("/chat/completions") {
        return Err(json!({}));
    }
    let tools = items(body, "tools").map(|tool| tool.get("function").unwrap_or(tool));
    let mut asked = Asked {
        offered: names(tools),
        ..Asked::default()
    };
    for message in items(body, "messages") {
        let role = match message["role"].as_str().unwrap_or_default() {
            "assistant" => continue,
            "tool" => {
                asked.results += 1;
                "tool result"
            }
            role => role,
        };
        let one = std::slice::from_ref(&message["content"]);
        for block in message["content"].as_array().map_or(one, Vec::as_slice) {
            asked.told.push(told(role, text_of(block)));
        }
    }
    Ok(asked)
}

pub(super) fn reply(number: usize, body: &Value, turn: Turn) -> Reply {
    let id = format!("chatcmpl-{number}");
    let reason = if turn.call.is_some() {
        "tool_calls"
    } else {
        "stop"
    };
    let message = match turn.call {
        Some(Call { name, arguments }) => {
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            let id = format!("call_{number}");
            // The index is for streams, and no client minds it elsewhere.
            let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
            json!({ "role": "assistant", "content": null, "tool_calls": [call] })
        }
        None => json!({ "role": "assistant", "content": DONE }),
    };
    let tokens = turn.tokens;
    let usage =
        json!({ "prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5 });
    if body["stream"] != true {
        return Reply::Json(json!({
            "id": id,
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
            "usage": usage,
        }));
    }
    let chunk = |choices: Value, usage: Value| {
        json!({
            "id": id,
            "object": "chat.completion.chunk",
            "created": 1,
            "model": body["model"],
            "choices": choices,
            "usage": usage,
        })
    };
    let begin = json!([{ "index": 0, "delta": message, "finish_reason": null }]);
    let end = json!([{ "index": 0, "delta": {}, "finish_reason": reason }]);
    let all = [(begin, Value::Null), (end, Value::Null), (json!([]), usage)];
    let chunks = all.map(|(choices, usage)| chunk(choices, usage));
    Reply::Events(events(chunks) + "data: [DONE]\n\n")
}

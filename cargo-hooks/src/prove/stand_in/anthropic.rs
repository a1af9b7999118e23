//! The Messages API of Anthropic, as Claude Code uses it.

use serde_json::{Value, json};

use super::{Asked, Call, DONE, Reply, Turn, events, items, names, text_of, told};

pub(super) fn asked(path: &str, body: &Value) -> Result<Asked, Value> {
    if path.ends_with("/count_tokens") {
        return Err(json!({ "input_tokens": 10 }));
    }
    if !path.ends_with("/messages") {
        return Err(json!({}));
    }
    let mut asked = Asked {
        offered: names(items(body, "tools")),
        ..Asked::default()
    };
    match &body["system"] {
        Value::Array(blocks) => {
            let blocks = blocks.iter().map(|block| told("system", text_of(block)));
            asked.told.extend(blocks);
        }
        system => asked.told.push(told("system", text_of(system))),
    }
    for message in items(body, "messages") {
        let role = message["role"].as_str().unwrap_or_default();
        let one = std::slice::from_ref(&message["content"]);
        for block in message["content"].as_array().map_or(one, Vec::as_slice) {
            let is_result = block["type"] == "tool_result";
            asked.results += usize::from(is_result);
            match role {
                _ if is_result => asked.told.push(told("tool result", text_of(block))),
                "assistant" => {}
                role => asked.told.push(told(role, text_of(block))),
            }
        }
    }
    Ok(asked)
}

pub(super) fn reply(number: usize, body: &Value, turn: Turn) -> Reply {
    let (block, begun, delta, reason) = match turn.call {
        Some(Call { name, arguments }) => {
            let block = |input: &Value| json!({ "type": "tool_use", "id": format!("toolu_{number}"), "name": name, "input": input });
            let delta =
                json!({ "type": "input_json_delta", "partial_json": arguments.to_string() });
            (block(&arguments), block(&json!({})), delta, "tool_use")
        }
        None => {
            let block = |text: &str| json!({ "type": "text", "text": text });
            let delta = json!({ "type": "text_delta", "text": DONE });
            (block(DONE), block(""), delta, "end_turn")
        }
    };
    let mut message = json!({
        "id": format!("msg_{number}"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": { "input_tokens": turn.tokens, "output_tokens": 5 },
    });
    if body["stream"] != true {
        return Reply::Json(message);
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let ended = json!({ "stop_reason": reason, "stop_sequence": null });
    Reply::Events(events([
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": begun }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": ended, "usage": { "output_tokens": 5 } }),
        json!({ "type": "message_stop" }),
    ]))
}

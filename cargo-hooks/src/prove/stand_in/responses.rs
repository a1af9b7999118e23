//! The Responses API of OpenAI, as Codex CLI uses it: always as a stream.

use serde_json::{Value, json};

use super::{Asked, Call, DONE, Reply, Turn, events, items, names, text_of, told};

pub(super) fn asked(path: &str, body: &Value) -> Result<Asked, Value> {
    if !path.ends_with("/responses") {
        return Err(json!({ "data": [], "models": [] }));
    }
    let mut asked = Asked::default();
    for tool in items(body, "tools") {
        let name = tool["name"].as_str().unwrap_or_default();
        match tool["type"].as_str() {
            Some("namespace") => {
                // The instructions of an MCP server are here.
                asked
                    .told
                    .push(told("tool description", text_of(&tool["description"])));
                let inner = names(items(tool, "tools")).into_iter();
                asked
                    .offered
                    .extend(inner.map(|inner| format!("{name}/{inner}")));
            }
            _ => asked.offered.push(name.to_owned()),
        }
    }
    asked
        .told
        .push(told("system", text_of(&body["instructions"])));
    for item in items(body, "input") {
        match (item["type"].as_str(), item["role"].as_str()) {
            (Some(kind), _) if kind.ends_with("_call_output") => {
                asked.results += 1;
                asked
                    .told
                    .push(told("tool result", text_of(&item["output"])));
            }
            (Some("message") | None, Some(role)) if role != "assistant" => {
                asked.told.push(told(role, text_of(&item["content"])));
            }
            _ => {}
        }
    }
    Ok(asked)
}

pub(super) fn reply(number: usize, turn: Turn) -> Reply {
    let item = match turn.call {
        Some(Call { name, arguments }) => {
            let mut item = json!({
                "type": "function_call",
                "id": format!("fc_{number}"),
                "call_id": format!("call_{number}"),
                "name": name,
                "arguments": arguments.to_string(),
            });
            if let Some((namespace, name)) = name.split_once('/') {
                item["namespace"] = namespace.into();
                item["name"] = name.into();
            }
            item
        }
        None => json!({
            "type": "message",
            "id": format!("msg_{number}"),
            "role": "assistant",
            "content": [{ "type": "output_text", "text": DONE }],
        }),
    };
    let id = format!("resp_{number}");
    let usage = json!({
        "input_tokens": turn.tokens,
        "input_tokens_details": null,
        "output_tokens": 1,
        "output_tokens_details": null,
        "total_tokens": turn.tokens + 1,
    });
    Reply::Events(events([
        json!({ "type": "response.created", "response": { "id": id } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": id, "usage": usage } }),
    ]))
}

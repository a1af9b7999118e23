//! `generateContent` and `streamGenerateContent` of Gemini, as Gemini CLI uses them.

use serde_json::{Value, json};

use super::{Asked, Call, DONE, Reply, Turn, events, items, names, text_of, told};

pub(super) fn asked(path: &str, body: &Value) -> Result<Asked, Value> {
    if path.ends_with(":countTokens") {
        return Err(json!({ "totalTokens": 5 }));
    }
    if !path.ends_with(":generateContent") && !path.ends_with(":streamGenerateContent") {
        return Err(json!({}));
    }
    let mut asked = Asked::default();
    for tool in items(body, "tools") {
        asked
            .offered
            .extend(names(items(tool, "functionDeclarations")));
    }
    for part in items(&body["systemInstruction"], "parts") {
        asked.told.push(told("system", text_of(part)));
    }
    for content in items(body, "contents") {
        let role = content["role"].as_str().unwrap_or("user");
        for part in items(content, "parts") {
            if let Some(result) = part.get("functionResponse") {
                asked.results += 1;
                let response = &result["response"];
                let text = match response["output"].as_str() {
                    Some(output) => output.to_owned(),
                    None => response.to_string(),
                };
                asked.told.push(told("tool result", text));
            } else if role != "model" {
                asked.told.push(told(role, text_of(part)));
            }
        }
    }
    Ok(asked)
}

pub(super) fn reply(path: &str, body: &Value, turn: Turn) -> Reply {
    let settings = &body["generationConfig"];
    let schemas = ["responseJsonSchema", "responseSchema"];
    let part = match turn.call {
        Some(Call { name, arguments }) => {
            json!({ "functionCall": { "name": name, "args": arguments } })
        }
        None if schemas.iter().any(|member| settings.get(member).is_some()) => {
            // It fits both questions that the client asks in this form: who speaks next, and which model is to answer.
            let answer = json!({
                "reasoning": "a stand-in",
                "next_speaker": "user",
                "model_choice": "flash",
                "complexity_reasoning": "a stand-in",
                "complexity_score": 1,
            });
            json!({ "text": answer.to_string() })
        }
        // The service reads no page here, so that the client's own tool fetches it.
        None if items(body, "tools").any(|tool| tool.get("urlContext").is_some()) => {
            json!({ "text": "" })
        }
        None => json!({ "text": DONE }),
    };
    let answer = json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": turn.tokens, "candidatesTokenCount": 1, "totalTokenCount": turn.tokens + 1 },
        "modelVersion": "stand-in",
    });
    if path.ends_with(":generateContent") {
        return Reply::Json(answer);
    }
    Reply::Events(events([answer]))
}

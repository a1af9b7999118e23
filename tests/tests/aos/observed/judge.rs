//! A judge of questions that knows nothing of the SDK: it reads each question as the document defines it.

use serde_json::{Map, Value};

/// Why a question is none that the document allows: the code of the error, and the place.
pub(crate) type Fault = (i64, String);

type Judged = Result<(), Fault>;
type Members = Map<String, Value>;

/// The members of params with the payload of each step.
const STEPS: &[(&str, &str)] = &[
    ("steps/agentTrigger", "trigger"),
    ("steps/toolCallRequest", "toolCallRequest"),
    ("steps/toolCallResult", "toolCallResult"),
    ("steps/message", "message"),
    ("steps/memoryContextRetrieval", "memory"),
    ("steps/memoryStore", "memory"),
    ("steps/knowledgeRetrieval", "knowledgeStep"),
];

const A2A: &[&str] = &[
    "message/send",
    "message/stream",
    "tasks/get",
    "tasks/cancel",
    "tasks/resubscribe",
    "tasks/pushNotificationConfig/set",
    "tasks/pushNotificationConfig/get",
];

/// Judges the body of a question.
pub(crate) fn judge(body: &[u8]) -> Judged {
    let question: Value =
        serde_json::from_slice(body).map_err(|wrong| (-32700, wrong.to_string()))?;
    let Some(question) = question.as_object() else {
        return Err((-32600, "no object".to_owned()));
    };
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
    let method = question.get("method").and_then(Value::as_str);
    let (Some(method), true, Some("2.0")) = (
        method,
        question.get("id").is_some_and(is_id),
        question.get("jsonrpc").and_then(Value::as_str),
    ) else {
        return Err((-32600, "the envelope".to_owned()));
    };
    let payload = STEPS.iter().find(|(step, _)| *step == method);
    let is_other =
        matches!(method, "ping" | "protocols/MCP" | "protocols/A2A") || A2A.contains(&method);
    if payload.is_none() && !is_other {
        return Err((-32601, method.to_owned()));
    }
    let Some(params) = question.get("params") else {
        return Err((-32602, "params".to_owned()));
    };
    let Some(params) = params.as_object() else {
        return Err((-32600, "params".to_owned()));
    };
    of_params(method, payload.map(|(_, member)| *member), params).map_err(|at| (-32602, at))
}

fn of_params(method: &str, payload: Option<&str>, params: &Members) -> Result<(), String> {
    may(params, "params", "reasoning", Value::is_string)?;
    let Some(member) = payload else {
        return match method {
            "ping" => {
                time(params, "params", "timestamp")?;
                may(params, "params", "timeout", is_integer)?;
                may(params, "params", "metadata", is_metadata)
            }
            "protocols/MCP" | "protocols/A2A" => match params.contains_key("jsonrpc") {
                true => message(params, "params"),
                false => message(object(params, "params", "message")?, "message"),
            },
            _ => message(object(params, "params", "payload")?, "payload"),
        };
    };
    context(object(params, "params", "context")?)?;
    match member {
        "memory" => texts(params, "params", "memory"),
        "trigger" => {
            let trigger = object(params, "params", member)?;
            must(trigger, member, "type", |of| of == "autonomous")?;
            let event = object(trigger, member, "event")?;
            all_texts(event, "event", &["type", "id"])?;
            parts(trigger, member)
        }
        "message" => {
            let said = object(params, "params", member)?;
            all_texts(said, member, &["id"])?;
            let is_role = |role: &Value| ["user", "agent", "system"].iter().any(|one| role == one);
            must(said, member, "role", is_role)?;
            parts(said, member)?;
            citations(params)
        }
        "toolCallRequest" => {
            let call = object(params, "params", member)?;
            all_texts(call, member, &["executionId", "toolId"])?;
            each(call, member, "inputs", |input| {
                all_texts(input, "inputs", &["name"])?;
                must(input, "inputs", "value", |_| true)?;
                may(input, "inputs", "id", Value::is_string)
            })
        }
        "toolCallResult" => {
            let call = object(params, "params", member)?;
            all_texts(call, member, &["executionId"])?;
            let result = object(call, member, "result")?;
            must(result, "result", "isError", Value::is_boolean)?;
            each(result, "result", "outputs", |output| {
                must(output, "outputs", "kind", |kind| kind == "text")?;
                part(output)
            })
        }
        _ => {
            let step = object(params, "params", member)?;
            may(step, member, "query", Value::is_string)?;
            if step.contains_key("keywords") {
                texts(step, member, "keywords")?;
            }
            each(step, member, "results", |result| {
                all_texts(result, "results", &["id", "content"])?;
                may(result, "results", "mimeType", Value::is_string)?;
                may(result, "results", "metadata", is_metadata)
            })
        }
    }
}

fn context(context: &Members) -> Result<(), String> {
    all_texts(context, "context", &["turnId", "stepId"])?;
    time(context, "context", "timestamp")?;
    let agent = object(context, "context", "agent")?;
    all_texts(agent, "agent", &["id", "name", "instructions", "version"])?;
    let provider = object(agent, "agent", "provider")?;
    all_texts(provider, "provider", &["name", "url"])?;
    may(agent, "agent", "description", Value::is_string)?;
    for list in ["tools", "mcpServers", "resources"] {
        may(agent, "agent", list, Value::is_array)?;
    }
    for one in ["model", "organization"] {
        may(agent, "agent", one, Value::is_object)?;
    }
    may(agent, "agent", "metadata", is_metadata)?;
    all_texts(object(context, "context", "session")?, "session", &["id"])?;
    if context.contains_key("user") {
        let user = object(context, "context", "user")?;
        all_texts(user, "user", &["id"])?;
        may(user, "user", "name", Value::is_string)?;
        may(user, "user", "email", Value::is_string)?;
        if user.contains_key("organization") {
            let organization = object(user, "user", "organization")?;
            all_texts(organization, "organization", &["id"])?;
        }
    }
    Ok(())
}

/// One message of MCP or A2A, as it is.
fn message(message: &Members, at: &str) -> Result<(), String> {
    must(message, at, "jsonrpc", |version| version == "2.0")?;
    let kinds = ["method", "result", "error"];
    let kinds = kinds.iter().filter(|kind| message.contains_key(**kind));
    if kinds.count() != 1 {
        return Err(format!("{at}: one of method, result and error"));
    }
    match message.contains_key("method") {
        true => must(message, at, "method", Value::is_string)?,
        false => must(message, at, "id", |id| id.is_string() || is_integer(id))?,
    }
    may(message, at, "params", Value::is_object)?;
    may(message, at, "result", Value::is_object)
}

fn citations(params: &Members) -> Result<(), String> {
    if !params.contains_key("citations") {
        return Ok(());
    }
    each(params, "params", "citations", |source| {
        match source.get("kind").and_then(Value::as_str) {
            Some("file") => {
                all_texts(source, "citations", &["id", "name"])?;
                may(source, "citations", "url", Value::is_string)
            }
            Some("site") => all_texts(source, "citations", &["url"]),
            _ => Err("citations.kind".to_owned()),
        }
    })
}

fn parts(of: &Members, at: &str) -> Result<(), String> {
    must(of, at, "content", |parts| {
        parts.as_array().is_none_or(|parts| !parts.is_empty())
    })?;
    each(of, at, "content", part)
}

fn part(part: &Members) -> Result<(), String> {
    may(part, "part", "metadata", is_metadata)?;
    match part.get("kind").and_then(Value::as_str) {
        Some("text") => all_texts(part, "part", &["text"]),
        Some("data") => object(part, "part", "data").map(|_| ()),
        Some("file") => {
            let file = object(part, "part", "file")?;
            for name in ["name", "mimeType", "bytes", "uri"] {
                may(file, "file", name, Value::is_string)?;
            }
            match file.contains_key("bytes") != file.contains_key("uri") {
                true => Ok(()),
                false => Err("file: one of bytes and uri".to_owned()),
            }
        }
        _ => Err("part.kind".to_owned()),
    }
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
}

fn is_metadata(value: &Value) -> bool {
    value.is_object() || value.is_null()
}

fn must(of: &Members, at: &str, name: &str, fits: impl Fn(&Value) -> bool) -> Result<(), String> {
    match of.get(name).is_some_and(fits) {
        true => Ok(()),
        false => Err(format!("{at}.{name}")),
    }
}

fn may(of: &Members, at: &str, name: &str, fits: impl Fn(&Value) -> bool) -> Result<(), String> {
    match of.get(name).is_none_or(fits) {
        true => Ok(()),
        false => Err(format!("{at}.{name}")),
    }
}

fn all_texts(of: &Members, at: &str, names: &[&str]) -> Result<(), String> {
    names
        .iter()
        .try_for_each(|name| must(of, at, name, Value::is_string))
}

fn object<'m>(of: &'m Members, at: &str, name: &str) -> Result<&'m Members, String> {
    let object = of.get(name).and_then(Value::as_object);
    object.ok_or_else(|| format!("{at}.{name}"))
}

fn each(
    of: &Members,
    at: &str,
    name: &str,
    fits: impl Fn(&Members) -> Result<(), String>,
) -> Result<(), String> {
    let items = of.get(name).and_then(Value::as_array);
    let items = items.ok_or_else(|| format!("{at}.{name}"))?;
    items.iter().try_for_each(|item| {
        let item = item.as_object().ok_or_else(|| format!("{at}.{name}[]"))?;
        fits(item)
    })
}

fn texts(of: &Members, at: &str, name: &str) -> Result<(), String> {
    must(of, at, name, |list| {
        let items = list.as_array();
        items.is_some_and(|items| items.iter().all(Value::is_string))
    })
}

/// A date and a time of ISO 8601.
fn time(of: &Members, at: &str, name: &str) -> Result<(), String> {
    must(of, at, name, |time| {
        let text = time.as_str().unwrap_or_default().as_bytes();
        let is_at = |place: usize, byte: u8| text.get(place) == Some(&byte);
        let digits = |from: usize, to: usize| {
            text.get(from..to)
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
        };
        is_at(4, b'-')
            && is_at(7, b'-')
            && is_at(10, b'T')
            && is_at(13, b':')
            && is_at(16, b':')
            && [(0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19)]
                .iter()
                .all(|(from, to)| digits(*from, *to))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(text: &str) -> Vec<Value> {
        let file: Value = serde_json::from_str(text).unwrap();
        let vectors = file["vectors"].as_array().unwrap().clone();
        assert!(vectors.len() > 10);
        vectors
    }

    #[test]
    fn the_judge_allows_each_question_of_the_document() {
        for pair in vectors(include_str!("../../../vectors/aos/pairs.json")) {
            let question = pair["request"].to_string();
            assert_eq!(judge(question.as_bytes()), Ok(()), "{}", pair["id"]);
            let modified = &pair["response"]["result"]["modifiedRequest"];
            if modified.is_object() {
                let question = modified.to_string();
                assert_eq!(judge(question.as_bytes()), Ok(()), "{}", pair["id"]);
            }
        }
    }

    #[test]
    fn the_judge_refuses_each_malformed_question() {
        for one in vectors(include_str!("../../../vectors/aos/malformed-requests.json")) {
            let body = one["body"].as_str().unwrap();
            let code = one["expect"]["error_code"].as_i64();
            let judged = judge(body.as_bytes()).map_err(|(code, _)| code).err();
            assert_eq!(judged, code, "{}", one["title"]);
        }
    }
}

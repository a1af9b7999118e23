//! Each ready-made plugin in a chain.

mod confirm;
mod limits;
mod lists;
mod loose;
mod redact;
mod validate;

use serde_json::{Map, Value, json};

use super::super::{
    Chain, Contexts, End, GlobalContext, Instance, Ran, ToolCall, ToolResult, point,
};
use hooks_core::Violation;

fn chain(instances: impl IntoIterator<Item = Instance>) -> Chain {
    Chain::new(
        instances
            .into_iter()
            .flat_map(|instance| instance.hooks().to_vec()),
    )
}

/// The contexts of a request whose item has this definition.
fn defined(definition: Value) -> Contexts {
    Contexts::new(GlobalContext::new("1").defined_by(move || Some(definition.clone())))
}

fn contexts() -> Contexts {
    Contexts::new(GlobalContext::new("1"))
}

fn of_user(user: &str) -> Contexts {
    let mut contexts = contexts();
    contexts.global.user = Some(user.to_owned());
    contexts
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// The violation that stops a call.
async fn stopped(
    chain: &Chain,
    tool: &'static str,
    args: Value,
    contexts: &mut Contexts,
) -> Option<Violation> {
    let mut call = ToolCall::new(tool, object(args));
    violation(chain.run(point::tool_pre_invoke, &mut call, contexts).await)
}

fn violation(ran: Ran) -> Option<Violation> {
    match ran.end {
        End::Blocked(blocked) => Some(blocked.violation),
        End::Allowed | End::Asks(_) => None,
    }
}

/// What a chain makes of a tool's result.
async fn answered(chain: &Chain, result: Value, contexts: &mut Contexts) -> (Value, Ran) {
    let mut answer = ToolResult {
        name: "search".into(),
        result,
    };
    let ran = chain
        .run(point::tool_post_invoke, &mut answer, contexts)
        .await;
    (answer.result, ran)
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

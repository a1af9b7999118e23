//! The chain of a vector's plugins, and one call of it.

use std::{sync::Arc, time::Duration};

use hooks_sdk::{
    core::{HookError, Posture},
    plugin::{
        Chain, Contexts, End, Outcome, PluginAnswer, PluginAt, PluginHook, PluginMode, PluginPoint,
        Ran, point,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json, to_value};

use super::{
    Entry, Log, list,
    operations::{self, Change, expand},
    read, text, without_nulls,
};

/// The chain of a vector's plugins.
pub(super) fn chain(input: &Value, log: &Log) -> Chain {
    let settings = &input["settings"];
    let mut hooks = Vec::new();
    for plugin in list(&input["plugins"]) {
        for (word, operations) in plugin["on"].as_object().expect("hooks") {
            let at = PluginAt::named(word).expect("a point of ours");
            let hook = hook_at(at, plugin, list(operations), log);
            hooks.push(set(hook, plugin, settings));
        }
    }
    let mut chain = Chain::new(hooks);
    let policies = settings["hook_policies"].as_object();
    for (word, fields) in policies.into_iter().flatten() {
        let at = PluginAt::named(word).expect("a point of ours");
        let fields: Vec<&str> = list(fields).iter().map(text).collect();
        chain = chain.writable(at, &fields);
    }
    chain
}

/// Gives a hook its plugin's mode, posture, place and conditions.
fn set(hook: PluginHook, plugin: &Value, settings: &Value) -> PluginHook {
    let fails = settings["fail_on_plugin_error"] == json!(true);
    // With `fail_on_plugin_error` no word lets a request go on after a failure.
    let ignore = if fails {
        Posture::Deny
    } else {
        Posture::Proceed
    };
    let (mode, posture) = match plugin["mode"].as_str().unwrap_or("enforce") {
        "enforce" | "sequential" => (PluginMode::Enforce, Posture::Deny),
        "enforce_ignore_error" => (PluginMode::Enforce, ignore),
        // A permissive hook whose failures count.
        "permissive" if fails => (PluginMode::Transform, Posture::Deny),
        word => (read(&json!(word)), Posture::Deny),
    };
    let posture = match plugin["on_error"].as_str() {
        // No hook is switched off here. The request that saw the error goes on in either way.
        Some("ignore" | "disable") => ignore,
        Some("fail") => Posture::Deny,
        None => posture,
        Some(word) => panic!("`on_error: {word}` is new"),
    };
    let timeout = settings["timeout_ms"].as_u64().unwrap_or(30_000);
    let mut hook = hook
        .mode(mode)
        .posture(posture)
        .deadline(Duration::from_millis(timeout));
    if let Some(priority) = plugin["priority"].as_i64() {
        hook = hook.priority(i32::try_from(priority).expect("a priority"));
    }
    let conditions = list(&plugin["conditions"]).iter();
    hook.conditions(conditions.map(|it| read(&without_nulls(it))).collect())
}

macro_rules! points {
    ($($at:ident = $point:ident),+ $(,)?) => {
        fn hook_at(at: PluginAt, plugin: &Value, operations: &[Value], log: &Log) -> PluginHook {
            match at {
                $(PluginAt::$at => hook(point::$point, plugin, operations, log),)+
                other => panic!("{other:?} is new"),
            }
        }

        pub(super) async fn run_at(at: PluginAt, chain: &Chain, call: &Value, contexts: &mut Contexts) -> Value {
            match at {
                $(PluginAt::$at => run(point::$point, chain, call, contexts).await,)+
                other => panic!("{other:?} is new"),
            }
        }
    };
}

points! {
    ToolPreInvoke = tool_pre_invoke,
    ToolPostInvoke = tool_post_invoke,
    PromptPreFetch = prompt_pre_fetch,
    PromptPostFetch = prompt_post_fetch,
    ResourcePreFetch = resource_pre_fetch,
    ResourcePostFetch = resource_post_fetch,
    CompletionPreFetch = completion_pre_fetch,
    CompletionPostFetch = completion_post_fetch,
    HttpPreRequest = http_pre_request,
    HttpPostRequest = http_post_request,
    HttpPreForwardingCall = http_pre_forwarding_call,
    HttpPostForwardingCall = http_post_forwarding_call,
}

fn hook<P>(point: P, plugin: &Value, operations: &[Value], log: &Log) -> PluginHook
where
    P: PluginPoint<Payload: Serialize, Change: DeserializeOwned>,
    Outcome<P::Change>: PluginAnswer<P>,
{
    let name = text(&plugin["name"]).to_owned();
    let operations: Arc<[Value]> = operations.into();
    let log = log.clone();
    PluginHook::answering_any(name.clone(), point, move |payload: &P::Payload, cx| {
        let (name, operations, log) = (name.clone(), operations.clone(), log.clone());
        Box::pin(async move {
            let place = {
                let mut log = log.lock().expect("no panic");
                log.push(Entry {
                    plugin: name,
                    finished: false,
                });
                log.len() - 1
            };
            let received = to_value(payload).expect("JSON");
            let answer = operations::run(&operations, &received, cx).await?;
            log.lock().expect("no panic")[place].finished = true;
            Ok::<_, HookError>(Outcome {
                continue_processing: answer.goes_on,
                modified_payload: answer.change.map(change::<P>),
                violation: answer.violation,
                elicitation_request: None,
                metadata: answer.metadata,
            })
        })
    })
}

/// What the hook returns to the chain: its payload, or at the points of HTTP headers.
fn change<P: PluginPoint<Change: DeserializeOwned>>(change: Change) -> P::Change {
    let change = match change {
        Change::Headers(headers) => headers,
        Change::Payload(payload) => match P::AT {
            PluginAt::HttpPreRequest => payload["headers"].clone(),
            PluginAt::HttpPostRequest => payload["response_headers"].clone(),
            _ => payload,
        },
    };
    read(&change)
}

/// Runs the chain for one call, and writes down what came of it.
async fn run<P>(point: P, chain: &Chain, call: &Value, contexts: &mut Contexts) -> Value
where
    P: PluginPoint<Payload: Serialize + DeserializeOwned>,
{
    let mut given = without_nulls(&expand(&call["payload"]));
    // What a gateway keeps beside the payload is one of its headers here.
    let content_type = call["global_context"].get("content_type");
    if let Some(content_type) = content_type {
        given["headers"]["content-type"] = content_type.clone();
    }
    let mut payload: P::Payload = read(&given);
    let Ran {
        end,
        modified,
        metadata,
        ..
    } = chain.run(point, &mut payload, contexts).await;
    let mut got = json!({ "metadata": metadata });
    match end {
        End::Allowed => {
            let mut effective = to_value(&payload).expect("JSON");
            match P::AT {
                PluginAt::HttpPreRequest if modified => effective = effective["headers"].take(),
                PluginAt::HttpPostRequest if modified => {
                    effective = effective["response_headers"].take();
                }
                _ if content_type.is_some() => {
                    let headers = effective["headers"].as_object_mut().expect("headers");
                    headers.remove("content-type");
                }
                _ => {}
            }
            got["outcome"] = json!("allowed");
            got["effective_payload"] = effective;
        }
        End::Blocked(blocked) => {
            // A payload that is too large is an error of the gateway's, not a plugin's decision.
            let aborted = blocked.failed || blocked.hook.is_empty();
            got["outcome"] = json!(if aborted { "aborted" } else { "blocked" });
            got["violation"] = to_value(&blocked.violation).expect("JSON");
            got["violation"]["plugin_name"] = json!(blocked.hook);
        }
        End::Asks(_) => panic!("no vector asks"),
    }
    got
}

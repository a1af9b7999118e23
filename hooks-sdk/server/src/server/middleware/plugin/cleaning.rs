//! Cleans the answers and messages that belong to no tool, prompt or resource, by the plugins that replace texts. Their findings
//! are counted and logged.
//!
//! Answers are cleaned at the end of the pipeline, whatever the transport is. Requests and notifications of the server are
//! cleaned at the transports, since authors send them past the pipeline.

use rmcp::{ErrorData, model::CustomResult};
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};

use super::built::Built;
use crate::server::{
    methods,
    pipeline::{McpAnswer, McpResponse, MiddlewareId},
};
use hooks_plugin::{
    ChainRecord, ChainStep, Decision, PluginAt,
    internal::{Cleaning, CleaningEnd, LooseKind},
};

/// The members with names that the client knows already, by their method. They stay as they are.
const KNOWN_NAMES: &[(&str, &str)] = &[
    ("notifications/resources/updated", "/uri"),
    (
        "notifications/subscriptions/acknowledged",
        "/notifications/resourceSubscriptions",
    ),
];

/// How deep the values are that stand for params that cannot be read. No plugin looks as deep.
const UNREAD: usize = 1024;

/// A request or a notification of the server.
#[derive(Deserialize)]
struct Envelope<'m> {
    id: Option<Value>,
    method: String,
    #[serde(borrow)]
    params: &'m RawValue,
}

impl Built {
    /// Cleans the answer to a request. Results of tools, prompts, resources and tasks have passed the hooks. Lists and
    /// handshakes are what the author declares. `by` is the middleware that answered in place of the author's server.
    pub(crate) fn clean_answer(
        &self,
        method: &str,
        by: Option<MiddlewareId>,
        answer: &mut McpAnswer,
    ) {
        let mut value = match answer {
            Err(_) | Ok(McpResponse::Custom(_) | McpResponse::Complete(_)) if !self.cleans() => {
                return;
            }
            Err(error) => json!({"message": error.message, "data": error.data}),
            Ok(McpResponse::Custom(custom)) => custom.0.clone(),
            Ok(McpResponse::Complete(completed)) => {
                serde_json::to_value(completed).unwrap_or_default()
            }
            Ok(_) => return,
        };
        // A client may write any method, so only the middleware that answered tells the kind of the answer.
        let kind = match answer {
            _ if by != Some(MiddlewareId::Mcpl) => LooseKind::Answer,
            Err(_) => LooseKind::McplError,
            Ok(_) => LooseKind::Mcpl,
        };
        if !self.clean(method, kind, &mut value) {
            return;
        }
        let cleaned = match answer {
            Err(error) => match value["message"].take() {
                Value::String(message) => {
                    let data = error.data.as_ref().map(|_| value["data"].take());
                    Some(Err(ErrorData::new(error.code, message, data)))
                }
                _ => None,
            },
            _ if value.is_null() => None,
            Ok(McpResponse::Custom(_)) => Some(Ok(McpResponse::Custom(CustomResult(value)))),
            Ok(_) => {
                let completed = serde_json::from_value(value).ok();
                completed.map(|completed| Ok(McpResponse::Complete(completed)))
            }
        };
        *answer = cleaned.unwrap_or_else(|| {
            let message = "a policy of this server withheld the answer";
            Err(ErrorData::internal_error(message, None))
        });
    }

    /// Returns the text of a request or a notification of the server as it leaves, or `None` if nothing changes. The params
    /// of a message that must not leave become empty, so that whoever waits for its answer gets one.
    pub(crate) fn clean_message(&self, text: &[u8]) -> Option<Vec<u8>> {
        if !self.cleans() {
            return None;
        }
        let Envelope { id, method, params } = serde_json::from_slice(text).ok()?;
        // For the plugins, params that are nested deeper than `serde_json` reads are as good as any that are too deep.
        let deep = || (0..=UNREAD).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        let read = serde_json::from_str(params.get());
        let is_read = read.is_ok();
        let mut params = read.unwrap_or_else(|_| deep());
        let known = KNOWN_NAMES.iter().find(|(of, _)| *of == method);
        let known = known.and_then(|(_, at)| {
            let names = params.pointer_mut(at).filter(|names| is_names(names))?;
            Some((at, names.take()))
        });
        let kind = match &*method {
            method if is_mcpl(method) => LooseKind::Mcpl,
            method if methods::is_known(method) => LooseKind::Mcp,
            _ => LooseKind::Custom,
        };
        if !self.clean(&method, kind, &mut params) {
            return None;
        }
        if params.is_null() || !is_read {
            params = json!({});
        }
        if let Some((at, names)) = known
            && let Some(place) = params.pointer_mut(at)
        {
            *place = names;
        }
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let Some(id) = id {
            message["id"] = id;
        }
        // An object of JSON is always text.
        serde_json::to_vec(&message).ok()
    }

    /// Returns whether plugins clean anything, as the policy is now.
    fn cleans(&self) -> bool {
        self.now().chain.cleans()
    }

    /// Cleans a value that leaves in a message of this method. Returns whether it is changed. A value that must not leave
    /// becomes `null`.
    fn clean(&self, method: &str, kind: LooseKind, value: &mut Value) -> bool {
        if declares(method, kind) {
            return false;
        }
        let findings = self.now().chain.clean(value, kind);
        if findings.is_empty() {
            return false;
        }
        let is_changed = findings.iter().any(|finding| {
            matches!(
                finding.end,
                CleaningEnd::Changed(_) | CleaningEnd::Withheld(_)
            )
        });
        self.tell(method, findings);
        is_changed
    }

    /// Counts what plugins found, and writes it into the log and the decision log.
    fn tell(&self, method: &str, findings: Vec<Cleaning>) {
        let mut record = ChainRecord::default();
        for finding in findings {
            let (decision, outcome, note) = match finding.end {
                CleaningEnd::Changed(found) => (Decision::Modified, "changed", counts(&found)),
                CleaningEnd::Reported(found) => (Decision::Dropped, "reported", counts(&found)),
                CleaningEnd::Bypassed(error) => (Decision::Bypassed, "bypassed", error),
                CleaningEnd::Withheld(error) => (Decision::Failed, "withheld", error),
            };
            #[cfg(feature = "metrics")]
            metrics::counter!("mcp.server.cleaned", "outcome" => outcome).increment(1);
            info!(
                method,
                hook = &*finding.hook,
                outcome,
                found = note,
                "a message had a secret or personal data"
            );
            record.add(ChainStep::new(
                finding.hook,
                PluginAt::ToolPostInvoke,
                decision,
                Some(note),
            ));
        }
        #[cfg(feature = "log")]
        self.log(method, &record);
        #[cfg(not(feature = "log"))]
        let _ = record;
    }

    /// Writes a line of its own, since the message belongs to no request that has one. Nobody waits for it.
    #[cfg(feature = "log")]
    fn log(&self, method: &str, record: &ChainRecord) {
        use super::logged::steps;
        use crate::server::pipeline::add_stop;
        use hooks_log::LogStop;

        let Some(log) = &self.log else {
            return;
        };
        let stop = |decision, posture| {
            let mut steps = record.steps.iter();
            let step = steps.find(|step| step.decision == decision)?;
            Some(LogStop::new("plugin", &*step.hook, "cleaning_failed").posture(posture))
        };
        let bypassed = stop(Decision::Bypassed, "proceed").into_iter().collect();
        let stop = stop(Decision::Failed, "deny");
        add_stop(log, (method.to_owned(), ""), stop, bypassed, |entry| {
            entry.steps = steps(record);
        });
    }
}

/// Returns what was found, as words: `ghp: 2, email_address: 1`.
fn counts(found: &Map<String, Value>) -> String {
    let found = found.iter().map(|(kind, count)| format!("{kind}: {count}"));
    found.collect::<Vec<_>>().join(", ")
}

/// Returns whether a value is a name, or a list of names.
fn is_names(value: &Value) -> bool {
    value.is_string()
        || value
            .as_array()
            .is_some_and(|all| all.iter().all(Value::is_string))
}

/// Returns whether the value is what the author declares to a host of MCPL.
fn declares(method: &str, kind: LooseKind) -> bool {
    let is_declaration = method.starts_with("featureSets/") || method.starts_with("mcpl/");
    is_declaration && kind != LooseKind::Answer && is_mcpl(method)
}

#[cfg(feature = "mcpl")]
fn is_mcpl(method: &str) -> bool {
    hooks_mcpl::wire::method::ALL.contains(&method)
}

#[cfg(not(feature = "mcpl"))]
fn is_mcpl(_: &str) -> bool {
    false
}

//! What a line of the audit says.

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;
use serde_json::{Map, Value};

use super::super::super::{Chain, ChainRecord, ChainStep, Contexts, Decision, GlobalContext};
use hooks_core::{OnFailure, Timestamp};

/// The longest name in a line, in characters: an item, a user, a session.
const NAME: usize = 200;
/// The word of the chain of plugin hooks, among the parts of a server.
const CHAIN: &str = "plugin";
/// How many hooks are named whose failures were ignored.
const BYPASSED: usize = 10;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ended {
    /// The client got the answer.
    Answered,
    /// The client got an error of the tool, the prompt or the resource.
    Failed,
    /// The client got a refusal.
    Refused,
    /// The client got a question to its user. The request goes on, if it does, with a line of its own.
    Asked,
    /// The client cancelled the request, or went away.
    Cancelled,
}

/// What a line of the audit is made of, when a request has ended.
#[derive(Clone, Copy, Debug)]
pub struct AuditRecord<'r> {
    method: &'r str,
    item: &'r str,
    ended: Ended,
    global: &'r GlobalContext,
    record: &'r ChainRecord,
    chain: Option<&'r Chain>,
    contexts: Option<&'r Contexts>,
    took: Duration,
    request: Option<&'r Value>,
    answer: Option<&'r Value>,
    refused: Option<(&'r str, &'r str, &'r str)>,
}

#[derive(Serialize)]
struct Line<'r> {
    at: Timestamp,
    request: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    method: &'r str,
    item: String,
    ended: Ended,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    station: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    posture: Option<&'static str>,
    cost_us: u64,
    took_us: u64,
    bypassed: Vec<&'r str>,
    steps: Vec<Step<'r>>,
    #[serde(skip_serializing_if = "is_zero")]
    steps_left_out: usize,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    hook_metadata: BTreeMap<&'r str, &'r Map<String, Value>>,
    #[serde(skip_serializing_if = "is_false")]
    hook_metadata_left_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'r Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'r Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'r Value>,
    #[serde(skip_serializing_if = "is_false")]
    contents_left_out: bool,
}

#[derive(Serialize)]
struct Step<'r> {
    station: &'r str,
    hook: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    point: &'static str,
    decision: Decision,
    #[serde(skip_serializing_if = "Option::is_none")]
    posture: Option<&'static str>,
    cost_us: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'r str>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn is_false(word: &bool) -> bool {
    !word
}

impl<'r> AuditRecord<'r> {
    /// Creates the record of a request: its method, such as `tools/call`, its item, and what its hooks did.
    pub fn new(
        method: &'r str,
        item: &'r str,
        ended: Ended,
        global: &'r GlobalContext,
        record: &'r ChainRecord,
    ) -> AuditRecord<'r> {
        AuditRecord {
            method,
            item,
            ended,
            global,
            record,
            chain: None,
            contexts: None,
            took: Duration::ZERO,
            request: None,
            answer: None,
            refused: None,
        }
    }

    /// Sets the chain that knows the posture of each hook.
    #[must_use]
    pub fn chain(mut self, chain: &'r Chain) -> AuditRecord<'r> {
        self.chain = Some(chain);
        self
    }

    /// Sets the contexts of the request, with what each hook says about its own execution.
    #[must_use]
    pub fn contexts(mut self, contexts: &'r Contexts) -> AuditRecord<'r> {
        self.contexts = Some(contexts);
        self
    }

    /// Sets how long the whole request took.
    #[must_use]
    pub fn took(mut self, took: Duration) -> AuditRecord<'r> {
        self.took = took;
        self
    }

    /// Sets what the request asked with and what it was answered. An audit without contents leaves both out.
    #[must_use]
    pub fn contents(
        mut self,
        arguments: Option<&'r Value>,
        answer: Option<&'r Value>,
    ) -> AuditRecord<'r> {
        (self.request, self.answer) = (arguments, answer);
        self
    }

    /// Sets which other part of the server refused the request or withheld its answer: the word of the part, such as
    /// `guardian`, what of it decided, and the word for programs.
    #[must_use]
    pub fn refused_by(mut self, station: &'r str, rule: &'r str, code: &'r str) -> AuditRecord<'r> {
        self.refused = Some((station, rule, code));
        self
    }

    /// The line without its end, in at most so many bytes.
    pub(super) fn line(&self, contents: bool, most: usize) -> Vec<u8> {
        let mut line = self.whole(contents);
        loop {
            // A structure of texts and numbers is always JSON.
            let text = serde_json::to_vec(&line).unwrap_or_default();
            if text.len() <= most {
                return text;
            }
            if line.arguments.take().is_some()
                | line.answer.take().is_some()
                | line.metadata.take().is_some()
            {
                line.contents_left_out = true;
            } else if !line.hook_metadata.is_empty() {
                line.hook_metadata.clear();
                line.hook_metadata_left_out = true;
            } else if !line.steps.is_empty() {
                let half = line.steps.len() / 2;
                line.steps_left_out += line.steps.len() - half;
                line.steps.truncate(half);
            } else {
                // Names of signs that JSON writes with six letters each.
                line.item = short(&line.item, 20);
                line.code = line.code.take().map(|code| short(&code, 20));
                line.request = short(&line.request, 20);
                for name in [
                    &mut line.user,
                    &mut line.tenant,
                    &mut line.server,
                    &mut line.session,
                ] {
                    *name = name.take().map(|name| short(&name, 20));
                }
                line.bypassed.clear();
                return serde_json::to_vec(&line).unwrap_or_default();
            }
        }
    }

    fn whole(&self, contents: bool) -> Line<'r> {
        let steps = &self.record.steps;
        let stopped = steps.iter().rev().find(|step| {
            matches!(step.decision, Decision::Denied | Decision::Failed)
                && self.ended == Ended::Refused
        });
        let elsewhere = self.refused.filter(|_| self.ended == Ended::Refused);
        let decision = match (stopped, self.ended) {
            _ if elsewhere.is_some() => "refused",
            (Some(step), _) => step.decision.as_str(),
            (None, Ended::Refused) => "refused",
            (None, Ended::Asked) if steps.iter().any(|step| step.decision == Decision::Asked) => {
                "asked"
            }
            (None, _) if steps.iter().any(|step| step.decision == Decision::Modified) => "modified",
            (None, _) => "allowed",
        };
        let name = |name: &str| short(name, NAME);
        let text = |text: &Option<String>| text.as_deref().map(name);
        let global = self.global;
        Line {
            at: Timestamp::now(),
            request: name(&global.request_id),
            user: text(&global.user),
            tenant: text(&global.tenant_id),
            server: global.server_id.as_deref().map(name),
            session: text(&global.session),
            method: self.method,
            item: name(self.shown_item(contents)),
            ended: self.ended,
            decision,
            station: match elsewhere {
                Some((station, ..)) => Some(station),
                None => stopped.map(|_| CHAIN),
            },
            rule: match elsewhere {
                Some((_, rule, _)) => Some(rule),
                None => stopped.map(|step| &*step.hook),
            },
            code: match elsewhere {
                Some((.., code)) => Some(short(code, NAME)),
                None => stopped.and_then(code),
            },
            posture: stopped.and_then(|step| self.posture(&step.hook)),
            cost_us: steps.iter().map(|step| microseconds(step.cost)).sum(),
            took_us: microseconds(self.took),
            bypassed: self.record.bypassed().take(BYPASSED).collect(),
            steps: steps
                .iter()
                .map(|step| self.step(step, contents))
                .chain(elsewhere.map(refused))
                .collect(),
            steps_left_out: 0,
            hook_metadata: self.metadata(),
            hook_metadata_left_out: false,
            metadata: Some(&self.record.metadata).filter(|said| contents && !said.is_empty()),
            arguments: self.request.filter(|_| contents),
            answer: self.answer.filter(|_| contents),
            contents_left_out: false,
        }
    }

    fn step(&self, step: &'r ChainStep, contents: bool) -> Step<'r> {
        let violation = step.violation.as_ref().filter(|_| contents);
        Step {
            station: CHAIN,
            hook: &step.hook,
            point: step.point.as_str(),
            decision: step.decision,
            posture: self.posture(&step.hook),
            cost_us: microseconds(step.cost),
            code: code(step),
            reason: violation.map(|violation| &*violation.reason),
            note: step.note.as_deref().filter(|_| contents),
        }
    }

    /// The item. The query and the fragment of a URI are contents.
    fn shown_item(&self, contents: bool) -> &'r str {
        let is_uri = self.item.contains(':');
        let end = self.item.find(['?', '#']);
        match end.filter(|_| is_uri && !contents) {
            Some(end) => &self.item[..end],
            None => self.item,
        }
    }

    /// What each hook says about its own execution.
    fn metadata(&self) -> BTreeMap<&'r str, &'r Map<String, Value>> {
        let Some(contexts) = self.contexts else {
            return BTreeMap::new();
        };
        let hooks = self.record.steps.iter().map(|step| &*step.hook);
        let said = hooks.filter_map(|hook| Some((hook, contexts.metadata(hook)?)));
        said.filter(|(_, metadata)| !metadata.is_empty()).collect()
    }

    fn posture(&self, id: &str) -> Option<&'static str> {
        let hook = self.chain?.hooks().find(|hook| hook.id() == id)?;
        Some(match hook.posture() {
            OnFailure::Ignore => "ignore",
            _ => "fail",
        })
    }
}

/// The step of another part of the server.
fn refused<'r>((station, rule, code): (&'r str, &'r str, &'r str)) -> Step<'r> {
    Step {
        station,
        hook: rule,
        point: "",
        decision: Decision::Denied,
        posture: None,
        cost_us: 0,
        code: Some(short(code, NAME)),
        reason: None,
        note: None,
    }
}

fn code(step: &ChainStep) -> Option<String> {
    let code = &step.violation.as_ref()?.code;
    (!code.is_empty()).then(|| short(code, NAME))
}

/// The beginning of a name.
fn short(name: &str, most: usize) -> String {
    name.chars().take(most).collect()
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

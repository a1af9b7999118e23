//! What a line of the audit says.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::super::super::{Chain, ChainRecord, ChainStep, Decision, GlobalContext};
use crate::core::{OnFailure, Timestamp};

/// The longest name in a line, in characters: an item, a user, a session.
const NAME: usize = 200;
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
    took: Duration,
    request: Option<&'r Value>,
    answer: Option<&'r Value>,
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
    hook: &'r str,
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
            took: Duration::ZERO,
            request: None,
            answer: None,
        }
    }

    /// Sets the chain that knows the posture of each hook.
    #[must_use]
    pub fn chain(mut self, chain: &'r Chain) -> AuditRecord<'r> {
        self.chain = Some(chain);
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
            } else if !line.steps.is_empty() {
                let half = line.steps.len() / 2;
                line.steps_left_out += line.steps.len() - half;
                line.steps.truncate(half);
            } else {
                // Names of signs that JSON writes with six letters each.
                line.item = short(&line.item, 20);
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
        let decision = match (stopped, self.ended) {
            (Some(step), _) => step.decision.as_str(),
            (None, Ended::Refused) => "refused",
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
            item: name(self.item),
            ended: self.ended,
            decision,
            rule: stopped.map(|step| &*step.hook),
            code: stopped.and_then(code),
            posture: stopped.and_then(|step| self.posture(&step.hook)),
            cost_us: steps.iter().map(|step| microseconds(step.cost)).sum(),
            took_us: microseconds(self.took),
            bypassed: self.record.bypassed().take(BYPASSED).collect(),
            steps: steps.iter().map(|step| self.step(step, contents)).collect(),
            steps_left_out: 0,
            metadata: Some(&self.record.metadata).filter(|said| contents && !said.is_empty()),
            arguments: self.request.filter(|_| contents),
            answer: self.answer.filter(|_| contents),
            contents_left_out: false,
        }
    }

    fn step(&self, step: &'r ChainStep, contents: bool) -> Step<'r> {
        let violation = step.violation.as_ref().filter(|_| contents);
        Step {
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

    fn posture(&self, id: &str) -> Option<&'static str> {
        let hook = self.chain?.hooks().find(|hook| hook.id() == id)?;
        Some(match hook.posture() {
            OnFailure::Fail => "fail",
            OnFailure::Ignore | OnFailure::Disable => "ignore",
        })
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

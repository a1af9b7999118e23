//! What a line of the log says.

use std::{borrow::Cow, sync::Arc, time::Duration};

use hooks_core::{Timestamp, internal::words};
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

/// The longest name in a line, in characters: an item, a user, a session, a rule.
const NAME: usize = 200;
/// How many steps and bypassed checks a line has.
const STEPS: usize = 32;
/// The largest `arguments` or `answer` of a line, in bytes.
pub(crate) const CONTENTS: usize = 32 * 1024;

words! {
    /// What a line is about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    #[non_exhaustive]
    pub enum LogKind: "Returns the word in a line." {
        /// The first line of a chain.
        Start = "start",
        /// A call begins.
        Call = "call",
        /// A call has ended.
        Decision = "decision",
        /// Something was stopped or changed that is no call: an HTTP message, a late result, a whole message.
        Stop = "stop",
        /// A text for an agent was sent, or left out.
        Text = "text",
        /// A signature of the lines before it.
        Checkpoint = "checkpoint",
        /// The first line of a chain in a new file.
        Rotate = "rotate",
        /// The last line of a chain.
        End = "end",
    }
}

words! {
    /// The decision about a call. Each call has exactly one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    #[non_exhaustive]
    pub enum LogDecision, ALL: "Returns the word in a line." {
        /// Every check let it go on.
        Allowed = "allowed",
        /// A check refused it, or withheld its answer.
        Denied = "denied",
        /// It ended with a question to the user.
        Asked = "asked",
        /// A check failed, and that stopped it.
        Failed = "failed",
        /// A check failed, and it went on without that check.
        Bypassed = "bypassed",
    }
}

words! {
    /// How a call ended for its client.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    #[non_exhaustive]
    pub enum LogEnd: "Returns the word in a line." {
        /// With its result.
        Answered = "answered",
        /// With an error of the tool, the prompt, the resource or the server.
        Error = "error",
        /// With a refusal.
        Refused = "refused",
        /// With a question to the user.
        Question = "question",
        /// The client cancelled it, or went away.
        Cancelled = "cancelled",
    }
}

/// Which check stopped a call, or was bypassed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LogStop {
    /// The word of the middleware, such as `plugin`, `session`, `guardian` or `gate`.
    pub middleware: String,
    /// The rule, such as a plugin's id. Empty for the middleware itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// The word for programs, such as `payload_too_large`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// What a failure of the check does: `deny` or `proceed`. Empty if the check has no such setting.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub posture: &'static str,
}

impl LogStop {
    /// Names a check.
    pub fn new(
        middleware: impl Into<String>,
        rule: impl Into<String>,
        code: impl Into<String>,
    ) -> LogStop {
        LogStop {
            middleware: middleware.into(),
            rule: rule.into(),
            code: code.into(),
            posture: "",
        }
    }

    /// Sets what a failure of the check does.
    #[must_use]
    pub fn posture(mut self, posture: &'static str) -> LogStop {
        self.posture = posture;
        self
    }
}

/// What one check did with a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LogStep {
    /// The rule, such as a plugin's id.
    pub rule: Arc<str>,
    /// The point, such as `tool_pre_invoke`.
    pub point: &'static str,
    /// What it did, such as `modified`.
    pub decision: &'static str,
    /// The word for programs. Empty if the check stopped nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// How long it took, in microseconds.
    pub cost_us: u64,
}

impl LogStep {
    /// Makes a step.
    pub fn new(
        rule: Arc<str>,
        point: &'static str,
        decision: &'static str,
        code: String,
        cost: Duration,
    ) -> LogStep {
        LogStep {
            rule,
            point,
            decision,
            code,
            cost_us: u64::try_from(cost.as_micros()).unwrap_or(u64::MAX),
        }
    }
}

/// A line that is to be written. The writer adds the chain.
///
/// The two lines of a call share their texts, so that the second one copies none.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DecisionEntry {
    /// What the line is about.
    pub kind: LogKind,
    /// When it happened.
    pub at: Timestamp,
    /// The id of the decision: the same in the line before the call, in the line after it, in the refusal and in the span.
    #[serde(skip_serializing_if = "str_is_empty")]
    pub decision_id: Arc<str>,
    /// The user, if the server knows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Arc<str>>,
    /// The tenant, if the server knows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Arc<str>>,
    /// The session, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Arc<str>>,
    /// The name that the client gives itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Arc<str>>,
    /// The id of the request, as the client wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Arc<str>>,
    /// The method, such as `tools/call`, or the point, such as `agent_tool_pre_invoke`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub method: Cow<'static, str>,
    /// The tool, the prompt or the URI.
    #[serde(skip_serializing_if = "str_is_empty")]
    pub item: Arc<str>,
    /// The decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<LogDecision>,
    /// Which check stopped the call.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub stop: Option<LogStop>,
    /// How the call ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<LogEnd>,
    /// How long the call took.
    #[serde(rename = "took_us", serialize_with = "microseconds")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took: Option<Duration>,
    /// The checks that failed and were bypassed, at most 32.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bypassed: Vec<LogStop>,
    /// What each check did, at most 32.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<LogStep>,
    /// Whether something was left out, because it does not fit.
    #[serde(skip_serializing_if = "is_false")]
    pub left_out: bool,
    /// The arguments, where the log has contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// The answer, where the log has contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Box<RawValue>>,
    /// Other members, such as the program's name in the first line.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

fn str_is_empty(text: &Arc<str>) -> bool {
    text.is_empty()
}

fn is_false(word: &bool) -> bool {
    !word
}

fn microseconds<S: serde::Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let micros = time.unwrap_or_default().as_micros();
    serializer.serialize_u64(u64::try_from(micros).unwrap_or(u64::MAX))
}

impl DecisionEntry {
    /// Makes a line of a kind, at this moment.
    pub fn new(kind: LogKind, decision_id: impl Into<Arc<str>>) -> DecisionEntry {
        DecisionEntry {
            kind,
            at: Timestamp::now(),
            decision_id: decision_id.into(),
            user: None,
            tenant: None,
            session: None,
            client: None,
            request: None,
            method: Cow::Borrowed(""),
            item: Arc::default(),
            decision: None,
            stop: None,
            ended: None,
            took: None,
            bypassed: Vec::new(),
            steps: Vec::new(),
            left_out: false,
            arguments: None,
            answer: None,
            more: Map::new(),
        }
    }

    /// Makes the line before a call: its method, such as `tools/call`, and its item.
    pub fn call(
        decision_id: impl Into<Arc<str>>,
        method: impl Into<Cow<'static, str>>,
        item: impl Into<Arc<str>>,
    ) -> DecisionEntry {
        DecisionEntry {
            method: method.into(),
            item: item.into(),
            ..DecisionEntry::new(LogKind::Call, decision_id)
        }
    }

    /// Makes the line after a call.
    pub fn decided(
        decision_id: impl Into<Arc<str>>,
        method: impl Into<Cow<'static, str>>,
        item: impl Into<Arc<str>>,
        decision: LogDecision,
        ended: LogEnd,
    ) -> DecisionEntry {
        DecisionEntry {
            kind: LogKind::Decision,
            decision: Some(decision),
            ended: Some(ended),
            ..DecisionEntry::call(decision_id, method, item)
        }
    }

    /// Sets the arguments and the answer. What has more than 32 KiB is left out, and the line says so.
    pub fn contents(&mut self, arguments: Option<&Value>, answer: Option<&Value>) {
        let mut raw = |value: Option<&Value>| {
            let raw = serde_json::value::to_raw_value(value?).ok()?;
            let fits = raw.get().len() <= CONTENTS;
            self.left_out |= !fits;
            fits.then_some(raw)
        };
        let (arguments, answer) = (raw(arguments), raw(answer));
        (self.arguments, self.answer) = (arguments, answer);
    }

    /// Returns the bytes of what a client or an author can make long.
    pub(crate) fn weight(&self) -> usize {
        let contents = self.arguments.iter().chain(&self.answer);
        let more = match self.more.is_empty() {
            true => 0,
            false => Value::Object(self.more.clone()).to_string().len(),
        };
        more + contents.map(|raw| raw.get().len()).sum::<usize>()
    }

    /// Shortens what a client or an author made too long, before the line waits for the writer.
    pub(crate) fn shorten(&mut self) {
        // What hooks say of themselves has no other limit.
        if !self.more.is_empty() && Value::Object(self.more.clone()).to_string().len() > CONTENTS {
            self.more.clear();
            self.left_out = true;
        }
        let names = [
            &mut self.user,
            &mut self.tenant,
            &mut self.session,
            &mut self.client,
            &mut self.request,
        ];
        for name in names.into_iter().flatten().chain([&mut self.item]) {
            if let Some(start) = start(name) {
                *name = start.into();
            }
        }
        if let Some(start) = start(&self.method) {
            self.method = start.to_owned().into();
        }
        for stop in self.stop.iter_mut().chain(&mut self.bypassed) {
            short(&mut stop.rule);
            short(&mut stop.code);
        }
        for step in &mut self.steps {
            short(&mut step.code);
        }
        self.left_out |= self.bypassed.len() > STEPS || self.steps.len() > STEPS;
        self.bypassed.truncate(STEPS);
        self.steps.truncate(STEPS);
    }
}

fn short(name: &mut String) {
    if let Some(start) = start(name) {
        name.truncate(start.len());
    }
}

/// Returns the start of a name that is too long.
fn start(name: &str) -> Option<&str> {
    let is_long = name.len() > NAME;
    let end = is_long.then(|| name.char_indices().nth(NAME));
    end.flatten().map(|(end, _)| &name[..end])
}

//! `confirm`: asks the user before destructive tools.

use std::{collections::BTreeMap, convert::Infallible, fmt::Write, time::Duration};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{
    super::{Action, PluginContext, Question, ToolCall},
    globs::Globs,
};
use hooks_core::{
    Verdict, Violation,
    internal::{hex, setters},
};

/// How many arguments a question shows.
const ARGUMENTS: usize = 10;
/// The longest value that a question shows, in characters.
const VALUE: usize = 100;
/// The name under which the hook keeps what it asked about.
const ASKED: &str = "asked";

/// Asks the user before destructive tools.
///
/// ```yaml
/// kind: confirm
/// config: { tools: ["delete_*", "send_*"], destructive: true, timeout_seconds: 60 }
/// ```
///
/// ```
/// use hooks_sdk::plugin::ready::Confirm;
///
/// let confirm = Confirm::new().tool("send_*");
/// ```
///
/// Without more it asks before every tool with the annotation `destructiveHint: true`, in its definition or by a list
/// hook, and before every tool whose definition the server does not know. The question
/// names the tool and its arguments: at most 10 of them, each of at most 100 characters. The answer is the boolean
/// `confirm`. It holds for this tool with these arguments: if a later hook changes one of them, the call is refused; if
/// hooks rename the tool, the user is asked again. Everything but yes is a refusal, with the code `not_confirmed`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Confirm {
    tools: Globs,
    destructive: bool,
    timeout_seconds: Option<u64>,
}

impl Default for Confirm {
    fn default() -> Confirm {
        Confirm {
            tools: Globs::default(),
            destructive: true,
            timeout_seconds: None,
        }
    }
}

impl Confirm {
    adds_glob! {
        /// Asks before the tools that match a glob as well.
        tool to tools
    }

    setters! {
        /// Sets whether the annotation `destructiveHint` is enough for a question.
        fn destructive(mut self, asks: bool) { self.destructive = asks }

        /// Sets how long the user has to answer. Without it, 30 s.
        fn timeout(mut self, timeout: Duration) { self.timeout_seconds = Some(timeout.as_secs().max(1)) }
    }

    fn asked(&self) -> (Vec<Box<str>>, bool) {
        (self.tools.iter().map(Box::from).collect(), self.destructive)
    }

    fn check(&self, call: &ToolCall, cx: &mut PluginContext) -> Verdict<Infallible, Question> {
        // A tool whose definition is not known may be destructive.
        let destructive =
            || self.destructive && cx.global.has_hint("destructiveHint").unwrap_or(true);
        if !self.tools.matches(&call.name) && !destructive() {
            return Verdict::Allow;
        }
        let digest = digest(call);
        let asked = cx.get_state(ASKED).and_then(Value::as_str) == Some(&*digest);
        let Some(answer) = cx.elicitation_responses.last().filter(|_| asked) else {
            cx.set_state(ASKED, digest);
            let mut question = Question::confirm(message(&call.name, &call.args));
            if let Some(seconds) = self.timeout_seconds {
                question = question.timeout(Duration::from_secs(seconds));
            }
            return Verdict::Ask(question);
        };
        if answer.confirmed("confirm") {
            return Verdict::Allow;
        }
        let what = match answer.action {
            Action::Cancel => "closed the question",
            Action::Accept | Action::Decline => "said no",
        };
        let reason = format!("the user {what}, so `{}` did not run", call.name);
        let mut violation = Violation::new(reason).code("not_confirmed");
        violation.description = "ask the user what to do instead".to_owned();
        Verdict::Deny(violation)
    }
}

/// What tells two calls apart: the tool, and its arguments whatever their order. Nobody can make another call with the same.
fn digest(call: &ToolCall) -> String {
    let told = json!([call.name, sorted(&Value::Object(call.args.clone()))]);
    let hash = Sha256::digest(told.to_string());
    hex(&hash)
}

/// Returns the value with the members of its objects in one order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| (name.clone(), sorted(value)));
            let members: BTreeMap<String, Value> = members.collect();
            members.into_iter().collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

fn message(tool: &str, args: &Map<String, Value>) -> String {
    let mut message = format!("Run `{}`", bounded(tool));
    for (at, (name, value)) in args.iter().take(ARGUMENTS).enumerate() {
        let before = if at == 0 { " with" } else { "," };
        let value = match value {
            // Quoted and escaped: no argument can write a line of the question.
            Value::String(text) => format!("\"{}\"", bounded(text)),
            other => bounded(&other.to_string()),
        };
        // Writing to a `String` cannot fail.
        let _ = write!(message, "{before} {} = {value}", bounded(name));
    }
    if args.len() > ARGUMENTS {
        let _ = write!(message, ", and {} more", args.len() - ARGUMENTS);
    }
    message + "?"
}

/// The beginning of a text, with everything escaped that does not print.
fn bounded(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(VALUE)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(VALUE).is_some() {
        shown.push('…');
    }
    shown
}

// A later hook may change what the user allowed.
ready!(Confirm = "confirm", "Creates a plugin that asks before every tool that is annotated as destructive." { tool_pre_invoke => Confirm::check, again, asks_before(Confirm::asked); });

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::from_str;

    use super::*;

    /// Returns the digest of a call whose arguments are this text of JSON.
    fn of(tool: &str, args: &str) -> String {
        digest(&ToolCall::new(
            tool.to_owned(),
            from_str(args).expect("an object"),
        ))
    }

    #[test]
    fn two_different_calls_have_different_digests() {
        let calls = [
            ("delete", "{}"),
            ("delete_all", "{}"),
            ("delete", r#"{"id": null}"#),
            ("delete", r#"{"id": 5}"#),
            ("delete_all", r#"{"id": 5}"#),
            ("delete", r#"{"ID": 5}"#),
            ("delete", r#"{"id": "5"}"#),
            ("delete", r#"{"id": [5]}"#),
            ("delete", r#"{"id": {"id": 5}}"#),
            ("delete", r#"{"id": [5, 6]}"#),
            ("delete", r#"{"id": [6, 5]}"#),
            ("delete", r#"{"id": 5, "all": true}"#),
            ("delete", r#"{"id": "5, all: true"}"#),
        ];
        let digests = calls.map(|(tool, args)| of(tool, args));
        let different: BTreeSet<&String> = digests.iter().collect();
        assert_eq!(different.len(), calls.len(), "{digests:?}");
    }

    #[test]
    fn the_order_of_members_does_not_matter_at_any_depth() {
        assert_eq!(
            of("send", r#"{"to": [{"a": 1, "b": 2}], "text": "x"}"#),
            of("send", r#"{"text": "x", "to": [{"b": 2, "a": 1}]}"#)
        );
    }

    #[test]
    fn two_forms_of_a_number_are_two_calls() {
        let forms = ["1", "1.0", "-1", "-1.0", "0", "0.0", "-0.0", "\"1\""];
        let digests = forms.map(|form| of("pay", &format!(r#"{{"amount": {form}}}"#)));
        let different: BTreeSet<&String> = digests.iter().collect();
        assert_eq!(different.len(), forms.len(), "{digests:?}");
        assert_ne!(
            of("pay", r#"{"amount": 9007199254740992}"#),
            of("pay", r#"{"amount": 9007199254740993}"#)
        );
    }

    #[test]
    fn a_digest_is_the_sha256_of_the_call() {
        let digest = of("delete", r#"{"id": "42"}"#);
        // 64 hexadecimal digits, which are 256 bits.
        assert_eq!(digest.len(), 64, "{digest}");
        let expected = Sha256::digest(r#"["delete",{"id":"42"}]"#);
        let expected: String = expected.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, expected);
    }
}

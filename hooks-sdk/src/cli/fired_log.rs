//! The lines of `hooks fire` in the decision log: which texts an agent receives, which are left out, and why.

use std::time::Instant;

use super::{Program, evaluate::Evaluated};
#[cfg(feature = "policy-engine")]
use crate::server::Policy;
use crate::{
    clients::Client,
    lifecycle::host::Reason,
    log::{
        DecisionEntry, DecisionLog, LogDecision, LogEnd, LogError, LogKind, LogStop, Posture,
        UserChain, session_name,
    },
    server::ServerHandler,
    session::Identity,
};
use hooks_server::internal::DecisionLogSettings;

/// The word of the middleware in these lines.
const FIRE: &str = "fire";

impl<H: ServerHandler> Program<H> {
    /// Returns the log of the program, else that of its policy file.
    pub(super) fn decision_log(&self) -> Option<DecisionLog> {
        #[cfg(feature = "policy-engine")]
        let of_file = || self.settings.policy.as_ref().and_then(Policy::log_of_file);
        #[cfg(not(feature = "policy-engine"))]
        let of_file = || None;
        DecisionLogSettings::chosen(self.settings.log.as_ref(), of_file)
    }
}

/// The lines of one firing, and the chain that gets them.
pub(super) struct FiredLines {
    lines: Vec<DecisionEntry>,
    posture: Posture,
    chain: Result<UserChain, LogError>,
}

impl FiredLines {
    /// Takes lines, if there is one and the program has a log.
    pub(super) fn of<H: ServerHandler>(
        program: &Program<H>,
        mut lines: Vec<DecisionEntry>,
    ) -> Option<FiredLines> {
        if lines.is_empty() {
            return None;
        }
        let log = program.decision_log()?;
        if !log.has_contents() {
            lines.iter_mut().for_each(|line| line.answer = None);
        }
        Some(FiredLines {
            lines,
            posture: log.posture(),
            chain: log.user_chain(),
        })
    }

    /// Returns whether the text waits for its line.
    pub(super) fn come_first(&self) -> bool {
        self.posture == Posture::Deny
    }

    /// Appends the lines to the chain of the user. Returns whether they are there.
    pub(super) fn append(self) -> bool {
        let lines = self.lines;
        let appended = self.chain.and_then(|chain| chain.append(lines));
        if let Err(error) = &appended {
            let posture = self.posture.as_str();
            tracing::error!(%error, posture, "a firing is not in the decision log");
        }
        appended.is_ok()
    }
}

/// Returns the line of an event that could not be answered: the agent goes on without its texts.
pub(super) fn unanswered(client: Option<&str>, event: Option<&str>) -> Vec<DecisionEntry> {
    let mut line = line_of(event.unwrap_or_default());
    line.client = client.map(Into::into);
    vec![bypassed(line, "", "fire_failed")]
}

/// Returns a line for each text that is sent or left out at an event.
pub(super) fn lines(client: &Client, evaluated: &Evaluated, began: Instant) -> Vec<DecisionEntry> {
    let (Some(seen), Some(report)) = (&evaluated.fired.seen, &evaluated.fired.report) else {
        return Vec::new();
    };
    let answered = seen.answered(client);
    let event = seen.occasion.event;
    let mut base = line_of(event.as_str());
    base.client = Some(answered.name.into());
    let session = seen.session_id.as_deref();
    base.session = session.map(|id| session_name(Identity::Client(id).key(None).as_slice()).into());
    base.took = Some(began.elapsed());
    let of = |index: usize| {
        let hooks = evaluated.declared.get(index).map(|each| &each.hooks[..]);
        hooks
            .unwrap_or_default()
            .iter()
            .map(|hook| about(&base, hook))
    };
    let sent = report.injected.iter().flat_map(|injected| {
        let text = serde_json::Value::from(&*injected.text);
        of(injected.index).map(move |mut line| {
            line.decision = Some(LogDecision::Allowed);
            line.ended = Some(LogEnd::Answered);
            line.contents(None, Some(&text));
            line
        })
    });
    let skipped = report.skipped.iter().flat_map(|skipped| {
        let code = code_of(skipped.reason);
        of(skipped.index).filter_map(move |line| Some(left_out(line, code?)))
    });
    let unfit = evaluated.unfit.iter().flat_map(|each| &each.hooks);
    let unfit = unfit.map(|hook| left_out(about(&base, hook), "text_too_long"));
    let failed = report.failed.iter().flat_map(|failed| {
        of(failed.index).map(|line| {
            let hook = line.item.clone();
            bypassed(line, &hook, "hook_failed")
        })
    });
    sent.chain(skipped).chain(unfit).chain(failed).collect()
}

fn line_of(event: &str) -> DecisionEntry {
    // Without random bytes the line has no id, and the chain says why it cannot begin.
    let id = UserChain::decision_id().unwrap_or_default();
    let mut line = DecisionEntry::new(LogKind::Text, id);
    line.method = event.to_owned().into();
    line
}

/// Returns a line about a hook.
fn about(base: &DecisionEntry, hook: &str) -> DecisionEntry {
    let mut line = base.clone();
    line.item = hook.into();
    line
}

fn left_out(mut line: DecisionEntry, code: &str) -> DecisionEntry {
    line.decision = Some(LogDecision::Denied);
    line.stop = Some(LogStop::new(FIRE, &*line.item, code));
    line
}

fn bypassed(mut line: DecisionEntry, rule: &str, code: &str) -> DecisionEntry {
    line.decision = Some(LogDecision::Bypassed);
    let stop = LogStop::new(FIRE, rule, code).posture("proceed");
    line.bypassed.push(stop);
    line
}

/// Returns the word for programs of a reason. A hook whose matcher does not match was not due.
fn code_of(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::NotMatched => return None,
        Reason::CoolingDown(_) => "cooling_down",
        Reason::TooManyHooks => "too_many_hooks",
        Reason::RateLimited => "rate_limited",
        Reason::TooLong(_) => "text_too_long",
        Reason::Empty => "text_empty",
        _ => "left_out",
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use serde_json::{Value, json};

    use super::*;
    use crate::{
        cli::fire::Fire,
        core::{HookError, Registry},
        lifecycle::{LifecycleHook, host::ClientControls, point, strength},
        log::LogVerifier,
        server::Collected,
    };

    struct Quiet;

    impl ServerHandler for Quiet {}

    fn program(folder: &Path, log: DecisionLog) -> Program<Quiet> {
        let make = || Ok(Quiet);
        let mut controls = ClientControls::default();
        controls.cool_down = std::time::Duration::from_secs(3600);
        let program = Program::new("quiet", make)
            .data(folder)
            .client_controls(controls)
            .log(log);
        program.collected(|| {
            let text = |id: &'static str, text: String| {
                LifecycleHook::text(id, point::post_tool_use, strength::suggestion, text)
            };
            let broken = LifecycleHook::answering_any::<_, (), Result<String, HookError>>(
                "broken",
                point::post_tool_use,
                strength::suggestion,
                |_| Box::pin(async { Err(HookError::new("no disk")) }),
            );
            let registry = Registry::builder()
                .add(broken.into())
                .add(text("hello", "Hello.".to_owned()).into())
                .add(text("long", "x".repeat(20_000)).into());
            Collected::of(registry.build()?)
        })
    }

    /// Fires as a process does, and returns whether the agent receives a text.
    fn fires(program: &Program<Quiet>, call: u32, input: Option<&[u8]>) -> bool {
        let event = json!({
            "hook_event_name": "PostToolUse", "session_id": "one", "tool_name": "Bash", "tool_use_id": call,
        })
        .to_string();
        let fire = Fire::of("claude-code", None);
        let store = program.store();
        let fired = fire.fire(program, &store, input.unwrap_or(event.as_bytes()));
        let (mut output, after) = fired.unwrap();
        let mut after = Some(after);
        let later = fire.logged(program, &mut output, &mut after);
        if let Some(after) = after {
            after.record(&store);
        }
        assert!(later.is_none_or(FiredLines::append));
        output != json!({})
    }

    fn lines_of(file: &Path) -> Vec<Value> {
        let text = fs::read_to_string(file).unwrap();
        let mut verifier = LogVerifier::new(Vec::new());
        text.lines().for_each(|line| verifier.line(line.as_bytes()));
        assert!(verifier.end().is_whole(), "{text}");
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines = lines.filter(|line: &Value| line["kind"] == "text");
        lines.collect()
    }

    #[test]
    fn each_text_that_is_sent_or_left_out_has_a_line() {
        for posture in [Posture::Deny, Posture::Proceed] {
            let folder = tempfile::tempdir().unwrap();
            let log = DecisionLog::to(folder.path().join("log.jsonl"), posture);
            let program = program(folder.path(), log);
            assert!(fires(&program, 1, None));
            assert!(!fires(&program, 2, None));
            assert!(!fires(&program, 3, Some(b"no object")));
            let lines = lines_of(&folder.path().join("log.user.jsonl"));
            let told = lines.iter().map(|line| {
                let code = match line["bypassed"].as_array() {
                    Some(bypassed) => &bypassed[0]["code"],
                    None => &line["code"],
                };
                json!([line["item"], line["decision"], line["ended"], code])
            });
            assert_eq!(
                told.collect::<Vec<_>>(),
                [
                    json!(["hello", "allowed", "answered", null]),
                    json!(["long", "denied", null, "text_too_long"]),
                    json!(["broken", "bypassed", null, "hook_failed"]),
                    json!(["hello", "denied", null, "cooling_down"]),
                    json!(["long", "denied", null, "text_too_long"]),
                    json!(["broken", "bypassed", null, "hook_failed"]),
                    json!([null, "bypassed", null, "fire_failed"]),
                ]
            );
            assert_eq!(lines[0]["method"], "post_tool_use");
            assert_eq!(lines[0]["client"], "claude-code");
            assert_eq!(lines[0]["decision_id"], lines[1]["decision_id"]);
            assert_eq!(lines[0]["session"], lines[2]["session"]);
            assert!(lines[0].get("answer").is_none(), "contents are off");
        }
    }

    #[test]
    fn no_text_leaves_without_its_line_unless_the_author_says_so() {
        for (posture, sent) in [(Posture::Deny, false), (Posture::Proceed, true)] {
            let folder = tempfile::tempdir().unwrap();
            let log = DecisionLog::to(folder.path().join("missing").join("log.jsonl"), posture);
            let program = program(folder.path(), log);
            let fire = Fire::of("claude-code", None);
            let input = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"}).to_string();
            let fired = fire.fire(&program, &program.store(), input.as_bytes());
            let (mut output, after) = fired.unwrap();
            let mut after = Some(after);
            let later = fire.logged(&program, &mut output, &mut after);
            assert_eq!(output != json!({}), sent);
            assert_eq!(
                after.is_some(),
                sent,
                "a text that is not sent is not recorded"
            );
            assert!(later.is_none_or(|lines| !lines.append()));
        }
    }
}

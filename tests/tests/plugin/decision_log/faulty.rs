//! A server with every middleware that decides, in which a word of a call says what fails.

use hooks_sdk::{
    plugin::{ListHook, ListOf, ToolResult},
    server::CallDeadline,
};
use hooks_tests::faulty_store::FaultyStore;

use super::*;

/// No call takes as long on the slowest machine, unless it hangs.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);

type Checked<T> = Result<Verdict<T>, HookError>;

/// What a word in a call makes a hook do.
async fn verdict<T>(word: &str, text: String) -> Checked<T> {
    let has = |end: &str| text.contains(&format!("{word}-{end}"));
    if has("fails") {
        return Err(HookError::new("no disk"));
    }
    assert!(!has("panics"), "the hook");
    match has("denies") {
        true => Ok(Verdict::Deny(hooks_sdk::core::Violation::new("no"))),
        false => Ok(Verdict::Allow),
    }
}

/// Hooks before and after each tool, prompt and resource. Those of `open` are ignored if they fail.
fn checks() -> Vec<PluginHook> {
    fn before(id: &'static str) -> PluginHook {
        PluginHook::answering_any::<_, Checked<ToolCall>>(
            id,
            point::tool_pre_invoke,
            move |call: &ToolCall, _| Box::pin(verdict(id, json!(call.args).to_string())),
        )
    }
    fn after(id: &'static str) -> PluginHook {
        PluginHook::answering_any::<_, Checked<std::convert::Infallible>>(
            id,
            point::tool_post_invoke,
            move |ran: &ToolResult, _| Box::pin(verdict(id, ran.result.to_string())),
        )
    }
    vec![
        before("closed"),
        before("open").posture(Posture::Proceed),
        after("closed_after"),
        after("open_after").posture(Posture::Proceed),
        PluginHook::deny("keep", point::tool_pre_invoke, "no").items(&["delete_*"]),
        PluginHook::deny("words", point::prompt_pre_fetch, "no").items(&["internal"]),
        PluginHook::deny("files", point::resource_pre_fetch, "no").items(&["file:///internal"]),
        PluginHook::answering_any::<_, Outcome<ToolCall>>(
            "ask",
            point::tool_pre_invoke,
            |call: &ToolCall, _| {
                let asks = call.args.get("path") == Some(&json!("ask"));
                Box::pin(async move {
                    match asks {
                        true => Outcome::ask(Question::confirm("Sure?")),
                        false => Outcome::allow(),
                    }
                })
            },
        ),
    ]
}

/// A guardian that denies, fails or hangs before a tool and after it.
fn guardian(posture: Posture) -> hooks_sdk::aos::GuardianClient {
    fn reply<T>(word: &str, text: &str) -> Option<Reply<T>> {
        assert!(!text.contains(&format!("{word}-panics")), "the guardian");
        let denies = text.contains(&format!("{word}-denies"));
        denies.then(|| Reply::deny("never").reason_code("NEVER"))
    }
    let requests = AosHook::answering_any(
        "requests",
        step::tool_call_request,
        |asked: &ToolCallRequest, _| {
            let text = asked.inputs.first().map(|input| input.value.to_string());
            Box::pin(async move {
                let reply = reply("guardian", &text.unwrap_or_default());
                reply.unwrap_or_else(Reply::<ToolCallRequest>::allow)
            })
        },
    );
    let results = AosHook::answering_any(
        "results",
        step::tool_call_result,
        |ran: &CompletedToolCall, _| {
            let text = format!("{ran:?}");
            Box::pin(async move {
                let reply = reply("results", &text);
                reply.unwrap_or_else(Reply::<CompletedToolCall>::allow)
            })
        },
    );
    let [_, readings] = allowing();
    let hooks = [requests, results, readings].into_iter();
    let registry = hooks.fold(Registry::builder(), |all, hook| all.add(hook.into()));
    Guardian::local_with(Guardian::with((), registry.build().unwrap()))
        .agent(Agent::new("files", "Files").provider("Files", "https://files.example"))
        .posture(posture)
}

/// A server with every middleware that decides, and with faults in each.
pub(super) fn faulty(
    files: &Files,
    log: &DecisionLog,
    posture: Posture,
    store: &FaultyStore,
) -> Hooked<Files> {
    let machine = Machine::standard().only("internal_sync").build().unwrap();
    let sessions = Sessions::on(machine).store(store.clone());
    let policy = Policy::new()
        .limit(PluginAt::ToolPreInvoke, 100)
        .limit(PluginAt::ToolPostInvoke, 400);
    let hidden = ListHook::hide("hide", ListOf::Tools, &["hidden_*"]);
    let server = hooked_with(files, checks(), [hidden], policy, Some(sessions));
    server
        .guardian(guardian(posture))
        .call_deadline(CallDeadline::after(DEADLINE))
        .log(log.clone())
}

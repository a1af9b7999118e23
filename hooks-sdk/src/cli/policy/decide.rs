//! Runs a call through the chain, and tells what each hook decided.

use std::{any::Any, sync::Arc};

use serde::Serialize;
use serde_json::{Map, Value};

use super::call::Call;
use crate::plugin::{
    Chain, Configuration, Contexts, ElicitationResponse, End, Family, GlobalContext, ListHook,
    ListOf, Listed, ListedItem, PluginAt, PluginMode, PluginPoint, PromptFetch, PromptResult,
    ResourceFetch, ResourceResult, ToolCall, ToolResult, point, unaskable,
};

/// Finds the definition of a tool by its name.
pub(super) type Tools = Box<dyn Fn(&str) -> Option<Value> + Send + Sync>;

/// What decides about calls.
pub(super) struct Deciding<'d> {
    pub(super) chain: &'d Chain,
    pub(super) configuration: Option<&'d Configuration>,
    pub(super) lists: &'d [ListHook],
    pub(super) server: Arc<dyn Any + Send + Sync>,
    pub(super) tool: Tools,
}

/// What became of a call.
#[derive(Debug, Serialize)]
pub(super) struct Verdict {
    /// The tool, prompt or resource.
    item: String,
    pub(super) outcome: Outcome,
    /// Who decided; `None` for a call that is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<String>,
    /// Why, or what the user is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    /// The refusal's code.
    #[serde(skip)]
    pub(super) code: Option<String>,
    /// What the hooks made of the payload, if they changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Value>,
    points: Vec<AtPoint>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Allowed,
    Blocked,
    Asks,
}

/// The hooks of a point.
#[derive(Debug, Serialize)]
struct AtPoint {
    point: &'static str,
    hooks: Vec<Decided>,
}

/// What a hook decided.
#[derive(Debug, Serialize)]
struct Decided {
    hook: String,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl Outcome {
    /// Returns the exit code.
    pub(super) fn exit(self) -> u8 {
        match self {
            Outcome::Allowed => 0,
            Outcome::Blocked => 1,
            Outcome::Asks => 3,
        }
    }
}

impl Deciding<'_> {
    pub(super) async fn decide(&self, mut call: Call) -> Verdict {
        if let Some(request) = call.http.take() {
            return self.decide_http(request, call).await;
        }
        let (of, name) = match (&call.tool, &call.prompt, &call.resource) {
            (Some(name), _, _) => (ListOf::Tools, &**name),
            (_, Some(name), _) => (ListOf::Prompts, &**name),
            (_, _, name) => (ListOf::Resources, name.as_deref().unwrap_or_default()),
        };
        let mut verdict = Verdict::of(name);
        let own = self
            .configuration
            .and_then(|file| file.own_name(of, name))
            .unwrap_or(name)
            .to_owned();
        if let Some((hook, why)) = self.unlisted(of, &own, &verdict.item) {
            verdict.outcome = Outcome::Blocked;
            (verdict.by, verdict.why) = (Some(hook), Some(why));
            return verdict;
        }
        let definition = (of == ListOf::Tools).then(|| (self.tool)(&own)).flatten();
        let mut contexts = Contexts::new(global(&call, definition)).recording();
        let mut answers = call.answers.into_iter();
        let mut run = Run {
            of: self,
            contexts: &mut contexts,
            answers: &mut answers,
            verdict: &mut verdict,
        };
        match of {
            ListOf::Tools => {
                let mut pre = ToolCall::new(own, call.args);
                pre.headers = call.headers;
                if run.at(point::tool_pre_invoke, &mut pre).await
                    && let Some(result) = call.result
                {
                    let mut post = ToolResult::new(pre.name, result);
                    run.at(point::tool_post_invoke, &mut post).await;
                }
            }
            ListOf::Prompts => {
                let mut pre = PromptFetch::new(own, call.args);
                if run.at(point::prompt_pre_fetch, &mut pre).await
                    && let Some(result) = call.result
                {
                    let mut post = PromptResult::new(pre.prompt_id, result);
                    run.at(point::prompt_post_fetch, &mut post).await;
                }
            }
            _ => {
                let mut pre = ResourceFetch::new(own, call.metadata);
                if run.at(point::resource_pre_fetch, &mut pre).await
                    && let Some(content) = call.content
                {
                    let mut post = ResourceResult::new(pre.uri, content);
                    run.at(point::resource_post_fetch, &mut post).await;
                }
            }
        }
        verdict
    }

    /// Returns the list hook for which clients do not know an item by this name, and why.
    fn unlisted(&self, of: ListOf, own: &str, name: &str) -> Option<(String, String)> {
        let known = (of == ListOf::Tools).then(|| (self.tool)(own)).flatten();
        let members = match known {
            Some(Value::Object(members)) => members,
            _ => Map::from_iter([(key(of).to_owned(), own.into())]),
        };
        let mut shown = ListedItem::new(of, members);
        for hook in self.lists {
            match hook.show(&shown) {
                Listed::Shown => {}
                Listed::Hidden => return Some((hook.id().to_owned(), "it is hidden".to_owned())),
                Listed::As(other) if other.key() != shown.key() && other.key() != name => {
                    let why = format!("clients know it as `{}`", other.key());
                    return Some((hook.id().to_owned(), why));
                }
                Listed::As(other) => shown = other,
            }
        }
        None
    }
}

/// Returns what all hooks of a call share.
pub(super) fn global(call: &Call, definition: Option<Value>) -> GlobalContext {
    let mut global = GlobalContext::new("policy-check");
    global.user.clone_from(&call.user);
    global.tenant_id.clone_from(&call.tenant);
    global.server_id = call.server.as_deref().map(Arc::from);
    global.session.clone_from(&call.session);
    match definition {
        Some(definition) => global.defined_by(move || Some(definition.clone())),
        None => global,
    }
}

fn key(of: ListOf) -> &'static str {
    match of {
        ListOf::Tools | ListOf::Prompts => "name",
        _ => "uri",
    }
}

/// One call on its way through the points.
pub(super) struct Run<'r, 'd> {
    pub(super) of: &'r Deciding<'d>,
    pub(super) contexts: &'r mut Contexts,
    pub(super) answers: &'r mut std::vec::IntoIter<ElicitationResponse>,
    pub(super) verdict: &'r mut Verdict,
}

impl Run<'_, '_> {
    /// Runs the hooks of a point. Returns whether the call goes on.
    pub(super) async fn at<P>(&mut self, point: P, payload: &mut P::Payload) -> bool
    where
        P: PluginPoint + Copy,
        P::Payload: Serialize,
    {
        let (chain, server) = (self.of.chain, &self.of.server);
        let told = self.contexts.record().steps.len();
        let mut ran = chain.run_for(point, server, payload, self.contexts).await;
        let end = loop {
            match ran.end {
                End::Asks(pending) => match self.answers.next() {
                    Some(answer) => {
                        let contexts = &mut *self.contexts;
                        let resumed =
                            chain.resume(point, server, *pending, answer, payload, contexts);
                        ran = resumed.await;
                    }
                    None => break End::Asks(pending),
                },
                end => break end,
            }
        };
        let end = match end {
            // Nobody can be asked about an HTTP request.
            End::Asks(pending) if P::AT.family() == Family::Http => {
                End::Blocked(unaskable(pending.hook))
            }
            end => end,
        };
        let verdict = &mut *self.verdict;
        let mut stopped = None;
        match &end {
            End::Allowed => {}
            End::Asks(pending) => {
                verdict.outcome = Outcome::Asks;
                stopped = Some(pending.hook.to_string());
                verdict.why = Some(pending.question.message.clone());
            }
            End::Blocked(blocked) => {
                verdict.outcome = Outcome::Blocked;
                stopped = Some(blocked.hook.to_string());
                verdict.why = Some(blocked.violation.reason.clone());
                verdict.code = Some(blocked.violation.code.to_string());
            }
        }
        verdict.by.clone_from(&stopped);
        if ran.modified && stopped.is_none() {
            verdict.payload = serde_json::to_value(&*payload).ok();
        }
        let hooks = self.decided(P::AT, told, stopped.as_deref());
        self.verdict.points.push(hooks);
        stopped.is_none()
    }

    /// Returns what each hook of the point decided, in their order.
    fn decided(&self, at: PluginAt, told: usize, stopped: Option<&str>) -> AtPoint {
        let steps = &self.contexts.record().steps[told..];
        let mut hooks = Vec::new();
        // The chain's own limit stops a call before the first hook.
        let mut is_behind = stopped == Some("");
        for hook in self.of.chain.hooks().filter(|hook| hook.at() == at) {
            let mut own = steps
                .iter()
                .filter(|step| *step.hook == *hook.id())
                .peekable();
            if own.peek().is_none() {
                let decision = match hook.its_mode() {
                    PluginMode::Disabled => "disabled",
                    _ if is_behind => "not_reached",
                    _ => "does_not_match",
                };
                hooks.push(Decided {
                    hook: hook.id().to_owned(),
                    decision,
                    why: None,
                });
            }
            for step in own {
                let reason = step.violation.as_ref().map(|violation| &violation.reason);
                hooks.push(Decided {
                    hook: hook.id().to_owned(),
                    decision: step.decision.as_str(),
                    why: step.note.as_ref().or(reason).cloned(),
                });
            }
            is_behind |= stopped == Some(hook.id());
        }
        AtPoint {
            point: at.as_str(),
            hooks,
        }
    }
}

impl Verdict {
    pub(super) fn of(item: &str) -> Verdict {
        Verdict {
            item: item.to_owned(),
            outcome: Outcome::Allowed,
            by: None,
            why: None,
            code: None,
            payload: None,
            points: Vec::new(),
        }
    }

    /// Describes the verdict for people.
    pub(super) fn page(&self) -> String {
        let item = &self.item;
        let mut page = match (self.outcome, self.by.as_deref()) {
            (Outcome::Allowed, _) => format!("{item}: allowed"),
            (Outcome::Asks, by) => format!("{item}: `{}` asks the user", by.unwrap_or_default()),
            (Outcome::Blocked, None | Some("")) => format!("{item}: blocked by the chain"),
            (Outcome::Blocked, Some(by)) => format!("{item}: blocked by `{by}`"),
        };
        if let Some(why) = &self.why {
            page.push_str(&format!(": {why}"));
        }
        page.push('\n');
        for AtPoint { point, hooks } in &self.points {
            page.push_str(&format!("  {point}\n"));
            for Decided {
                hook,
                decision,
                why,
            } in hooks
            {
                let decision = decision.replace('_', " ");
                let why = why
                    .as_ref()
                    .map(|why| format!(": {why}"))
                    .unwrap_or_default();
                page.push_str(&format!("    {hook}: {decision}{why}\n"));
            }
        }
        if let Some(payload) = &self.payload {
            page.push_str(&format!("  changed to {payload}\n"));
        }
        page
    }
}

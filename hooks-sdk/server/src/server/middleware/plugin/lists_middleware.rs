//! The list hooks' part in requests: they filter lists, and requests that name a hidden item are refused.

use rmcp::{
    ErrorData,
    model::{ErrorCode, ServerCapabilities, Skill, Tool},
};
use serde_json::Map;

use super::{
    built::Built,
    item::{item, json},
    refusal,
};
use crate::server::pipeline::{
    Author, AuthorRequest, Flow, ListEntry, McpAnswer, McpRequest, McpResponse, NamedItem,
    Pipeline, RequestState, Visibility,
};
use hooks_core::BuildError;
use hooks_plugin::{Denial, ListOf};

impl Built {
    /// Refuses a request that names a hidden item, and tells a client that a list may change.
    pub(crate) async fn check_listed(
        &self,
        request: &AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let AuthorRequest { asked, cx } = request;
        if let Some(active) = self.active() {
            active.tell(call, cx);
        }
        let policy = self.policy_of(cx, call);
        if asked.named() == NamedItem::Unknown && self.has_lists() {
            return Flow::answer(unknown(&asked.method()));
        }
        let Some((of, name)) = item(asked) else {
            return Flow::On;
        };
        // A middleware's own tool is not the author's to hide.
        if call.served.is_some() || !policy.lists.concerns(of) {
            return Flow::On;
        }
        match Box::pin(policy.lists.hides(of, name, pipeline, cx)).await {
            true => Flow::answer(refused(asked, of, name)),
            false => Flow::On,
        }
    }

    /// Returns the problem of a session machine whose opening tools no client sees. Logs the hidden ones among others.
    pub(crate) fn hidden_opening<'t>(
        &self,
        tools: impl Iterator<Item = &'t str>,
        author: &dyn Author,
    ) -> Option<BuildError> {
        let policy = self.now();
        // A tool that the SDK serves itself is always listed.
        let tools: Vec<Tool> = tools.filter_map(|tool| author.tool(tool)).collect();
        let is_hidden = |tool: &&Tool| {
            let members = json(tool).as_object().cloned().unwrap_or_default();
            policy.lists.shown(ListOf::Tools, members).is_none()
        };
        let hidden = tools.iter().filter(is_hidden).map(|tool| &*tool.name);
        let hidden: Vec<&str> = hidden.collect();
        if hidden.is_empty() {
            return None;
        }
        let names = hidden.join("`, `");
        if hidden.len() < tools.len() {
            warn!("list hooks hide `{names}`, which would open sessions");
            return None;
        }
        Some(BuildError::new(
            None,
            format!("list hooks hide `{names}`, and no other tool opens a session"),
            "leave the tool out of the list hook, or open sessions with a tool that clients see",
        ))
    }

    /// Removes hidden skills from an answer.
    pub(crate) fn hide_skills(&self, answer: &mut McpAnswer) {
        let policy = self.now();
        let is_shown = |skill: &Skill| {
            let (uri, name) = (&*skill.uri, &*skill.frontmatter.name);
            let members = [("uri", uri), ("name", name)];
            let members = members.map(|(member, of)| (member.to_owned(), of.into()));
            let (lists, of) = (&policy.lists, ListOf::Resources);
            !lists.concerns(of) || lists.know(of, Map::from_iter(members)).is_some()
        };
        match answer {
            Ok(McpResponse::ListSkills(listed)) => listed.skills.retain(is_shown),
            Ok(McpResponse::GetSkill(got)) if !is_shown(&got.skill) => {
                let reason = format!("there is no resource `{}`", got.skill.uri);
                *answer = Err(ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, reason, None));
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// Declares that lists may change, if a file may change the list hooks.
    pub(crate) fn declare(&self, capabilities: &mut ServerCapabilities) {
        if !self.may_change() {
            return;
        }
        if let Some(tools) = &mut capabilities.tools {
            tools.list_changed = Some(true);
        }
        if let Some(prompts) = &mut capabilities.prompts {
            prompts.list_changed = Some(true);
        }
        if let Some(resources) = &mut capabilities.resources {
            resources.list_changed = Some(true);
        }
    }

    /// Applies the list hooks to an entry of a list.
    pub(crate) fn show(&self, item: &mut ListEntry<'_>) -> Visibility {
        let policy = self.now();
        let lists = &policy.lists;
        let shown = match item {
            // A middleware's own tools are not the author's to hide.
            ListEntry::Tool(_, Some(_)) => true,
            ListEntry::Tool(tool, None) => lists.show(ListOf::Tools, *tool),
            ListEntry::Prompt(prompt) => lists.show(ListOf::Prompts, *prompt),
            ListEntry::Resource(resource) => lists.show(ListOf::Resources, *resource),
            ListEntry::ResourceTemplate(template) => {
                lists.show(ListOf::ResourceTemplates, *template)
            }
        };
        match shown {
            true => Visibility::ToAll,
            false => Visibility::Hidden,
        }
    }

    /// Returns whether no client sees the resource. Nothing is sent about it.
    pub(crate) fn hides(&self, uri: &str) -> bool {
        let policy = self.now();
        policy.lists.has_hidden(ListOf::Resources, uri, None)
    }
}

/// A hidden item looks like one that does not exist.
fn refused(asked: &McpRequest, of: ListOf, name: &str) -> McpAnswer {
    let kind = match of {
        ListOf::Tools => "tool",
        ListOf::Prompts => "prompt",
        _ => "resource",
    };
    let reason = format!("there is no {kind} `{name}`");
    match asked {
        McpRequest::CallTool(_) => {
            let blocked = Denial::by_chain("unknown_item", reason);
            Ok(McpResponse::CallTool(refusal::tool(&blocked, false).into()))
        }
        McpRequest::ReadResource(_) => {
            Err(ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, reason, None))
        }
        _ => Err(ErrorData::invalid_params(reason, None)),
    }
}

/// Refuses a request that names an item of a kind that no list has.
fn unknown(method: &str) -> McpAnswer {
    warn!(
        method,
        "a request is refused: it names an item of an unknown kind"
    );
    let message = format!("`{method}` names an item of a kind that this server does not have");
    Err(ErrorData::invalid_params(message, None))
}

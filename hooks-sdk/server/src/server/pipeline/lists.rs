//! Lists: the author's entries, then the middleware' entries, each as this client may see it.

use std::sync::Arc;

use rmcp::model::{CacheScope, ListResourcesResult, ListToolsResult};

use super::{
    ListEntry, McpAnswer, McpResponse, Parts, RequestState, Served, Viewer, Visibility, is_missing,
};
use crate::server::{
    McpContext,
    methods::List,
    request::{is_stateless, needs_handle},
};

/// A request for a list.
pub(super) struct ListRequest {
    list: List,
    viewer: Viewer,
    /// The middleware' tools that this client may see.
    tools: Vec<Arc<Served>>,
}

impl ListRequest {
    pub(super) fn of(
        list: List,
        cx: &McpContext,
        call: &RequestState,
        parts: &Parts,
    ) -> ListRequest {
        let mut tools = Vec::new();
        if list == List::Tools {
            let lifecycle = parts.lifecycle.as_ref();
            let sees_hooks = lifecycle.is_some_and(|lifecycle| lifecycle.lists_to(cx));
            let is_seen = |tool: &&Arc<Served>| sees_hooks || !tool.answers_hook();
            tools.extend(parts.served.iter().filter(is_seen).cloned());
        }
        ListRequest {
            list,
            viewer: Viewer {
                connection: call.connection.clone(),
                is_stateless: is_stateless(cx),
                needs_handle: needs_handle(cx),
            },
            tools,
        }
    }

    /// Adds the middleware' tools and resources after the author's last ones.
    pub(super) fn join(&self, answer: &mut McpAnswer, parts: &Parts) {
        let none = match self.list {
            List::Tools if !self.tools.is_empty() => {
                McpResponse::ListTools(ListToolsResult::default())
            }
            List::Resources if !parts.resources().is_empty() => {
                McpResponse::ListResources(ListResourcesResult::default())
            }
            _ => return,
        };
        if is_missing(answer) {
            *answer = Ok(none);
        }
        match answer {
            Ok(McpResponse::ListTools(listed)) if listed.next_cursor.is_none() => {
                let tools = self.tools.iter().map(|served| served.tool.clone());
                listed.tools.extend(tools);
            }
            Ok(McpResponse::ListResources(listed)) => {
                let ours = parts.resources().to_vec();
                let is_last = listed.next_cursor.is_none();
                join(&mut listed.resources, is_last, ours, |it| &it.uri, |_| ());
            }
            _ => {}
        }
    }

    /// Lets every middleware change or hide each entry.
    pub(super) fn show(self, answer: &mut McpAnswer, parts: &Parts) {
        let mut is_private = self.tools.iter().any(|tool| tool.answers_hook());
        let viewer = Some(&self.viewer);
        let mut keep = |item: ListEntry<'_>| {
            let shown = parts.show(item, viewer);
            is_private |= shown == Visibility::ToThisClient;
            shown != Visibility::Hidden
        };
        let scope = match answer {
            Ok(McpResponse::ListTools(listed)) => {
                listed.tools.retain_mut(|tool| {
                    let mut ours = self.tools.iter().map(|served| &**served);
                    let served = ours.find(|served| served.tool.name == tool.name);
                    keep(ListEntry::Tool(tool, served))
                });
                &mut listed.cache_scope
            }
            Ok(McpResponse::ListPrompts(listed)) => {
                let prompts = &mut listed.prompts;
                prompts.retain_mut(|prompt| keep(ListEntry::Prompt(prompt)));
                &mut listed.cache_scope
            }
            Ok(McpResponse::ListResources(listed) | McpResponse::ReadResourceDirectory(listed)) => {
                let resources = &mut listed.resources;
                resources.retain_mut(|resource| keep(ListEntry::Resource(resource)));
                &mut listed.cache_scope
            }
            Ok(McpResponse::ListResourceTemplates(listed)) => {
                let templates = &mut listed.resource_templates;
                templates.retain_mut(|template| keep(ListEntry::ResourceTemplate(template)));
                &mut listed.cache_scope
            }
            _ => return,
        };
        if is_private && self.viewer.is_stateless {
            *scope = Some(CacheScope::Private);
        }
    }
}

/// Adds `ours` after the last page of the author's list. An author's entry with the name of one of ours is left out, and
/// passed to `hidden`. Returns whether the page changed.
pub(crate) fn join<T>(
    page: &mut Vec<T>,
    is_last: bool,
    ours: Vec<T>,
    name: impl Fn(&T) -> &str,
    hidden: impl Fn(&T),
) -> bool {
    let listed = page.len();
    page.retain(|entry| {
        let is_free = ours.iter().all(|our| name(our) != name(entry));
        if !is_free {
            hidden(entry);
        }
        is_free
    });
    let is_changed = page.len() < listed || is_last && !ours.is_empty();
    if is_last {
        page.extend(ours);
    }
    is_changed
}

//! Lists: the author's entries, then the middleware' entries, each as this client may see it.

use rmcp::{
    ErrorData, RoleServer,
    model::{CacheScope, ErrorCode, ListResourcesResult, ListToolsResult},
    service::RequestContext,
};
use std::sync::Arc;

use super::{ListEntry, McpRequest, McpResponse, Parts, RequestState, Served, Viewer, Visibility};
use crate::server::methods::{Content, List};
use hooks_core::internal::catch_panic_now;

/// A request for a list.
pub(super) struct ListRequest {
    viewer: Viewer,
    /// The middleware' tools that this client may see.
    tools: Vec<Arc<Served>>,
    /// Whether the middleware' resources follow the author's.
    resources: bool,
    is_private: bool,
}

impl ListRequest {
    /// Returns `None` if the request does not ask for a list.
    pub(super) fn of(
        asked: &McpRequest,
        cx: &RequestContext<RoleServer>,
        call: &RequestState,
        parts: &Parts,
    ) -> Option<ListRequest> {
        let Some(Content::List(list)) = asked.content() else {
            return None;
        };
        // The middleware of skills shows each of them.
        if list == List::Skills {
            return None;
        }
        let mut listing = ListRequest {
            viewer: Viewer::of(cx, &call.connection),
            tools: Vec::new(),
            resources: list == List::Resources,
            is_private: false,
        };
        if list == List::Tools {
            for (served, by) in parts.served.iter() {
                let shown =
                    catch_panic_now(|| by.lists_to(parts, cx)).unwrap_or(Visibility::Hidden);
                listing.is_private |= shown == Visibility::ToThisClient;
                if shown != Visibility::Hidden {
                    listing.tools.push(served.clone());
                }
            }
        }
        Some(listing)
    }

    /// Adds the middleware' tools and resources after the author's last ones.
    pub(super) fn join(&self, answer: &mut Result<McpResponse, ErrorData>, parts: &Parts) {
        if self.resources {
            join_resources(answer, parts);
        }
        // If the author has no tools, rmcp answers with this error. The list is then empty.
        if !self.tools.is_empty()
            && let Err(error) = answer
            && error.code == ErrorCode::METHOD_NOT_FOUND
        {
            *answer = Ok(McpResponse::ListTools(ListToolsResult::default()));
        }
        if let Ok(McpResponse::ListTools(listed)) = answer
            && listed.next_cursor.is_none()
        {
            let tools = self.tools.iter().map(|served| served.tool.clone());
            listed.tools.extend(tools);
        }
    }

    /// Lets every middleware change or hide each entry.
    pub(super) fn show(self, answer: &mut Result<McpResponse, ErrorData>, parts: &Parts) {
        let mut is_private = self.is_private;
        let viewer = Some(&self.viewer);
        let mut keep = |item: ListEntry<'_>| {
            let shown = parts.show(item, viewer);
            is_private |= shown == Visibility::ToThisClient;
            shown != Visibility::Hidden
        };
        let scope = match answer {
            Ok(McpResponse::ListTools(listed)) => {
                let served = |name: &str| {
                    let mut served = self.tools.iter();
                    served.find(|served| served.tool.name == name)
                };
                listed.tools.retain_mut(|tool| {
                    let served = served(&tool.name).map(|served| &**served);
                    keep(ListEntry::Tool(tool, served))
                });
                &mut listed.cache_scope
            }
            Ok(McpResponse::ListPrompts(listed)) => {
                listed
                    .prompts
                    .retain_mut(|prompt| keep(ListEntry::Prompt(prompt)));
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

fn join_resources(answer: &mut Result<McpResponse, ErrorData>, parts: &Parts) {
    let ours = parts.resources();
    if ours.is_empty() {
        return;
    }
    if let Err(error) = answer
        && error.code == ErrorCode::METHOD_NOT_FOUND
    {
        *answer = Ok(McpResponse::ListResources(ListResourcesResult::default()));
    }
    if let Ok(McpResponse::ListResources(listed)) = answer {
        let is_ours = |uri: &str| ours.iter().any(|resource| resource.uri == uri);
        listed.resources.retain(|resource| !is_ours(&resource.uri));
        if listed.next_cursor.is_none() {
            listed.resources.extend(ours.iter().cloned());
        }
    }
}

//! Lists: the author's entries, then the stations' entries, each as this client may see it.

use rmcp::{
    ErrorData, RoleServer,
    model::{CacheScope, ErrorCode, ListResourcesResult, ListToolsResult},
    service::RequestContext,
};
use std::sync::Arc;

use super::{Answer, Asked, Call, Item, Served, Shown, Stations, Viewer};
use crate::{
    core::dispatch::catch_panic_now,
    server::methods::{Content, List},
};

/// A request for a list.
pub(super) struct Listing {
    viewer: Viewer,
    /// The stations' tools that this client may see.
    tools: Vec<Arc<Served>>,
    /// Whether the stations' resources follow the author's.
    resources: bool,
    is_private: bool,
}

impl Listing {
    /// Returns `None` if the request does not ask for a list.
    pub(super) fn of(
        asked: &Asked,
        cx: &RequestContext<RoleServer>,
        call: &Call,
        stations: &Stations,
    ) -> Option<Listing> {
        let Some(Content::List(list)) = asked.content() else {
            return None;
        };
        // The station of skills shows each of them.
        if list == List::Skills {
            return None;
        }
        let mut listing = Listing {
            viewer: Viewer::of(cx, &call.connection),
            tools: Vec::new(),
            resources: list == List::Resources,
            is_private: false,
        };
        if list == List::Tools {
            for (served, station) in stations.served.iter() {
                let shown = catch_panic_now(|| station.lists_to(cx)).unwrap_or(Shown::Hidden);
                listing.is_private |= shown == Shown::ToThisClient;
                if shown != Shown::Hidden {
                    listing.tools.push(served.clone());
                }
            }
        }
        Some(listing)
    }

    /// Adds the stations' tools and resources after the author's last ones.
    pub(super) fn join(&self, answer: &mut Result<Answer, ErrorData>, stations: &Stations) {
        if self.resources {
            join_resources(answer, stations);
        }
        // If the author has no tools, rmcp answers with this error. The list is then empty.
        if !self.tools.is_empty()
            && let Err(error) = answer
            && error.code == ErrorCode::METHOD_NOT_FOUND
        {
            *answer = Ok(Answer::ListTools(ListToolsResult::default()));
        }
        if let Ok(Answer::ListTools(listed)) = answer
            && listed.next_cursor.is_none()
        {
            let tools = self.tools.iter().map(|served| served.tool.clone());
            listed.tools.extend(tools);
        }
    }

    /// Lets every station change or hide each entry.
    pub(super) fn show(self, answer: &mut Result<Answer, ErrorData>, stations: &Stations) {
        let mut is_private = self.is_private;
        let viewer = Some(&self.viewer);
        let mut keep = |mut item: Item<'_>| {
            let mut most = Shown::ToAll;
            for station in &stations.all {
                let shown = catch_panic_now(|| station.show(item.again(), viewer));
                // If a station fails, the entry stays hidden.
                most = most.max(shown.unwrap_or(Shown::Hidden));
            }
            is_private |= most == Shown::ToThisClient;
            most != Shown::Hidden
        };
        let scope = match answer {
            Ok(Answer::ListTools(listed)) => {
                let served = |name: &str| {
                    let mut served = self.tools.iter();
                    served.find(|served| served.tool.name == name)
                };
                listed.tools.retain_mut(|tool| {
                    let served = served(&tool.name).map(|served| &**served);
                    keep(Item::Tool(tool, served))
                });
                &mut listed.cache_scope
            }
            Ok(Answer::ListPrompts(listed)) => {
                listed
                    .prompts
                    .retain_mut(|prompt| keep(Item::Prompt(prompt)));
                &mut listed.cache_scope
            }
            Ok(Answer::ListResources(listed) | Answer::ReadResourceDirectory(listed)) => {
                let resources = &mut listed.resources;
                resources.retain_mut(|resource| keep(Item::Resource(resource)));
                &mut listed.cache_scope
            }
            Ok(Answer::ListResourceTemplates(listed)) => {
                let templates = &mut listed.resource_templates;
                templates.retain_mut(|template| keep(Item::ResourceTemplate(template)));
                &mut listed.cache_scope
            }
            _ => return,
        };
        if is_private && self.viewer.is_stateless {
            *scope = Some(CacheScope::Private);
        }
    }
}

fn join_resources(answer: &mut Result<Answer, ErrorData>, stations: &Stations) {
    let ours = || stations.all.iter().flat_map(|station| station.resources());
    if ours().next().is_none() {
        return;
    }
    if let Err(error) = answer
        && error.code == ErrorCode::METHOD_NOT_FOUND
    {
        *answer = Ok(Answer::ListResources(ListResourcesResult::default()));
    }
    if let Ok(Answer::ListResources(listed)) = answer {
        let is_ours = |uri: &str| ours().any(|resource| resource.uri == uri);
        listed.resources.retain(|resource| !is_ours(&resource.uri));
        if listed.next_cursor.is_none() {
            listed.resources.extend(ours().cloned());
        }
    }
}

impl Item<'_> {
    /// Returns the same entry for the next station.
    fn again(&mut self) -> Item<'_> {
        match self {
            Item::Tool(tool, served) => Item::Tool(tool, *served),
            Item::Prompt(prompt) => Item::Prompt(prompt),
            Item::Resource(resource) => Item::Resource(resource),
            Item::ResourceTemplate(template) => Item::ResourceTemplate(template),
        }
    }
}

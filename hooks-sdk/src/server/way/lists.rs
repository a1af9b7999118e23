//! Lists: the author's entries, those of the stations behind the last of them, and each as the client is shown it.

use rmcp::{
    ErrorData, RoleServer,
    model::{CacheScope, ErrorCode, ListToolsResult},
    service::RequestContext,
};
use std::sync::Arc;

use super::{Answer, Asked, Call, Item, Served, Shown, Stations, Viewer};
use crate::core::dispatch::catch_panic_now;

/// A request for a list.
pub(super) struct Listing {
    viewer: Viewer,
    /// The stations' tools that this client is shown.
    tools: Vec<Arc<Served>>,
    is_private: bool,
}

impl Listing {
    /// `None` for a request for something else.
    pub(super) fn of(
        asked: &Asked,
        cx: &RequestContext<RoleServer>,
        call: &Call,
        stations: &Stations,
    ) -> Option<Listing> {
        let mut listing = match asked {
            Asked::ListTools(_)
            | Asked::ListPrompts(_)
            | Asked::ListResources(_)
            | Asked::ListResourceTemplates(_)
            | Asked::ReadResourceDirectory(_) => Listing {
                viewer: Viewer::of(cx, &call.connection),
                tools: Vec::new(),
                is_private: false,
            },
            _ => return None,
        };
        if let Asked::ListTools(_) = asked {
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

    /// Puts the stations' tools behind the last of the author's.
    pub(super) fn join(&self, answer: &mut Result<Answer, ErrorData>) {
        // An author without tools has none in the list; rmcp says so with an error.
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

    /// Shows each entry as every station has it.
    pub(super) fn show(self, answer: &mut Result<Answer, ErrorData>, stations: &Stations) {
        let mut is_private = self.is_private;
        let viewer = Some(&self.viewer);
        let mut keep = |mut item: Item<'_>| {
            let mut most = Shown::ToAll;
            for station in &stations.all {
                let shown = catch_panic_now(|| station.show(item.again(), viewer));
                // What a rule hides stays hidden when the rule fails.
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

impl Item<'_> {
    /// The same entry for the next station.
    fn again(&mut self) -> Item<'_> {
        match self {
            Item::Tool(tool, served) => Item::Tool(tool, *served),
            Item::Prompt(prompt) => Item::Prompt(prompt),
            Item::Resource(resource) => Item::Resource(resource),
            Item::ResourceTemplate(template) => Item::ResourceTemplate(template),
        }
    }
}

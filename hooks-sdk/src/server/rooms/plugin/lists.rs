//! List hooks: what clients see of lists, under which names they reach it, and what is refused.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, RwLock},
};

use rmcp::{
    ErrorData, RoleServer,
    model::{ErrorCode, PaginatedRequestParams, Reference, ServerCapabilities},
    service::RequestContext,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{built::Built, item::json, refusal};
use crate::{
    plugin::{Denial, ListHook, ListOf, Listed, ListedItem},
    server::way::{
        Answer, Asked, Call, Flow, Item, Place, Request, Shown, Station, Step, Viewer, Way,
    },
};

/// How many pages of a list are read, and how many entries are known.
const MOST_PAGES: usize = 100;
const MOST_KNOWN: usize = 10_000;

/// The list hooks of a server, and what they have seen.
#[derive(Clone)]
pub(super) struct Lists(Arc<Inner>);

struct Inner {
    hooks: Vec<ListHook>,
    known: RwLock<HashMap<(ListOf, String), Entry>>,
}

/// An entry of the author's list.
struct Entry {
    members: Map<String, Value>,
    /// The name that clients see; `None` if it is hidden.
    shown: Option<String>,
}

impl Lists {
    pub(super) fn new(hooks: Vec<ListHook>) -> Lists {
        Lists(Arc::new(Inner {
            hooks,
            known: RwLock::default(),
        }))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.hooks.is_empty()
    }

    fn concerns(&self, of: ListOf) -> bool {
        self.0.hooks.iter().any(|hook| hook.of() == of)
    }

    /// Returns what a list said of the author's entry, before any hook.
    pub(super) fn known(&self, of: ListOf, name: &str) -> Option<Map<String, Value>> {
        let known = self
            .0
            .known
            .read()
            .unwrap_or_else(|broken| broken.into_inner());
        known
            .get(&(of, name.to_owned()))
            .map(|entry| entry.members.clone())
    }

    /// Returns what clients see of an entry; `None` if they do not see it.
    fn shown(&self, of: ListOf, members: &Map<String, Value>) -> Option<ListedItem> {
        let mut shown = ListedItem::new(of, members.clone());
        for hook in &self.0.hooks {
            match hook.show(&shown) {
                Listed::Shown => {}
                Listed::Hidden => return None,
                Listed::As(other) => shown = other,
            }
        }
        shown.of = of;
        Some(shown)
    }

    /// Shows an entry of rmcp's. Returns whether clients see it.
    fn show<T: Serialize + DeserializeOwned>(&self, of: ListOf, entry: &mut T) -> bool {
        if !self.concerns(of) {
            return true;
        }
        let Value::Object(members) = json(entry) else {
            return false;
        };
        let shown = self.shown(of, &members);
        self.know(of, members, shown.as_ref());
        let Some(shown) = shown else {
            return false;
        };
        match serde_json::from_value(Value::Object(shown.members)) {
            Ok(changed) => {
                *entry = changed;
                true
            }
            Err(error) => {
                tracing::error!(list = of.as_str(), %error, "an entry that a list hook changed is none; it stays hidden");
                false
            }
        }
    }

    fn know(&self, of: ListOf, members: Map<String, Value>, shown: Option<&ListedItem>) {
        let name = ListedItem::new(of, members.clone()).key().to_owned();
        let shown = shown.map(|shown| shown.key().to_owned());
        let mut known = self
            .0
            .known
            .write()
            .unwrap_or_else(|broken| broken.into_inner());
        if known.len() < MOST_KNOWN || known.contains_key(&(of, name.clone())) {
            known.insert((of, name), Entry { members, shown });
        }
    }

    /// Returns the author's name of an entry that clients know under `name`, or `None` if they know none.
    async fn own_name(
        &self,
        of: ListOf,
        name: &str,
        way: &Way,
        cx: &RequestContext<RoleServer>,
    ) -> Option<String> {
        let is_shown = |members: Option<Map<String, Value>>| {
            let shown = self.shown(of, &members?)?;
            Some(shown.key() == name)
        };
        // Tools need no list, where the author's `get_tool` knows them.
        if is_shown(self.definition(of, name, way)) == Some(true) {
            return Some(name.to_owned());
        }
        if let Some(own) = self.renamed(of, name) {
            return Some(own);
        }
        self.read(of, way, cx).await;
        if let Some(own) = self.renamed(of, name) {
            return Some(own);
        }
        let members = self.definition(of, name, way);
        let members = members.unwrap_or_else(|| nameless(of, name));
        (is_shown(Some(members)) == Some(true)).then(|| name.to_owned())
    }

    /// Returns the author's name of a known entry that clients know under another name.
    fn renamed(&self, of: ListOf, name: &str) -> Option<String> {
        let known = self
            .0
            .known
            .read()
            .unwrap_or_else(|broken| broken.into_inner());
        let mut known = known.iter();
        let is = |list: ListOf, entry: &Entry| list == of && entry.shown.as_deref() == Some(name);
        known
            .find(|((list, _), entry)| is(*list, entry))
            .map(|((_, own), _)| own.clone())
    }

    /// Returns what the author says of an entry: by `get_tool`, or in a list that was read.
    fn definition(&self, of: ListOf, name: &str, way: &Way) -> Option<Map<String, Value>> {
        let tool = (of == ListOf::Tools).then(|| way.tool(name)).flatten();
        match tool.map(|tool| json(&tool)) {
            Some(Value::Object(members)) => Some(members),
            _ => self.known(of, name),
        }
    }

    /// Reads the author's list, so that its entries are known.
    async fn read(&self, of: ListOf, way: &Way, cx: &RequestContext<RoleServer>) {
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let page = cursor
                .take()
                .map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let asked = match of {
                ListOf::Tools => Asked::ListTools(page),
                ListOf::Prompts => Asked::ListPrompts(page),
                ListOf::Resources => Asked::ListResources(page),
                _ => Asked::ListResourceTemplates(page),
            };
            let answer = way.author().ask(asked, cx.clone());
            let listed = crate::core::dispatch::catch_panic(answer).await;
            let (entries, next): (Vec<Value>, _) = match listed {
                Ok(Ok(Answer::ListTools(listed))) => {
                    (listed.tools.iter().map(json).collect(), listed.next_cursor)
                }
                Ok(Ok(Answer::ListPrompts(listed))) => (
                    listed.prompts.iter().map(json).collect(),
                    listed.next_cursor,
                ),
                Ok(Ok(Answer::ListResources(listed))) => (
                    listed.resources.iter().map(json).collect(),
                    listed.next_cursor,
                ),
                Ok(Ok(Answer::ListResourceTemplates(listed))) => {
                    let entries = listed.resource_templates.iter().map(json).collect();
                    (entries, listed.next_cursor)
                }
                _ => return,
            };
            for entry in entries {
                if let Value::Object(members) = entry {
                    let shown = self.shown(of, &members);
                    self.know(of, members, shown.as_ref());
                }
            }
            match next {
                Some(next) => cursor = Some(next),
                None => return,
            }
        }
    }

    /// Returns whether clients cannot reach the author's entry of this name.
    pub(super) async fn hides(
        &self,
        of: ListOf,
        name: &str,
        way: &Way,
        cx: &RequestContext<RoleServer>,
    ) -> bool {
        if !self.concerns(of) {
            return false;
        }
        if self.definition(of, name, way).is_none() {
            self.read(of, way, cx).await;
        }
        let members = self.definition(of, name, way);
        let members = members.unwrap_or_else(|| nameless(of, name));
        self.shown(of, &members).is_none()
    }
}

/// Returns all that is known of an entry that no list has: its name goes to the hooks by itself.
fn nameless(of: ListOf, name: &str) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert(of.key().to_owned(), Value::String(name.to_owned()));
    members
}

impl fmt::Debug for Lists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0.hooks).finish()
    }
}

/// Applies the list hooks: in lists, and to the names in requests, before any other station.
#[derive(Debug)]
pub(in crate::server) struct ListsStation(pub(in crate::server) Arc<Built>);

impl ListsStation {
    /// Maps the name in a request back to the author's, or refuses the request.
    async fn map(&self, request: &mut Request, call: &mut Call, way: &Way) -> Flow {
        let Request { asked, cx } = request;
        let lists = self.0.lists();
        let (of, name) = match asked {
            Asked::CallTool(params) => (ListOf::Tools, params.name.to_string()),
            Asked::GetPrompt(params) => (ListOf::Prompts, params.name.clone()),
            Asked::ReadResource(params) => (ListOf::Resources, params.uri.clone()),
            Asked::Subscribe(params) => (ListOf::Resources, params.uri.clone()),
            Asked::Unsubscribe(params) => (ListOf::Resources, params.uri.clone()),
            Asked::Complete(params) => match &params.r#ref {
                Reference::Prompt(prompt) => (ListOf::Prompts, prompt.name.clone()),
                Reference::Resource(resource) => (ListOf::ResourceTemplates, resource.uri.clone()),
                _ => return Flow::On,
            },
            _ => return Flow::On,
        };
        if !lists.concerns(of) {
            return Flow::On;
        }
        let Some(own) = lists.own_name(of, &name, way, cx).await else {
            return Flow::Answer(self.refused(asked, of, &name));
        };
        if own != name {
            match asked {
                Asked::CallTool(params) => {
                    params.name = own.clone().into();
                    call.tool = Some(own.into());
                }
                Asked::GetPrompt(params) => params.name = own,
                Asked::ReadResource(params) => params.uri = own,
                Asked::Subscribe(params) => params.uri = own,
                Asked::Unsubscribe(params) => params.uri = own,
                Asked::Complete(params) => match &mut params.r#ref {
                    Reference::Prompt(prompt) => prompt.name = own,
                    Reference::Resource(resource) => resource.uri = own,
                    _ => {}
                },
                _ => {}
            }
        }
        Flow::On
    }

    /// A hidden item looks like one that does not exist.
    fn refused(&self, asked: &Asked, of: ListOf, name: &str) -> Result<Answer, ErrorData> {
        let kind = match of {
            ListOf::Tools => "tool",
            ListOf::Prompts => "prompt",
            _ => "resource",
        };
        let reason = format!("there is no {kind} `{name}`");
        match asked {
            Asked::CallTool(_) => {
                let blocked = Denial::by_chain("unknown_item", reason);
                Ok(Answer::CallTool(refusal::tool(&blocked, false).into()))
            }
            Asked::ReadResource(_) => {
                Err(ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, reason, None))
            }
            _ => Err(ErrorData::invalid_params(reason, None)),
        }
    }
}

impl Station for ListsStation {
    fn place(&self) -> Place {
        Place::Lists
    }

    fn before<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        way: &'a Way,
    ) -> Step<'a, Flow> {
        if let Some(active) = self.0.active() {
            active.tell(&self.0, call, &request.cx);
        }
        match request.asked {
            Asked::CallTool(_)
            | Asked::GetPrompt(_)
            | Asked::ReadResource(_)
            | Asked::Subscribe(_)
            | Asked::Unsubscribe(_)
            | Asked::Complete(_) => Step::Later(Box::pin(self.map(request, call, way))),
            _ => Step::Now(Flow::On),
        }
    }

    fn declare(&self, capabilities: &mut ServerCapabilities) {
        if self.0.active().is_some() {
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
    }

    fn show(&self, item: Item<'_>, _: Option<&Viewer>) -> Shown {
        let lists = self.0.lists();
        let shown = match item {
            // A station's own tools are not the author's to hide.
            Item::Tool(_, Some(_)) => true,
            Item::Tool(tool, None) => lists.show(ListOf::Tools, tool),
            Item::Prompt(prompt) => lists.show(ListOf::Prompts, prompt),
            Item::Resource(resource) => lists.show(ListOf::Resources, resource),
            Item::ResourceTemplate(template) => lists.show(ListOf::ResourceTemplates, template),
        };
        if shown { Shown::ToAll } else { Shown::Hidden }
    }
}

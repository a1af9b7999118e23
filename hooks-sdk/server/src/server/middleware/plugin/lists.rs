//! The list hooks of a server: what clients see of an entry, and under which name.

mod reading;
mod resources;

use std::{
    fmt,
    sync::{Arc, RwLock, RwLockReadGuard},
};

use rmcp::{RoleServer, model::Skill, service::RequestContext};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{item::json, known::KnownLists};
use crate::server::pipeline::Pipeline;
use hooks_core::internal::{read_lock, write_lock};
use hooks_plugin::{ListHook, ListOf, Listed, ListedItem};

/// The list hooks of a server, and what they have seen.
#[derive(Clone)]
pub(super) struct Lists(Arc<ListState>);

struct ListState {
    hooks: Vec<ListHook>,
    known: RwLock<KnownLists>,
    /// When each list was read last. One request reads at a time, and the others wait for it.
    read: [tokio::sync::Mutex<Option<Instant>>; ListOf::COUNT],
}

impl Lists {
    pub(super) fn new(hooks: Vec<ListHook>) -> Lists {
        Lists(Arc::new(ListState {
            hooks,
            known: RwLock::default(),
            read: Default::default(),
        }))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.hooks.is_empty()
    }

    pub(super) fn hooks(&self) -> impl Iterator<Item = &ListHook> {
        self.0.hooks.iter()
    }

    pub(super) fn concerns(&self, of: ListOf) -> bool {
        self.0.hooks.iter().any(|hook| hook.of() == of)
    }

    /// Returns whether a hook decides which resources clients see.
    pub(super) fn concerns_resources(&self) -> bool {
        self.concerns(ListOf::Resources) || self.concerns(ListOf::ResourceTemplates)
    }

    /// Returns what a list said of the author's entry, before any hook.
    pub(super) fn known(&self, of: ListOf, name: &str) -> Option<Map<String, Value>> {
        let known = self.all();
        known.get(of, name).map(|entry| entry.members.clone())
    }

    fn all(&self) -> RwLockReadGuard<'_, KnownLists> {
        read_lock(&self.0.known)
    }

    /// Returns the entry as the hooks show it; `None` if they hide it.
    pub(super) fn hooked(&self, of: ListOf, members: &Map<String, Value>) -> Option<ListedItem> {
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

    /// Returns what clients see of an entry; `None` if they do not see it. Entries with one name are seen by nobody,
    /// but for the one that the author calls so.
    fn shown(&self, of: ListOf, members: &Map<String, Value>) -> Option<ListedItem> {
        let shown = self.hooked(of, members)?;
        let own = key_of(of, members);
        (!self.all().clashes(of, own, shown.key())).then_some(shown)
    }

    /// Records what the author's list says of an entry.
    pub(super) fn know(&self, of: ListOf, members: Map<String, Value>) {
        let shown = self.hooked(of, &members);
        let shown = shown.map(|shown| shown.key().to_owned());
        let own = key_of(of, &members).to_owned();
        let mut known = write_lock(&self.0.known);
        if known.know(of, &own, members, shown.clone()) {
            tracing::error!(
                target: "hooks_sdk::server",
                list = of.as_str(),
                name = shown,
                entry = own,
                "list hooks give several entries one name; those that they renamed stay hidden and cannot be called"
            );
        }
    }

    /// Shows an entry of rmcp's. Returns whether clients see it.
    pub(super) fn show<T: Serialize + DeserializeOwned>(&self, of: ListOf, entry: &mut T) -> bool {
        if !self.concerns(of) {
            return true;
        }
        let Value::Object(members) = json(entry) else {
            return false;
        };
        let shown = self.shown(of, &members);
        self.know(of, members);
        let Some(shown) = shown else {
            return false;
        };
        match serde_json::from_value(Value::Object(shown.members)) {
            Ok(changed) => {
                *entry = changed;
                true
            }
            Err(error) => {
                tracing::error!(
                    target: "hooks_sdk::server",
                    list = of.as_str(), %error, "an entry that a list hook changed is none; it stays hidden"
                );
                false
            }
        }
    }

    /// Records the entries of one page, so that no name depends on their order.
    pub(super) fn know_page<'e, T: Serialize + 'e>(
        &self,
        of: ListOf,
        entries: impl IntoIterator<Item = &'e T>,
    ) {
        if !self.concerns(of) {
            return;
        }
        for entry in entries {
            if let Value::Object(members) = json(entry) {
                self.know(of, members);
            }
        }
    }

    /// Shows a skill by its URI and its name. Returns whether clients see it.
    pub(super) fn show_skill(&self, skill: &mut Skill) -> bool {
        if !self.concerns(ListOf::Resources) {
            return true;
        }
        let mut members = Map::new();
        members.insert("uri".to_owned(), Value::String(skill.uri.clone()));
        let name = skill.frontmatter.name.clone();
        members.insert("name".to_owned(), Value::String(name));
        let shown = self.shown(ListOf::Resources, &members);
        self.know(ListOf::Resources, members);
        match shown {
            Some(shown) => {
                shown.key().clone_into(&mut skill.uri);
                true
            }
            None => false,
        }
    }

    /// Returns the name under which clients know the author's entry, as far as its list was read. `None` if it is hidden.
    pub(super) fn name_of(&self, of: ListOf, own: &str) -> Option<String> {
        if !self.concerns(of) {
            return Some(own.to_owned());
        }
        let members = self.known(of, own).unwrap_or_else(|| nameless(of, own));
        let shown = self.shown(of, &members)?;
        Some(shown.key().to_owned())
    }

    /// Returns the author's name of an entry that clients know under `name`, or `None` if they know none.
    pub(super) async fn own_name(
        &self,
        of: ListOf,
        name: &str,
        pipeline: &Pipeline,
        cx: &RequestContext<RoleServer>,
    ) -> Option<String> {
        if let Some(known) = self.own_known(of, name, pipeline) {
            return Some(known);
        }
        self.read(of, pipeline, cx).await;
        if let Some(known) = self.own_known(of, name, pipeline) {
            return Some(known);
        }
        if self.all().is_shared(of, name) {
            return None;
        }
        let members = self.definition(of, name, pipeline);
        let members = members.unwrap_or_else(|| nameless(of, name));
        let shown = self.shown(of, &members)?;
        (shown.key() == name).then(|| name.to_owned())
    }

    /// Returns the author's name of a known entry.
    fn own_known(&self, of: ListOf, name: &str, pipeline: &Pipeline) -> Option<String> {
        // Tools need no list, where the author's `get_tool` knows them.
        let shown = self
            .definition(of, name, pipeline)
            .and_then(|members| self.shown(of, &members));
        if shown.is_some_and(|shown| shown.key() == name) {
            return Some(name.to_owned());
        }
        self.all().renamed(of, name).map(str::to_owned)
    }

    /// Returns what the author says of an entry: by `get_tool`, or in a list that was read.
    pub(super) fn definition(
        &self,
        of: ListOf,
        name: &str,
        pipeline: &Pipeline,
    ) -> Option<Map<String, Value>> {
        let tool = (of == ListOf::Tools).then(|| pipeline.tool(name)).flatten();
        match tool.map(|tool| json(&tool)) {
            Some(Value::Object(members)) => Some(members),
            _ => self.known(of, name),
        }
    }

    /// Returns whether the definition of an entry is known.
    pub(super) fn is_defined(&self, of: ListOf, name: &str, pipeline: &Pipeline) -> bool {
        of == ListOf::Tools && pipeline.has_had_tool(name) || self.all().get(of, name).is_some()
    }

    /// Returns whether clients do not see the author's entry of this name, as far as the lists were read.
    pub(super) fn has_hidden(&self, of: ListOf, own: &str, pipeline: &Pipeline) -> bool {
        if of == ListOf::Resources {
            return self.concerns_resources() && self.shown_resource(own).is_none();
        }
        let members = self.definition(of, own, pipeline);
        let members = members.unwrap_or_else(|| nameless(of, own));
        self.concerns(of) && self.shown(of, &members).is_none()
    }

    /// Returns whether clients cannot reach the author's entry of this name.
    pub(super) async fn hides(
        &self,
        of: ListOf,
        name: &str,
        pipeline: &Pipeline,
        cx: &RequestContext<RoleServer>,
    ) -> bool {
        if self.concerns(of) && !self.is_defined(of, name, pipeline) {
            self.read(of, pipeline, cx).await;
        }
        if self.concerns(of) {
            let members = self.definition(of, name, pipeline);
            let members = members.unwrap_or_else(|| nameless(of, name));
            if self.shown(of, &members).is_none() {
                return true;
            }
        }
        of == ListOf::Resources
            && self.concerns(ListOf::ResourceTemplates)
            && self.own_resource(name, pipeline, cx).await.is_none()
    }
}

/// Returns the name of an entry.
fn key_of(of: ListOf, members: &Map<String, Value>) -> &str {
    let key = members.get(of.key());
    key.and_then(Value::as_str).unwrap_or_default()
}

/// Returns all that is known of an entry that no list has: its name goes to the hooks by itself.
pub(super) fn nameless(of: ListOf, name: &str) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert(of.key().to_owned(), Value::String(name.to_owned()));
    members
}

impl fmt::Debug for Lists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0.hooks).finish()
    }
}

//! The list hooks of a server: which entries clients see, and what of them.

mod reading;

use std::{
    fmt,
    sync::{Arc, RwLock},
};

use rmcp::{RoleServer, model::Skill, service::RequestContext};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{item::json, known::KnownLists, spellings::spellings};
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

    /// Returns whether a hook decides about the items of a list. A template decides about resources, too.
    pub(super) fn concerns(&self, of: ListOf) -> bool {
        let mut lists = self.0.hooks.iter().map(ListHook::of);
        lists.any(|list| list == of || of == ListOf::Resources && list == ListOf::ResourceTemplates)
    }

    /// Returns the entry as the hooks show it; `None` if they hide it.
    pub(super) fn shown(
        &self,
        of: ListOf,
        members: Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        let mut shown = ListedItem::new(of, members);
        for hook in &self.0.hooks {
            match hook.show(&shown) {
                Listed::Shown => {}
                Listed::Hidden => return None,
                Listed::As(other) => shown = other,
            }
        }
        Some(shown.members)
    }

    /// Returns whether the hooks hide an item by its name, of which no list says more.
    pub(super) fn hides_name(&self, of: ListOf, name: &str) -> bool {
        let members = Map::from_iter([(of.key().to_owned(), name.into())]);
        self.shown(of, members).is_none()
    }

    /// Records what the author's list says of an entry. Returns the entry as the hooks show it; `None` if they hide it.
    fn know(&self, of: ListOf, members: Map<String, Value>) -> Option<Map<String, Value>> {
        let shown = self.shown(of, members.clone());
        write_lock(&self.0.known).know(of, members, shown.is_none());
        shown
    }

    /// Shows an entry of rmcp's. Returns whether clients see it.
    pub(super) fn show<T: Serialize + DeserializeOwned>(&self, of: ListOf, entry: &mut T) -> bool {
        if !self.concerns(of) {
            return true;
        }
        let Value::Object(members) = json(entry) else {
            return false;
        };
        let Some(shown) = self.know(of, members) else {
            return false;
        };
        match serde_json::from_value(Value::Object(shown)) {
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

    /// Returns whether clients see a skill, by its URI and its name.
    pub(super) fn shows_skill(&self, skill: &Skill) -> bool {
        let of = ListOf::Resources;
        let name = ("name".to_owned(), skill.frontmatter.name.clone().into());
        let members = Map::from_iter([("uri".to_owned(), skill.uri.clone().into()), name]);
        !self.concerns(of) || self.know(of, members).is_some()
    }

    /// Returns what the author says of an entry, before any hook: by `get_tool`, or in a list that was read.
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

    fn known(&self, of: ListOf, name: &str) -> Option<Map<String, Value>> {
        read_lock(&self.0.known).get(of, name).cloned()
    }

    /// Returns whether the definition of an entry is known.
    pub(super) fn is_defined(&self, of: ListOf, name: &str, pipeline: &Pipeline) -> bool {
        of == ListOf::Tools && pipeline.has_had_tool(name)
            || read_lock(&self.0.known).get(of, name).is_some()
    }

    /// Returns whether clients do not see the author's item of this name, as far as the lists were read.
    pub(super) fn has_hidden(&self, of: ListOf, name: &str, pipeline: &Pipeline) -> bool {
        match self.definition(of, name, pipeline) {
            _ if of == ListOf::Resources => self.has_hidden_resource(name),
            _ if !self.concerns(of) => false,
            Some(members) => self.shown(of, members).is_none(),
            None => self.hides_name(of, name),
        }
    }

    /// Returns whether clients do not see a resource, as far as the lists were read. A server may read each spelling of a URI
    /// that no list has as the same.
    pub(super) fn has_hidden_resource(&self, uri: &str) -> bool {
        let of = ListOf::Resources;
        let is_hidden = |uri: &str| match self.known(of, uri) {
            Some(members) => self.shown(of, members).is_none(),
            None => self.hides_name(of, uri),
        };
        if !self.concerns(of) {
            return false;
        }
        if self.known(of, uri).is_some() {
            return is_hidden(uri);
        }
        spellings(uri).is_none_or(|forms| {
            forms.iter().any(|form| is_hidden(form)) || read_lock(&self.0.known).hides(&forms)
        })
    }

    /// Returns whether clients do not see the author's item of this name. Reads the author's list before it says yes, and for
    /// an item that is not known.
    pub(super) async fn hides(
        &self,
        of: ListOf,
        name: &str,
        pipeline: &Pipeline,
        cx: &RequestContext<RoleServer>,
    ) -> bool {
        let is_seen =
            || self.is_defined(of, name, pipeline) && !self.has_hidden(of, name, pipeline);
        if !self.concerns(of) || is_seen() {
            return false;
        }
        self.read(of, pipeline, cx).await;
        // A resource that the author lists is seen in that list, whatever templates say.
        if of == ListOf::Resources && self.known(of, name).is_none() {
            self.read(ListOf::ResourceTemplates, pipeline, cx).await;
        }
        self.has_hidden(of, name, pipeline)
    }
}

impl fmt::Debug for Lists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0.hooks).finish()
    }
}

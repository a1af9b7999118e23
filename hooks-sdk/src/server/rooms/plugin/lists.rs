//! The list hooks of a server: what clients see of an entry, and under which name.

use std::{
    fmt,
    sync::{Arc, RwLock, RwLockReadGuard},
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{PaginatedRequestParams, Skill},
    service::RequestContext,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{
    item::json,
    known::{ByTemplate, Known},
    templates::decoded,
};
use crate::{
    plugin::{ListHook, ListOf, Listed, ListedItem},
    server::way::{Answer, Asked, Way},
};

/// How many pages of a list are read.
const MOST_PAGES: usize = 100;

/// How long the SDK does not read a list of the author's again (5 seconds). Names that no list has cause a reading.
const AGAIN: Duration = Duration::from_secs(5);

/// How long the author's list may take (10 seconds).
const LONGEST: Duration = Duration::from_secs(10);

/// The list hooks of a server, and what they have seen.
#[derive(Clone)]
pub(super) struct Lists(Arc<Inner>);

struct Inner {
    hooks: Vec<ListHook>,
    known: RwLock<Known>,
    /// When each list was read last. One request reads at a time, and the others wait for it.
    read: [tokio::sync::Mutex<Option<Instant>>; ListOf::COUNT],
}

impl Lists {
    pub(super) fn new(hooks: Vec<ListHook>) -> Lists {
        Lists(Arc::new(Inner {
            hooks,
            known: RwLock::default(),
            read: Default::default(),
        }))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.hooks.is_empty()
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

    fn all(&self) -> RwLockReadGuard<'_, Known> {
        let known = self.0.known.read();
        known.unwrap_or_else(|broken| broken.into_inner())
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
        let mut known = self
            .0
            .known
            .write()
            .unwrap_or_else(|broken| broken.into_inner());
        if known.know(of, &own, members, shown.clone()) {
            tracing::error!(
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
                tracing::error!(list = of.as_str(), %error, "an entry that a list hook changed is none; it stays hidden");
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
        way: &Way,
        cx: &RequestContext<RoleServer>,
    ) -> Option<String> {
        if let Some(known) = self.own_known(of, name, way) {
            return Some(known);
        }
        self.read(of, way, cx).await;
        if let Some(known) = self.own_known(of, name, way) {
            return Some(known);
        }
        let members = self.definition(of, name, way);
        let members = members.unwrap_or_else(|| nameless(of, name));
        let shown = self.shown(of, &members)?;
        (shown.key() == name).then(|| name.to_owned())
    }

    /// Returns the author's name of a known entry.
    fn own_known(&self, of: ListOf, name: &str, way: &Way) -> Option<String> {
        // Tools need no list, where the author's `get_tool` knows them.
        let shown = self
            .definition(of, name, way)
            .and_then(|members| self.shown(of, &members));
        if shown.is_some_and(|shown| shown.key() == name) {
            return Some(name.to_owned());
        }
        self.all().renamed(of, name).map(str::to_owned)
    }

    /// Returns the author's URI of a resource that clients know under `uri`, or `None` if they know none.
    pub(super) async fn own_resource(
        &self,
        uri: &str,
        way: &Way,
        cx: &RequestContext<RoleServer>,
    ) -> Option<String> {
        let of = ListOf::Resources;
        if self.concerns(of) {
            let own = self.own_name(of, uri, way, cx).await?;
            if own != uri || self.known(of, uri).is_some() {
                return Some(own);
            }
        }
        if self.concerns(ListOf::ResourceTemplates) {
            // A resource that the author lists is seen in that list, whatever templates say.
            self.read(of, way, cx).await;
            if self.known(of, uri).is_some() {
                return Some(uri.to_owned());
            }
            self.read(ListOf::ResourceTemplates, way, cx).await;
        }
        self.own_unlisted(uri)
    }

    /// Returns the author's URI of a resource that clients know under `uri`, as far as the lists were read.
    pub(super) fn own_resource_known(&self, uri: &str) -> Option<String> {
        let of = ListOf::Resources;
        if let Some(own) = self.all().renamed(of, uri) {
            return Some(own.to_owned());
        }
        let is_listed = self.known(of, uri).is_some();
        let is_shown = self.name_of(of, uri).as_deref() == Some(uri);
        match is_shown {
            true if is_listed => Some(uri.to_owned()),
            true => self.own_unlisted(uri),
            false => None,
        }
    }

    /// Returns the URI under which clients know the author's resource, as far as the lists were read.
    pub(super) fn shown_resource(&self, own: &str) -> Option<String> {
        let shown = self.name_of(ListOf::Resources, own)?;
        if shown != own || self.known(ListOf::Resources, own).is_some() {
            return Some(shown);
        }
        match self.all().shown_by_template(own) {
            ByTemplate::Hidden => None,
            ByTemplate::As(shown) => Some(shown),
            ByTemplate::Free => Some(shown),
        }
    }

    /// Returns the author's URI of a resource that no list has, as far as the lists were read.
    fn own_unlisted(&self, uri: &str) -> Option<String> {
        let decoded = decoded(uri);
        // A server may read both as one.
        if decoded != uri && self.name_of(ListOf::Resources, &decoded).as_deref() != Some(&*decoded)
        {
            return None;
        }
        match self.all().by_template(uri, &[uri, &decoded]) {
            ByTemplate::Hidden => None,
            ByTemplate::As(own) => Some(own),
            ByTemplate::Free => Some(uri.to_owned()),
        }
    }

    /// Returns what the author says of an entry: by `get_tool`, or in a list that was read.
    pub(super) fn definition(
        &self,
        of: ListOf,
        name: &str,
        way: &Way,
    ) -> Option<Map<String, Value>> {
        let tool = (of == ListOf::Tools).then(|| way.tool(name)).flatten();
        match tool.map(|tool| json(&tool)) {
            Some(Value::Object(members)) => Some(members),
            _ => self.known(of, name),
        }
    }

    /// Returns whether the definition of an entry is known.
    pub(super) fn is_defined(&self, of: ListOf, name: &str, way: &Way) -> bool {
        of == ListOf::Tools && way.has_had_tool(name) || self.all().get(of, name).is_some()
    }

    /// Reads the author's list for an entry whose definition is not known, unless it was read a short time ago.
    pub(super) async fn learn(&self, of: ListOf, way: &Way, cx: &RequestContext<RoleServer>) {
        self.read(of, way, cx).await;
    }

    /// Reads the author's list, so that its entries are known, and those of the stations. A list that was read less than
    /// [`AGAIN`] ago is not read again.
    async fn read(&self, of: ListOf, way: &Way, cx: &RequestContext<RoleServer>) {
        let mut last = self.0.read[of as usize].lock().await;
        if last.is_some_and(|at| at.elapsed() < AGAIN) {
            return;
        }
        let reading = tokio::time::timeout(LONGEST, self.read_now(of, way, cx)).await;
        if reading.is_err() {
            tracing::error!(
                list = of.as_str(),
                seconds = LONGEST.as_secs(),
                "the author's list did not come in time; names that no list has are refused as unknown"
            );
        }
        *last = Some(Instant::now());
    }

    async fn read_now(&self, of: ListOf, way: &Way, cx: &RequestContext<RoleServer>) {
        if of == ListOf::Resources {
            let stations = way.stations().iter();
            for resource in stations.flat_map(|station| station.resources()) {
                if let Value::Object(members) = json(resource) {
                    self.know(of, members);
                }
            }
        }
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
                    self.know(of, members);
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
        if self.concerns(of) && !self.is_defined(of, name, way) {
            self.read(of, way, cx).await;
        }
        if self.concerns(of) {
            let members = self.definition(of, name, way);
            let members = members.unwrap_or_else(|| nameless(of, name));
            if self.shown(of, &members).is_none() {
                return true;
            }
        }
        of == ListOf::Resources
            && self.concerns(ListOf::ResourceTemplates)
            && self.own_resource(name, way, cx).await.is_none()
    }
}

/// Returns the name of an entry.
fn key_of(of: ListOf, members: &Map<String, Value>) -> &str {
    let key = members.get(of.key());
    key.and_then(Value::as_str).unwrap_or_default()
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

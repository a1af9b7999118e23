//! The list hooks of a server: what clients see of an entry, and under which name.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::{
    RoleServer,
    model::{PaginatedRequestParams, Skill},
    service::RequestContext,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::item::json;
use crate::{
    plugin::{ListHook, ListOf, Listed, ListedItem},
    server::way::{Answer, Asked, Way},
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
    /// The lists whose entries have definitions without being read once more.
    learned: [AtomicBool; ListOf::COUNT],
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
            learned: Default::default(),
        }))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.hooks.is_empty()
    }

    pub(super) fn concerns(&self, of: ListOf) -> bool {
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
        let taken = ListedItem::new(of, members.clone()).key() != shown.key()
            && self.known(of, shown.key()).is_some();
        if taken {
            let name = shown.key();
            tracing::error!(
                list = of.as_str(),
                name,
                "a list hook gives an entry the name of another one; it stays hidden"
            );
            return None;
        }
        Some(shown)
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
        self.know(ListOf::Resources, members, shown.as_ref());
        match shown {
            Some(shown) => {
                shown.key().clone_into(&mut skill.uri);
                true
            }
            None => false,
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
    pub(super) async fn own_name(
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

    /// Returns whether the definitions of the list's entries are known without reading it.
    pub(super) fn has_learned(&self, of: ListOf) -> bool {
        self.0.learned[of as usize].load(Ordering::Relaxed)
    }

    /// Reads the author's list once, so that hooks see the definitions of its entries. A server whose `get_tool` knows its
    /// tools needs no list of them.
    pub(super) async fn learn(
        &self,
        of: ListOf,
        name: &str,
        way: &Way,
        cx: &RequestContext<RoleServer>,
    ) {
        if self.definition(of, name, way).is_none() {
            self.read(of, way, cx).await;
        }
        self.0.learned[of as usize].store(true, Ordering::Relaxed);
    }

    /// Reads the author's list, so that its entries are known, and those of the stations.
    async fn read(&self, of: ListOf, way: &Way, cx: &RequestContext<RoleServer>) {
        if of == ListOf::Resources {
            let stations = way.stations().iter();
            for resource in stations.flat_map(|station| station.resources()) {
                if let Value::Object(members) = json(resource) {
                    let shown = self.shown(of, &members);
                    self.know(of, members, shown.as_ref());
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

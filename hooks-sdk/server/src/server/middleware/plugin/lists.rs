//! The list hooks of a server: which entries clients see, and what of them. The author's lists are read for that, at most once
//! in a while.

use std::{fmt, sync::RwLock, time::Duration};

use rmcp::model::PaginatedRequestParams;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{item::json, known::KnownLists, spellings::spellings};
use crate::server::{
    McpContext,
    pipeline::{McpRequest, McpResponse, Pipeline},
};
use hooks_core::internal::{catch_panic, read_lock, write_lock};
use hooks_plugin::{ListHook, ListOf, Listed, ListedItem};

/// How many pages of a list are read.
const MOST_PAGES: usize = 100;

/// How long the SDK does not read a list of the author's again (5 seconds). Names that no list has cause a reading.
const AGAIN: Duration = Duration::from_secs(5);

/// How long the author's list may take (10 seconds).
const LONGEST: Duration = Duration::from_secs(10);

/// The list hooks of a server, and what they have seen.
pub(super) struct Lists {
    hooks: Vec<ListHook>,
    known: RwLock<KnownLists>,
    /// When each list was read last. One request reads at a time, and the others wait for it.
    read: [tokio::sync::Mutex<Option<Instant>>; ListOf::COUNT],
}

impl Lists {
    pub(super) fn new(hooks: Vec<ListHook>) -> Lists {
        Lists {
            hooks,
            known: RwLock::default(),
            read: Default::default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Returns whether a hook decides about the items of a list. A template decides about resources, too.
    pub(super) fn concerns(&self, of: ListOf) -> bool {
        let mut lists = self.hooks.iter().map(ListHook::of);
        lists.any(|list| list == of || of == ListOf::Resources && list == ListOf::ResourceTemplates)
    }

    /// Returns the entry as the hooks show it; `None` if they hide it.
    pub(super) fn shown(
        &self,
        of: ListOf,
        members: Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        let mut shown = ListedItem::new(of, members);
        for hook in &self.hooks {
            match hook.show(&shown) {
                Listed::Shown => {}
                Listed::Hidden => return None,
                Listed::As(other) => shown = other,
            }
        }
        Some(shown.members)
    }

    /// Records what the author says of an entry. Returns the entry as the hooks show it; `None` if they hide it.
    pub(super) fn know(
        &self,
        of: ListOf,
        members: Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        let shown = self.shown(of, members.clone());
        write_lock(&self.known).know(of, members, shown.is_none());
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
                error!(
                    list = of.as_str(), %error,
                    "an entry that a list hook changed is none; it stays hidden"
                );
                false
            }
        }
    }

    /// Returns what the author says of an entry, before any hook: by `get_tool`, or in a list that was read.
    pub(super) fn definition(
        &self,
        of: ListOf,
        name: &str,
        pipeline: Option<&Pipeline>,
    ) -> Option<Map<String, Value>> {
        let pipeline = pipeline.filter(|_| of == ListOf::Tools);
        let tool = pipeline.and_then(|pipeline| pipeline.tool(name));
        match tool.map(|tool| json(&tool)) {
            Some(Value::Object(members)) => Some(members),
            _ => read_lock(&self.known).get(of, name).cloned(),
        }
    }

    /// Returns whether the definition of an entry is known.
    pub(super) fn is_defined(&self, of: ListOf, name: &str, pipeline: &Pipeline) -> bool {
        of == ListOf::Tools && pipeline.has_had_tool(name)
            || read_lock(&self.known).get(of, name).is_some()
    }

    /// Returns whether clients do not see the author's item of this name, as far as the lists were read. A server may read each
    /// spelling of a URI that no list has as the same resource.
    pub(super) fn has_hidden(&self, of: ListOf, name: &str, pipeline: Option<&Pipeline>) -> bool {
        // Of an item whose definition is not known, the hooks see the name.
        let hides = |name: &str, definition: Option<Map<String, Value>>| {
            let named = || Map::from_iter([(of.key().to_owned(), name.into())]);
            self.shown(of, definition.unwrap_or_else(named)).is_none()
        };
        if !self.concerns(of) {
            return false;
        }
        let definition = self.definition(of, name, pipeline);
        if of != ListOf::Resources || definition.is_some() {
            return hides(name, definition);
        }
        spellings(name).is_none_or(|forms| {
            let mut each = forms.iter();
            each.any(|form| hides(form, self.definition(of, form, pipeline)))
                || read_lock(&self.known).hides(&forms)
        })
    }

    /// Returns whether clients do not see the author's item of this name. Reads the author's list before it says yes, and for
    /// an item that is not known.
    pub(super) async fn hides(
        &self,
        of: ListOf,
        name: &str,
        pipeline: &Pipeline,
        cx: &McpContext,
    ) -> bool {
        let is_seen =
            || self.is_defined(of, name, pipeline) && !self.has_hidden(of, name, Some(pipeline));
        if !self.concerns(of) || is_seen() {
            return false;
        }
        self.read(of, pipeline, cx).await;
        // A resource that the author lists is seen in that list, whatever templates say.
        if of == ListOf::Resources && !self.is_defined(of, name, pipeline) {
            self.read(ListOf::ResourceTemplates, pipeline, cx).await;
        }
        self.has_hidden(of, name, Some(pipeline))
    }

    /// Reads the author's list, so that its entries are known, and those of the middleware. A list that was read less than
    /// [`AGAIN`] ago is not read again.
    pub(super) async fn read(&self, of: ListOf, pipeline: &Pipeline, cx: &McpContext) {
        let mut last = self.read[of as usize].lock().await;
        if last.is_some_and(|at| at.elapsed() < AGAIN) {
            return;
        }
        let reading = tokio::time::timeout(LONGEST, self.read_now(of, pipeline, cx)).await;
        if reading.is_err() {
            error!(
                list = of.as_str(),
                seconds = LONGEST.as_secs(),
                "the author's list did not come in time; list hooks decide by name about items that were in no list"
            );
        }
        *last = Some(Instant::now());
    }

    async fn read_now(&self, of: ListOf, pipeline: &Pipeline, cx: &McpContext) {
        let know = |mut entries: Value| {
            let entries = entries.as_array_mut().into_iter().flatten();
            for entry in entries {
                if let Value::Object(members) = entry.take() {
                    _ = self.know(of, members);
                }
            }
        };
        if of == ListOf::Resources {
            know(json(&pipeline.parts.resources()));
        }
        let mut page = None;
        for _ in 0..MOST_PAGES {
            let (asked, member) = match of {
                ListOf::Tools => (McpRequest::ListTools(page), "tools"),
                ListOf::Prompts => (McpRequest::ListPrompts(page), "prompts"),
                ListOf::Resources => (McpRequest::ListResources(page), "resources"),
                _ => (McpRequest::ListResourceTemplates(page), "resourceTemplates"),
            };
            let answer = pipeline.author.ask(asked, cx.clone());
            let mut listed = match catch_panic(answer).await {
                Ok(Ok(McpResponse::ListTools(listed))) => json(&listed),
                Ok(Ok(McpResponse::ListPrompts(listed))) => json(&listed),
                Ok(Ok(McpResponse::ListResources(listed))) => json(&listed),
                Ok(Ok(McpResponse::ListResourceTemplates(listed))) => json(&listed),
                _ => return,
            };
            know(listed[member].take());
            let Some(next) = listed["nextCursor"].as_str() else {
                return;
            };
            page = Some(PaginatedRequestParams::default().with_cursor(Some(next.to_owned())));
        }
    }
}

impl fmt::Debug for Lists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.hooks).finish()
    }
}

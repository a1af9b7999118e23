//! The entries of the author's lists, as far as they were read, and the names under which clients see them.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{spellings::of_hidden, templates::Template};
use hooks_plugin::ListOf;

/// How many entries of one list are known.
const MOST: usize = 10_000;

/// The known entries of every list.
#[derive(Default)]
pub(super) struct KnownLists {
    lists: [OfList; ListOf::COUNT],
}

/// The known entries of one list.
#[derive(Default)]
struct OfList {
    entries: HashMap<String, KnownEntry>,
    /// The author's names of the entries that clients see under another name.
    renamed: HashMap<String, BTreeSet<String>>,
    /// The spellings of the URIs under which clients see no resource, and of how many each is one.
    hidden: HashMap<String, usize>,
}

/// An entry of the author's list.
pub(super) struct KnownEntry {
    pub(super) members: Map<String, Value>,
    /// The name under which list hooks show it; `None` if they hide it.
    pub(super) shown: Option<String>,
    /// The author's template and the one that clients see, of an entry that is one.
    template: Option<(Arc<Template>, Option<Arc<Template>>)>,
}

/// What the known templates say about a URI of a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ByTemplate {
    /// A hidden template yields it, or one that answers to another name.
    Hidden,
    /// It is the author's URI, by a template that clients see under another name.
    As(String),
    Free,
}

impl OfList {
    /// Counts the spellings of a resource that becomes hidden, or that no longer is.
    fn count_hidden(&mut self, uri: &str, is_hidden: bool) {
        for spelling in of_hidden(uri) {
            let count = self.hidden.get(&spelling).copied().unwrap_or_default();
            match is_hidden {
                true => _ = self.hidden.insert(spelling, count + 1),
                false if count > 1 => _ = self.hidden.insert(spelling, count - 1),
                false => _ = self.hidden.remove(&spelling),
            }
        }
    }
}

impl KnownLists {
    pub(super) fn get(&self, of: ListOf, name: &str) -> Option<&KnownEntry> {
        self.lists[of as usize].entries.get(name)
    }

    /// Records an entry of the author's. Returns whether its shown name is now that of several entries.
    pub(super) fn know(
        &mut self,
        of: ListOf,
        name: &str,
        members: Map<String, Value>,
        shown: Option<String>,
    ) -> bool {
        let list = &mut self.lists[of as usize];
        if list.entries.len() >= MOST && !list.entries.contains_key(name) {
            return false;
        }
        let known = list.entries.get(name);
        if known.is_some_and(|known| known.shown == shown) {
            // Templates depend on the names alone.
            if let Some(entry) = list.entries.get_mut(name) {
                entry.members = members;
            }
            return false;
        }
        let known_shown = known.map(|known| known.shown.clone());
        if let Some(before) = known_shown.as_ref().and_then(|shown| shown.as_ref())
            && let Some(owners) = list.renamed.get_mut(before)
        {
            owners.remove(name);
        }
        let mut clashes = false;
        if let Some(shown) = shown.as_ref().filter(|shown| *shown != name) {
            let owners = list.renamed.entry(shown.clone()).or_default();
            owners.insert(name.to_owned());
            let is_own = |entry: &KnownEntry| entry.shown.as_deref() == Some(shown);
            clashes = owners.len() > 1 || list.entries.get(shown).is_some_and(is_own);
        }
        let template = (of == ListOf::ResourceTemplates)
            .then(|| Template::parse(name))
            .flatten()
            .map(|own| {
                let other = shown.as_ref().filter(|shown| *shown != name);
                let other = other.and_then(|other| Template::parse(other));
                (Arc::new(own), other.map(Arc::new))
            });
        if of == ListOf::Resources {
            let was_hidden = known_shown.is_some_and(|shown| shown.as_deref() != Some(name));
            let is_hidden = shown.as_deref() != Some(name);
            if was_hidden != is_hidden {
                list.count_hidden(name, is_hidden);
            }
        }
        let entry = KnownEntry {
            members,
            shown,
            template,
        };
        list.entries.insert(name.to_owned(), entry);
        clashes
    }

    /// Returns the author's name of an entry that clients see under another name. If several entries have the name, none
    /// of them answers to it.
    pub(super) fn renamed(&self, of: ListOf, name: &str) -> Option<&str> {
        let list = &self.lists[of as usize];
        let owners = list.renamed.get(name)?;
        let own = owners.first().filter(|_| owners.len() == 1)?;
        (!self.is_own(of, name)).then_some(own)
    }

    /// Returns whether list hooks give the name to several entries, of which the author calls none so.
    pub(super) fn is_shared(&self, of: ListOf, name: &str) -> bool {
        let owners = self.lists[of as usize].renamed.get(name);
        owners.is_some_and(|owners| owners.len() > 1) && !self.is_own(of, name)
    }

    /// Returns whether `shown` is the name of another entry as well.
    pub(super) fn clashes(&self, of: ListOf, own: &str, shown: &str) -> bool {
        let list = &self.lists[of as usize];
        let others = list.renamed.get(shown);
        let others = others.is_some_and(|others| others.iter().any(|other| other != own));
        // An entry that keeps its name keeps it whatever others are called.
        own != shown && (others || self.is_own(of, shown))
    }

    /// Returns whether the author's entry of this name is shown under it.
    fn is_own(&self, of: ListOf, name: &str) -> bool {
        let entry = self.get(of, name);
        entry.is_some_and(|entry| entry.shown.as_deref() == Some(name))
    }

    /// Returns whether a resource or a template is known under whose own name clients see none.
    pub(super) fn hides_resources(&self) -> bool {
        let mut templates = self.lists[ListOf::ResourceTemplates as usize]
            .entries
            .iter();
        !self.lists[ListOf::Resources as usize].hidden.is_empty()
            || templates.any(|(name, entry)| entry.shown.as_ref() != Some(name))
    }

    /// Returns whether one of these spellings is that of a hidden resource, or of a hidden template.
    pub(super) fn hides_spelling(&self, forms: &[String]) -> bool {
        let hidden = &self.lists[ListOf::Resources as usize].hidden;
        let mut templates = self.lists[ListOf::ResourceTemplates as usize]
            .entries
            .values();
        forms.iter().any(|form| hidden.contains_key(form))
            || templates.any(|entry| {
                let own = entry.template.as_ref().filter(|_| entry.shown.is_none());
                own.is_some_and(|(own, _)| forms.iter().any(|form| own.yields(form)))
            })
    }

    /// Returns what the known templates say about a URI that no list has. `forms` are the ways in which a server may
    /// read it.
    pub(super) fn by_template(&self, uri: &str, forms: &[String]) -> ByTemplate {
        let mut translated: Option<String> = None;
        let mut is_moved = false;
        // A shown template makes up for a hidden one in the same reading only.
        let mut may_be_hidden = vec![false; forms.len()];
        let mut is_shown = vec![false; forms.len()];
        for (name, entry) in &self.lists[ListOf::ResourceTemplates as usize].entries {
            let Some((own, other)) = &entry.template else {
                continue;
            };
            let yields = || forms.iter().any(|form| own.yields(form));
            match &entry.shown {
                None if yields() => return ByTemplate::Hidden,
                None => {
                    for (may_be, form) in may_be_hidden.iter_mut().zip(forms) {
                        *may_be |= own.may_yield(form);
                    }
                }
                Some(shown) if shown == name => {
                    for (is_shown, form) in is_shown.iter_mut().zip(forms) {
                        *is_shown |= own.yields(form);
                    }
                }
                Some(_) => {
                    is_moved |= yields();
                    let Some(other) = other else { continue };
                    if !other.yields(uri) {
                        continue;
                    }
                    match (other.translate(uri, own), &translated) {
                        (Some(now), None) => translated = Some(now),
                        // Two templates that claim it, or one that does not say which URI it is.
                        _ => return ByTemplate::Hidden,
                    }
                }
            }
        }
        let mut each = may_be_hidden.iter().zip(&is_shown);
        match translated {
            Some(own) => ByTemplate::As(own),
            None if is_moved || each.any(|(hidden, shown)| *hidden && !shown) => ByTemplate::Hidden,
            None => ByTemplate::Free,
        }
    }

    /// Returns the URI under which clients know the author's URI, by the known templates.
    pub(super) fn shown_by_template(&self, own_uri: &str) -> ByTemplate {
        for (name, entry) in &self.lists[ListOf::ResourceTemplates as usize].entries {
            let Some((own, other)) = &entry.template else {
                continue;
            };
            if !own.yields(own_uri) || entry.shown.as_ref() == Some(name) {
                continue;
            }
            let shown = other
                .as_ref()
                .and_then(|other| own.translate(own_uri, other));
            return shown.map_or(ByTemplate::Hidden, ByTemplate::As);
        }
        ByTemplate::Free
    }
}

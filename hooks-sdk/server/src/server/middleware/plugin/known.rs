//! The entries of the author's lists, as far as they were read, and the URIs that hidden ones answer to.

use std::{collections::HashMap, mem};

use serde_json::{Map, Value};

use super::{spellings::of_hidden, templates::Template};
use hooks_plugin::ListOf;

/// How many entries of one list are known.
const MOST: usize = 10_000;

/// The known entries of every list, by their names.
#[derive(Default)]
pub(super) struct KnownLists {
    lists: [HashMap<String, KnownEntry>; ListOf::COUNT],
    /// The spellings of the URIs of hidden resources, and of how many each is one.
    hidden: HashMap<String, usize>,
}

/// An entry of the author's list.
struct KnownEntry {
    members: Map<String, Value>,
    is_hidden: bool,
    template: Option<Template>,
}

impl KnownLists {
    /// Returns what the author's list says of an entry.
    pub(super) fn get(&self, of: ListOf, name: &str) -> Option<&Map<String, Value>> {
        let entry = self.lists[of as usize].get(name)?;
        Some(&entry.members)
    }

    /// Records an entry of the author's, and whether the hooks hide it.
    pub(super) fn know(&mut self, of: ListOf, members: Map<String, Value>, is_hidden: bool) {
        let name = members.get(of.key()).and_then(Value::as_str);
        let name = name.unwrap_or_default().to_owned();
        let list = &mut self.lists[of as usize];
        let is_full = list.len() >= MOST;
        let was_hidden = match list.get_mut(&name) {
            Some(known) => {
                known.members = members;
                mem::replace(&mut known.is_hidden, is_hidden)
            }
            None if is_full => return,
            None => {
                let is_template = of == ListOf::ResourceTemplates;
                let template = is_template.then(|| Template::parse(&name)).flatten();
                let entry = KnownEntry {
                    members,
                    is_hidden,
                    template,
                };
                list.insert(name.clone(), entry);
                false
            }
        };
        if of == ListOf::Resources && was_hidden != is_hidden {
            self.count_hidden(&name, is_hidden);
        }
    }

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

    /// Returns whether a URI that no list has is that of a hidden resource, or one of a hidden template. `forms` are the ways
    /// in which a server may read it.
    pub(super) fn hides(&self, forms: &[String]) -> bool {
        let templates = |is_hidden: bool| {
            let entries = self.lists[ListOf::ResourceTemplates as usize].values();
            let entries = entries.filter(move |entry| entry.is_hidden == is_hidden);
            entries.filter_map(|entry| entry.template.as_ref())
        };
        forms.iter().any(|form| {
            self.hidden.contains_key(form)
                || templates(true).any(|hidden| hidden.yields(form))
                // A shown template makes up for a hidden one in the same reading only.
                || templates(true).any(|hidden| hidden.may_yield(form))
                    && !templates(false).any(|shown| shown.yields(form))
        })
    }
}

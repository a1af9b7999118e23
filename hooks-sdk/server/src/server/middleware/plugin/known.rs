//! The entries of the author's lists, as far as they were read, and the URIs that hidden ones answer to.

use std::collections::HashMap;

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
#[derive(Default)]
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
        let is_known = list.contains_key(&name);
        if !is_known && list.len() >= MOST {
            return;
        }
        let entry = list.entry(name.clone()).or_default();
        entry.members = members;
        let was_hidden = std::mem::replace(&mut entry.is_hidden, is_hidden);
        if of == ListOf::ResourceTemplates && !is_known {
            entry.template = Template::parse(&name);
        }
        if of != ListOf::Resources || was_hidden == is_hidden {
            return;
        }
        for spelling in of_hidden(&name) {
            let count = self.hidden.entry(spelling).or_default();
            match is_hidden {
                true => *count += 1,
                false => *count -= 1,
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
            self.hidden.get(form).is_some_and(|count| *count > 0)
                || templates(true).any(|hidden| hidden.yields.is_match(form))
                // A shown template makes up for a hidden one in the same reading only.
                || templates(true).any(|hidden| hidden.may_yield.is_match(form))
                    && !templates(false).any(|shown| shown.yields.is_match(form))
        })
    }
}

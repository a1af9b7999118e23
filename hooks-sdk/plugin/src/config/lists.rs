//! The part `lists` of a file: which items clients do not see, and which have other names.

use super::{
    super::{ListHook, ListOf, Listed, ListedItem},
    fault::{Faults, clip},
    fields::{TableFields, text},
    node::Member,
};
use hooks_core::glob;

const LISTS: [ListOf; 4] = [
    ListOf::Tools,
    ListOf::Prompts,
    ListOf::Resources,
    ListOf::ResourceTemplates,
];

/// What a file does with lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) hooks: Vec<ListHook>,
    pub(super) hidden: Vec<(ListOf, Vec<String>)>,
    pub(super) renamed: Vec<(ListOf, String, String)>,
}

/// Reads the lists.
pub(super) fn read(members: &[Member], faults: &mut Faults) -> Lists {
    let mut lists = Lists::default();
    for member in members {
        let Some(of) = LISTS.into_iter().find(|of| of.as_str() == member.key) else {
            let known = LISTS.iter().map(|of| of.as_str());
            faults.unknown(member.line, "list", &member.key, known);
            continue;
        };
        let what = format!("`{}`", member.key);
        let keys: &[&str] = match of {
            // The name of a template is a pattern, and a client fills it in.
            ListOf::ResourceTemplates => &["hide"],
            _ => &["hide", "rename"],
        };
        let Some(fields) = TableFields::of(&member.node, &what, keys, faults) else {
            continue;
        };
        let hidden = fields.globs("hide", faults).unwrap_or_default();
        if !hidden.is_empty() {
            let id = format!("file-hides-{}", member.key);
            lists.hooks.push(ListHook::hide(id, of, &hidden));
            let hidden = hidden.iter().map(|glob| (*glob).to_owned()).collect();
            lists.hidden.push((of, hidden));
        }
        let renamed = renamed(fields.members("rename", faults), &hidden, faults);
        if !renamed.is_empty() {
            let id = format!("file-renames-{}", member.key);
            let all = renamed.iter();
            lists
                .renamed
                .extend(all.map(|(old, new)| (of, old.clone(), new.clone())));
            lists.hooks.push(ListHook::new(id, of, move |item| {
                let new = renamed.iter().find(|(old, _)| old == item.key());
                new.map_or(Listed::Shown, |(_, new)| Listed::As(keyed(item, new)))
            }));
        }
    }
    lists
}

/// Returns the item under another name or URI.
fn keyed(item: &ListedItem, key: &str) -> ListedItem {
    let mut item = item.clone();
    item.members.insert(item.of.key().to_owned(), key.into());
    item
}

fn renamed(members: &[Member], hidden: &[&str], faults: &mut Faults) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for member in members {
        let Some(new) = text(&member.node, "a new name", faults) else {
            continue;
        };
        let (old, line) = (&member.key, member.line);
        let shown = clip(old);
        if new.text.trim().is_empty() {
            faults.add(
                new.line,
                format!("the new name of `{shown}` is empty"),
                "write a name",
            );
        }
        if hidden.iter().any(|glob| glob::matches(glob, old)) {
            let message = format!("`{shown}` is hidden, so its new name is never seen");
            faults.add(line, message, "remove one of them");
        }
        if all.iter().any(|(_, known)| known == new.text) {
            let message = format!("two items are renamed to `{}`", clip(new.text));
            faults.add(new.line, message, "give them different names");
        }
        all.push((old.clone(), new.text.to_owned()));
    }
    all
}

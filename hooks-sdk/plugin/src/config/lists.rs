//! The part `lists` of a file: which items clients do not see.

use super::{
    super::{ListHook, ListOf},
    fault::Faults,
    fields::TableFields,
    node::Member,
};

const LISTS: [ListOf; 4] = [
    ListOf::Tools,
    ListOf::Prompts,
    ListOf::Resources,
    ListOf::ResourceTemplates,
];

/// Reads the lists. Each hook hides items.
pub(super) fn read(members: &[Member], faults: &mut Faults) -> Vec<ListHook> {
    let mut hooks = Vec::new();
    for member in members {
        let Some(of) = LISTS.into_iter().find(|of| of.as_str() == member.key) else {
            let known = LISTS.iter().map(|of| of.as_str());
            faults.unknown(member.line, "list", &member.key, known);
            continue;
        };
        let what = format!("`{}`", member.key);
        let Some(fields) = TableFields::of(&member.node, &what, &["hide"], faults) else {
            continue;
        };
        let hidden = fields.globs("hide", faults).unwrap_or_default();
        if !hidden.is_empty() {
            let id = format!("file-hides-{}", member.key);
            hooks.push(ListHook::hide(id, of, &hidden));
        }
    }
    hooks
}

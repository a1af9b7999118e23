//! The attributes, one file each: a grammar table and an expansion.

pub(crate) mod aos;
pub(crate) mod guidance;
pub(crate) mod lifecycle;
pub(crate) mod mcpl;
pub(crate) mod plugin;

use crate::{grammar::Grammar, tie::TIES};

/// The attributes `hook`.
const HOOKS: [&Grammar; 5] = [
    &aos::GRAMMAR,
    &guidance::GRAMMAR,
    &lifecycle::GRAMMAR,
    &mcpl::GRAMMAR,
    &plugin::GRAMMAR,
];

/// Returns the constructor that replaces the attribute written as `path`, for messages.
pub(crate) fn by_hand(path: &str) -> &'static str {
    let hooks = HOOKS.map(|grammar| (grammar.table.attribute, grammar.by_hand));
    let ties = TIES.iter().map(|tie| (tie.table.attribute, tie.by_hand));
    let mut all = hooks.into_iter().chain(ties);
    let found = all.find(|(attribute, _)| path.ends_with(attribute));
    found.map_or("…", |(_, by_hand)| by_hand)
}

/// Checks that each table names only its own keys, and that the page of its attribute has each of them.
#[cfg(test)]
pub(crate) fn check_tables(page: &str, tables: &[&crate::grammar::Table]) {
    let path = format!("{}/../hooks-sdk/src/{page}", env!("CARGO_MANIFEST_DIR"));
    // The published package has no sibling folders.
    let page = std::fs::read_to_string(path).ok();
    let pages: Option<Vec<&str>> = page
        .as_deref()
        .map(|page| page.split("pub use hooks_macros::").collect());
    for (place, table) in tables.iter().enumerate() {
        let known = |name: &str| table.keys.iter().any(|key| key.name == name);
        assert!(table.renamed.iter().all(|(_, new)| known(new)));
        for key in table.keys {
            let (name, others) = (key.name, key.excludes.iter().chain(&key.requires));
            assert!(others.chain(&key.apart).all(|other| known(other)), "{name}");
            let row = |next| format!("/// | `{name}{next}");
            let in_page = |page: &str| {
                ["(", " =", "`"]
                    .iter()
                    .any(|next| page.contains(&row(next)))
            };
            let is_there = pages.as_ref().is_none_or(|pages| in_page(pages[place]));
            assert!(
                is_there,
                "`{name}` is not in a table of `{}`",
                table.attribute
            );
        }
    }
}

#[cfg(test)]
#[test]
fn the_name_of_a_hook_is_a_key_of_its_attribute() {
    for Grammar { name, table, .. } in HOOKS {
        let is_its = table.keys.iter().any(|key| key.name == *name);
        assert!(is_its, "`{name}` of `{}`", table.attribute);
    }
}

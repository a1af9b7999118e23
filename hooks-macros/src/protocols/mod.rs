//! The attributes, one file each: a grammar table and an expansion.

pub(crate) mod aos;
pub(crate) mod guidance;
pub(crate) mod lifecycle;
pub(crate) mod mcpl;
pub(crate) mod plugin;

use crate::tie::TIES;

/// Returns the constructor that replaces the attribute written as `path`, for messages.
pub(crate) fn by_hand(path: &str) -> &'static str {
    let hooks = [
        &aos::PROTOCOL,
        &guidance::PROTOCOL,
        &lifecycle::PROTOCOL,
        &mcpl::PROTOCOL,
        &plugin::PROTOCOL,
    ];
    let hooks = hooks.map(|protocol| (protocol.grammar.table.attribute, protocol.grammar.by_hand));
    let ties = TIES.iter().map(|tie| (tie.table.attribute, tie.by_hand));
    let mut all = hooks.into_iter().chain(ties);
    let found = all.find(|(attribute, _)| path.ends_with(attribute));
    found.map_or("…", |(_, by_hand)| by_hand)
}

//! One file for each attribute: its grammar table and its expansion.

pub(crate) mod guidance;
pub(crate) mod lifecycle;

/// What makes a hook of the attribute written as `path` without it, for messages.
pub(crate) fn by_hand(path: &str) -> &'static str {
    let rooms = [&guidance::ROOM, &lifecycle::ROOM];
    let room = rooms
        .into_iter()
        .find(|room| path.ends_with(room.grammar.attribute));
    room.map_or("…", |room| room.grammar.by_hand)
}

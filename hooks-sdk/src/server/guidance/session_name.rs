//! The name by which a session is known to hooks: it tells sessions apart, and gives nobody access to one.

use std::{
    hash::{BuildHasher, RandomState},
    sync::OnceLock,
};

use crate::store::Key;

/// The name of the session under `key`, the same for as long as the program runs.
///
/// Who knows a session's key has the session, and the name goes into logs and to authors' functions.
pub(super) fn session_name(key: &Key) -> Box<str> {
    static HASHERS: OnceLock<[RandomState; 2]> = OnceLock::new();
    let [first, second] = HASHERS.get_or_init(|| [RandomState::new(), RandomState::new()]);
    let hash = |hasher: &RandomState| hasher.hash_one(key.as_slice());
    format!("{:016x}{:016x}", hash(first), hash(second)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Identity;

    #[test]
    fn a_name_tells_sessions_apart_and_stays() {
        let name = |id| session_name(&Identity::Client(id).key(None));
        assert_eq!(name("a"), name("a"));
        assert_ne!(name("a"), name("b"));
        assert_eq!(name("a").len(), 32);
    }
}

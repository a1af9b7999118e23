//! The names by which hooks know sessions and requests. A name identifies its session or request, and gives nobody
//! access to it.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use hooks_core::store::Key;

/// Returns the name of the session under `key`. It stays the same as long as the program runs.
///
/// The key itself is secret, because it gives access to the session. The name is written to logs and passed to authors'
/// functions.
pub(super) fn of_session(key: &Key) -> Box<str> {
    opaque(key.as_slice())
}

/// Returns a name for one request of a connection. No other request has this name.
///
/// Every client counts its requests from 0, and may use an id again. The id of the message is therefore no part of the
/// name.
pub(super) fn of_request(connection: u128) -> Box<str> {
    static NAMED: AtomicU64 = AtomicU64::new(0);
    let mut bytes = connection.to_be_bytes().to_vec();
    bytes.extend(NAMED.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    opaque(&bytes)
}

fn opaque(bytes: &[u8]) -> Box<str> {
    static HASHERS: OnceLock<[RandomState; 2]> = OnceLock::new();
    let [first, second] = HASHERS.get_or_init(|| [RandomState::new(), RandomState::new()]);
    let hash = |hasher: &RandomState| hasher.hash_one(bytes);
    format!("{:016x}{:016x}", hash(first), hash(second)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooks_core::session::Identity;

    #[test]
    fn a_name_tells_sessions_apart_and_stays() {
        let name = |id| of_session(&Identity::Client(id).key(None));
        assert_eq!(name("a"), name("a"));
        assert_ne!(name("a"), name("b"));
        assert_eq!(name("a").len(), 32);
    }

    #[test]
    fn no_two_requests_have_one_name() {
        let names = [of_request(1), of_request(1), of_request(2)];
        assert!(names[0] != names[1] && names[0] != names[2] && names[1] != names[2]);
        assert_eq!(names[0].len(), 32);
    }
}

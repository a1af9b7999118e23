//! The identity of a session, and the store key that is derived from it.

use super::Handle;
use crate::store::Key;

/// The name by which a request's session is found.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Identity<'a> {
    /// The handle that an opening tool returned.
    Handle(&'a Handle),
    /// The id that the client gives its session.
    Client(&'a str),
    /// The id of the transport's session, such as `mcp-session-id`.
    Transport(&'a str),
    /// The connection, by a random number.
    Connection(u128),
}

impl Identity<'_> {
    /// Returns the key of this session for `principal`.
    ///
    /// Keys of different kinds of identity, and of different principals, always differ, whatever the ids are.
    pub fn key(self, principal: Option<&str>) -> Key {
        let connection;
        let (kind, id) = match self {
            Identity::Handle(handle) => (b'h', &handle.as_bytes()[..]),
            Identity::Client(id) => (b'c', id.as_bytes()),
            Identity::Transport(id) => (b't', id.as_bytes()),
            Identity::Connection(number) => {
                connection = number.to_be_bytes();
                (b'n', &connection[..])
            }
        };
        match principal {
            None => Key::of(&[&[kind], id]),
            Some(principal) => {
                let kind = kind.to_ascii_uppercase();
                let length = (principal.len() as u64).to_be_bytes();
                Key::of(&[&[kind], &length, principal.as_bytes(), id])
            }
        }
    }

    /// Returns whether `key` is that of a connection's session.
    #[doc(hidden)]
    pub fn is_of_connection(key: &Key) -> bool {
        matches!(key.as_slice(), [b'n' | b'N', ..])
    }

    /// Returns whether `key` is that of a transport's session.
    #[doc(hidden)]
    pub fn is_of_transport(key: &Key) -> bool {
        matches!(key.as_slice(), [b't' | b'T', ..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_by_kind_principal_and_id() {
        let handle: Handle = "0".repeat(26).parse().unwrap();
        let identities = [
            Identity::Handle(&handle),
            Identity::Client("a"),
            Identity::Transport("a"),
            Identity::Client("ba"),
            Identity::Connection(0),
        ];
        let principals = [None, Some(""), Some("a"), Some("ab")];
        let keys: Vec<Key> = identities
            .iter()
            .flat_map(|identity| principals.map(|principal| identity.key(principal)))
            .collect();
        for (at, key) in keys.iter().enumerate() {
            assert_eq!(keys.iter().filter(|other| *other == key).count(), 1, "{at}");
        }
        assert_eq!(Identity::Handle(&handle).key(None).as_slice().len(), 17);
        for identity in identities {
            for key in principals.map(|principal| identity.key(principal)) {
                let is_connection = matches!(identity, Identity::Connection(_));
                assert_eq!(Identity::is_of_connection(&key), is_connection);
                let is_transport = matches!(identity, Identity::Transport(_));
                assert_eq!(Identity::is_of_transport(&key), is_transport);
            }
        }
    }
}

//! How a call says to which session it belongs, and the key that follows from it.

use super::Handle;
use crate::store::Key;

/// What names a session.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Identity<'a> {
    /// A handle that an opening tool returned.
    Handle(&'a Handle),
    /// The id that the client itself gives its session.
    Client(&'a str),
    /// The transport's session, such as that of `mcp-session-id`.
    Transport(&'a str),
    /// The connection, by a number that is random.
    Connection(u128),
}

impl Identity<'_> {
    /// The key of this session of `principal`'s.
    ///
    /// No two kinds of identity and no two principals have a key in common, whatever the ids are.
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
        let mut bytes = Vec::with_capacity(32);
        match principal {
            None => bytes.push(kind),
            Some(principal) => {
                bytes.push(kind.to_ascii_uppercase());
                bytes.extend_from_slice(&(principal.len() as u64).to_be_bytes());
                bytes.extend_from_slice(principal.as_bytes());
            }
        }
        bytes.extend_from_slice(id);
        Key::new(&bytes)
    }

    /// Whether the session under `key` is that of a connection.
    #[cfg(any(test, feature = "server"))]
    pub(crate) fn is_of_connection(key: &Key) -> bool {
        matches!(key.as_slice(), [b'n' | b'N', ..])
    }

    /// Whether the session under `key` is the transport's.
    #[cfg(any(test, feature = "server"))]
    pub(crate) fn is_of_transport(key: &Key) -> bool {
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

//! The entries of the log: what a replica tells the others, in bytes.

use hooks_core::store::{Bytes, LogPosition};

/// The random number of a replica.
pub(super) type Origin = [u8; 16];

const EVENT: u8 = 1;
const LAST_EVENT: u8 = 2;
const LISTENS: u8 = 3;
const LEAVES: u8 = 4;
const MESSAGE: u8 = 5;
const ENDED: u8 = 6;

/// An entry of a stream of events.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StreamEntry<'e> {
    /// A message for the client.
    Event {
        origin: Origin,
        /// Ascends among the events of one origin.
        number: u64,
        /// Whether the stream ends with it.
        last: bool,
        json: &'e [u8],
    },
    /// A client listens to the session's own stream. The listener before it falls silent.
    Listens(Origin),
    /// That listener has gone. Its client got everything up to this position.
    Leaves(Origin, LogPosition),
}

impl<'e> StreamEntry<'e> {
    pub(super) fn bytes(&self) -> Bytes {
        match self {
            StreamEntry::Event {
                origin,
                number,
                last,
                json,
            } => {
                let kind = if *last { LAST_EVENT } else { EVENT };
                Bytes::of(&[&[kind], origin, &number.to_be_bytes(), json])
            }
            StreamEntry::Listens(listener) => Bytes::of(&[&[LISTENS], listener]),
            StreamEntry::Leaves(listener, LogPosition(after)) => {
                Bytes::of(&[&[LEAVES], listener, &after.to_be_bytes()])
            }
        }
    }

    /// Returns `None` for an entry that this version does not know.
    pub(super) fn of(bytes: &'e Bytes) -> Option<StreamEntry<'e>> {
        let (kind, rest) = bytes.as_slice().split_first()?;
        let (origin, rest) = rest.split_first_chunk::<16>()?;
        let origin = *origin;
        match *kind {
            EVENT | LAST_EVENT => {
                let (number, json) = rest.split_first_chunk::<8>()?;
                Some(StreamEntry::Event {
                    origin,
                    number: u64::from_be_bytes(*number),
                    last: *kind == LAST_EVENT,
                    json,
                })
            }
            LISTENS => Some(StreamEntry::Listens(origin)),
            LEAVES => {
                let after = u64::from_be_bytes(rest.try_into().ok()?);
                Some(StreamEntry::Leaves(origin, LogPosition(after)))
            }
            _ => None,
        }
    }
}

/// A letter from one replica to another, or to all.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Letter<'e> {
    /// A message of a session's client.
    Message {
        origin: Origin,
        session: &'e str,
        body: &'e [u8],
    },
    /// The session has ended.
    Ended { session: &'e str },
}

impl<'e> Letter<'e> {
    pub(super) fn bytes(&self) -> Bytes {
        let (kind, origin, session, body) = match self {
            Letter::Message {
                origin,
                session,
                body,
            } => (MESSAGE, *origin, session, *body),
            Letter::Ended { session } => (ENDED, Origin::default(), session, &[][..]),
        };
        let length = (session.len() as u16).to_be_bytes();
        Bytes::of(&[&[kind], &origin, &length, session.as_bytes(), body])
    }

    /// Returns `None` for a letter that this version does not know.
    pub(super) fn of(bytes: &'e Bytes) -> Option<Letter<'e>> {
        let (kind, rest) = bytes.as_slice().split_first()?;
        let (origin, rest) = rest.split_first_chunk::<16>()?;
        let (length, rest) = rest.split_first_chunk::<2>()?;
        let (session, body) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
        let session = std::str::from_utf8(session).ok()?;
        match *kind {
            MESSAGE => Some(Letter::Message {
                origin: *origin,
                session,
                body,
            }),
            ENDED => Some(Letter::Ended { session }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back() {
        let origin = [7; 16];
        for entry in [
            StreamEntry::Event {
                origin,
                number: u64::MAX,
                last: true,
                json: b"{}",
            },
            StreamEntry::Listens(origin),
            StreamEntry::Leaves(origin, LogPosition(9)),
        ] {
            assert_eq!(StreamEntry::of(&entry.bytes()), Some(entry));
        }
        for letter in [
            Letter::Message {
                origin,
                session: "s",
                body: b"{}",
            },
            Letter::Ended { session: "" },
        ] {
            assert_eq!(Letter::of(&letter.bytes()), Some(letter));
        }
    }

    #[test]
    fn damaged_entries_are_none() {
        for damaged in [&[][..], &[1], &[5; 18], &[9; 40], &[6; 19]] {
            let bytes = Bytes::from(damaged);
            assert_eq!(StreamEntry::of(&bytes), None);
            assert_eq!(Letter::of(&bytes), None);
        }
    }
}

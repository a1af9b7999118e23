//! The ids of events: what they say inside, and how they leave to clients.

use std::sync::Arc;

use rmcp::model::{RequestStateCodec, SealOptions};

use super::{EVENT_TTL, entry::Origin};
use crate::http::Principal;
use hooks_core::store::LogPosition;

/// The id of an event that nobody can resume from. The layer removes it.
pub(super) const NOT_RESUMABLE: &str = "-";

/// The end of the name of a session's own stream, after the id of the session. The name is rmcp's.
pub(super) const COMMON: &str = ":common";

/// A place in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EventPlace {
    /// After this event of the stream of one request. One replica writes the stream, and numbers its events.
    Request { stream: String, number: u64 },
    /// After this position of the session's own stream, and after this number among the events of one replica. All
    /// replicas write the stream, and the own events of a replica do not wait for the log.
    Common {
        session: String,
        after: LogPosition,
        origin: Origin,
        number: u64,
    },
}

impl EventPlace {
    pub(super) fn text(&self) -> String {
        match self {
            EventPlace::Request { stream, number } => format!("{stream}.{number}"),
            EventPlace::Common {
                session,
                after: LogPosition(after),
                origin,
                number,
            } => {
                let origin = u128::from_be_bytes(*origin);
                format!("{session}{COMMON}.{after}.{origin:032x}.{number}")
            }
        }
    }

    pub(super) fn of(text: &str) -> Option<EventPlace> {
        let (rest, number) = text.rsplit_once('.')?;
        let number = number.parse().ok()?;
        let Some((session, place)) = rest.split_once(COMMON) else {
            let stream = rest.to_owned();
            return Some(EventPlace::Request { stream, number });
        };
        let (after, origin) = place.strip_prefix('.')?.split_once('.')?;
        Some(EventPlace::Common {
            session: session.to_owned(),
            after: LogPosition(after.parse().ok()?),
            origin: u128::from_str_radix(origin, 16).ok()?.to_be_bytes(),
            number,
        })
    }
}

/// Seals the ids of events for one client, and opens what this client brings back.
#[derive(Clone)]
pub(super) struct EventSeal {
    keys: Arc<RequestStateCodec>,
    client: Vec<u8>,
}

impl EventSeal {
    pub(super) fn new(
        keys: Arc<RequestStateCodec>,
        session: Option<&str>,
        principal: Option<&Principal>,
    ) -> EventSeal {
        let principal = principal.map(Principal::as_str);
        let client = format!("hooks-sdk event id {principal:?} {session:?}").into_bytes();
        EventSeal { keys, client }
    }

    /// Returns `None` for an id that nobody can resume from.
    pub(super) fn seal(&self, id: &str) -> Option<String> {
        EventPlace::of(id)?;
        let options = SealOptions::new()
            .associated_data(&self.client)
            .ttl(EVENT_TTL);
        Some(self.keys.seal_with(id.as_bytes(), &options))
    }

    /// Returns `None` for an id that has expired, or was not sealed for this client.
    pub(super) fn open(&self, sealed: &str) -> Option<String> {
        let id = self.keys.open_with(sealed, &self.client).ok()?;
        String::from_utf8(id).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> [EventPlace; 2] {
        let request = EventPlace::Request {
            stream: "2f1a-77".to_owned(),
            number: 12,
        };
        let common = EventPlace::Common {
            session: "5c".to_owned(),
            after: LogPosition(77),
            origin: [3; 16],
            number: 0,
        };
        [request, common]
    }

    #[test]
    fn places_come_back() {
        for place in places() {
            assert_eq!(EventPlace::of(&place.text()), Some(place));
        }
        for text in ["", "-", "0", "0/3", "a.b", "s:common.4", "s:common.x.y.1"] {
            assert_eq!(EventPlace::of(text), None, "{text}");
        }
    }

    #[test]
    fn only_the_same_principal_and_session_open_an_id() {
        let keys = Arc::new(RequestStateCodec::try_new([1; 32]).expect("a key"));
        let of = |session, principal: Option<&'static str>| {
            let principal = principal.map(Principal::new);
            EventSeal::new(keys.clone(), session, principal.as_ref())
        };
        let own = of(Some("s"), Some("ada"));
        let id = places()[0].text();
        let sealed = own.seal(&id).expect("a sealed id");
        assert_eq!(own.open(&sealed), Some(id));
        for other in [
            of(Some("s"), Some("eve")),
            of(Some("t"), Some("ada")),
            of(Some("s"), None),
            of(None, Some("ada")),
        ] {
            assert_eq!(other.open(&sealed), None);
        }
        assert_eq!(own.seal(NOT_RESUMABLE), None);
        assert_eq!(own.open("rs1.forged.x"), None);
    }
}

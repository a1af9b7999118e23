//! The ids of the server's own requests: no client can guess them, and each names the replica that waits.

use std::{collections::VecDeque, fmt, sync::Arc};

use rmcp::model::{NumberOrString, ProgressToken, RequestId};

use crate::server::{hex, random};

/// The number of a process among the replicas of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ReplicaId(pub(crate) [u8; 16]);

impl ReplicaId {
    /// Returns a new number. No two replicas have the same one, and a process has another one after each start.
    pub(crate) fn random() -> ReplicaId {
        ReplicaId(random())
    }

    /// Returns the replica that made the id of a request, if a replica made it.
    pub(crate) fn of(id: &str) -> Option<ReplicaId> {
        let (replica, random) = id.split_once('.')?;
        number(random)?;
        Some(ReplicaId(number(replica)?))
    }
}

impl fmt::Display for ReplicaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// Reads 32 lower-case hex digits.
fn number(text: &str) -> Option<[u8; 16]> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 32 || !text.as_bytes().iter().all(is_digit) {
        return None;
    }
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

/// The ids of one session's open requests to its client.
#[derive(Debug)]
pub(super) struct Ids {
    replica: ReplicaId,
    /// The open requests, from the oldest to the newest.
    asked: VecDeque<OpenQuestion>,
}

/// How many requests to one client may be open. The answer to an older one is dropped.
const MOST: usize = 1024;

/// A request to the client: its name for the client, and its id and its token for rmcp.
#[derive(Debug)]
struct OpenQuestion {
    name: Arc<str>,
    id: RequestId,
    token: Option<ProgressToken>,
}

impl Ids {
    pub(super) fn of(replica: ReplicaId) -> Ids {
        Ids {
            replica,
            asked: VecDeque::new(),
        }
    }

    /// Returns the id under which a request goes to the client. `token` is the request's own progress token.
    pub(super) fn name(&mut self, id: RequestId, token: Option<ProgressToken>) -> Arc<str> {
        let own = self.replica;
        let name: Arc<str> = format!("{own}.{}", ReplicaId(random())).into();
        // A handler that stops waiting does not always say so.
        if self.asked.len() >= MOST {
            tracing::warn!(
                target: "hooks_sdk::http",
                most = MOST,
                "the oldest request to a client is given up: too many are open"
            );
            self.asked.pop_front();
        }
        self.asked.push_back(OpenQuestion {
            name: name.clone(),
            id,
            token,
        });
        name
    }

    /// Returns the place of the open request with this name.
    fn place(&self, name: &RequestId) -> Option<usize> {
        let NumberOrString::String(name) = name else {
            return None;
        };
        self.asked.iter().position(|asked| asked.name == *name)
    }

    /// Returns whether a request is open under this name.
    pub(super) fn is_open(&self, name: &RequestId) -> bool {
        self.place(name).is_some()
    }

    /// Returns rmcp's id of the request that is answered under `name`. There is one answer.
    pub(super) fn answered(&mut self, name: &RequestId) -> Option<RequestId> {
        let asked = self.asked.remove(self.place(name)?)?;
        Some(asked.id)
    }

    /// Returns the id under which the client knows a request that the server gives up.
    pub(super) fn given_up(&mut self, id: &RequestId) -> Option<Arc<str>> {
        let at = self.asked.iter().position(|asked| asked.id == *id)?;
        let asked = self.asked.remove(at)?;
        Some(asked.name)
    }

    /// Returns rmcp's progress token of the request for which the client reports progress.
    pub(super) fn token(&self, name: &ProgressToken) -> Option<ProgressToken> {
        self.asked[self.place(&name.0)?].token.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_its_replica_and_is_answered_once() {
        let replica = ReplicaId::random();
        let mut ids = Ids::of(replica);
        let (zero, one) = (NumberOrString::Number(0), NumberOrString::Number(1));
        let token = ProgressToken(NumberOrString::Number(7));
        let name = ids.name(zero.clone(), Some(token.clone()));
        let other = ids.name(one.clone(), None);
        assert_ne!(name, other);
        assert_eq!(ReplicaId::of(&name), Some(replica));

        let sent = |name: &Arc<str>| NumberOrString::String(name.clone());
        assert_eq!(ids.token(&ProgressToken(sent(&name))), Some(token.clone()));
        assert_eq!(ids.token(&ProgressToken(sent(&other))), None);
        assert_eq!(ids.token(&token), None, "rmcp's own token names nothing");
        assert_eq!(ids.answered(&zero), None, "rmcp's own id names nothing");
        assert_eq!(ids.answered(&sent(&name)), Some(zero.clone()));
        assert_eq!(ids.answered(&sent(&name)), None);
        assert_eq!(ids.given_up(&zero), None);
        assert_eq!(ids.given_up(&one), Some(other.clone()));
        assert_eq!(ids.answered(&sent(&other)), None);
        assert!(ids.asked.is_empty());
    }

    #[test]
    fn so_many_requests_are_open_at_most() {
        let mut ids = Ids::of(ReplicaId::random());
        let mut name = |number| ids.name(NumberOrString::Number(number), None);
        let (first, second) = (name(0), name(1));
        (2..=1024).for_each(|number| _ = name(number));
        assert_eq!(ids.answered(&NumberOrString::String(first)), None);
        let id = ids.answered(&NumberOrString::String(second));
        assert_eq!(id, Some(NumberOrString::Number(1)));
        assert_eq!(ids.asked.len(), 1023);
    }

    #[test]
    fn only_an_id_of_this_form_names_a_replica() {
        let digits = "0123456789abcdef0123456789abcdef";
        let replica = ReplicaId::of(&format!("{digits}.{digits}")).expect("a replica");
        assert_eq!(replica.to_string(), digits);
        let upper = digits.to_uppercase();
        for wrong in [
            "",
            ".",
            "0",
            digits,
            &format!("{digits}."),
            &format!("{digits}.{}", &digits[1..]),
            &format!("{upper}.{digits}"),
            &format!("+{}.{digits}", &digits[1..]),
            &format!("{digits}.{digits}.{digits}"),
        ] {
            assert_eq!(ReplicaId::of(wrong), None, "{wrong}");
        }
    }
}

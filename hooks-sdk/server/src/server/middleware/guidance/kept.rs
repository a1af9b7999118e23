//! Texts that are kept for a session's next result.

use std::collections::{HashMap, VecDeque};

use crate::server::pipeline::Owner;
use hooks_core::store::Key;

/// How many sessions may have kept texts. For a further session, the texts of the oldest one are dropped.
const MAX_SESSIONS: usize = 1024;

/// How many of these sessions may belong to one client. For a further one, the texts of the client's own oldest are
/// dropped.
const MAX_SESSIONS_OF_ONE: usize = 256;

/// How many texts are kept for one session. For a further text, the oldest one is dropped.
const MAX_TEXTS: usize = 8;

/// How many bytes of text are kept for one session. Beyond that, its oldest texts are dropped.
const MAX_BYTES: usize = 64 * 1024;

/// The kept texts, by session.
#[derive(Debug, Default)]
pub(super) struct KeptTexts {
    by_session: HashMap<Key, VecDeque<String>>,
    /// From the oldest session to the newest, with their clients.
    sessions: VecDeque<(Key, Owner)>,
}

impl KeptTexts {
    pub(super) fn keep(&mut self, session: &Key, owner: &Owner, text: String) {
        if !self.by_session.contains_key(session) {
            self.make_room(owner);
            self.sessions.push_back((session.clone(), owner.clone()));
        }
        let texts = self.by_session.entry(session.clone()).or_default();
        texts.push_back(text);
        while texts.len() > MAX_TEXTS
            || texts.len() > 1 && texts.iter().map(String::len).sum::<usize>() > MAX_BYTES
        {
            texts.pop_front();
        }
    }

    /// Drops the texts of a session if a further one of this client has no room.
    fn make_room(&mut self, owner: &Owner) {
        let own = |each: &(Key, Owner)| each.1 == *owner;
        let of_one = self.sessions.iter().filter(|each| own(each)).count();
        let dropped = if of_one >= MAX_SESSIONS_OF_ONE {
            self.sessions.iter().position(own)
        } else {
            (self.sessions.len() >= MAX_SESSIONS).then_some(0)
        };
        if let Some((oldest, _)) = dropped.and_then(|at| self.sessions.remove(at)) {
            self.by_session.remove(&oldest);
        }
    }

    pub(super) fn take(&mut self, session: &Key) -> VecDeque<String> {
        if self.by_session.is_empty() {
            return VecDeque::new();
        }
        let taken = self.by_session.remove(session).unwrap_or_default();
        if !taken.is_empty() {
            self.sessions.retain(|(each, _)| each != session);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(at: usize) -> Key {
        Key::new(&at.to_be_bytes())
    }

    #[test]
    fn what_is_kept_is_bounded_and_taken_once() {
        let mut kept = KeptTexts::default();
        let owner = |at: usize| Owner::Connection(at as u128);
        for at in 0..MAX_SESSIONS + 1 {
            kept.keep(&session(at), &owner(at), "text".to_owned());
        }
        assert!(kept.take(&session(0)).is_empty());
        assert_eq!(kept.take(&session(1)), ["text"]);
        assert!(kept.take(&session(1)).is_empty());
        for at in 0..MAX_TEXTS + 2 {
            kept.keep(&session(2), &owner(2), at.to_string());
        }
        let texts = kept.take(&session(2));
        assert_eq!((texts.len(), &*texts[MAX_TEXTS - 1]), (MAX_TEXTS, "9"));
        for text in ["a", "b", "c"] {
            kept.keep(&session(2), &owner(2), text.repeat(MAX_BYTES / 2));
        }
        let texts = kept.take(&session(2));
        assert!(texts.len() == 2 && texts[0].starts_with('b'));
        assert_eq!(kept.sessions.len(), kept.by_session.len());
    }

    #[test]
    fn a_client_with_many_sessions_drops_only_its_own_texts() {
        let mut kept = KeptTexts::default();
        let (one, other) = (Owner::Connection(1), Owner::Connection(2));
        kept.keep(&session(0), &other, "text".to_owned());
        for at in 1..MAX_SESSIONS * 2 {
            kept.keep(&session(at), &one, "text".to_owned());
        }
        assert_eq!(kept.sessions.len(), MAX_SESSIONS_OF_ONE + 1);
        assert_eq!(kept.take(&session(0)), ["text"]);
    }
}

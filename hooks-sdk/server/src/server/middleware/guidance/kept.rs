//! Texts that are kept for a session's next result.

use std::collections::VecDeque;

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

/// The kept texts, from the oldest session to the newest.
#[derive(Debug, Default)]
pub(super) struct KeptTexts(VecDeque<SessionTexts>);

#[derive(Debug)]
struct SessionTexts {
    session: Key,
    owner: Owner,
    texts: VecDeque<String>,
}

impl KeptTexts {
    pub(super) fn keep(&mut self, session: &Key, owner: &Owner, text: String) {
        let at = self.place(session).unwrap_or_else(|| {
            self.make_room(owner);
            self.0.push_back(SessionTexts {
                session: session.clone(),
                owner: owner.clone(),
                texts: VecDeque::new(),
            });
            self.0.len() - 1
        });
        let texts = &mut self.0[at].texts;
        texts.push_back(text);
        while texts.len() > MAX_TEXTS
            || texts.len() > 1 && texts.iter().map(String::len).sum::<usize>() > MAX_BYTES
        {
            texts.pop_front();
        }
    }

    /// Drops the texts of a session if a further one of this client has no room.
    fn make_room(&mut self, owner: &Owner) {
        let is_own = |each: &SessionTexts| each.owner == *owner;
        if self.0.iter().filter(|each| is_own(each)).count() >= MAX_SESSIONS_OF_ONE {
            let oldest = self.0.iter().position(is_own);
            oldest.and_then(|at| self.0.remove(at));
        } else if self.0.len() >= MAX_SESSIONS {
            self.0.pop_front();
        }
    }

    pub(super) fn take(&mut self, session: &Key) -> VecDeque<String> {
        let taken = self.place(session).and_then(|at| self.0.remove(at));
        taken.map(|taken| taken.texts).unwrap_or_default()
    }

    fn place(&self, session: &Key) -> Option<usize> {
        self.0.iter().position(|each| each.session == *session)
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
    }

    #[test]
    fn a_client_with_many_sessions_drops_only_its_own_texts() {
        let mut kept = KeptTexts::default();
        let (one, other) = (Owner::Connection(1), Owner::Connection(2));
        kept.keep(&session(0), &other, "text".to_owned());
        for at in 1..MAX_SESSIONS * 2 {
            kept.keep(&session(at), &one, "text".to_owned());
        }
        assert_eq!(kept.0.len(), MAX_SESSIONS_OF_ONE + 1);
        assert_eq!(kept.take(&session(0)), ["text"]);
    }
}

//! Texts that are kept for a session's next result.

use std::collections::{HashMap, VecDeque};

use crate::store::Key;

/// How many sessions may have kept texts. For a further session, the texts of the oldest one are dropped.
const MAX_SESSIONS: usize = 1024;

/// How many texts are kept for one session. For a further text, the oldest one is dropped.
const MAX_TEXTS: usize = 8;

/// The kept texts, by session.
#[derive(Debug, Default)]
pub(super) struct KeptTexts {
    by_session: HashMap<Key, VecDeque<String>>,
    sessions: VecDeque<Key>,
}

impl KeptTexts {
    pub(super) fn keep(&mut self, session: &Key, text: String) {
        if !self.by_session.contains_key(session) {
            if self.sessions.len() == MAX_SESSIONS
                && let Some(oldest) = self.sessions.pop_front()
            {
                self.by_session.remove(&oldest);
            }
            self.sessions.push_back(session.clone());
        }
        let texts = self.by_session.entry(session.clone()).or_default();
        if texts.len() == MAX_TEXTS {
            texts.pop_front();
        }
        texts.push_back(text);
    }

    /// Returns the texts that are kept for the session.
    pub(super) fn of(&self, session: &Key) -> Vec<String> {
        let texts = self.by_session.get(session).into_iter().flatten();
        texts.cloned().collect()
    }

    pub(super) fn take(&mut self, session: &Key) -> VecDeque<String> {
        if self.by_session.is_empty() {
            return VecDeque::new();
        }
        let taken = self.by_session.remove(session).unwrap_or_default();
        if !taken.is_empty() {
            self.sessions.retain(|each| each != session);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_taken_once() {
        let mut kept = KeptTexts::default();
        let session = |at: usize| Key::new(&at.to_be_bytes());
        for at in 0..MAX_SESSIONS + 1 {
            kept.keep(&session(at), "text".to_owned());
        }
        assert!(kept.take(&session(0)).is_empty());
        assert_eq!(kept.take(&session(1)), ["text"]);
        assert!(kept.take(&session(1)).is_empty());
        for at in 0..MAX_TEXTS + 2 {
            kept.keep(&session(2), at.to_string());
        }
        let texts = kept.take(&session(2));
        assert_eq!((texts.len(), &*texts[MAX_TEXTS - 1]), (MAX_TEXTS, "9"));
        assert_eq!(kept.sessions.len(), kept.by_session.len());
    }
}

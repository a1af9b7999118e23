//! What is known of the conversations of a host: their last turn, and how much was learned in each.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use hooks_sdk::prelude::mcpl::Context;

/// The most conversations that are kept; the one that was silent for longest goes first.
const MOST: usize = 256;
/// How much of a turn is kept, in characters.
const LONGEST: usize = 2000;

/// The longest id of a conversation, in bytes. Nothing is learned from a conversation with a longer one.
const MAX_ID: usize = 512;
/// How much of a name of a host or a user is kept, in characters.
const MAX_NAME: usize = 128;

/// Returns the name under which a conversation is kept: whose conversation it is, then the host's own id of it. Returns
/// `None` if the id is empty or too long: then nothing belongs to the conversation.
///
/// Two hosts may give the same id to their conversations, for example the name of their agent. The authenticated user
/// tells them apart, or else the host's name and the name that the user gave to this server.
pub(super) fn named(cx: &Context, user: Option<&str>, id: &str) -> Option<String> {
    let whose = whose(cx.principal(), cx.host_name(), user);
    (1..=MAX_ID)
        .contains(&id.len())
        .then(|| format!("{whose}/{id}"))
}

/// Returns whose something is: the authenticated user's, or else the host's under the name that the user gave to this
/// server.
pub(super) fn whose(principal: Option<&str>, host: Option<&str>, user: Option<&str>) -> String {
    let named = user_named(principal, user).unwrap_or_default();
    match principal {
        Some(_) => named,
        None => format!("host:{}{named}", escaped(host.unwrap_or_default())),
    }
}

/// Returns the authenticated user, or else the name that the user gave to this server.
pub(super) fn user_named(principal: Option<&str>, user: Option<&str>) -> Option<String> {
    match principal {
        Some(principal) => Some(format!("user:{}", escaped(principal))),
        None => user.map(|user| format!("#{}", escaped(user))),
    }
}

/// Returns a name without the characters that end it.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for letter in name.chars().take(MAX_NAME) {
        match letter {
            '%' => escaped.push_str("%25"),
            '/' => escaped.push_str("%2F"),
            '#' => escaped.push_str("%23"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// The conversations of this process, the one that was heard of last at the end.
#[derive(Default)]
pub(crate) struct Conversations(Mutex<VecDeque<Conversation>>);

#[derive(Default)]
struct Conversation {
    id: String,
    /// What was said last.
    said: String,
    /// Memories that were learned since they were last looked through.
    learned: usize,
    /// Whether they are being looked through.
    merging: bool,
}

impl Conversations {
    /// Keeps what was said last in a conversation.
    pub(super) fn hear(&self, id: &str, said: &str) {
        self.with(id, |one| one.said = said.chars().take(LONGEST).collect());
    }

    /// What was said last in a conversation, as far as it was told of.
    pub(super) fn last(&self, id: &str) -> Option<String> {
        let conversations = self.lock();
        let found = conversations.iter().find(|one| one.id == id)?;
        (!found.said.is_empty()).then(|| found.said.clone())
    }

    /// Counts new memories; whether there are enough of them to be looked through, and nobody does so yet.
    pub(super) fn learn(&self, id: &str, new: usize, enough: usize) -> bool {
        self.with(id, |one| {
            one.learned += new;
            let begins = !one.merging && one.learned >= enough;
            one.merging |= begins;
            begins
        })
    }

    /// How many memories wait to be looked through.
    pub(super) fn learned(&self, id: &str) -> usize {
        let conversations = self.lock();
        let found = conversations.iter().find(|one| one.id == id);
        found.map_or(0, |one| one.learned)
    }

    /// So many memories were looked through.
    pub(super) fn looked_through(&self, id: &str, count: usize) {
        self.with(id, |one| one.learned = one.learned.saturating_sub(count));
    }

    /// Nobody looks through the memories any more.
    pub(super) fn rest(&self, id: &str) {
        self.with(id, |one| one.merging = false);
    }

    fn with<T>(&self, id: &str, change: impl FnOnce(&mut Conversation) -> T) -> T {
        let mut conversations = self.lock();
        let at = conversations.iter().position(|one| one.id == id);
        let known = at.and_then(|at| conversations.remove(at));
        let mut one = known.unwrap_or_else(|| Conversation {
            id: id.to_owned(),
            ..Conversation::default()
        });
        let outcome = change(&mut one);
        if conversations.len() >= MOST {
            conversations.pop_front();
        }
        conversations.push_back(one);
        outcome
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Conversation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many there are; what is said in them is nobody's business.
impl fmt::Debug for Conversations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.lock().len();
        f.debug_struct("Conversations")
            .field("count", &count)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_are_kept_apart_and_the_silent_go() {
        let conversations = Conversations::default();
        conversations.hear("a", "tea");
        conversations.hear("b", "milk");
        assert_eq!(conversations.last("a").as_deref(), Some("tea"));
        for n in 0..MOST - 1 {
            conversations.hear(&n.to_string(), "x");
        }
        assert_eq!(conversations.last("a"), None);
        assert_eq!(conversations.last("b").as_deref(), Some("milk"));
        assert_eq!(conversations.last("c"), None);
    }

    #[test]
    fn what_was_learned_waits_until_it_was_looked_through() {
        let conversations = Conversations::default();
        assert!(!conversations.learn("a", 3, 5));
        assert!(!conversations.learn("b", 3, 5));
        assert!(conversations.learn("a", 3, 5));
        // One at a time looks.
        assert!(!conversations.learn("a", 1, 5));
        assert_eq!(conversations.learned("a"), 7);
        // It was in vain: nothing is forgotten, and the next one begins.
        conversations.rest("a");
        assert!(conversations.learn("a", 1, 5));
        conversations.looked_through("a", 7);
        conversations.rest("a");
        assert!(!conversations.learn("a", 1, 5));
        assert_eq!(conversations.learned("a"), 2);
    }
}

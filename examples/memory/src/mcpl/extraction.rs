//! After an inference: what the user or the model marked as worth remembering is stored.

use std::sync::Arc;

use hooks_sdk::{mcpl::Host, plugin::finder::looks_secret, prelude::*};

use crate::{
    Memory,
    mcpl::{
        CONVERSATIONS,
        consolidation::{Unmerged, consolidate},
        conversations::{Conversations, named},
        own_words::{own, typed},
        sets::{Consolidation, Extraction},
    },
    store::{Draft, Error, Store, Stored},
};

/// The most that is learned of one turn.
const MOST: usize = 8;
/// The longest line that is learned, in characters; a longer one is no finding.
const LONGEST: usize = 1000;
/// So many new memories of a conversation are looked through for related ones.
const ENOUGH: usize = 5;

/// How a line begins that is learned, in lower case, and the tag it gets.
const OF_USER: &[(&str, &str)] = &[
    ("remember:", "remembered"),
    ("remember that ", "remembered"),
    ("please remember:", "remembered"),
    ("please remember that ", "remembered"),
];
const OF_MODEL: &[(&str, &str)] = &[("finding:", "finding"), ("decision:", "decision")];

#[hooks_sdk::hooks]
impl Memory {
    /// It only looks on: the answer is with the user already, and what was learned before is not stored again.
    #[mcpl::hook(after_inference, feature_set = Extraction)]
    async fn learn(&self, turn: &AfterInference, cx: &mcpl::Context) -> Result<(), Error> {
        let Some(conversation) = named(cx, self.user(), &turn.conversation_id) else {
            tracing::info!("nothing is learned from a conversation whose id is empty or too long");
            return Ok(());
        };
        let conversations = &self.kept().conversations;
        let user = turn.user_message.as_deref().unwrap_or_default();
        let said = [user, &*turn.assistant_message];
        if let Some(last) = said.into_iter().find(|said| !said.trim().is_empty()) {
            conversations.hear(&conversation, last);
        }
        let drafts = learned(turn, &conversation);
        if drafts.is_empty() {
            return Ok(());
        }
        let stored = self.store().store_batch(CONVERSATIONS, drafts).await?;
        let new = stored
            .iter()
            .filter(|one| matches!(one, Stored::New { .. }));
        if !conversations.learn(&conversation, new.count(), ENOUGH) {
            return Ok(());
        }
        let merging = Merging {
            store: self.store().clone(),
            conversations: Arc::clone(conversations),
            conversation,
        };
        // A hook must not ask its host; once it has ended, its work may.
        cx.after_answer(move |host| async move { merging.run(&host).await });
        Ok(())
    }
}

/// One look through the memories of a conversation; when it is dropped, the next may begin.
struct Merging {
    store: Store,
    conversations: Arc<Conversations>,
    conversation: String,
}

impl Merging {
    /// Merges related memories. Those that a host was not willing to merge are looked through again with the next that
    /// are learned.
    async fn run(self, host: &Host) {
        if !host.is_enabled::<Consolidation>() {
            return;
        }
        let count = self.conversations.learned(&self.conversation);
        match consolidate(&self.store, host, CONVERSATIONS, Some(&self.conversation)).await {
            Err(Unmerged::Host(error)) => tracing::info!(%error, "nothing was merged yet"),
            looked => {
                tracing::debug!(?looked, "looked through what was learned");
                self.conversations.looked_through(&self.conversation, count);
            }
        }
    }
}

impl Drop for Merging {
    fn drop(&mut self) {
        self.conversations.rest(&self.conversation);
    }
}

/// What the turn says is worth remembering.
fn learned(turn: &AfterInference, conversation: &str) -> Vec<Draft> {
    let user = typed(turn.user_message.as_deref().unwrap_or_default());
    let model = own(&turn.assistant_message);
    let marked = marked(user, OF_USER).chain(marked(model, OF_MODEL));
    let drafts = marked.filter(|(text, _)| {
        let secret = looks_secret(text);
        if secret {
            tracing::info!("a line that looks like a secret is not learned");
        }
        !secret
    });
    let shown = turn
        .conversation_id
        .chars()
        .filter(|c| !c.is_control())
        .take(200);
    let source = format!("conversation {}", shown.collect::<String>());
    let draft = |(text, tag): (&str, &str)| Draft {
        tags: vec![tag.to_owned()],
        source: source.clone(),
        conversation: Some(conversation.to_owned()),
        ..Draft::new(text)
    };
    drafts.take(MOST).map(draft).collect()
}

/// What follows a mark at the beginning of a line.
fn marked<'t>(
    lines: Vec<&'t str>,
    marks: &'static [(&str, &'static str)],
) -> impl Iterator<Item = (&'t str, &'static str)> {
    lines.into_iter().filter_map(move |line| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "-*•".contains(c));
        let (mark, tag) = marks.iter().find(|(mark, _)| {
            line.get(..mark.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(mark))
        })?;
        let text = line[mark.len()..].trim_matches(|c: char| c.is_whitespace() || c == '*');
        let fits = !text.is_empty() && text.chars().count() <= LONGEST && !text.contains('\0');
        fits.then_some((text, *tag))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(message: &'t str, marks: &'static [(&str, &'static str)]) -> Vec<&'t str> {
        marked(own(message), marks).map(|(text, _)| text).collect()
    }

    #[test]
    fn marked_lines_are_learned_and_others_are_not() {
        let user = "Hi.\nRemember: the till closes at six\n- please remember that Kim prefers tea.\n\
                    Do you remember that day?\nremember that\nRemembering: no\n> remember: quoted";
        assert_eq!(
            found(user, OF_USER),
            ["the till closes at six", "Kim prefers tea."]
        );
        let model = "**Finding:** the clock was late\nI remember: nothing\nDecision: SQLite\n\
                     ```\nFinding: in code\n```\nfinding:   \nDÉCISION: no";
        assert_eq!(found(model, OF_MODEL), ["the clock was late", "SQLite"]);
        assert_eq!(
            found(&format!("Remember: {}", "x".repeat(1001)), OF_USER),
            [""; 0]
        );
    }
}

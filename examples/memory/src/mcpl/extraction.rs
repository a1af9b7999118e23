//! After an inference: what the user or the model marked as worth remembering is stored.

use std::sync::atomic::Ordering;

use hooks_sdk::prelude::*;

use crate::{
    Memory,
    mcpl::{
        CONVERSATIONS, consolidation,
        secrets::looks_secret,
        sets::{Consolidation, Extraction},
    },
    store::{Draft, Error, Stored},
};

/// The most that is learned of one turn.
const MOST: usize = 8;
/// The longest line that is learned, in characters; a longer one is no finding.
const LONGEST: usize = 1000;
/// How many lines of each message are looked at.
const LINES: usize = 2000;
/// So many new memories are looked through for related ones.
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
        let drafts = learned(turn);
        if drafts.is_empty() {
            return Ok(());
        }
        let stored = self.store().store_batch(CONVERSATIONS, drafts).await?;
        let new = stored
            .iter()
            .filter(|one| matches!(one, Stored::New { .. }));
        let new = new.count();
        let learned = &self.kept().learned;
        if learned.fetch_add(new, Ordering::Relaxed) + new < ENOUGH {
            return Ok(());
        }
        learned.store(0, Ordering::Relaxed);
        let store = self.store().clone();
        // A hook must not ask its host; once it has ended, its work may.
        cx.after_answer(move |host| async move {
            if !host.is_enabled::<Consolidation>() {
                return;
            }
            match consolidation::consolidate(&store, &host, CONVERSATIONS).await {
                Ok(merged) => tracing::debug!(?merged, "looked through what was learned"),
                Err(error) => tracing::info!(%error, "nothing was merged"),
            }
        });
        Ok(())
    }
}

/// What the turn says is worth remembering.
fn learned(turn: &AfterInference) -> Vec<Draft> {
    let user = turn.user_message.as_deref().unwrap_or_default();
    let marked = marked(user, OF_USER).chain(marked(&turn.assistant_message, OF_MODEL));
    let drafts = marked.filter(|(text, _)| {
        let secret = looks_secret(text);
        if secret {
            tracing::info!("a line that looks like a secret is not learned");
        }
        !secret
    });
    let source: String = turn
        .conversation_id
        .chars()
        .filter(|c| !c.is_control())
        .take(200)
        .collect();
    let draft = |(text, tag): (&str, &str)| Draft {
        tags: vec![tag.to_owned()],
        source: format!("conversation {source}"),
        ..Draft::new(text)
    };
    drafts.take(MOST).map(draft).collect()
}

/// What follows a mark at the beginning of a line, outside of blocks of code.
fn marked<'t>(
    message: &'t str,
    marks: &'static [(&str, &'static str)],
) -> impl Iterator<Item = (&'t str, &'static str)> {
    let mut in_code = false;
    let lines = message.lines().take(LINES).filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    });
    lines.filter_map(move |line| {
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
        marked(message, marks).map(|(text, _)| text).collect()
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

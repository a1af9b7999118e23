//! Finding a memory that already says what is about to be stored.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::{query::phrase, record::Similar, words::Bag};

/// Above this a new memory is the old one again.
pub(super) const SAME: f64 = 0.95;
/// From this on the caller should look at the old one.
pub(super) const ALIKE: f64 = 0.80;

/// Bounds of the work for one draft, so that storing stays quick in a large database.
const WORDS: usize = 32;
const PER_WORD: usize = 64;
const CANDIDATES: usize = 10;

/// The most alike memory of the project, or of the conversation, that is not superseded, if any is alike.
///
/// Exact copies are found by fingerprint, always. Others are looked for among the memories that
/// share the most words, of the newest that have each word: a text that differs in a few words
/// shares nearly all.
pub(super) fn most_alike(
    db: &Connection,
    project: &str,
    conversation: Option<&str>,
    bag: &Bag,
) -> rusqlite::Result<Option<Similar>> {
    let mut shared = HashMap::<i64, usize>::new();
    let mut with_word = db.prepare_cached(
        "SELECT rowid FROM memory_text WHERE memory_text MATCH ?1 ORDER BY rowid DESC LIMIT ?2",
    )?;
    for word in bag.telling(WORDS) {
        let query = format!("content : {}", phrase(word));
        let rows = with_word.query_map(params![query, PER_WORD], |row| row.get(0))?;
        for seq in rows {
            *shared.entry(seq?).or_default() += 1;
        }
    }
    let mut candidates: Vec<(i64, usize)> = shared.into_iter().collect();
    candidates.sort_unstable_by_key(|&(seq, words)| std::cmp::Reverse((words, seq)));

    let mut best = None::<Similar>;
    let mut look = |(id, content): (String, String)| {
        let likeness = bag.likeness(&Bag::of(&content));
        if likeness >= ALIKE && best.as_ref().is_none_or(|b| likeness > b.likeness) {
            best = Some(Similar { id, likeness });
        }
    };
    let mut copy = db.prepare_cached(
        "SELECT id, content FROM memory
         WHERE project = ?1 AND fingerprint = ?2 AND conversation IS ?3 AND superseded_by IS NULL LIMIT 1",
    )?;
    copy.query_row(params![project, bag.fingerprint(), conversation], pair)
        .optional()?
        .map(&mut look);
    let mut one = db.prepare_cached(
        "SELECT id, content FROM memory
         WHERE seq = ?1 AND project = ?2 AND conversation IS ?3 AND superseded_by IS NULL",
    )?;
    let mut looked_at = 0;
    for (seq, _) in candidates {
        if looked_at == CANDIDATES {
            break;
        }
        if let Some(found) = one
            .query_row(params![seq, project, conversation], pair)
            .optional()?
        {
            look(found);
            looked_at += 1;
        }
    }
    Ok(best)
}

fn pair(row: &rusqlite::Row<'_>) -> rusqlite::Result<(String, String)> {
    Ok((row.get(0)?, row.get(1)?))
}

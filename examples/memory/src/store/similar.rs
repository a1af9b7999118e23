//! Finding a memory that already says what is about to be stored.

use std::collections::HashMap;

use rusqlite::Row;

use super::{
    database::Db,
    error::Error,
    newest::{Sought, newest},
    record::Similar,
    words::Bag,
};

/// Above this a new memory is the old one again.
pub(super) const SAME: f64 = 0.95;
/// From this on the caller should look at the old one.
pub(super) const ALIKE: f64 = 0.80;

/// Bounds of the work for one draft, so that storing stays quick in a large database.
const WORDS: usize = 32;
const PER_WORD: i64 = 64;
const CANDIDATES: usize = 10;

/// The most alike memory of the project, or of the conversation, that is not superseded, if any is alike.
///
/// Exact copies are found by fingerprint, always. Others are looked for among the memories that
/// share the most words, of the newest that have each word: a text that differs in a few words
/// shares nearly all.
pub(super) fn most_alike(
    db: Db<'_>,
    project: &str,
    conversation: Option<&str>,
    bag: &Bag,
) -> Result<Option<Similar>, Error> {
    let telling = bag.telling(WORDS);
    let sought: Vec<Sought<'_>> = telling.into_iter().map(Sought::InContent).collect();
    let mut shared = HashMap::<i64, usize>::new();
    for seq in newest(db, &sought, PER_WORD)?.into_iter().flatten() {
        *shared.entry(seq).or_default() += 1;
    }
    let mut candidates: Vec<(i64, usize)> = shared.into_iter().collect();
    candidates.sort_unstable_by_key(|&(seq, words)| std::cmp::Reverse((words, seq)));
    let candidates: Vec<i64> = candidates.into_iter().map(|(seq, _)| seq).collect();

    let mut best = None::<Similar>;
    let mut look = |(id, content): (String, String)| {
        let likeness = bag.likeness(&Bag::of(&content));
        if likeness >= ALIKE && best.as_ref().is_none_or(|b| likeness > b.likeness) {
            best = Some(Similar { id, likeness });
        }
    };
    db.first(
        "SELECT id, content FROM memory
         WHERE project = ?1 AND fingerprint = ?2 AND conversation IS NOT DISTINCT FROM ?3
         AND superseded_by IS NULL LIMIT 1",
        &[&project, &bag.fingerprint(), &conversation],
        pair,
    )?
    .map(&mut look);
    let current = "SELECT id, content FROM memory
                   WHERE seq = ?1 AND project = ?2 AND conversation IS NOT DISTINCT FROM ?3
                   AND superseded_by IS NULL";
    let read = |seq: &i64| db.first(current, &[seq, &project, &conversation], pair);
    let found = candidates.iter().filter_map(|seq| read(seq).transpose());
    for found in found.take(CANDIDATES) {
        look(found?);
    }
    Ok(best)
}

fn pair(row: &Row<'_>) -> Result<(String, String), Error> {
    Ok((row.get(0)?, row.get(1)?))
}

//! The statements that PostgreSQL needs in its own words: those of full-text search, and those that ask at once for what
//! SQLite is asked for one by one.

use crate::store::{
    database::{Db, Row},
    error::Error,
    query::is_prefix,
    record::{COLUMNS, Record},
};

use super::text::{anywhere, beginning, plain};

/// The strings of a JSON array, as the column `value` of a table `t`.
pub(in crate::store) fn strings_of(array: &str) -> String {
    format!(
        "LATERAL (SELECT value COLLATE \"C\" AS value
                  FROM jsonb_array_elements_text(CAST(CAST({array} AS text) AS jsonb)) e (value)) t"
    )
}

/// Brings the words of a memory up to date: those of its tags with the weight A, those of its content with D.
pub(in crate::store) fn index(db: Db<'_>, record: &Record) -> Result<(), Error> {
    db.execute(
        "INSERT INTO memory_text (seq, words)
             SELECT seq, setweight(to_tsvector('words', CAST(?2 AS text)), 'A')
                         || to_tsvector('words', CAST(?3 AS text))
             FROM memory WHERE id = ?1
         ON CONFLICT (seq) DO UPDATE SET words = excluded.words",
        &[
            &record.id,
            &plain(&record.tags.join(" ")),
            &plain(&record.content),
        ],
    )?;
    Ok(())
}

/// What to look for: a JSON array of queries, one for each word.
pub(in crate::store) fn lexemes(words: &[String]) -> String {
    let lexemes = words.iter().filter_map(|word| {
        if is_prefix(word) {
            beginning(word)
        } else {
            anywhere(word)
        }
    });
    serde_json::json!(lexemes.collect::<Vec<_>>()).to_string()
}

/// The memories that meet the conditions and match one of the words, with a score that is the lower the better.
///
/// A memory has for each word what `ts_rank` says of it, as often as the word is rare: this is what BM25 does, which
/// PostgreSQL lacks. A word in a tag counts twice.
pub(in crate::store) fn ranked(words: usize, conditions: &str) -> String {
    format!(
        "WITH word AS (
             SELECT number, to_tsquery('words', word) AS query
             FROM jsonb_array_elements_text(CAST(CAST(?{words} AS text) AS jsonb)) WITH ORDINALITY AS w (word, number)
         ), hit AS MATERIALIZED (
             SELECT word.number, m.seq, m.created_at AS time,
                    ts_rank('{{0.5, 0, 0, 1}}', t.words, word.query, 1) AS rank
             FROM word JOIN memory_text t ON t.words @@ word.query JOIN memory m ON m.seq = t.seq
             WHERE {conditions}
         ), rarity AS (
             SELECT number, ln(1 + (greatest(every.row, count(*)) - count(*) + 0.5::float8) / (count(*) + 0.5::float8)) AS weight
             FROM hit, (SELECT max(seq) AS row FROM memory) every GROUP BY number, every.row
         ), best AS (
             SELECT hit.seq, hit.time, -sum(hit.rank * rarity.weight) AS score
             FROM hit JOIN rarity USING (number)
             GROUP BY hit.seq, hit.time ORDER BY score, time DESC, seq DESC LIMIT ?1
         )
         SELECT {COLUMNS}, best.score FROM best JOIN memory m ON m.seq = best.seq
         ORDER BY best.score, best.time DESC, best.seq DESC"
    )
}

/// The newest rows that match each of the queries.
///
/// An empty query matches nothing.
pub(in crate::store) fn newest(
    db: Db<'_>,
    queries: &[String],
    most: i64,
) -> Result<Vec<Vec<i64>>, Error> {
    let mut rows = vec![Vec::new(); queries.len()];
    db.each(
        "SELECT q.number, m.seq
         FROM jsonb_array_elements_text(CAST(CAST(?1 AS text) AS jsonb)) WITH ORDINALITY AS q (query, number)
         CROSS JOIN LATERAL (
             SELECT seq FROM memory_text WHERE words @@ to_tsquery('words', q.query) ORDER BY seq DESC LIMIT ?2
         ) m
         ORDER BY q.number, m.seq DESC",
        &[&serde_json::json!(queries).to_string(), &most],
        |row| {
            let number: i64 = row.get(0)?;
            let of = usize::try_from(number - 1).ok().and_then(|at| rows.get_mut(at));
            if let Some(of) = of {
                of.push(row.get(1)?);
            }
            Ok(true)
        },
    )?;
    Ok(rows)
}

/// Ids and contents of those rows that are current and of the project or conversation, in the given order.
pub(in crate::store) fn contents(
    db: Db<'_>,
    rows: &[i64],
    project: &str,
    conversation: Option<&str>,
    most: i64,
) -> Result<Vec<(String, String)>, Error> {
    db.all(
        "SELECT m.id, m.content
         FROM jsonb_array_elements_text(CAST(CAST(?1 AS text) AS jsonb)) WITH ORDINALITY AS r (seq, number)
         JOIN memory m ON m.seq = CAST(r.seq AS bigint)
         WHERE m.project = ?2 AND m.conversation IS NOT DISTINCT FROM ?3 AND m.superseded_by IS NULL
         ORDER BY r.number LIMIT ?4",
        &[
            &serde_json::json!(rows).to_string(),
            &project,
            &conversation,
            &most,
        ],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// The first of those rows that are current and may be found, in the given order.
pub(in crate::store) fn current(
    db: Db<'_>,
    rows: &[i64],
    conversation: Option<&str>,
    project: Option<&str>,
    words: Option<&str>,
    most: usize,
) -> Result<Vec<(i64, Record)>, Error> {
    let sql = format!(
        "SELECT {COLUMNS}, m.seq
         FROM jsonb_array_elements_text(CAST(CAST(?1 AS text) AS jsonb)) WITH ORDINALITY AS r (seq, number)
         JOIN memory m ON m.seq = CAST(r.seq AS bigint)
         WHERE m.superseded_by IS NULL AND (m.conversation IS NULL OR m.conversation = ?2)
         AND (CAST(?3 AS text) IS NULL OR m.project = ?3)
         AND (CAST(?4 AS text) IS NULL OR NOT starts_with(m.content, ?4))
         ORDER BY r.number LIMIT ?5"
    );
    let read = |row: &Row<'_>| Ok((row.get(9)?, Record::read(row)?));
    // No content has a NUL, which PostgreSQL would refuse.
    let words = words.map(|words| words.replace('\0', " "));
    db.all(
        &sql,
        &[
            &serde_json::json!(rows).to_string(),
            &conversation,
            &project,
            &words,
            &i64::try_from(most).unwrap_or(i64::MAX),
        ],
        read,
    )
}

//! Everything that reads memories.

use rusqlite::ToSql;

use super::{
    check,
    database::Db,
    error::Error,
    query::{Checked, expression},
    record::{COLUMNS, Record},
    write,
};

/// The most topics in one answer.
const TOPICS: i64 = 500;

/// A memory that was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The memory.
    pub record: Record,
    /// Its score as a share of the best hit's; `None` when no words ranked it.
    pub score: Option<f64>,
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The hits, the best first when ranked, else the newest first.
    pub hits: Vec<Hit>,
    /// Whether a larger limit would find more.
    pub has_more: bool,
    /// Whether the query had words to rank by, and the hits have some of them.
    pub is_ranked: bool,
    /// Whether the query was met; if not, no memory has any of its words, and hits are the newest instead.
    pub is_matched: bool,
}

/// The answer of an expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expanded {
    /// The memories, in the order of the ids.
    pub records: Vec<Record>,
    /// The ids that name nothing in the project.
    pub unknown: Vec<String>,
}

/// A tag and how many memories have it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Topic {
    /// The tag.
    pub tag: String,
    /// How many memories have it.
    pub memories: u64,
}

/// The tags of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Topics {
    /// The tags, the most used first.
    pub topics: Vec<Topic>,
    /// How many memories the project has, superseded ones not counted.
    pub memories: u64,
    /// The projects there are, named when this one is empty.
    pub projects: Vec<String>,
}

/// The memories that have a word of the query, or the newest when it has no words.
///
/// The newest stand in as well when no memory matches: an agent that begins its work asks in general words
/// for what there is. Who sets a least score wants matches only.
pub(super) fn search(db: Db<'_>, query: &Checked) -> Result<Found, Error> {
    let found = ordered(db, query, &query.words)?;
    if found.is_matched || query.min_score.is_some() {
        return Ok(found);
    }
    Ok(Found {
        is_matched: false,
        ..ordered(db, query, &[])?
    })
}

/// The hits of the words, or the newest memories where there are none.
fn ordered(db: Db<'_>, query: &Checked, words: &[String]) -> Result<Found, Error> {
    let is_ranked = !words.is_empty();
    let mut values: Vec<Box<dyn ToSql + '_>> = Vec::new();
    // One more than asked for tells whether there are more.
    let limit = i64::try_from(query.limit + 1).unwrap_or(i64::MAX);
    values.push(Box::new(limit));
    let conditions = query.filters(&mut values);
    let sql = if is_ranked {
        values.push(Box::new(expression(words)));
        let from = format!(
            "memory_text JOIN memory m ON m.seq = memory_text.rowid
             WHERE memory_text MATCH ?{} AND ",
            values.len()
        );
        // A word in a tag says more about a memory than the same word in its text.
        best("bm25(memory_text, 1.0, 2.0)", &from, &conditions, "score, ")
    } else {
        best("0.0", "memory m WHERE ", &conditions, "")
    };
    let values: Vec<&dyn ToSql> = values.iter().map(|value| &**value as _).collect();
    let mut rows = db.all(&sql, &values, |row| {
        Ok((Record::read(row)?, row.get::<_, f64>(9)?))
    })?;

    let best = rows.first().map_or(0.0, |(_, score)| *score);
    // Scores are negative and have no scale that compares over queries.
    let share = |score: f64| if best == 0.0 { 1.0 } else { score / best };
    let least = query.min_score.filter(|_| is_ranked).unwrap_or_default();
    rows.retain(|(_, score)| share(*score) >= least);
    let has_more = rows.len() > query.limit;
    rows.truncate(query.limit);
    let hits: Vec<Hit> = rows
        .into_iter()
        .map(|(record, score)| Hit {
            record,
            score: is_ranked.then(|| share(score)),
        })
        .collect();
    Ok(Found {
        is_matched: !(is_ranked && hits.is_empty()),
        hits,
        has_more,
        is_ranked,
    })
}

/// The statement that reads the best; `?1` is the most.
fn best(score: &str, from: &str, conditions: &str, order: &str) -> String {
    // The inner query sorts numbers only; contents are read for the few that are returned.
    format!(
        "SELECT {COLUMNS}, hit.score FROM (
             SELECT m.seq AS seq, m.created_at AS time, {score} AS score
             FROM {from}{conditions}
             ORDER BY {order}m.created_at DESC, m.seq DESC LIMIT ?1
         ) hit JOIN memory m ON m.seq = hit.seq
         ORDER BY hit.score, hit.time DESC, hit.seq DESC"
    )
}

pub(super) fn expand(db: Db<'_>, project: &str, ids: &[String]) -> Result<Expanded, Error> {
    let mut expanded = Expanded {
        records: Vec::new(),
        unknown: Vec::new(),
    };
    let mut first = None;
    for id in ids {
        match check::id(id).and_then(|id| write::find(db, project, &id)) {
            Ok(record) => expanded.records.push(record),
            Err(refused @ Error::Refused { .. }) => {
                expanded
                    .unknown
                    .push(id.chars().take(check::MAX_ID).collect());
                first.get_or_insert(refused);
            }
            Err(failed) => return Err(failed),
        }
    }
    match first {
        Some(refused) if expanded.records.is_empty() => Err(refused),
        _ => Ok(expanded),
    }
}

pub(super) fn topics(db: Db<'_>, project: &str) -> Result<Topics, Error> {
    let memories = db.number(
        "SELECT count(*) FROM memory
         WHERE project = ?1 AND superseded_by IS NULL AND conversation IS NULL",
        &[&project],
    )?;
    let memories = u64::try_from(memories).unwrap_or_default();
    let sql = "SELECT t.value, count(*) AS memories FROM memory m, json_each(m.tags) t
         WHERE m.project = ?1 AND m.superseded_by IS NULL AND m.conversation IS NULL
         GROUP BY t.value ORDER BY memories DESC, t.value LIMIT ?2";
    let topics = db.all(sql, &[&project, &TOPICS], |row| {
        Ok(Topic {
            tag: row.get(0)?,
            memories: u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default(),
        })
    })?;
    let projects = if memories == 0 {
        projects(db)?
    } else {
        Vec::new()
    };
    Ok(Topics {
        topics,
        memories,
        projects,
    })
}

pub(super) fn projects(db: Db<'_>) -> Result<Vec<String>, Error> {
    let most = i64::try_from(check::MAX_PROJECTS).unwrap_or(i64::MAX);
    db.all(
        "SELECT DISTINCT project FROM memory WHERE conversation IS NULL ORDER BY project LIMIT ?1",
        &[&most],
        |row| Ok(row.get(0)?),
    )
}

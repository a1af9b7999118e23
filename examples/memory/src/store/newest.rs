//! The newest memories that have a word.

use super::{database::Db, error::Error, query::phrase};

/// What memories are looked for by.
pub(super) enum Sought<'w> {
    /// A word of the content.
    InContent(&'w str),
    /// A word of the content or of a tag.
    Word(&'w str),
    /// Such a word, together with one of others.
    With(&'w str, &'w [&'w str]),
}

impl Sought<'_> {
    fn fts5(&self) -> String {
        match self {
            Self::InContent(word) => format!("content : {}", phrase(word)),
            Self::Word(word) => phrase(word),
            Self::With(word, others) => {
                let others: Vec<String> = others.iter().map(|other| phrase(other)).collect();
                format!("{} AND ({})", phrase(word), others.join(" OR "))
            }
        }
    }
}

/// The rows of the newest memories that match, the newest first: at most so many for each.
pub(super) fn newest(db: Db<'_>, sought: &[Sought<'_>], most: i64) -> Result<Vec<Vec<i64>>, Error> {
    let sql =
        "SELECT rowid FROM memory_text WHERE memory_text MATCH ?1 ORDER BY rowid DESC LIMIT ?2";
    let rows = sought
        .iter()
        .map(|sought| db.all(sql, &[&sought.fts5(), &most], |row| Ok(row.get(0)?)));
    rows.collect()
}

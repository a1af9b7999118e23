//! The newest memories that have a word.

#[cfg(feature = "postgres")]
use super::postgres;
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

    /// Empty where nothing can match.
    #[cfg(feature = "postgres")]
    fn tsquery(&self) -> String {
        let query = match self {
            Self::InContent(word) => postgres::in_content(word),
            Self::Word(word) => postgres::anywhere(word),
            Self::With(word, others) => postgres::anywhere(word).and_then(|word| {
                let others = others.iter().filter_map(|other| postgres::anywhere(other));
                let others: Vec<String> = others.collect();
                (!others.is_empty()).then(|| format!("{word} & ({})", others.join(" | ")))
            }),
        };
        query.unwrap_or_default()
    }
}

/// The rows of the newest memories that match, the newest first: at most so many for each.
pub(super) fn newest(db: Db<'_>, sought: &[Sought<'_>], most: i64) -> Result<Vec<Vec<i64>>, Error> {
    match db {
        Db::Sqlite(_) => {
            let sql = "SELECT rowid FROM memory_text WHERE memory_text MATCH ?1 ORDER BY rowid DESC LIMIT ?2";
            let rows = sought
                .iter()
                .map(|sought| db.all(sql, &[&sought.fts5(), &most], |row| row.get(0)));
            rows.collect()
        }
        #[cfg(feature = "postgres")]
        Db::Postgres(_) => {
            let queries: Vec<String> = sought.iter().map(Sought::tsquery).collect();
            postgres::newest(db, &queries, most)
        }
    }
}

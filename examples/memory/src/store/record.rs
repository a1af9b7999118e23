//! The nouns of the store: what goes in and what comes out.

use jiff::Timestamp;
use rusqlite::Row;

use super::error::{Error, Trouble};

/// A memory as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// The id, unique over all projects.
    pub id: String,
    /// The project it belongs to.
    pub project: String,
    /// What is remembered.
    pub content: String,
    /// Its tags, lower case and sorted.
    pub tags: Vec<String>,
    /// Where it comes from; may be empty.
    pub source: String,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The memory that replaced it.
    pub superseded_by: Option<String>,
    /// The conversation that it is for; `None` for a memory of the project, which everybody has.
    pub conversation: Option<String>,
}

/// The columns that [`Record::read`] reads, in its order.
pub(super) const COLUMNS: &str = "m.id, m.project, m.content, m.tags, m.source, m.created_at, \
                                  m.updated_at, m.superseded_by, m.conversation";

impl Record {
    pub(super) fn read(row: &Row<'_>) -> Result<Self, Error> {
        let tags: String = row.get(3)?;
        Ok(Self {
            id: row.get(0)?,
            project: row.get(1)?,
            content: row.get(2)?,
            tags: serde_json::from_str(&tags).unwrap_or_default(),
            source: row.get(4)?,
            created_at: moment(row.get(5)?)?,
            updated_at: moment(row.get(6)?)?,
            superseded_by: row.get(7)?,
            conversation: row.get(8)?,
        })
    }
}

/// A moment as it is stored, in milliseconds.
pub(super) fn moment(stored: i64) -> Result<Timestamp, Error> {
    Timestamp::from_millisecond(stored).map_err(|error| Error::caused(Trouble::Other, error))
}

/// A memory to be stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// What is to be remembered.
    pub content: String,
    /// Its tags, in any case and order.
    pub tags: Vec<String>,
    /// Where it comes from; may be empty.
    pub source: String,
    /// The memory it replaces, one of the project.
    pub supersedes: Option<String>,
    /// The conversation that it is for; `None` for the project.
    pub conversation: Option<String>,
}

impl Draft {
    /// A draft with nothing but its content.
    #[must_use]
    pub fn new(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            ..Self::default()
        }
    }
}

/// Another memory that says nearly the same.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Similar {
    /// Its id.
    pub id: String,
    /// How alike the words are, up to 1.
    pub likeness: f64,
}

/// What became of a draft.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stored {
    /// It was stored.
    New {
        /// Its id.
        id: String,
        /// A memory that says something like it, worth a look.
        similar: Option<Similar>,
        /// The memory it replaced.
        superseded: Option<String>,
    },
    /// It was not stored: a memory says the same already.
    Skipped(Similar),
}

/// A change of a memory; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The new content.
    pub content: Option<String>,
    /// The new tags.
    pub tags: Option<Vec<String>>,
    /// The new source.
    pub source: Option<String>,
}

/// A change of tags: either `set`, or `add` and `remove`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retag {
    /// Tags to add.
    pub add: Vec<String>,
    /// Tags to remove; one that is not there is passed over.
    pub remove: Vec<String>,
    /// The tags to have from now on.
    pub set: Option<Vec<String>>,
}

//! Related memories, and one memory in the place of several.

use rusqlite::ToSql;
use uuid::Uuid;

use super::{
    Store, check,
    database::Db,
    error::Error,
    record::{COLUMNS, Record},
    words::Bag,
    write::{self, now},
};

/// How alike two memories are, at least, that say related things.
const RELATED: f64 = 0.5;
/// The newest memories of a project that are looked at.
const LOOKED_AT: i64 = 200;
/// The longest memory that is merged, in bytes; a longer one is a document.
const LONGEST: i64 = 2000;
/// The most memories that are merged at once.
const MOST: usize = 8;
/// The share of each memory's words that the one in their place has, at least.
const COVERED: f64 = 0.4;

impl Store {
    /// Memories of a project, or those of a conversation, that say related things, the newest first; empty when no two
    /// do.
    ///
    /// The newest memory that has related ones, and those; at most eight, none longer than 2000 bytes.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn related(
        &self,
        project: &str,
        conversation: Option<&str>,
    ) -> Result<Vec<Record>, Error> {
        let project = check::project(project)?;
        let conversation = conversation.map(check::conversation).transpose()?;
        self.run(move |db| related(db, &project, conversation.as_deref()))
            .await
    }

    /// Stores one memory in the place of several, which are superseded by it and not deleted.
    ///
    /// It has their tags and sources. Nothing is stored when one of them was changed, superseded or deleted since it
    /// was read, or when the content leaves out most of what one of them says.
    ///
    /// # Errors
    ///
    /// In these cases, and when the database fails.
    pub async fn merge(&self, originals: Vec<Record>, content: &str) -> Result<Record, Error> {
        let content = check::content(content)?;
        self.run(move |db| merge(db, &originals, content)).await
    }
}

fn related(db: Db<'_>, project: &str, conversation: Option<&str>) -> Result<Vec<Record>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memory m
         WHERE m.project = ?1 AND m.conversation IS NOT DISTINCT FROM ?4 AND m.superseded_by IS NULL
             AND octet_length(m.content) <= ?2
         ORDER BY m.created_at DESC, m.seq DESC LIMIT ?3"
    );
    let values: [&dyn ToSql; 4] = [&project, &LONGEST, &LOOKED_AT, &conversation];
    let memories = db.all(&sql, &values, |row| {
        let record = Record::read(row)?;
        Ok((Bag::of(&record.content), record))
    })?;
    for (at, (bag, _)) in memories.iter().enumerate() {
        let group: Vec<Record> = memories[at..]
            .iter()
            .filter(|(other, _)| bag.likeness(other) >= RELATED)
            .take(MOST)
            .map(|(_, record)| record.clone())
            .collect();
        if group.len() > 1 {
            return Ok(group);
        }
    }
    Ok(Vec::new())
}

fn merge(db: Db<'_>, originals: &[Record], content: String) -> Result<Record, Error> {
    let [first, _, ..] = originals else {
        return Err(Error::refused(
            "there are no two memories to merge",
            "nothing needs to be done",
        ));
    };
    let bag = Bag::of(&content);
    for original in originals {
        if bag.covers(&Bag::of(&original.content)) < COVERED {
            return Err(Error::refused(
                format!("the merged text leaves out what `{}` says", original.id),
                "nothing was changed; merge them by hand if they belong together",
            ));
        }
    }
    let transaction = db.begin()?;
    for original in originals {
        let now = write::read(Db(&transaction), &original.id)?;
        let is_as_it_was = now.is_some_and(|now| {
            let same = now.content == original.content && now.conversation == original.conversation;
            same && now.superseded_by.is_none()
        });
        if !is_as_it_was {
            return Err(Error::refused(
                format!("`{}` was changed meanwhile", original.id),
                "nothing was changed; start again",
            ));
        }
    }
    let now = now();
    let record = Record {
        id: Uuid::now_v7().to_string(),
        project: first.project.clone(),
        content,
        tags: all_tags(originals),
        source: all_sources(originals),
        created_at: now,
        updated_at: now,
        superseded_by: None,
        conversation: first.conversation.clone(),
    };
    write::insert(Db(&transaction), &record, &bag)?;
    for original in originals {
        write::supersede(Db(&transaction), &original.id, &record.id)?;
    }
    transaction.commit()?;
    Ok(record)
}

fn all_tags(originals: &[Record]) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in originals.iter().flat_map(|original| &original.tags) {
        if !tags.contains(tag) && tags.len() < check::MAX_TAGS {
            tags.push(tag.clone());
        }
    }
    tags.sort_unstable();
    tags
}

/// What does not fit is still with the originals.
fn all_sources(originals: &[Record]) -> String {
    let mut sources: Vec<&str> = Vec::new();
    let mut length = 0;
    for original in originals {
        let source = original.source.as_str();
        let more = source.chars().count() + 2;
        if !source.is_empty() && !sources.contains(&source) && length + more <= check::MAX_SOURCE {
            sources.push(source);
            length += more;
        }
    }
    sources.join("; ")
}

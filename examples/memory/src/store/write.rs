//! Everything that changes memories.

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    check,
    database::Db,
    error::Error,
    record::{COLUMNS, Change, Draft, Record, Retag, Stored},
    similar,
    words::Bag,
};

pub(super) fn store(
    db: Db<'_>,
    project: &str,
    drafts: &[Draft],
    numbered: bool,
) -> Result<Vec<Stored>, Error> {
    let transaction = db.begin()?;
    let stored = drafts
        .iter()
        .enumerate()
        .map(|(at, draft)| {
            store_one(Db(&transaction), project, draft).map_err(|error| match error {
                Error::Refused { what, help } if numbered => Error::refused(
                    format!("`memories[{at}]`: {what}"),
                    format!("{help}; nothing of this batch was stored"),
                ),
                other => other,
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    transaction.commit()?;
    Ok(stored)
}

fn store_one(db: Db<'_>, project: &str, draft: &Draft) -> Result<Stored, Error> {
    let content = check::content(&draft.content)?;
    let tags = check::tags(&draft.tags)?;
    let source = check::source(&draft.source)?;
    let conversation = draft
        .conversation
        .as_deref()
        .map(check::conversation)
        .transpose()?;
    let bag = Bag::of(&content);
    let superseded = match &draft.supersedes {
        Some(id) => Some(replaceable(db, project, id)?),
        None => None,
    };
    let similar = match superseded {
        Some(_) => None,
        None => similar::most_alike(db, project, conversation.as_deref(), &bag)?,
    };
    if let Some(same) = &similar
        && same.likeness > similar::SAME
    {
        return Ok(Stored::Skipped(same.clone()));
    }
    let now = now();
    let record = Record {
        id: Uuid::now_v7().to_string(),
        project: project.to_owned(),
        content,
        tags,
        source,
        created_at: now,
        updated_at: now,
        superseded_by: None,
        conversation,
    };
    insert(db, &record, &bag)?;
    if let Some(old) = &superseded {
        supersede(db, old, &record.id)?;
    }
    Ok(Stored::New {
        id: record.id,
        similar,
        superseded,
    })
}

fn replaceable(db: Db<'_>, project: &str, id: &str) -> Result<String, Error> {
    let old = find(db, project, &check::id(id)?)?;
    match old.superseded_by {
        Some(newer) => Err(Error::refused(
            format!("`{id}` was already superseded by `{newer}`"),
            format!("supersede `{newer}` instead"),
        )),
        None => Ok(old.id),
    }
}

/// Hides a memory behind the one in its place.
pub(super) fn supersede(db: Db<'_>, old: &str, new: &str) -> Result<(), Error> {
    let sql = "UPDATE memory SET superseded_by = ?2 WHERE id = ?1";
    db.execute(sql, &[&old, &new])?;
    Ok(())
}

pub(super) fn insert(db: Db<'_>, record: &Record, bag: &Bag) -> Result<(), Error> {
    db.execute(
        "INSERT INTO memory (id, project, content, tags, source, created_at, updated_at,
                             superseded_by, conversation, fingerprint)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        &[
            &record.id,
            &record.project,
            &record.content,
            &serde_json::json!(record.tags).to_string(),
            &record.source,
            &record.created_at.as_millisecond(),
            &record.updated_at.as_millisecond(),
            &record.superseded_by,
            &record.conversation,
            &bag.fingerprint(),
        ],
    )?;
    Ok(())
}

pub(super) fn update(
    db: Db<'_>,
    project: &str,
    id: &str,
    change: &Change,
) -> Result<Record, Error> {
    if *change == Change::default() {
        return Err(Error::refused(
            "there is nothing to change",
            "give at least one of `content`, `tags` and `source`",
        ));
    }
    rewrite(db, project, id, |record| {
        if let Some(content) = &change.content {
            record.content = check::content(content)?;
        }
        if let Some(tags) = &change.tags {
            record.tags = check::tags(tags)?;
        }
        if let Some(source) = &change.source {
            record.source = check::source(source)?;
        }
        Ok(())
    })
}

pub(super) fn retag(db: Db<'_>, project: &str, id: &str, retag: &Retag) -> Result<Record, Error> {
    let (add, remove) = (check::tags(&retag.add)?, check::tags(&retag.remove)?);
    let stepwise = !add.is_empty() || !remove.is_empty();
    if stepwise == retag.set.is_some() {
        return Err(Error::refused(
            if stepwise {
                "`set_tags` was given together with `add_tags` or `remove_tags`"
            } else {
                "there are no tags to change"
            },
            "give either `set_tags`, or `add_tags` and `remove_tags`",
        ));
    }
    rewrite(db, project, id, |record| {
        let wanted = match &retag.set {
            Some(tags) => tags.clone(),
            None => {
                let kept = record.tags.iter().filter(|tag| !remove.contains(tag));
                kept.chain(&add).cloned().collect()
            }
        };
        record.tags = check::tags(&wanted)?;
        Ok(())
    })
}

fn rewrite(
    db: Db<'_>,
    project: &str,
    id: &str,
    edit: impl FnOnce(&mut Record) -> Result<(), Error>,
) -> Result<Record, Error> {
    let transaction = db.begin()?;
    let mut record = find(Db(&transaction), project, id)?;
    edit(&mut record)?;
    record.updated_at = now();
    replace(Db(&transaction), &record)?;
    transaction.commit()?;
    Ok(record)
}

fn replace(db: Db<'_>, record: &Record) -> Result<(), Error> {
    db.execute(
        "UPDATE memory SET content = ?2, tags = ?3, source = ?4, updated_at = ?5, fingerprint = ?6
         WHERE id = ?1",
        &[
            &record.id,
            &record.content,
            &serde_json::json!(record.tags).to_string(),
            &record.source,
            &record.updated_at.as_millisecond(),
            &Bag::of(&record.content).fingerprint(),
        ],
    )?;
    Ok(())
}

pub(super) fn delete(db: Db<'_>, project: &str, id: &str) -> Result<Record, Error> {
    let transaction = db.begin()?;
    let record = find(Db(&transaction), project, id)?;
    // What it replaced is the newest word again; in a chain it was replaced by the next one.
    Db(&transaction).execute(
        "UPDATE memory SET superseded_by = ?2 WHERE superseded_by = ?1",
        &[&record.id, &record.superseded_by],
    )?;
    let sql = "DELETE FROM memory WHERE id = ?1";
    Db(&transaction).execute(sql, &[&record.id])?;
    transaction.commit()?;
    Ok(record)
}

/// Forgets all that was learned in a conversation, and returns how many memories that was.
pub(super) fn forget(db: Db<'_>, conversation: &str) -> Result<usize, Error> {
    let transaction = db.begin()?;
    let sql = "DELETE FROM memory WHERE conversation = ?1";
    let forgotten = Db(&transaction).execute(sql, &[&conversation])?;
    transaction.commit()?;
    Ok(forgotten)
}

/// The memory of that id, whoever it is for.
pub(super) fn read(db: Db<'_>, id: &str) -> Result<Option<Record>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM memory m WHERE m.id = ?1");
    db.first(&sql, &[&id], Record::read)
}

/// The memory of that id and project, or an error that says where to look; one of a conversation is as if it were not
/// there.
pub(super) fn find(db: Db<'_>, project: &str, id: &str) -> Result<Record, Error> {
    let found = read(db, id)?.filter(|record| record.conversation.is_none());
    match found {
        Some(record) if record.project == project => Ok(record),
        Some(elsewhere) => Err(Error::refused(
            format!("there is no memory `{id}` in project `{project}`"),
            format!("it is in project `{}`", elsewhere.project),
        )),
        None => Err(Error::refused(
            format!("there is no memory `{id}` in project `{project}`"),
            "take the ID from an answer of `search_memories`",
        )),
    }
}

pub(super) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

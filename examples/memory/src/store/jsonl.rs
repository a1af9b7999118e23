//! Memories as JSON lines: `{"id", "text", "metadata"}`, one memory a line.

use std::io::{BufRead, Read, Write};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    CONVERSATIONS, check,
    database::Db,
    error::Error,
    record::{COLUMNS, Record},
    words::Bag,
    write,
};

/// Longer than any memory within the bounds can be, escaped and with its metadata.
const MAX_LINE: u64 = 1024 * 1024;

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// Memories that are new.
    pub added: u64,
    /// Memories whose id was there already.
    pub known: u64,
}

#[derive(Debug, Deserialize, Serialize)]
struct Line {
    id: String,
    text: String,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Debug, Default, Deserialize, Serialize)]
struct Metadata {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(default)]
    tags: Tags,
    #[serde(default)]
    source: String,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    updated_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
}

/// Annal writes its list of tags as a string of JSON.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Tags {
    List(Vec<String>),
    Text(String),
}

impl Default for Tags {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

pub(super) fn export(db: Db<'_>, project: Option<&str>, mut out: impl Write) -> Result<u64, Error> {
    let failed = |source| Error::Stream {
        doing: "write the export",
        source,
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM memory m WHERE ?1 IS NULL OR m.project = ?1
         ORDER BY m.created_at, m.seq"
    );
    let mut written = 0;
    let mut statement = db.0.prepare(&sql)?;
    for record in statement.query_and_then([project], Record::read)? {
        let mut line = serde_json::to_vec(&Line::from(record?)).map_err(|e| failed(e.into()))?;
        line.push(b'\n');
        out.write_all(&line).map_err(failed)?;
        written += 1;
    }
    out.flush().map_err(failed)?;
    Ok(written)
}

pub(super) fn import(
    db: Db<'_>,
    project: Option<&str>,
    mut lines: impl BufRead,
) -> Result<Imported, Error> {
    let transaction = db.begin()?;
    let mut imported = Imported::default();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let read = (&mut lines).take(MAX_LINE + 1).read_until(b'\n', &mut line);
        if read.map_err(|source| Error::Stream {
            doing: "read the import",
            source,
        })? == 0
        {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let record = record(&line, project).map_err(|error| on_line(number, error))?;
        if add(Db(&transaction), &record)? {
            imported.added += 1;
        } else {
            imported.known += 1;
        }
    }
    transaction.commit()?;
    Ok(imported)
}

fn add(db: Db<'_>, record: &Record) -> Result<bool, Error> {
    let sql = "SELECT 1 FROM memory WHERE id = ?1";
    if db.first(sql, &[&record.id], |_| Ok(()))?.is_some() {
        return Ok(false);
    }
    write::insert(db, record, &Bag::of(&record.content))?;
    Ok(true)
}

fn on_line(number: u64, error: Error) -> Error {
    match error {
        Error::Refused { what, help } => Error::refused(
            format!("line {number}: {what}"),
            format!("{help}; nothing was imported"),
        ),
        other => other,
    }
}

fn record(line: &[u8], project: Option<&str>) -> Result<Record, Error> {
    if line.len() as u64 > MAX_LINE {
        return Err(Error::refused(
            format!("it is longer than {MAX_LINE} bytes"),
            "split the memory into several",
        ));
    }
    let Line { id, text, metadata } = serde_json::from_slice(line).map_err(|e| {
        Error::refused(
            e.to_string(),
            r#"write each line as {"id": "…", "text": "…", "metadata": {"project": "…", "tags": ["…"]}}"#,
        )
    })?;
    let Some(project) = metadata.project.as_deref().or(project) else {
        return Err(Error::refused(
            "it names no project",
            "add `metadata.project`, or run the import with `--project`",
        ));
    };
    let tags = match metadata.tags {
        Tags::List(list) => list,
        Tags::Text(text) => serde_json::from_str(&text).unwrap_or_else(|_| vec![text]),
    };
    let time = |name, text: Option<String>, otherwise| match text {
        Some(text) => check::instant(name, &text),
        None => Ok(otherwise),
    };
    let created_at = time("created_at", metadata.created_at, Timestamp::now())?;
    // Exports of earlier versions name it in the source only.
    let of_source = || {
        let named = metadata.source.strip_prefix("conversation ")?;
        (project == CONVERSATIONS).then(|| named.to_owned())
    };
    let conversation = metadata.conversation.or_else(of_source);
    Ok(Record {
        id: check::id(&id)?,
        project: check::project(project)?,
        content: check::content(&text)?,
        tags: check::tags(&tags)?,
        source: check::source(&metadata.source)?,
        created_at,
        updated_at: time("updated_at", metadata.updated_at, created_at)?,
        superseded_by: metadata.superseded_by.filter(|id| !id.is_empty()),
        conversation: conversation
            .as_deref()
            .map(check::conversation)
            .transpose()?,
    })
}

impl From<Record> for Line {
    fn from(record: Record) -> Self {
        Self {
            id: record.id,
            text: record.content,
            metadata: Metadata {
                project: Some(record.project),
                tags: Tags::List(record.tags),
                source: record.source,
                created_at: Some(record.created_at.to_string()),
                updated_at: Some(record.updated_at.to_string()),
                superseded_by: record.superseded_by,
                conversation: record.conversation,
            },
        }
    }
}

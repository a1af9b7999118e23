//! The bounds of what may be stored or asked, one function per kind of input.

use std::collections::BTreeSet;

use jiff::{Timestamp, civil, tz::TimeZone};

use super::error::Error;

/// The largest content of one memory, in bytes.
pub const MAX_CONTENT: usize = 64 * 1024;
/// The most tags one memory may have.
pub const MAX_TAGS: usize = 32;
/// The longest tag, in characters.
pub const MAX_TAG: usize = 64;
/// The longest project name, in characters.
pub const MAX_PROJECT: usize = 128;
/// The longest source, in characters.
pub const MAX_SOURCE: usize = 1024;
/// The longest query, in characters.
pub const MAX_QUERY: usize = 4096;
/// The most memories one search or expansion returns.
pub const MAX_LIMIT: usize = 50;
/// The most memories one batch may store.
pub const MAX_BATCH: usize = 100;
/// The most projects one search may name.
pub const MAX_PROJECTS: usize = 64;
/// The longest text of a reminder, in characters.
pub const MAX_REMINDER: usize = 1000;
/// The most reminders of one project that wait.
pub const MAX_REMINDERS: usize = 200;
/// The longest note, in characters.
pub const MAX_NOTE: usize = 1000;
/// The most notes there may be at once.
pub const MAX_NOTES: usize = 200;
/// The longest id, in characters.
pub const MAX_ID: usize = 128;
/// The longest name of a conversation, in bytes: the id of its host, and the names before it.
pub const MAX_CONVERSATION: usize = 4096;

fn named(what: &str, text: &str, longest: usize) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::refused(
            format!("`{what}` is empty"),
            format!("give a {what} of 1 to {longest} characters"),
        ));
    }
    short(what, text, longest)
}

fn short(what: &str, text: &str, longest: usize) -> Result<String, Error> {
    let text = text.trim();
    let length = text.chars().count();
    if length > longest {
        return Err(Error::refused(
            format!("`{what}` has {length} characters, the limit is {longest}"),
            format!("give a shorter {what}"),
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(Error::refused(
            format!("`{what}` has a line break or another control character"),
            format!("give a {what} of one line"),
        ));
    }
    Ok(text.to_owned())
}

pub(super) fn project(text: &str) -> Result<String, Error> {
    named("project", text, MAX_PROJECT)
}

pub(super) fn id(text: &str) -> Result<String, Error> {
    named("memory_id", text, MAX_ID)
}

/// A host's name for a conversation, as it is: two of them are never taken for one.
pub(super) fn conversation(name: &str) -> Result<String, Error> {
    if name.is_empty() || name.len() > MAX_CONVERSATION {
        return Err(Error::refused(
            format!("the conversation's name has {} bytes", name.len()),
            format!("give a name of 1 to {MAX_CONVERSATION} bytes"),
        ));
    }
    Ok(name.to_owned())
}

pub(super) fn reminder_id(text: &str) -> Result<String, Error> {
    named("reminder_id", text, MAX_ID)
}

pub(super) fn reminder(text: &str) -> Result<String, Error> {
    named("text", text, MAX_REMINDER)
}

pub(crate) fn note(text: &str) -> Result<String, Error> {
    named("text", text, MAX_NOTE)
}

/// Reads a moment to come; without an offset it could be anybody's.
pub(super) fn due(text: &str, now: Timestamp) -> Result<Timestamp, Error> {
    let due = text.trim().parse::<Timestamp>().and_then(|due| {
        // As exact as it is kept.
        Timestamp::from_millisecond(due.as_millisecond())
    });
    let due = due.map_err(|_: jiff::Error| {
        let shown: String = text.chars().take(60).collect();
        Error::refused(
            format!("`at` is no RFC 3339 time with its offset: `{shown}`"),
            "write it as 2026-11-20T14:30:00Z or 2026-11-20T15:30:00+01:00",
        )
    })?;
    if due <= now {
        return Err(Error::refused(
            format!("`at` ({due}) is not to come"),
            format!("give a later time; it is {now:.0}"),
        ));
    }
    Ok(due)
}

pub(super) fn source(text: &str) -> Result<String, Error> {
    short("source", text, MAX_SOURCE)
}

pub(super) fn content(text: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::refused(
            "`content` is empty",
            "say in `content` what is worth remembering",
        ));
    }
    if text.len() > MAX_CONTENT {
        return Err(Error::refused(
            format!(
                "`content` has {} bytes, the limit is {MAX_CONTENT}",
                text.len()
            ),
            "store a summary, or split it into several memories",
        ));
    }
    if text.contains('\0') {
        return Err(Error::refused(
            "`content` has a NUL character",
            "remove it: memories are text",
        ));
    }
    Ok(text.to_owned())
}

/// Trims, lower-cases, sorts and removes doubles; a comma separates tags, since no tag needs one.
pub(super) fn tags<S: AsRef<str>>(given: &[S]) -> Result<Vec<String>, Error> {
    let mut tags = BTreeSet::new();
    for tag in given.iter().flat_map(|tag| tag.as_ref().split(',')) {
        let tag = short("tag", tag, MAX_TAG)?;
        if !tag.is_empty() {
            tags.insert(tag.to_lowercase());
        }
        if tags.len() > MAX_TAGS {
            return Err(Error::refused(
                format!("there are more than {MAX_TAGS} tags"),
                "keep the tags that a later search would use",
            ));
        }
    }
    Ok(tags.into_iter().collect())
}

pub(super) fn query(text: &str) -> Result<(), Error> {
    let length = text.chars().count();
    if length > MAX_QUERY {
        return Err(Error::refused(
            format!("`query` has {length} characters, the limit is {MAX_QUERY}"),
            "search for a few words",
        ));
    }
    Ok(())
}

pub(super) fn limit(number: i64) -> Result<usize, Error> {
    match usize::try_from(number) {
        Ok(limit @ 1..=MAX_LIMIT) => Ok(limit),
        _ => Err(Error::refused(
            format!("`limit` is {number}"),
            format!("use a number from 1 to {MAX_LIMIT}"),
        )),
    }
}

pub(super) fn count(what: &str, number: usize, most: usize) -> Result<(), Error> {
    if (1..=most).contains(&number) {
        return Ok(());
    }
    Err(Error::refused(
        format!("`{what}` has {number} entries"),
        format!("give 1 to {most}"),
    ))
}

pub(super) fn score(number: f64) -> Result<f64, Error> {
    if (0.0..=1.0).contains(&number) {
        return Ok(number);
    }
    Err(Error::refused(
        format!("`min_score` is {number}"),
        "use a number from 0 to 1; the best hit has 1",
    ))
}

/// Reads a date or a date with time; without an offset it is UTC.
pub(super) fn instant(what: &str, text: &str) -> Result<Timestamp, Error> {
    let text = text.trim();
    text.parse::<Timestamp>()
        .or_else(|_| {
            let time = text.parse::<civil::DateTime>()?;
            Ok(time.to_zoned(TimeZone::UTC)?.timestamp())
        })
        .map_err(|_: jiff::Error| {
            let shown: String = text.chars().take(60).collect();
            Error::refused(
                format!("`{what}` is not an ISO 8601 date: `{shown}`"),
                "write it as 2026-11-20 or 2026-11-20T14:30:00Z",
            )
        })
}

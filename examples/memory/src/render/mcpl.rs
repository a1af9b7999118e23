//! The words of the tools for reminders, notes and merged memories.

use std::fmt::Write as _;

use jiff::Timestamp;
use rmcp::model::CallToolResult;

use super::{probe, text};
use crate::{
    mcpl::{Merged, Note, Unmerged},
    store::{Record, Reminder},
};

/// What became of the memories of a project.
pub(crate) fn merged(project: &str, merged: &Merged) -> String {
    let project = project.trim();
    match merged {
        Merged::Nothing => format!("[{project}] No two memories say related things."),
        Merged::Apart(records) => format!(
            "[{project}] The model says that these are not about the same thing, and nothing was changed: {}.",
            ids(records)
        ),
        Merged::Into(record, originals) => format!(
            "[{project}] Merged {}, ID: {}. It replaces {}.\n{}",
            originals.len(),
            record.id,
            ids(originals),
            record.content
        ),
    }
}

pub(crate) fn unmerged(project: &str, why: &Unmerged) -> String {
    format!(
        "[{}] Nothing was merged, and nothing was changed: {why}",
        project.trim()
    )
}

pub(crate) fn asked_to_merge(project: &str, originals: &[Record]) -> String {
    format!(
        "[{}] Asked the client's model to merge {}: {}. The merged text is stored when it comes; the next call says \
         what became of it.",
        project.trim(),
        originals.len(),
        ids(originals)
    )
}

pub(crate) fn still_merging(project: &str) -> CallToolResult {
    text(format!(
        "[{}] The client's model has not written the merged text yet. Go on, and call again later.",
        project.trim()
    ))
}

/// What became of the last merging, and what comes of this one.
pub(crate) fn merging(before: Option<String>, now: &str) -> CallToolResult {
    text(match before {
        Some(before) => format!("The last merging: {before}\n\n{now}"),
        None => now.to_owned(),
    })
}

fn ids(records: &[Record]) -> String {
    let ids: Vec<&str> = records.iter().map(|record| &*record.id).collect();
    ids.join(", ")
}

pub(crate) fn reminder_set(reminder: &Reminder, is_pushed: bool) -> CallToolResult {
    let Reminder {
        project,
        id,
        due_at,
        ..
    } = reminder;
    let told = if is_pushed {
        "This client is told when it is due."
    } else {
        "This client takes no reminders by itself; `list_reminders` shows what is due."
    };
    text(format!(
        "[{project}] Reminder set for {due_at}, ID: {id}. {told}"
    ))
}

pub(crate) fn reminders(project: &str, reminders: &[Reminder], now: Timestamp) -> CallToolResult {
    let project = project.trim();
    let noun = if reminders.len() == 1 {
        "reminder waits"
    } else {
        "reminders wait"
    };
    let mut out = match reminders.len() {
        0 => format!("[{project}] No reminders wait."),
        count => format!("[{project}] {count} {noun}."),
    };
    for reminder in reminders {
        let due = if reminder.due_at <= now { " (due)" } else { "" };
        let _ = write!(
            out,
            "\n- {}{due} | ID: {} | {}",
            reminder.due_at, reminder.id, reminder.text
        );
    }
    text(out)
}

pub(crate) fn reminder_cancelled(reminder: &Reminder) -> CallToolResult {
    let Reminder { project, id, .. } = reminder;
    text(format!(
        "[{project}] Cancelled, ID: {id}. It said: {}",
        probe(&reminder.text)
    ))
}

pub(crate) fn notes(notes: &[Note]) -> CallToolResult {
    let mut out = match notes.len() {
        0 => "No notes.".to_owned(),
        1 => "1 note:".to_owned(),
        count => format!("{count} notes:"),
    };
    for Note { id, text } in notes {
        let _ = write!(out, "\n{id}. {text}");
    }
    text(out)
}

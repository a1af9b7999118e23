//! The words of the tools for reminders, notes and merged memories.

use std::fmt::Write as _;

use jiff::Timestamp;
use rmcp::model::CallToolResult;

use super::{probe, text};
use crate::{
    mcpl::{Merged, Note},
    store::{Record, Reminder},
};

pub(crate) fn merged(project: &str, merged: &Merged) -> CallToolResult {
    let project = project.trim();
    let ids = |records: &[Record]| {
        let ids: Vec<&str> = records.iter().map(|record| &*record.id).collect();
        ids.join(", ")
    };
    text(match merged {
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
    })
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

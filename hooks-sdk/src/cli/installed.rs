//! The report of `hooks install`.

use std::path::PathBuf;

use serde::Serialize;

use super::{print, probe::is_tracked, started::StartedProgram};
use crate::clients::config::FileChange;

/// The maximum number of notes without `--verbose`.
const NOTES: usize = 3;

/// The result of an installation, or of a dry run.
#[derive(Debug, Serialize)]
pub(super) struct InstallReport {
    pub(super) client: &'static str,
    #[serde(skip)]
    pub(super) title: &'static str,
    pub(super) written: bool,
    pub(super) files: Vec<Changed>,
    /// The copy of the program that the entries start; `None` if this program is the copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) copied: Option<CopiedProgram>,
    /// The next steps of the user.
    pub(super) next: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// The copy of a program that entries start.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CopiedProgram {
    from: PathBuf,
    to: PathBuf,
    /// Whether the copy is written.
    changes: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Changed {
    pub(super) file: PathBuf,
    pub(super) changes: bool,
    /// Whether git tracks the file, so that others get the change.
    pub(super) tracked: bool,
    pub(super) diff: String,
    /// The number of entries without an id, of an earlier version, that were taken over.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) taken_over: usize,
    /// What stays although it was installed, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Changed {
    pub(super) fn of(change: &FileChange) -> Changed {
        Changed {
            file: change.file.clone(),
            changes: change.changes(),
            tracked: change.changes() && is_tracked(&change.file),
            diff: change.diff(),
            taken_over: change.taken_over,
            left: change.left.clone(),
        }
    }

    /// Returns what it means that git tracks the file.
    pub(super) fn shared(&self) -> String {
        format!(
            "git tracks {}: everyone who has the repository gets the change",
            self.file.display()
        )
    }
}

impl InstallReport {
    /// Formats the report for people: the result, the next steps, and a few notes.
    pub(super) fn page(&self, verbose: bool) -> String {
        let dry_run = !self.written;
        let mut page = String::new();
        let changed = self.files.iter().any(|file| file.changes);
        page.push_str(&match (changed, dry_run) {
            (true, true) => format!("This would be installed in {}:\n", self.title),
            (true, false) => format!("Installed in {}.\n", self.title),
            (false, _) => format!("Already installed in {}.\n", self.title),
        });
        for file in &self.files {
            let name = file.file.display();
            match (file.changes, dry_run) {
                (true, true) => {
                    if file.tracked {
                        page.push_str(&format!("  {}\n", file.shared()));
                    }
                    page.push_str(&file.diff);
                }
                (true, false) if file.tracked => {
                    page.push_str(&format!("  wrote {name}, which git tracks\n"));
                }
                (true, false) => page.push_str(&format!("  wrote {name}\n")),
                (false, _) => page.push_str(&format!("  {name} is up to date\n")),
            }
            if file.taken_over > 0 {
                let hooks = print::counted(file.taken_over as u64, "hook");
                page.push_str(&format!(
                    "  took over {hooks} in {name}, which an earlier version of this program wrote without an id\n"
                ));
            }
        }
        if let Some(copied) = &self.copied {
            page.push_str(&copied.page(dry_run));
        }
        if !dry_run {
            for step in &self.next {
                page.push_str(&format!("next: {step}\n"));
            }
        }
        for warning in &self.warnings {
            page.push_str(&format!("warning: {warning}\n"));
        }
        let shown = if verbose { self.notes.len() } else { NOTES };
        for note in self.notes.iter().take(shown) {
            page.push_str(&format!("note: {note}\n"));
        }
        let more = self.notes.len().saturating_sub(shown);
        if more > 0 {
            let more = print::counted(more as u64, "more note");
            page.push_str(&format!("{more} with `--verbose`\n"));
        }
        page
    }
}

impl CopiedProgram {
    /// Returns the report; `None` if this program is the copy. `written` is `None` in a dry run.
    pub(super) fn of(started: &StartedProgram, written: Option<bool>) -> Option<CopiedProgram> {
        (!started.is_copy()).then(|| CopiedProgram {
            from: started.own.clone(),
            to: started.path.clone(),
            changes: written.unwrap_or_else(|| !started.copy_is_current()),
        })
    }

    fn page(&self, dry_run: bool) -> String {
        let to = self.to.display();
        match (self.changes, dry_run) {
            (true, true) => format!("  the program would be copied to {to}\n"),
            (true, false) => format!("  copied the program to {to}\n"),
            (false, _) => format!("  the copy {to} of the program is up to date\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_comes_first_then_what_to_do_then_three_notes() {
        let done = InstallReport {
            client: "codex",
            title: "Codex CLI",
            written: true,
            files: vec![Changed {
                file: "/hooks.json".into(),
                changes: true,
                tracked: false,
                diff: String::new(),
                taken_over: 0,
                left: None,
            }],
            copied: None,
            next: vec!["restart it".into()],
            warnings: vec!["it will not stay".into()],
            notes: ["a", "b", "c", "d"].map(str::to_owned).into(),
        };
        let begin = "Installed in Codex CLI.\n  wrote /hooks.json\nnext: restart it\nwarning: it will not stay\n\
                     note: a\nnote: b\nnote: c\n";
        assert_eq!(
            done.page(false),
            format!("{begin}1 more note with `--verbose`\n")
        );
        assert_eq!(done.page(true), format!("{begin}note: d\n"));
    }
}

//! The report of `hooks install`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{print, probe::is_tracked};
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
    /// The next steps of the user.
    pub(super) next: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Changed {
    pub(super) file: PathBuf,
    pub(super) changes: bool,
    /// Whether git tracks the file, so that others get the change.
    pub(super) tracked: bool,
    pub(super) diff: String,
    /// What stays although it was installed, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left: Option<String>,
}

impl Changed {
    pub(super) fn of(change: &FileChange) -> Changed {
        Changed {
            file: change.file.clone(),
            changes: change.changes(),
            tracked: change.changes() && is_tracked(&change.file),
            diff: change.diff(),
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

/// Returns a warning if the program is in Cargo's `target` folder, which `cargo clean` deletes.
pub(super) fn passing(program: &Path) -> Option<String> {
    let folder = program.parent()?;
    let is_profile = folder.ends_with("debug") || folder.ends_with("release");
    // With `--target`, the triple is between `target` and the profile.
    let mut above = folder.ancestors().skip(1).take(2);
    let is_cargos = is_profile && above.any(|folder| folder.ends_with("target"));
    is_cargos.then(|| {
        format!(
            "the entries start {}, which `cargo clean` deletes: install the program, for example with `cargo \
             install --path .`, and run its `hooks install`",
            program.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_cargos_folder_will_not_stay() {
        for (program, warns) in [
            ("/p/target/debug/notes", true),
            ("/p/target/release/notes", true),
            ("/p/target/x86_64-unknown-linux-musl/release/notes", true),
            ("/home/me/.cargo/bin/notes", false),
            ("/opt/release/notes", false),
            ("/target/notes", false),
        ] {
            assert_eq!(passing(Path::new(program)).is_some(), warns, "{program}");
        }
    }

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
                left: None,
            }],
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

//! The folders with a `SKILL.md` below the folder of `guidance::dir!`.

use std::collections::HashMap;

use hooks_text::{Fault, MAX_SKILL_BYTES, MAX_SKILL_FILES, skill_front};

use super::{
    dir::second_skill,
    folder::{Folder, all_files},
};
use crate::report::Errors;

const SKILL_MD: &str = "SKILL.md";

/// A folder with a `SKILL.md`.
#[derive(Debug)]
pub(super) struct SkillFolder {
    /// Its path below the folder of the macro.
    pub(super) path: String,
}

impl SkillFolder {
    /// Returns the files of hooks, and the folders of skills.
    pub(super) fn apart<'f>(folder: &'f Folder<'_>) -> (Vec<&'f String>, Vec<SkillFolder>) {
        let manifests = folder.files.iter();
        let skills: Vec<SkillFolder> = manifests
            .filter_map(|file| file.strip_suffix(SKILL_MD))
            .filter(|path| path.is_empty() || path.ends_with('/'))
            .map(|path| SkillFolder {
                path: path.trim_end_matches('/').to_owned(),
            })
            .collect();
        let is_hook = |file: &&String| !skills.iter().any(|skill| skill.has(file));
        (folder.files.iter().filter(is_hook).collect(), skills)
    }

    fn has(&self, file: &str) -> bool {
        match self.path.as_str() {
            "" => file == SKILL_MD,
            path => file
                .strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('/')),
        }
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn manifest(&self, folder: &Folder<'_>) -> String {
        match self.path.as_str() {
            "" => folder.shown(SKILL_MD),
            path => folder.shown(&format!("{path}/{SKILL_MD}")),
        }
    }

    /// Reports a skill in a folder whose hooks are no skills.
    pub(super) fn needs_the_word(&self, folder: &Folder<'_>, errors: &mut Errors) {
        let wrong = format_args!("`{}` is a skill", self.manifest(folder));
        let named = folder.at.value();
        let help = format_args!("write `guidance::dir!(\"{named}\", skills)`");
        errors.push(folder.at, wrong, help);
    }

    /// Checks the skill. Returns its files by their paths in its folder and on the disk, or `None` after reporting an error.
    /// `names` has the skills before.
    pub(super) fn make(
        &self,
        folder: &Folder<'_>,
        names: &mut HashMap<String, String>,
        errors: &mut Errors,
    ) -> Option<Vec<(String, String)>> {
        let manifest = self.manifest(folder);
        if self.path.is_empty() {
            let help = "move it into a folder with the skill's name";
            let wrong = format_args!("`{manifest}` has no folder of its own");
            errors.push(folder.at, wrong, help);
            return None;
        }
        let file = format!("{}/{SKILL_MD}", self.path);
        let bytes = folder.read(&file, MAX_SKILL_BYTES, errors)?;
        let front = std::str::from_utf8(&bytes)
            .map_err(|_| vec![Fault::new(1, "the file is not UTF-8", "save it as UTF-8")])
            .and_then(|text| skill_front(self.name(), text))
            .and_then(|front| match second_skill(names, &front.name, &manifest) {
                Some(fault) => Err(vec![fault]),
                None => Ok(()),
            });
        match front {
            Ok(()) => self.files(folder, errors),
            Err(faults) => {
                for fault in &faults {
                    folder.fault(&manifest, fault, errors);
                }
                None
            }
        }
    }

    fn files(&self, folder: &Folder<'_>, errors: &mut Errors) -> Option<Vec<(String, String)>> {
        let path = folder.path.join(&self.path);
        let shown = folder.shown(&self.path);
        let files = match all_files(&path) {
            Ok(files) => files,
            Err(error) => {
                let wrong = format_args!("`{shown}` cannot be read: {error}");
                errors.push(folder.at, wrong, "let the compiler read it");
                return None;
            }
        };
        let mut left = MAX_SKILL_BYTES;
        for file in &files {
            let below = format!("{}/{file}", self.path);
            if file.ends_with(&format!("/{SKILL_MD}")) {
                let wrong = format_args!("`{}` is in the skill `{shown}`", folder.shown(&below));
                let help = "move its folder beside the skill, or give the file another name";
                errors.push(folder.at, wrong, help);
                return None;
            }
            let bytes = folder.read(&below, left, errors)?.len();
            let Some(rest) = left.checked_sub(bytes) else {
                let wrong =
                    format_args!("the skill `{shown}` has more than {MAX_SKILL_BYTES} bytes");
                errors.push(folder.at, wrong, "make two skills of it");
                return None;
            };
            left = rest;
        }
        if files.len() > MAX_SKILL_FILES {
            let wrong = format_args!("the skill `{shown}` has more than {MAX_SKILL_FILES} files");
            errors.push(folder.at, wrong, "make two skills of it");
            return None;
        }
        let on_disk = |file: String| {
            let on_disk = path.join(&file).to_string_lossy().into_owned();
            (file, on_disk)
        };
        Some(files.into_iter().map(on_disk).collect())
    }
}

//! The folders with a `SKILL.md` below the folder of `guidance::dir!`.

use std::collections::HashMap;

use hooks_text::{MAX_SKILL_BYTES, MAX_SKILL_FILES, skill_front};

use super::{
    dir::second_skill,
    folder::{Folder, Problem, all_files},
};

const SKILL_MD: &str = "SKILL.md";

/// A folder with a `SKILL.md`.
#[derive(Debug)]
pub(super) struct SkillFolder {
    /// Its path below the folder of the macro.
    pub(super) path: String,
}

impl SkillFolder {
    /// Returns the files of hooks, and the folders of skills.
    pub(super) fn apart(folder: &Folder) -> (Vec<&String>, Vec<SkillFolder>) {
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

    fn manifest(&self, folder: &Folder) -> String {
        match self.path.as_str() {
            "" => folder.shown(SKILL_MD),
            path => folder.shown(&format!("{path}/{SKILL_MD}")),
        }
    }

    /// Returns the problem of a skill in a folder whose hooks are no skills.
    pub(super) fn needs_the_word(&self, folder: &Folder, named: &str) -> Problem {
        let wrong = format!("`{}` is a skill", self.manifest(folder));
        let help = format!("write `guidance::dir!(\"{named}\", skills)`");
        Problem::new(wrong, help)
    }

    /// Checks the skill. Returns its files by their paths in its folder and on the disk. `names` has the skills before.
    pub(super) fn make(
        &self,
        folder: &Folder,
        names: &mut HashMap<String, String>,
    ) -> Result<Vec<(String, String)>, Vec<Problem>> {
        let manifest = self.manifest(folder);
        if self.path.is_empty() {
            let help = "move it into a folder with the skill's name";
            let wrong = format!("`{manifest}` has no folder of its own");
            return Err(vec![Problem::new(wrong, help)]);
        }
        let one = |problem: Problem| vec![problem];
        let bytes = folder
            .read_to(&format!("{}/{SKILL_MD}", self.path), MAX_SKILL_BYTES)
            .map_err(one)?;
        let in_file = |line: usize, message: &str, help: &str| {
            Problem::new(format!("{manifest}:{line}: {message}"), help)
        };
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| vec![in_file(1, "the file is not UTF-8", "save it as UTF-8")])?;
        let front = skill_front(self.name(), text).map_err(|faults| {
            let faults = faults.iter();
            let problems = faults.map(|fault| in_file(fault.line, &fault.message, &fault.help));
            problems.collect::<Vec<_>>()
        })?;
        if let Some(first) = names.insert(front.name.clone(), manifest.clone()) {
            let fault = second_skill(&front.name, &first);
            return Err(vec![in_file(fault.line, &fault.message, &fault.help)]);
        }
        self.files(folder).map_err(one)
    }

    fn files(&self, folder: &Folder) -> Result<Vec<(String, String)>, Problem> {
        let path = folder.path.join(&self.path);
        let shown = folder.shown(&self.path);
        let files = all_files(&path).map_err(|error| {
            let wrong = format!("`{shown}` cannot be read: {error}");
            Problem::new(wrong, "let the compiler read it")
        })?;
        let mut left = MAX_SKILL_BYTES;
        for file in &files {
            let below = format!("{}/{file}", self.path);
            if file.ends_with(&format!("/{SKILL_MD}")) {
                let wrong = format!("`{}` is in the skill `{shown}`", folder.shown(&below));
                let help = "move its folder beside the skill, or give the file another name";
                return Err(Problem::new(wrong, help));
            }
            let bytes = folder.read_to(&below, left)?.len();
            left = left.checked_sub(bytes).ok_or_else(|| {
                let wrong = format!("the skill `{shown}` has more than {MAX_SKILL_BYTES} bytes");
                Problem::new(wrong, "make two skills of it")
            })?;
        }
        if files.len() > MAX_SKILL_FILES {
            let wrong = format!("the skill `{shown}` has more than {MAX_SKILL_FILES} files");
            return Err(Problem::new(wrong, "make two skills of it"));
        }
        let on_disk = |file: String| {
            let on_disk = path.join(&file).to_string_lossy().into_owned();
            (file, on_disk)
        };
        Ok(files.into_iter().map(on_disk).collect())
    }
}

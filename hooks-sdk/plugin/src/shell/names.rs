//! The names in a command: of its program, of files and of folders.

use std::path::Path;

use super::{Simple, Walk, paths, table::Program, value::Value};

impl Walk<'_> {
    /// Returns the name of a program without its folder. The command is said by that name, too, and by that of a link's target.
    pub(super) fn name(&mut self, program: &str, simple: &Simple) -> String {
        let last = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
        let own = last(Path::new(program)).unwrap_or_else(|| program.to_owned());
        self.said(&own, simple);
        let folders = self.state.folders.iter();
        let folders = folders.filter(|_| program.contains('/') && !self.is_elsewhere);
        let mut targets =
            folders.filter_map(|folder| last(&std::fs::canonicalize(folder.join(program)).ok()?));
        // These are many programs in one, each by the name of a link.
        let is_many = |real: &String| ["busybox", "toybox", "coreutils"].contains(&&**real);
        let Some(real) = targets.find(|real| *real != own && !is_many(real)) else {
            return own;
        };
        self.said(&real, simple);
        let runs = |name: &str| {
            ["shell", "same", "runs", "far"]
                .iter()
                .any(|kind| Program(name).has_all(kind))
        };
        match runs(&real) && !runs(&own) {
            true => real,
            false => own,
        }
    }

    /// Reads the words after a program: each may be a path, and each may have a URL.
    pub(super) fn paths_of(&mut self, row: Program<'_>, words: &[Value]) {
        let texts: Vec<&str> = words.iter().map(|it| &*it.text).collect();
        let moves = row.is("into");
        let last = texts.last().filter(|it| moves && !it.starts_with('-'));
        let folders: Vec<&str> = row
            .values("folder", &texts)
            .map(|(_, it)| it)
            .chain(last.copied())
            .collect();
        for word in words {
            let text = &*word.text;
            self.call.read_urls(text);
            let address = paths::of_file_url(text).is_some();
            if !word.is_known {
                self.unresolved(text);
            }
            if !word.is_known
                || text.contains("://") && !address
                || text.contains('\n')
                || text.len() > 4_096
            {
                continue;
            }
            // The value of `-oFILE` is in the word; `@FILE` is the contents of a file to curl.
            let value = match text.split_once('=') {
                Some((_, value)) if !address => value,
                None if text.starts_with("--") => continue,
                None if text.starts_with('-') => text.get(2..).unwrap_or_default(),
                _ => text,
            };
            let value = value.trim_start_matches('@');
            if value.is_empty() {
                continue;
            }
            self.path_word(&Value::new(value));
            let inner = match moves {
                true => value
                    .trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or(value),
                false => value,
            };
            for folder in folders
                .iter()
                .filter(|_| !inner.starts_with(['/', '~', '-']))
            {
                self.path_word(&Value::new(&format!("{folder}/{inner}")));
            }
            // `-v FOLDER:PATH` of containers.
            if let Some((outside, _)) = value.split_once(':')
                && outside.starts_with(['/', '.', '~'])
            {
                self.path_word(&Value::new(outside));
            }
        }
    }

    /// Adds the paths that a patch names.
    pub(super) fn patch(&mut self, patch: &str) {
        for path in paths::of_patch(patch) {
            self.path_word(&Value::new(&path));
        }
    }

    /// Follows `cd`.
    pub(super) fn moved(&mut self, words: &[Value]) {
        let is_option = |word: &&Value| ["-L", "-P", "-e", "-@", "--"].contains(&&*word.text);
        let targets: Vec<&Value> = words.iter().filter(|word| !is_option(word)).collect();
        let searches = self.state.variables.contains_key("CDPATH");
        self.state.variables.remove("PWD");
        let is_fixed = |target: &String| {
            !target.starts_with(['-', '+']) && (!searches || target.starts_with(['/', '.']))
        };
        let folder = match targets[..] {
            [] => self.variable("HOME"),
            [target] => target.known().filter(is_fixed),
            // zsh replaces a part of the folder's name.
            _ => None,
        };
        self.enters(folder);
    }
}

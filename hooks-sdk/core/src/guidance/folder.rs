//! A folder of markdown files, each of which declares a hook by its front matter; embedded folders, compared with the disk.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::Path,
};

use hooks_text::{Fault, files_below, hook_text, is_markdown, second_hook};

use super::{
    HookInput,
    files::read_below,
    front::{hook, in_file},
};
use crate::{BuildError, BuildErrors};

/// The hooks of a folder of markdown files.
///
/// Each `.md` file in and below the folder begins with a front matter. The required keys are `type`, `lifecycle`,
/// `name` and `requirement`. The optional keys are `tag` (default: the file's name), `priority`, `app`,
/// `description`, `storage`, `features`, `config`, `tags`, `blocking`, `dependencies`, `tool` and `required`. The rest
/// of the file, without the blank lines around it, is the text.
///
/// ```text
/// ---
/// type: session
/// lifecycle: start
/// name: Welcome
/// requirement: SHOULD
/// features: [sampling]
/// config: [debug = true]
/// ---
/// Welcome to the session.
/// ```
#[derive(Clone, Debug, Default)]
pub struct Folder {
    hooks: Vec<HookInput>,
}

impl Folder {
    /// Reads a directory at run time, so that you can edit texts without building the program again.
    ///
    /// # Errors
    ///
    /// All problems of all files, each with file and line.
    pub fn read(directory: impl AsRef<Path>) -> Result<Folder, BuildErrors> {
        let directory = directory.as_ref();
        let mut problems = Vec::new();
        let names = match files_below(directory, is_hook) {
            Ok(names) => names,
            Err(error) => {
                let message = format!("`{}` cannot be read: {error}", directory.display());
                return Err(
                    BuildError::new(None, message, "name a folder of markdown files").into(),
                );
            }
        };
        let mut files = Vec::new();
        for name in names {
            match read_below(directory, &name) {
                Ok(bytes) => files.push((name, bytes)),
                Err(error) => problems.push(BuildError::new(
                    None,
                    error.to_string(),
                    "mend the file, or remove it",
                )),
            }
        }
        Folder::check(files, problems)
    }

    /// Takes embedded files, by their names. Files that are not markdown are ignored.
    ///
    /// # Errors
    ///
    /// All problems of all files, each with file and line.
    pub fn embedded<N: Into<String>, C: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (N, C)>,
    ) -> Result<Folder, BuildErrors> {
        let files = files
            .into_iter()
            .map(|(name, content)| (name.into(), content.into()));
        let mut files: Vec<(String, Vec<u8>)> = files
            .filter(|(name, _)| is_markdown(Path::new(name)))
            .collect();
        files.sort();
        Folder::check(files, Vec::new())
    }

    /// Takes a folder that the `include_dir` crate embeds, with the folders below it.
    ///
    /// ```
    /// use hooks_sdk::guidance::Folder;
    /// use include_dir::{Dir, include_dir};
    ///
    /// static HOOKS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/examples/hooks");
    ///
    /// let folder = Folder::of_dir(&HOOKS)?;
    /// # assert!(!folder.hooks().is_empty());
    /// # Ok::<(), hooks_sdk::core::BuildErrors>(())
    /// ```
    ///
    /// # Errors
    ///
    /// All problems of all files, each with file and line.
    #[cfg(feature = "include_dir")]
    pub fn of_dir(dir: &include_dir::Dir<'_>) -> Result<Folder, BuildErrors> {
        let mut files = Vec::new();
        let mut below = vec![dir];
        while let Some(dir) = below.pop() {
            below.extend(dir.dirs());
            let own = dir.files();
            files.extend(own.map(|file| (hooks_text::slashed(file.path()), file.contents())));
        }
        Folder::embedded(files)
    }

    /// Returns the hooks, sorted by the names of their files.
    pub fn hooks(&self) -> &[HookInput] {
        &self.hooks
    }

    fn check(
        files: Vec<(String, Vec<u8>)>,
        mut problems: Vec<BuildError>,
    ) -> Result<Folder, BuildErrors> {
        let mut hooks: Vec<HookInput> = Vec::new();
        let mut seen: HashMap<_, String> = HashMap::new();
        for (name, bytes) in files {
            match read_hook(&name, &bytes) {
                Err(faults) => {
                    problems.extend(faults.into_iter().map(|fault| in_file(fault, &name)))
                }
                Ok(hook) => {
                    let id = (
                        hook.app.clone(),
                        hook.hook_type,
                        hook.lifecycle,
                        hook.tag.clone(),
                    );
                    if let Some(first) = seen.insert(id, name.clone()) {
                        let (hook_type, lifecycle) = (hook.hook_type, hook.lifecycle);
                        let fault =
                            second_hook(hook_type.as_str(), lifecycle.as_str(), &hook.tag, &first);
                        problems.push(in_file(fault, &name));
                    }
                    hooks.push(hook);
                }
            }
        }
        BuildErrors::check(problems)?;
        Ok(Folder { hooks })
    }
}

impl IntoIterator for Folder {
    type Item = HookInput;
    type IntoIter = std::vec::IntoIter<HookInput>;

    fn into_iter(self) -> Self::IntoIter {
        self.hooks.into_iter()
    }
}

/// Whether a folder or a file may be, or hold, a hook.
fn is_hook(path: &Path, is_folder: bool) -> bool {
    is_folder || is_markdown(path)
}

fn read_hook(name: &str, bytes: &[u8]) -> Result<HookInput, Vec<Fault>> {
    let text = hook_text(name, bytes).map_err(|fault| vec![fault])?;
    hook(name, text)
}

/// An embedded folder, which `dir!` submits to the linker in debug builds.
#[derive(Debug)]
#[doc(hidden)]
#[expect(clippy::exhaustive_structs, reason = "built by generated code")]
pub struct Embedded {
    /// The folder's absolute path on the computer that built the program.
    pub folder: &'static str,
    /// The files, with their names relative to the folder and their content.
    pub files: &'static [(&'static str, &'static [u8])],
}

inventory::collect!(Embedded);

/// Compares the folders that `dir!` embedded with the folders on disk. Returns one sentence for
/// each file that was added, changed or removed since the build.
///
/// Only a debug build knows its folders. A folder that does not exist on this computer has no differences.
pub fn differences() -> Vec<String> {
    inventory::iter::<Embedded>
        .into_iter()
        .flat_map(|embedded| {
            let folder = Path::new(embedded.folder);
            let on_disk = if folder.is_dir() {
                files_below(folder, is_hook).ok()
            } else {
                None
            };
            on_disk.map_or_else(Vec::new, |names| differing(embedded, &names))
        })
        .collect()
}

fn differing(embedded: &Embedded, on_disk: &[String]) -> Vec<String> {
    let folder = embedded.folder;
    let mut found = Vec::new();
    let built: BTreeSet<&str> = embedded.files.iter().map(|(name, _)| *name).collect();
    let skills: Vec<&str> = built
        .iter()
        .filter_map(|name| name.strip_suffix("SKILL.md"))
        .collect();
    // A skill has no hidden files.
    let is_left_out = |name: &str| {
        let mut below = skills.iter().filter_map(|skill| name.strip_prefix(skill));
        below.any(|below| below.split('/').any(|part| part.starts_with('.')))
    };
    let expected = |name: &&String| !built.contains(name.as_str()) && !is_left_out(name);
    for name in on_disk.iter().filter(expected) {
        found.push(format!(
            "`{folder}/{name}` is not in the program: build it again, and let a `build.rs` watch the folder"
        ));
    }
    for (name, content) in embedded.files {
        match fs::read(Path::new(folder).join(name)) {
            Ok(bytes) if bytes == *content => {}
            Ok(_) => found.push(format!(
                "`{folder}/{name}` has changed since the program was built: build it again"
            )),
            Err(_) => found.push(format!(
                "`{folder}/{name}` is in the program and not on the disk: build it again"
            )),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_names_its_file() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/guidance");
        let embedded = Embedded {
            folder,
            files: &[
                ("point.rs", include_bytes!("point.rs")),
                ("page.rs", b"other"),
                ("gone.md", b"text"),
            ],
        };
        let found = differing(&embedded, &["new.md".to_owned(), "point.rs".to_owned()]);
        let about: Vec<bool> = [
            "new.md` is not in the program",
            "page.rs` has changed",
            "gone.md` is in the program and not",
        ]
        .iter()
        .zip(&found)
        .map(|(words, found)| found.contains(words))
        .collect();
        assert_eq!((about, found.len()), (vec![true; 3], 3), "{found:?}");
    }
}

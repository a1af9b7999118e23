//! A folder of markdown files, each of which declares a hook by its front matter.

use std::{collections::HashMap, path::Path};

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
            files.extend(dir.files().map(|file| {
                let parts: Vec<_> = file
                    .path()
                    .iter()
                    .map(|part| part.to_string_lossy())
                    .collect();
                (parts.join("/"), file.contents())
            }));
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
pub(super) fn is_hook(path: &Path, is_folder: bool) -> bool {
    is_folder || is_markdown(path)
}

fn read_hook(name: &str, bytes: &[u8]) -> Result<HookInput, Vec<Fault>> {
    let text = hook_text(name, bytes).map_err(|fault| vec![fault])?;
    hook(name, text)
}

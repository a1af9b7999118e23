//! Embedded folders, compared with the folders on disk in debug builds.

use std::{collections::BTreeSet, fs, path::Path};

use hooks_text::files_below;

use super::folder::is_hook;

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

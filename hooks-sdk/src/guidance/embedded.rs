//! Folders that are part of the program, held against what stands on the disk while it is developed.

use std::{collections::BTreeSet, fs, path::Path};

use super::folder::markdown_files;

/// What `dir!` leaves for the linker to gather in debug builds.
#[derive(Debug)]
#[doc(hidden)]
#[expect(clippy::exhaustive_structs, reason = "built by generated code")]
pub struct Embedded {
    /// The folder, by its absolute path on the machine that built the program.
    pub folder: &'static str,
    /// The files in it, by their names below it, with their content.
    pub files: &'static [(&'static str, &'static str)],
}

inventory::collect!(Embedded);

/// How the folders that [`dir!`](macro@super::dir) embedded differ from those on the disk: one sentence for
/// each file that was added, changed or removed since the program was built.
///
/// Only a debug build knows its folders, and a folder that is not on this machine differs in nothing.
pub fn differences() -> Vec<String> {
    inventory::iter::<Embedded>
        .into_iter()
        .flat_map(|embedded| {
            let folder = Path::new(embedded.folder);
            let on_disk = if folder.is_dir() {
                markdown_files(folder).ok()
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
    for name in on_disk.iter().filter(|name| !built.contains(name.as_str())) {
        found.push(format!(
            "`{folder}/{name}` is not in the program: build it again, and let a `build.rs` watch the folder"
        ));
    }
    for (name, content) in embedded.files {
        match fs::read(Path::new(folder).join(name)) {
            Ok(bytes) if bytes == content.as_bytes() => {}
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
                ("point.rs", include_str!("point.rs")),
                ("word.rs", "other"),
                ("gone.md", "text"),
            ],
        };
        let found = differing(&embedded, &["new.md".to_owned(), "point.rs".to_owned()]);
        let about: Vec<bool> = [
            "new.md` is not in the program",
            "word.rs` has changed",
            "gone.md` is in the program and not",
        ]
        .iter()
        .zip(&found)
        .map(|(words, found)| found.contains(words))
        .collect();
        assert_eq!((about, found.len()), (vec![true; 3], 3), "{found:?}");
    }
}

//! Finds the markdown file with a hook's text beside the source file.

use std::{
    fs::File,
    io::Read,
    path::{Component, Path, PathBuf},
};

use proc_macro2::Span;

use hooks_text::{MAX_TEXT, nearest};

/// The result of looking for a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// The compiler did not say where the source file is, as in an editor. `include_str!` then reports a missing text.
    Unknown,
    /// The file, by its absolute path.
    Found(PathBuf),
    /// There is no file. `expected` is its path from the package's root, `near` a file whose name is similar.
    Missing {
        expected: String,
        near: Option<String>,
    },
    /// The path leaves the package.
    Outside,
}

/// Looks for the text `name` beside the source file of `span`.
pub(crate) fn look(span: Span, name: &str) -> Lookup {
    let source = proc_macro::is_available()
        .then(|| span.unwrap().local_file())
        .flatten();
    let Some(source) = source.and_then(|source| std::path::absolute(source).ok()) else {
        return Lookup::Unknown;
    };
    look_beside(&source, name)
}

fn look_beside(source: &Path, name: &str) -> Lookup {
    let source = normalize(source);
    let (true, Some(folder)) = (source.is_file(), source.parent()) else {
        return Lookup::Unknown;
    };
    if Path::new(name).has_root() || Path::new(name).is_absolute() {
        return Lookup::Outside;
    }
    let path = normalize(&folder.join(name));
    let root = folder
        .ancestors()
        .find(|folder| folder.join("Cargo.toml").is_file());
    if !path.starts_with(root.unwrap_or(folder)) {
        return Lookup::Outside;
    }
    if path.is_file() {
        return Lookup::Found(path);
    }
    let expected = path.strip_prefix(root.unwrap_or(folder)).unwrap_or(&path);
    let expected: Vec<_> = expected.iter().map(|part| part.to_string_lossy()).collect();
    Lookup::Missing {
        expected: expected.join("/"),
        near: neighbour(&path),
    }
}

/// Returns the text of a file, up to one byte more than the longest text; `None` if it cannot be read, which `include_str!`
/// reports.
pub(crate) fn content(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_TEXT as u64 + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the markdown file in the same folder with the nearest name.
fn neighbour(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let mut names: Vec<String> = path
        .parent()?
        .read_dir()
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            Path::new(name)
                .extension()
                .is_some_and(|extension| extension == "md")
        })
        .collect();
    names.sort_unstable();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Resolves `.` and `..` by name alone, so that the result does not depend on links.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside_this_file(name: &str) -> Lookup {
        look_beside(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src/./text.rs"),
            name,
        )
    }

    #[test]
    fn a_file_beside_the_source_is_found() {
        let Lookup::Found(path) = beside_this_file("args.rs") else {
            panic!()
        };
        assert!(path.ends_with("src/args.rs") && path.is_absolute());
        assert!(matches!(
            beside_this_file("../Cargo.toml"),
            Lookup::Found(_)
        ));
    }

    #[test]
    fn a_missing_one_is_named_from_the_root() {
        let expected = "src/protocols/none.md".to_owned();
        assert_eq!(
            beside_this_file("protocols/none.md"),
            Lookup::Missing {
                expected,
                near: None
            }
        );
    }

    #[test]
    fn no_path_leaves_the_package() {
        for name in ["../../text.md", "/etc/hosts", "protocols/../../../x.md"] {
            assert_eq!(beside_this_file(name), Lookup::Outside, "{name}");
        }
    }

    #[test]
    fn a_source_that_is_not_there_is_unknown() {
        assert_eq!(
            look_beside(Path::new("/no/such/source.rs"), "x.md"),
            Lookup::Unknown
        );
        assert_eq!(look(Span::call_site(), "x.md"), Lookup::Unknown);
    }
}

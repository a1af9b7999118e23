//! A package's folder is written whole, and only where it may be.

use std::{env, fs, path::Path};

use super::*;

fn files(all: &[(&str, &str)]) -> Files {
    let mut files = Files::default();
    for (path, text) in all {
        files.add(path, text.as_bytes().to_vec()).unwrap();
    }
    files
}

fn write(folder: &Path, all: &[(&str, &str)]) -> Result<Vec<(String, FileState)>, String> {
    let written = files(all).write(folder, "notes", "claude-plugin");
    let written = written.map_err(|error| error.to_string())?.1;
    Ok(written.into_iter().map(|it| (it.file, it.state)).collect())
}

/// Returns everything below a folder, with its content, without the mark.
fn found(folder: &Path) -> Vec<(String, String)> {
    let mut found = super::super::tests::read(folder);
    found.remove(MARK);
    found.into_iter().collect()
}

fn owned(all: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    all.iter().map(owned).collect()
}

#[test]
fn a_path_stays_inside() {
    let mut files = Files::default();
    for path in [
        "", "/a", "..", "a/../b", "../a", "./a", "a//b", "a/", "C:\\a", "a\\b", "C:a", "a\0", MARK,
    ] {
        let error = files.add(path, Vec::new()).unwrap_err().to_string();
        assert!(error.contains("inside the package"), "{path:?}: {error}");
    }
    files.add("a/b.txt", Vec::new()).unwrap();
    let twice = files.add("a/b.txt", Vec::new()).unwrap_err().to_string();
    assert!(twice.contains("two files `a/b.txt`"), "{twice}");
}

#[test]
fn a_package_is_replaced_by_the_next() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("further/below/notes");
    let first = [("a.txt", "1"), ("b/c.txt", "2")];
    let written = write(&folder, &first).unwrap();
    assert!(
        written
            .iter()
            .all(|(_, state)| *state == FileState::Created)
    );
    assert_eq!(found(&folder), owned(&first));

    let second = [("a.txt", "1"), ("b/d.txt", "3"), ("e.txt", "4")];
    let states = [
        ("a.txt".to_owned(), FileState::Unchanged),
        ("b/d.txt".to_owned(), FileState::Created),
        ("e.txt".to_owned(), FileState::Created),
        ("b/c.txt".to_owned(), FileState::Removed),
    ];
    assert_eq!(write(&folder, &second).unwrap(), states);
    assert_eq!(found(&folder), owned(&second));
    fs::write(folder.join("a.txt"), "by hand").unwrap();
    assert_eq!(write(&folder, &second).unwrap()[0].1, FileState::Changed);
    // Nothing else is left beside it.
    let beside = fs::read_dir(folder.parent().unwrap()).unwrap().count();
    assert_eq!(beside, 1);

    // An empty folder is as good as none, and a link leads to the folder.
    let empty = home.path().join("empty");
    fs::create_dir(&empty).unwrap();
    write(&empty, &first).unwrap();
    #[cfg(unix)]
    {
        let link = home.path().join("link");
        std::os::unix::fs::symlink(&empty, &link).unwrap();
        write(&link, &second).unwrap();
        assert!(link.is_symlink());
    }
    assert_eq!(
        found(&empty),
        owned(if cfg!(unix) { &second } else { &first })
    );
}

#[test]
fn another_folder_is_left_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    let new = [("a.txt", "new")];
    let folder = home.path().join("notes");
    let refused = |folder: &Path, why: &str| {
        let before = found(home.path());
        let error = write(folder, &new).unwrap_err();
        assert!(error.contains(why), "{error}");
        assert_eq!(found(home.path()), before);
    };

    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("mine.txt"), "mine").unwrap();
    refused(&folder, "is not a package of the server `notes`");
    for wrong in ["", "{", "[]", r#"{"server": "notes"}"#, "\u{0}"] {
        fs::write(folder.join(MARK), wrong).unwrap();
        refused(&folder, "is not a package of the server `notes`");
    }
    let other = r#"{"server": "other", "format": "x", "files": ["mine.txt"]}"#;
    fs::write(folder.join(MARK), other).unwrap();
    refused(&folder, "is not a package of the server `notes`");

    let package = home.path().join("package");
    write(&package, &[("a.txt", "old")]).unwrap();
    fs::write(package.join("LICENSE"), "mine").unwrap();
    refused(&package, "LICENSE` is not a file of the package");
    fs::remove_file(package.join("LICENSE")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&folder, package.join("elsewhere")).unwrap();
        let error = write(&package, &new).unwrap_err();
        assert!(error.contains("elsewhere` is not a file of"), "{error}");
        fs::remove_file(package.join("elsewhere")).unwrap();
    }

    refused(&folder.join("mine.txt"), "cannot read");
    let here = env::current_dir().unwrap();
    for around in [&*here, here.parent().unwrap()] {
        let error = write(around, &new).unwrap_err();
        assert!(error.contains("current folder"), "{error}");
    }
    let error = write(Path::new("/"), &new).unwrap_err();
    assert!(error.contains("cannot be a package"), "{error}");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_if_not_all_can_be() {
    use std::os::unix::fs::PermissionsExt;

    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("notes");
    let old = [("a.txt", "old")];
    write(&folder, &old).unwrap();
    // A folder and a file of one name cannot both be.
    let clash = [("b", "1"), ("b/c", "2")];
    assert!(write(&folder, &clash).unwrap_err().contains("cannot write"));
    assert_eq!(found(&folder), owned(&old));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);

    let closed = fs::Permissions::from_mode(0o500);
    fs::set_permissions(home.path(), closed).unwrap();
    let refused = write(&folder, &[("a.txt", "new")]);
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    // A super-user may write everywhere.
    if let Err(error) = refused {
        assert!(error.contains("cannot write"), "{error}");
        assert_eq!(found(&folder), owned(&old));
    }
}

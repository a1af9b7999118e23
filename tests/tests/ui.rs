//! What the compiler says to an author, word for word, and what it accepts.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use trybuild::TestCases;

/// `dir!` looks in the package that is being built, which is one that trybuild writes: the folders are copied there.
static FOLDERS: LazyLock<()> = LazyLock::new(|| {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tests/trybuild/hooks-tests");
    let folders = Path::new("ui/guidance/dirs");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(folders);
    let target = package.join(folders);
    _ = fs::remove_dir_all(&target);
    copy(&source, &target).expect("the folders are copied");
    // Nothing that should be kept in a repository.
    let write = |file: &str, content: String| {
        let path = target.join(file);
        fs::create_dir_all(path.parent().expect("a folder"))?;
        fs::write(path, content)
    };
    let text = fs::read_to_string(source.join("folder_of_hooks/welcome.md")).expect("a hook");
    write(
        "file_too_long/welcome.md",
        text + &"x".repeat(hooks_sdk::core::text::MAX_TEXT),
    )
    .expect("a long file");
    write("link_out_of_the_package/notes.txt", String::new()).expect("a folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        source.join("folder_of_hooks/welcome.md"),
        target.join("link_out_of_the_package/welcome.md"),
    )
    .expect("a link");
});

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to: PathBuf = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), &to)?;
        }
    }
    Ok(())
}

#[test]
fn messages() {
    LazyLock::force(&FOLDERS);
    let cases = TestCases::new();
    cases.compile_fail("ui/*/fail/*.rs");
}

#[test]
fn accepted() {
    LazyLock::force(&FOLDERS);
    let cases = TestCases::new();
    cases.pass("ui/*/pass/*.rs");
}

/// The sources of the standard library are not installed everywhere, and other machines have other paths.
#[test]
fn messages_read_alike_on_every_machine() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let mut read = 0;
    for room in fs::read_dir(ui).expect("ui/") {
        for file in fs::read_dir(room.expect("a room").path().join("fail")).expect("fail/") {
            let path = file.expect("a file").path();
            if path
                .extension()
                .is_none_or(|extension| extension != "stderr")
            {
                continue;
            }
            let message = fs::read_to_string(&path).expect("a message");
            for foreign in [
                "$RUST", "$CARGO", "/rustc/", ".cargo/", "/home/", "warning:",
            ] {
                assert!(!message.contains(foreign), "{}: {foreign}", path.display());
            }
            read += 1;
        }
    }
    assert!(read > 0);
}

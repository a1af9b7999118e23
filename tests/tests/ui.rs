//! What the compiler says to an author, word for word.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use trybuild::TestCases;

/// `dir!` looks in the package that is being built: the folders are copied to where trybuild writes it.
fn copy_folders() {
    let source = ui().join("guidance/dirs");
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tests/trybuild/hooks-tests");
    let target = package.join("ui/guidance/dirs");
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
}

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
    copy_folders();
    let cases = TestCases::new();
    cases.compile_fail("ui/*/fail/*.rs");
}

fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ui")
}

/// The sources of the standard library are not installed everywhere, and other machines have other paths.
#[test]
fn messages_read_alike_on_every_machine() {
    let mut read = 0;
    for protocol in fs::read_dir(ui()).expect("ui/") {
        for file in fs::read_dir(protocol.expect("a protocol").path().join("fail")).expect("fail/")
        {
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

/// Cargo finds no programs in folders of these names itself.
#[test]
fn each_accepted_file_is_a_program() {
    let read = |path| fs::read_to_string(ui().join(path)).expect("a manifest");
    let manifests = read("../accepted/Cargo.toml") + &read("../Cargo.toml");
    for protocol in fs::read_dir(ui()).expect("ui/") {
        let protocol = protocol.expect("a protocol");
        let Ok(files) = fs::read_dir(protocol.path().join("pass")) else {
            continue;
        };
        for file in files {
            let file = file.expect("a file").file_name().display().to_string();
            // Without these keys, it would be built and not run.
            let row = format!(
                "ui/{}/pass/{file}\", test = true, harness = false }}",
                protocol.file_name().display()
            );
            let is_there = !file.ends_with(".rs") || manifests.contains(&row);
            assert!(
                is_there,
                "neither tests/accepted/Cargo.toml nor tests/Cargo.toml has {row}"
            );
        }
    }
}

//! What the compiler says to an author, word for word.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use trybuild::TestCases;

/// `dir!` looks in the package that is being built: the folders are copied to where trybuild writes it.
fn copy_folders() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("guidance/dirs");
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tests/trybuild/hooks-ui");
    let target = package.join("guidance/dirs");
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
    cases.compile_fail("*/fail/*.rs");
}

fn protocols() -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("this folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.join("fail").is_dir())
}

/// The sources of the standard library are not installed everywhere, and other machines have other paths.
#[test]
fn messages_read_alike_on_every_machine() {
    let mut read = 0;
    for protocol in protocols() {
        for file in fs::read_dir(protocol.join("fail")).expect("fail/") {
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

/// A file that is neither a module nor a program is not compiled.
#[test]
fn each_accepted_file_is_compiled() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("a manifest");
    for protocol in protocols() {
        let accepted = protocol.join("pass");
        let program = fs::read_to_string(accepted.join("main.rs")).expect("a program");
        for file in fs::read_dir(&accepted).expect("pass/") {
            let path = file.expect("a file").path();
            let is_source = path.extension().is_some_and(|extension| extension == "rs");
            let module = path.file_stem().expect("a name").display();
            let names = [&protocol, &path].map(|path| path.file_name().expect("a name").display());
            let below = format!("{}/pass/{}", names[0], names[1]);
            assert!(
                !is_source
                    || program.contains(&format!("mod {module};"))
                    || manifest.contains(&format!("path = \"{below}\"")),
                "{below}: neither main.rs nor Cargo.toml names it"
            );
        }
    }
}

//! What the compiler says to an author, word for word, and what it accepts.

use std::{fs, path::Path};

use trybuild::TestCases;

#[test]
fn messages() {
    let cases = TestCases::new();
    cases.compile_fail("ui/*/fail/*.rs");
}

#[test]
fn accepted() {
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

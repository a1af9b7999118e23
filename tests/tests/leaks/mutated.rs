//! The patches that take rules out of the source: each of them still applies.

use std::{path::Path, process::Command};

use hooks_tests::skipped;

#[test]
fn each_mutation_applies_to_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Ok(entries) = root.join("tests/mutations").read_dir() else {
        panic!("no mutations");
    };
    let mut patches: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    patches.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "patch")
    });
    assert!(!patches.is_empty(), "no mutations");
    for patch in patches {
        let checked = Command::new("git")
            .args(["apply", "--check"])
            .arg(&patch)
            .current_dir(&root)
            .output();
        let Ok(checked) = checked else {
            return skipped("there is no `git`");
        };
        let said = String::from_utf8_lossy(&checked.stderr);
        assert!(
            checked.status.success(),
            "{}: the source has changed, so take the rule out of it again and write the patch anew\n{said}",
            patch.display()
        );
    }
}

//! The patches that can take rules out of the source: all of them still apply, and each has the switch of its rule.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use hooks_tests::skipped;

fn patches() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutations");
    let entries = folder.read_dir().expect("a folder");
    let mut patches: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    patches.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "patch")
    });
    patches.sort();
    assert!(!patches.is_empty(), "no mutations");
    patches
}

#[test]
fn the_mutations_apply_to_the_source_together() {
    let all: String = patches()
        .iter()
        .map(|patch| std::fs::read_to_string(patch).expect("text"))
        .collect();
    let git = Command::new("git")
        .args(["apply", "--check", "-"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut git) = git else {
        return skipped("there is no `git` (apt-get install git)");
    };
    let mut input = git.stdin.take().expect("a pipe");
    input.write_all(all.as_bytes()).expect("a reader");
    drop(input);
    let checked = git.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(
        checked.status.success(),
        "the source has changed: put the switch before the rule again, and write the patch anew\n{said}"
    );
}

#[test]
fn each_mutation_names_a_program_of_tests_and_a_test_in_it() {
    for patch in patches() {
        let text = std::fs::read_to_string(&patch).expect("text");
        let first = text.lines().next().unwrap_or_default();
        if first.starts_with("diff ") {
            continue;
        }
        let named = first.strip_prefix("# test: ");
        let named = named.and_then(|named| named.split_once(' '));
        let is_name = |name: &str| !name.is_empty() && !name.contains(' ');
        assert!(
            named.is_some_and(|(program, test)| is_name(program) && is_name(test)),
            "{}: `{first}` is not `# test: PROGRAM TEST`",
            patch.display()
        );
    }
}

#[test]
fn each_mutation_has_the_switch_of_its_own_rule() {
    for patch in patches() {
        let rule = patch.file_stem().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(&patch).expect("text");
        let mut switches = text.split("without(\"").skip(1);
        assert!(
            switches.clone().count() > 0
                && switches.all(|switch| switch.starts_with(&format!("{rule}\""))),
            "{rule}"
        );
    }
}

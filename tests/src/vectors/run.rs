//! Finding the vector files, running them, and the report.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{Arguments, Outcome, Protocol, Suite};

/// Runs the suites of `protocols` found in `folders`, and reports to `out`; whether all was well.
///
/// A suite that its protocol does not know is a failure, and so is a filter that leaves nothing to run; folders
/// of no protocol, and files that are no JSON, are passed over.
///
/// # Errors
///
/// That the report could not be written.
pub fn run(
    protocols: &[Protocol],
    folders: &[PathBuf],
    arguments: &Arguments,
    out: &mut impl Write,
) -> io::Result<bool> {
    let found = find(protocols, folders);
    let asked: Vec<&Found> = found
        .iter()
        .filter(|file| arguments.asks_for(&file.name))
        .collect();
    if arguments.list {
        return list(&asked, arguments, out).map(|()| true);
    }
    let mut total = Tally::default();
    // nextest asks for the ignored ones on their own, and there are none.
    if !arguments.ignored {
        for folder in folders.iter().filter(|folder| !folder.is_dir()) {
            writeln!(out, "{}: no such folder", folder.display())?;
            total.failed += 1;
        }
        // Such as a protocol's own folder where the folder around it is meant.
        let strange = |folder: &&PathBuf| {
            folder.is_dir() && !found.iter().any(|file| file.path.starts_with(folder))
        };
        for folder in folders.iter().filter(strange) {
            writeln!(
                out,
                "{}: no suite of a protocol that is built",
                folder.display()
            )?;
        }
        for file in &asked {
            total.add(&file.run(out)?);
        }
        if asked.is_empty() {
            writeln!(out, "no suite in {} is asked for", names(folders))?;
            total.failed += 1;
        }
    }
    writeln!(out, "{} passed, {} failed", total.passed, total.failed)?;
    Ok(total.failed == 0)
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// A file of a protocol that is built.
struct Found {
    name: String,
    path: PathBuf,
    suite: Option<Suite>,
}

fn find(protocols: &[Protocol], folders: &[PathBuf]) -> Vec<Found> {
    let mut found = Vec::new();
    for folder in folders {
        for protocol in protocols {
            for path in json_files(&folder.join(protocol.name)) {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let suite = protocol.suites.iter().find(|(name, _)| *name == stem);
                let name = format!("{}/{stem}", protocol.name);
                found.push(Found {
                    name,
                    suite: suite.map(|(_, suite)| *suite),
                    path,
                });
            }
        }
    }
    found
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    files
}

fn list(asked: &[&Found], arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    let mut names: Vec<&str> = asked.iter().map(|file| file.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if arguments.ignored {
        names.clear();
    }
    for name in &names {
        writeln!(out, "{name}: test")?;
    }
    if !arguments.terse {
        writeln!(out, "\n{} tests, 0 benchmarks", names.len())?;
    }
    Ok(())
}

impl Found {
    fn run(&self, out: &mut impl Write) -> io::Result<Tally> {
        let outcomes = match self.outcomes() {
            Ok(outcomes) => outcomes,
            Err(trouble) => {
                writeln!(out, "{}: {trouble}", self.name)?;
                return Ok(Tally {
                    passed: 0,
                    failed: 1,
                });
            }
        };
        for Outcome { name, result } in &outcomes {
            if let Err(mismatch) = result {
                writeln!(out, "{} `{name}`", self.name)?;
                writeln!(out, "  expected: {}", mismatch.expected)?;
                writeln!(out, "  got:      {}", mismatch.got)?;
            }
        }
        let run = outcomes.len();
        let passed = outcomes
            .iter()
            .filter(|outcome| outcome.result.is_ok())
            .count();
        writeln!(out, "{}: {run} run, {passed} passed", self.name)?;
        Ok(Tally {
            passed,
            failed: run - passed,
        })
    }

    fn outcomes(&self) -> Result<Vec<Outcome>, String> {
        let suite = self.suite.ok_or("this protocol has no such suite")?;
        let text = fs::read_to_string(&self.path).map_err(|error| error.to_string())?;
        let file: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let outcomes = suite(&file);
        if outcomes.is_empty() {
            return Err("there is no vector in it".to_owned());
        }
        Ok(outcomes)
    }
}

fn names(folders: &[PathBuf]) -> String {
    let names: Vec<String> = folders
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    names.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::each;

    const PROTOCOLS: &[Protocol] = &[Protocol {
        name: "echo",
        suites: &[("same", |file| each(file, Value::clone))],
    }];

    fn report(files: &[(&str, &str)], filter: &str) -> (bool, String) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let arguments = Arguments::read(filter.split_whitespace().map(str::to_owned));
        let mut out = Vec::new();
        let well = run(PROTOCOLS, &[folder.path().to_owned()], &arguments, &mut out).unwrap();
        (well, String::from_utf8(out).unwrap())
    }

    const GOOD: (&str, &str) = (
        "echo/same.json",
        r#"{"vectors": [{"id": "a", "input": 1, "output": 1}]}"#,
    );

    #[test]
    fn good_vectors_pass_and_strangers_are_passed_over() {
        let strangers = [GOOD, ("other/suite.json", "{"), ("echo/notes.md", "x")];
        assert_eq!(
            report(&strangers, ""),
            (
                true,
                "echo/same: 1 run, 1 passed\n1 passed, 0 failed\n".to_owned()
            )
        );
    }

    #[test]
    fn a_difference_is_shown() {
        let bad = (
            "echo/same.json",
            r#"{"vectors": [{"id": "b", "input": 1, "output": 2}]}"#,
        );
        let expected = "echo/same `b`\n  expected: 2\n  got:      1\necho/same: 1 run, 0 passed\n0 passed, 1 failed\n";
        assert_eq!(report(&[bad], ""), (false, expected.to_owned()));
    }

    #[test]
    fn an_unknown_suite_an_unreadable_file_and_an_empty_one_fail() {
        for file in [
            ("echo/new.json", "{}"),
            ("echo/same.json", "{"),
            ("echo/same.json", "{}"),
        ] {
            let (well, report) = report(&[file], "");
            assert!(
                !well && report.ends_with("0 passed, 1 failed\n"),
                "{report}"
            );
        }
    }

    #[test]
    fn a_filter_that_leaves_nothing_fails() {
        assert!(report(&[GOOD], "echo").0);
        assert!(!report(&[GOOD], "guidance").0);
    }

    #[test]
    fn a_folder_that_is_not_there_fails() {
        let mut out = Vec::new();
        let folders = [PathBuf::from("no such folder")];
        assert!(!run(PROTOCOLS, &folders, &Arguments::default(), &mut out).unwrap());
    }

    #[test]
    fn a_folder_without_a_suite_is_told() {
        let (good, strange) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(good.path().join("echo")).unwrap();
        fs::write(good.path().join(GOOD.0), GOOD.1).unwrap();
        fs::write(strange.path().join("same.json"), GOOD.1).unwrap();
        let folders = [good.path().to_owned(), strange.path().to_owned()];
        let mut out = Vec::new();
        assert!(run(PROTOCOLS, &folders, &Arguments::default(), &mut out).unwrap());
        let told = format!(
            "{}: no suite of a protocol that is built\n",
            strange.path().display()
        );
        assert!(String::from_utf8(out).unwrap().starts_with(&told));
    }

    #[test]
    fn listing_runs_nothing() {
        assert_eq!(
            report(&[GOOD], "--list --format terse"),
            (true, "echo/same: test\n".to_owned())
        );
        assert_eq!(
            report(&[GOOD], "--list --format terse --ignored"),
            (true, String::new())
        );
    }
}

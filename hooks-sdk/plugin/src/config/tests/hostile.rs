//! Files that cannot be read, that were made to hurt, and that slipped.

use proptest::prelude::*;

use super::*;

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| Configuration::read(folder.path().join(name), &KINDS, &own());
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("large.yaml", &b"# x\n".repeat(10_000_000 / 4));
    write("latin.yaml", b"plugins: []\n# \xe9\n");
    write("policy.json", b"{}");
    write("good.yaml", WHOLE.as_bytes());
    for (name, line, message) in [
        ("large.yaml", 0, "larger than 1 MiB"),
        ("latin.yaml", 2, "not UTF-8"),
        ("policy.json", 0, "what it is written in"),
        ("none.yaml", 0, "cannot be read"),
    ] {
        let wrong = read(name).unwrap_err();
        let first = wrong.iter().next().unwrap();
        let origin = first.origin.unwrap();
        assert_eq!(origin.line, line, "{wrong}");
        assert!(first.message.contains(message), "{wrong}");
        // No line of a file that has none.
        let place = match line {
            0 => format!("{name}: "),
            line => format!("{name}:{line}: "),
        };
        assert!(first.to_string().contains(&place), "{wrong}");
        assert!(origin.to_string().ends_with(place.trim_end_matches(": ")));
    }
    assert_eq!(read("good.yaml").unwrap().plugins().count(), 2);
}

#[test]
fn a_file_may_have_1_mib_and_32_values_in_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.yaml");
    for (size, fits) in [(MAX_CONFIGURATION, true), (MAX_CONFIGURATION + 1, false)] {
        let text = "plugins: []\n";
        let comment = "#".repeat(size - text.len());
        std::fs::write(&file, text.to_owned() + &comment).unwrap();
        assert_eq!(Configuration::read(&file, &KINDS, &own()).is_ok(), fits);
    }
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        for (depth, fits) in [(31, true), (32, false)] {
            let (open, close) = (open.repeat(depth), close.repeat(depth));
            let text = format!("plugins: {open}1{close}");
            let wrong = Configuration::parse("p.yaml", &text, &KINDS, &own()).unwrap_err();
            let is_deep = wrong.to_string().contains("stand in each other");
            assert_eq!(is_deep, !fits, "{wrong}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A file with changes at random places is read, or every mistake has a line of the file and a help.
    #[test]
    fn a_mutated_file_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..6usize, "\\PC{0,3}|[-:\\[\\]{}&*!|>'\"#%@,?=. \n\t]"), 1..8),
    ) {
        let mut text = WHOLE.to_owned();
        for (at, cut, new) in edits {
            let at = at.index(text.len() + 1);
            let near = |at: usize| (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap();
            let (from, to) = (near(at), near((at + cut).min(text.len())));
            text.replace_range(from..to, &new);
        }
        if let Err(wrong) = Configuration::parse("p.yaml", &text, &KINDS, &own()) {
            let lines = text.lines().count() + 1;
            for one in wrong.iter() {
                let line = one.origin.unwrap().line as usize;
                prop_assert!((1..=lines).contains(&line), "{one}\n{text}");
                prop_assert!(!one.message.is_empty() && !one.help.is_empty(), "{one}\n{text}");
            }
        }
    }
}

#[test]
fn a_hostile_file_is_read_in_bounded_time() {
    let times = |part: &str| part.repeat(MAX_CONFIGURATION / part.len());
    for text in [
        times("["),
        times("[a,"),
        times("{"),
        times("- "),
        times("? "),
        times("a: "),
        times("a:\n"),
        times("- - -\n"),
        times("&a "),
        times("*a "),
        times("!a "),
        times("'"),
        times("\""),
        times("|\n"),
        times("\n"),
        times("# "),
        times("\t"),
        times("%YAML\n"),
        times("---\n"),
        times("a, "),
        format!("plugins: [{}]", times("a,").get(..1 << 19).unwrap()),
        format!("plugins:\n{}", times("- a\n").get(..1 << 19).unwrap()),
        format!("plugins: \"{}", times("\\x41").get(..1 << 19).unwrap()),
    ] {
        let wrong = Configuration::parse("p.yaml", &text, &KINDS, &own()).unwrap_err();
        assert!(wrong.iter().count() <= 100);
    }
}

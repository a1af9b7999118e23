//! Each kind of edit at each place of 10,000 lines.

use crate::{
    DecisionEntry, LogKeys, LogVerifier,
    chain::{ChainHead, LineMarks, UNSIGNED},
    entry::{LogDecision, LogEnd, LogKind},
};

use super::KEYS;

const LINES: usize = 10_000;

/// Makes a chain that its program has closed.
fn chain(keys: &LogKeys) -> Vec<Vec<u8>> {
    let mut head = ChainHead::new().unwrap();
    (0..LINES)
        .map(|at| {
            let entry = match at {
                0 => DecisionEntry::new(LogKind::Start, ""),
                at if at == LINES - 1 => DecisionEntry::new(LogKind::End, ""),
                at => DecisionEntry::decided(
                    format!("id-{at}"),
                    "tools/call",
                    "save",
                    LogDecision::Allowed,
                    LogEnd::Answered,
                ),
            };
            let signed = at == 0 || at == LINES - 1 || head.unsigned + 1 >= UNSIGNED;
            let marks = LineMarks {
                signed,
                ..LineMarks::default()
            };
            let line = head.line(&entry, marks, &[], keys);
            head.written(&line, signed);
            line.trim_ascii_end().to_vec()
        })
        .collect()
}

/// Reads lines until the first fault. Returns the number of its line.
fn first_fault<'l>(
    mut verifier: LogVerifier,
    lines: impl IntoIterator<Item = &'l Vec<u8>>,
) -> Option<u64> {
    for line in lines {
        verifier.line(line);
        if verifier.has_fault() {
            break;
        }
    }
    verifier.end().faults.first().map(|fault| fault.line)
}

#[test]
fn each_kind_of_edit_at_each_place_is_found() {
    let keys = LogKeys::parse(KEYS).unwrap();
    let lines = chain(&keys);
    let mut verifier = LogVerifier::new(Vec::new()).keys(keys.clone());
    for (at, line) in lines.iter().enumerate() {
        let (before, number) = (verifier.clone(), at as u64 + 1);
        let rest = &lines[at + 1..];
        // The edited line itself, or the one behind it.
        let near = |found: Option<u64>| found.is_some_and(|found| found.abs_diff(number) <= 1);

        let middle = line.len() / 2;
        for edited in [0, middle, line.len() - 1] {
            let mut edit = line.clone();
            edit[edited] ^= 1;
            let found = first_fault(before.clone(), [&edit].into_iter().chain(rest));
            // The last line is signed; half of it counts as cut.
            assert!(
                near(found) || at + 1 == LINES,
                "edit of byte {edited} in line {at}: {found:?}"
            );
        }
        let mut word = String::from_utf8(line.clone()).unwrap();
        word = word
            .replace("allowed", "denied_")
            .replace("\"kind\":\"start\"", "\"kind\":\"stop\"");
        if word.as_bytes() != &**line {
            let edit = word.into_bytes();
            let found = first_fault(before.clone(), [&edit].into_iter().chain(rest));
            assert!(near(found), "edit in line {at}: {found:?}");
        }
        if at + 1 < LINES {
            let found = first_fault(before.clone(), rest);
            assert!(near(found), "deletion of line {at}: {found:?}");
            let swapped = [&rest[0], line].into_iter().chain(&rest[1..]);
            let found = first_fault(before.clone(), swapped);
            assert!(near(found), "swap of line {at}: {found:?}");
        }
        let found = first_fault(before.clone(), [line, line].into_iter().chain(rest));
        assert!(near(found), "copy of line {at}: {found:?}");
        let other = &lines[(at + LINES / 2) % LINES];
        let found = first_fault(before.clone(), [other].into_iter().chain(&lines[at..]));
        assert!(
            near(found),
            "copy of another line before line {at}: {found:?}"
        );

        verifier.line(line);
        // A tail that is cut is not closed, and the lines behind the last signature are named.
        let cut = verifier.clone().end();
        assert!(cut.faults.is_empty());
        let end = &cut.chains[0];
        assert_eq!(end.ended, at + 1 == LINES);
        if !end.ended {
            let says = |word: &str| cut.unknown.iter().any(|unknown| unknown.contains(word));
            assert!(says("has no end"), "{cut:?}");
            assert_eq!(end.unsigned.unwrap() > 0, says("are unsigned"));
            // An anchor that was kept elsewhere finds it.
            let mut anchored = LogVerifier::new(vec![crate::chain::hash(&lines[LINES - 1])]);
            anchored.line(line);
            assert!(!anchored.end().is_whole());
        }
    }
    assert!(verifier.end().is_whole());
}

#[test]
fn a_tail_that_somebody_hashes_anew_is_found_at_the_next_signature() {
    let keys = LogKeys::parse(KEYS).unwrap();
    let lines = chain(&keys);
    for at in [1, 50, 99, 150, 5_000, 9_998] {
        let mut verifier = LogVerifier::new(Vec::new()).keys(keys.clone());
        lines[..at].iter().for_each(|line| verifier.line(line));
        let mut head = ChainHead::new().unwrap();
        head.seq = at as u64;
        head.prev = crate::chain::hash(&lines[at - 1]);
        let chain: String = String::from_utf8_lossy(&lines[0][10..26]).into();
        head.chain = chain.into();
        for _ in 0..=UNSIGNED {
            let entry = DecisionEntry::call("forged", "tools/call", "save");
            let forged = head.line(&entry, LineMarks::default(), &[], &LogKeys::default());
            head.written(&forged, false);
            verifier.line(forged.trim_ascii_end());
        }
        assert!(verifier.has_fault(), "{at}");
    }
}

#[test]
fn a_whole_chain_that_somebody_added_has_no_known_key() {
    let keys = LogKeys::parse(KEYS).unwrap();
    let other = KEYS.replace("0001", "ff01");
    for forged in [LogKeys::default(), LogKeys::parse(&other).unwrap()] {
        let lines = chain(&forged);
        let found = first_fault(LogVerifier::new(Vec::new()).keys(keys.clone()), &lines);
        assert_eq!(found, Some(1));
    }
    let without = first_fault(LogVerifier::new(Vec::new()), &chain(&keys));
    assert_eq!(without, None, "without a key, hashes alone are checked");
}

//! `hooks prove --deep`: long texts, a subagent, and a resumed and a compacted session.

use serde_json::Value;

use super::Proving;

/// Returns the notes, or the findings, of what was tried, each with its event.
fn tried<'p>(proof: &'p Value, what: &str, member: &str) -> Vec<(&'p str, &'p str)> {
    let all = proof["deep"].as_array().unwrap().iter();
    let all = all.filter(|each| each["tried"] == what);
    all.filter_map(|each| Some((each["event"].as_str()?, each[member].as_str()?)))
        .collect()
}

#[test]
fn a_client_that_is_as_the_table_says_in_all_deep_trials() {
    let proof = Proving::with("nothing wrong").json(&["--deep"], 0);
    let deep = proof["deep"].as_array().unwrap();
    let of = |part: &str| {
        let with = |each: &&Value| each["tried"].as_str().unwrap().contains(part);
        deep.iter().filter(with).count()
    };
    for script in ["Latin", "Cyrillic", "CJK", "emoji"] {
        assert_eq!(of(script), 5, "{script}");
    }
    assert_eq!(of("99 % of 10000 UTF-16 units in "), 16);
    let (yes, no) = (
        "its text reaches the subagent",
        "its text does not reach the subagent",
    );
    let wanted = [
        ("session_start", no),
        ("pre_tool_use", yes),
        ("post_tool_use", yes),
        ("pre_request", no),
        ("post_request", no),
    ];
    assert_eq!(tried(&proof, "subagent", "note"), wanted);
    let kept = [("session_start", "the text of the start is kept")];
    assert_eq!(tried(&proof, "resumed", "note"), kept);
    let again = [("session_start", "the text of the start is sent again")];
    assert_eq!(tried(&proof, "compacted", "note"), again);
}

#[test]
fn a_subagent_without_texts_and_a_session_that_forgets_are_found() {
    let proving = Proving::with("says nothing to its subagent, and forgets at a compaction");
    let proof = proving.json(&["--deep"], 1);
    let found = "its text does not reach the subagent, and the table says that it does";
    let wanted = [("pre_tool_use", found), ("post_tool_use", found)];
    assert_eq!(tried(&proof, "subagent", "finding"), wanted);
    let found = "the text of the start is lost, and the table says `sent again`";
    let wanted = [("session_start", found)];
    assert_eq!(tried(&proof, "compacted", "finding"), wanted);
}

#[test]
fn what_the_client_cannot_be_made_to_do_is_not_known() {
    let proving = Proving::with("starts no subagent, and does not compact");
    let output = proving.prove(&["--deep"]);
    let page = String::from_utf8(output.stdout).unwrap();
    for line in [
        "\n  subagent, session_start: not known: its model called for one, and none began\n",
        "\n  compacted, session_start: not known: `/compact` did not compact its session\n",
    ] {
        assert!(page.contains(line), "{page}");
    }
}

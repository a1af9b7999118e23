//! The machine that `#[derive(SessionState)]` makes, step by step.

use hooks_sdk::{
    core::machine::CallOutcome::{Failed, Succeeded},
    session::{Machine, SessionState, StateIndex, diagram},
};

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
#[session(reset(session_clear))]
enum Stage {
    #[stage(start, allow(search), next(session_init => Ready, "session.open" => Ready))]
    New = 7,
    /// Look at the reports first.
    #[stage(deny("drop-all"), next(check_reports => Checked, any => Working))]
    Ready = 5,
    /// For readers of the source.
    #[stage(allow(any), next(session_init => Ready), text_file = "../../ui/session/pass/words/checked.md")]
    Checked = 3,
    #[stage(allow(any), deny("drop-all", session_clear))]
    Working = 1,
}

fn machine() -> Machine {
    Stage::machine().expect("a sound graph")
}

fn after(machine: &Machine, from: Stage, tool: &str) -> Option<Stage> {
    let step = machine.record(from.index(), tool, &Default::default(), Succeeded);
    Stage::at(step.to)
}

#[test]
fn states_stand_in_the_order_of_the_variants() {
    let machine = machine();
    assert_eq!(machine.start(), Stage::New.index());
    for (at, stage) in Stage::ALL.iter().enumerate() {
        assert_eq!(stage.index(), StateIndex::new(at));
        assert_eq!(Stage::at(StateIndex::new(at)), Some(*stage));
        assert_eq!(machine.name(stage.index()), format!("{stage:?}"));
    }
    assert_eq!(Stage::at(StateIndex::new(4)), None);
}

#[test]
fn what_is_not_allowed_is_refused() {
    let machine = machine();
    for (stage, tool, allowed) in [
        (Stage::New, "search", true),
        (Stage::New, "session.open", true),
        (Stage::New, "session_clear", false),
        (Stage::New, "deploy", false),
        (Stage::Ready, "deploy", true),
        (Stage::Ready, "drop-all", false),
        (Stage::Ready, "session_clear", true),
        (Stage::Checked, "drop-all", true),
        (Stage::Working, "drop-all", false),
        (Stage::Working, "session_clear", false),
    ] {
        assert_eq!(
            machine.allows(stage.index(), tool),
            allowed,
            "{tool} in {stage:?}"
        );
    }
}

#[test]
fn edges_lead_where_they_say() {
    let machine = machine();
    for (from, tool, to) in [
        (Stage::New, "search", Stage::New),
        (Stage::New, "session.open", Stage::Ready),
        (Stage::Ready, "check_reports", Stage::Checked),
        (Stage::Ready, "deploy", Stage::Working),
        (Stage::Ready, "session_clear", Stage::New),
        (Stage::Checked, "session_init", Stage::Ready),
        (Stage::Checked, "deploy", Stage::Checked),
        (Stage::Working, "check_reports", Stage::Working),
    ] {
        assert_eq!(after(&machine, from, tool), Some(to), "{tool} in {from:?}");
    }
    let failed = machine.record(
        Stage::New.index(),
        "session_init",
        &Default::default(),
        Failed,
    );
    assert!(!failed.moved());
}

#[test]
fn a_text_is_the_doc_comment_or_a_file() {
    let machine = machine();
    let texts: Vec<&str> = machine.states().map(|state| machine.text(state)).collect();
    let expected = ["", "Look at the reports first.", "Reports are checked.", ""];
    assert_eq!(texts, expected);
}

#[test]
fn the_picture_is_that_of_the_enum() {
    let picture = diagram::mermaid(&machine());
    assert!(
        picture.contains("s0 --> s1: session.open, session_init"),
        "{picture}"
    );
}

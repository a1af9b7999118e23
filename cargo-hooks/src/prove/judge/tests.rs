//! The judgement on runs that are sound, that differ, and that do not end.

use super::*;
use hooks_clients::trial::Unsaid;

use crate::prove::search::tests::requests;

fn fired(event: Event, tool: &str, said: &[(&str, &str)]) -> ProbeFiring {
    let said = said.iter().map(|(hook, text)| Said {
        hooks: vec![hook.to_string()],
        text: text.to_string(),
    });
    ProbeFiring {
        event: Some(event),
        tool: Some(tool.to_owned()),
        said: said.collect(),
        ..ProbeFiring::default()
    }
}

fn codex() -> &'static Client {
    hooks_clients::by_name("codex").expect("a client")
}

const COMPLETE: Course = Course {
    is_complete: true,
    is_done: true,
    latest: 0,
};

fn shown<'s>(firings: &'s [ProbeFiring], requests: &'s Requests) -> Shown<'s> {
    Shown {
        client: codex(),
        firings,
        requests,
        course: COMPLETE,
    }
}

#[test]
fn what_a_run_did_not_come_to_is_not_known() {
    let event = Event::PostToolUse;
    let firing = |at| ProbeFiring {
        at,
        ..fired(
            event,
            "Bash",
            &[(PROBE, "Probe 17 is known by its beginning.")],
        )
    };
    let none = requests(&[&[("user", "Please do it.")]]);
    let judge = |firings: &[ProbeFiring], course, event| {
        let judged = at_event(
            Shown {
                course,
                ..shown(firings, &none)
            },
            event,
        );
        (judged.fate, judged.finding.is_some())
    };
    let course = |is_done| Course {
        is_complete: false,
        is_done,
        latest: 50,
    };
    // The time ran out before the model had answered, or before another request.
    for (course, at) in [(course(false), 10), (course(true), 60)] {
        let judged = judge(&[firing(at)], course, event);
        assert_eq!(judged, (Fate::NotKnown, false));
        let hook = of_hook(
            Shown {
                course,
                ..shown(&[firing(at)], &none)
            },
            PROBE,
            event,
        );
        assert_eq!((hook.fate, hook.finding), (Fate::NotKnown, None));
    }
    assert_eq!(judge(&[], course(false), event), (Fate::NotKnown, false));
    let stop = judge(&[], course(true), Event::PostRequest);
    assert_eq!(stop, (Fate::NotKnown, false));
    // A finding stays when the client hangs only after the last answer.
    assert_eq!(
        judge(&[firing(10)], course(true), event),
        (Fate::Dropped, true)
    );
    assert_eq!(judge(&[], course(true), event), (Fate::DidNotFire, true));
}

#[test]
fn a_text_that_is_said_at_each_call_is_there_as_often() {
    let event = Event::PostToolUse;
    let text = "Hook of the MCP server `a` (suggestion):\n> ✓";
    let two = [
        fired(event, "Bash", &[("mine", text)]),
        fired(event, "find", &[("mine", text)]),
    ];
    let twice = format!("{text}\n\n{text}");
    let all = requests(&[&[("developer", text)], &[("developer", &twice)]]);
    let judged = of_hook(shown(&two, &all), "mine", event);
    assert_eq!((judged.fate, judged.finding), (Fate::Reached, None));
    let thrice = format!("{twice}\n\n{text}");
    let all = requests(&[&[("developer", &thrice)]]);
    let found = of_hook(shown(&two, &all), "mine", event).finding;
    let found = found.expect("a finding");
    assert_eq!(
        found,
        "one request has the text 3 times, and the hooks said it 2 times"
    );
}

#[test]
fn a_probe_is_judged_by_the_table() {
    let event = Event::PreRequest;
    let judge = |firings: &[ProbeFiring], told: &[&[(&str, &str)]]| {
        at_event(shown(firings, &requests(told)), event)
    };
    let one = [fired(
        event,
        "",
        &[(PROBE, "Probe 17 is known by its beginning.")],
    )];
    let good = judge(
        &one,
        &[&[("developer", "Probe 17 is known by its beginning.")]],
    );
    assert_eq!((good.fate, good.finding), (Fate::Reached, None));
    for (told, wanted) in [
        (&[][..], "its text was dropped"),
        (
            &[("user", "Probe 17 is known by its beginning.")],
            "the text is in the role `user`, and the table says `developer`",
        ),
        (
            &[(
                "developer",
                "Probe 17 is known by its beginning. Probe 17 is known by its beginning.",
            )],
            "one request has the text 2 times",
        ),
        (
            &[("developer", "Probe 17 is known by its begin")],
            "the client cut the text in request 1, its end: the first 30 of 35 characters are there",
        ),
    ] {
        let found = judge(&one, &[told]).finding.expect(wanted);
        assert!(found.starts_with(wanted), "{found}");
    }
    let none = judge(&[], &[]);
    assert_eq!(
        (none.fate, none.finding.as_deref()),
        (Fate::DidNotFire, Some("its hook did not fire"))
    );
    let mut silent = fired(event, "", &[]);
    silent.unsaid.push(Unsaid {
        hooks: vec![PROBE.to_owned()],
        meant: false,
        why: "there are too many".to_owned(),
    });
    let silent = judge(&[silent], &[]);
    assert_eq!(silent.fate, Fate::Silent);
    assert!(
        silent
            .finding
            .is_some_and(|found| found.ends_with("there are too many"))
    );
    let never = [fired(
        Event::SessionEnd,
        "",
        &[(PROBE, "Probe 17 is known by its beginning.")],
    )];
    let judged = at_event(shown(&never, &requests(&[])), Event::SessionEnd);
    assert_eq!((judged.fate, judged.finding), (Fate::Dropped, None));
    let told = requests(&[&[("user", "Probe 17 is known by its beginning.")]]);
    assert!(
        at_event(shown(&never, &told), Event::SessionEnd)
            .finding
            .is_some()
    );
}

#[test]
fn each_call_of_a_tool_counts() {
    let event = Event::PostToolUse;
    let two = [
        fired(event, "Bash", &[(PROBE, "Probe 1.")]),
        fired(event, "find", &[(PROBE, "Probe 2.")]),
    ];
    let both = requests(&[
        &[("developer", "Probe 1.")],
        &[("developer", "Probe 1."), ("developer", "Probe 2.")],
    ]);
    assert_eq!(at_event(shown(&two, &both), event).finding, None);
    let one = requests(&[&[("developer", "Probe 1.")]]);
    let found = at_event(shown(&two, &one), event)
        .finding
        .expect("a finding");
    assert!(
        found.starts_with("1 of 2 texts were dropped (find)"),
        "{found}"
    );
}

#[test]
fn a_hook_of_the_author_is_judged_by_its_own_text() {
    let event = Event::PostToolUse;
    let judge = |firings: &[ProbeFiring], told: &str| {
        of_hook(
            shown(firings, &requests(&[&[("developer", told)]])),
            "mine",
            event,
        )
    };
    let said = [fired(
        event,
        "Bash",
        &[("other", "No"), ("mine", "Store it.")],
    )];
    assert_eq!(judge(&said, "> Store it.").fate, Fate::Reached);
    let dropped = judge(&said, "> No");
    assert_eq!(dropped.fate, Fate::Dropped);
    assert!(dropped.finding.is_some());
    let unsaid = |meant| {
        let mut firing = fired(event, "Bash", &[]);
        firing.unsaid.push(Unsaid {
            hooks: vec!["mine".to_owned()],
            meant,
            why: "why".to_owned(),
        });
        [firing]
    };
    let meant = judge(&unsaid(true), "");
    assert_eq!((meant.note.as_deref(), meant.finding), (Some("why"), None));
    let broken = judge(&unsaid(false), "");
    assert_eq!(
        (broken.note, broken.finding.as_deref()),
        (None, Some("why"))
    );
    assert_eq!(
        judge(&[], "").note.as_deref(),
        Some("its event did not fire")
    );
}

//! The judgement on what a trial shows: where it differs from the table.

use super::{
    AtEvent, Fate, OfHook, PROBE, Requests, Where,
    inside::{Firing, Said},
};
use crate::{clients::Client, lifecycle::Event};

/// Judges what happened at an event.
pub(crate) fn at_event(
    client: &dyn Client,
    event: Event,
    firings: &[Firing],
    requests: &Requests,
) -> AtEvent {
    let mapping = client.mapping(event);
    let expected = mapping.delivery.reaches_agent();
    let fired: Vec<&Firing> = firings
        .iter()
        .filter(|firing| firing.event == Some(event))
        .collect();
    let probes = fired.iter().flat_map(|firing| {
        let probe = |said: &&Said| said.hooks == [PROBE];
        firing.said.iter().filter(probe).map(|said| (*firing, said))
    });
    let (mut reached, mut dropped) = (Vec::new(), Vec::new());
    for (firing, said) in probes {
        match requests.find(&said.text) {
            Some(place) => reached.push(place),
            None => dropped.push(firing.tool.as_deref().unwrap_or_default()),
        }
    }
    let fate = match (reached.is_empty(), dropped.is_empty()) {
        (false, _) => Fate::Reached,
        (true, false) => Fate::Dropped,
        (true, true) if fired.is_empty() => Fate::DidNotFire,
        (true, true) => Fate::Silent,
    };
    let place = reached.first().cloned();
    let finding = match (expected, &place) {
        (true, Some(place)) if !dropped.is_empty() => Some(format!(
            "{} of {} texts were dropped ({}); others reached the model in request {}",
            dropped.len(),
            dropped.len() + reached.len(),
            dropped.join(", "),
            place.request,
        )),
        (true, Some(place)) => difference(&reached, mapping.role, place),
        (true, None) => Some(match fate {
            Fate::DidNotFire => "its hook did not fire".to_owned(),
            Fate::Silent => silence(&fired),
            _ => "its text was dropped: the hook answered, and no request has the text".to_owned(),
        }),
        (false, Some(_)) => {
            Some("the text reaches the model, and the table says that none does".to_owned())
        }
        (false, None) => None,
    };
    AtEvent {
        event,
        native: mapping.native,
        expected,
        fate,
        fired: fired.len(),
        place,
        finding,
    }
}

/// Returns why the probe was not said.
fn silence(fired: &[&Firing]) -> String {
    let probe = |firing: &&Firing| {
        let unsaid = firing.unsaid.iter().find(|unsaid| unsaid.hooks == [PROBE]);
        unsaid
            .map(|unsaid| unsaid.why.clone())
            .or_else(|| firing.problem.clone())
    };
    let why = fired.iter().find_map(probe);
    format!(
        "its hook fired, and had nothing to say: {}",
        why.as_deref().unwrap_or("the reason is not known")
    )
}

/// Returns how the texts that reached the model differ from the table.
fn difference(reached: &[Where], role: Option<&'static str>, place: &Where) -> Option<String> {
    if let Some(twice) = reached.iter().find(|place| place.times > 1) {
        return Some(format!("one request has the text {} times", twice.times));
    }
    if reached.iter().any(|place| !place.whole) {
        return Some(format!(
            "the client cut the text in request {}",
            place.request
        ));
    }
    let role = role.filter(|role| *role != place.role)?;
    Some(format!(
        "the text is in the role `{}`, and the table says `{role}`",
        place.role
    ))
}

/// Judges what happened to a hook of the author.
pub(crate) fn of_hook(
    client: &dyn Client,
    hook: &str,
    event: Event,
    firings: &[Firing],
    requests: &Requests,
) -> OfHook {
    let mut judged = OfHook {
        hook: hook.to_owned(),
        event,
        fate: Fate::DidNotFire,
        place: None,
        note: None,
        finding: None,
    };
    let is_its = |hooks: &[String]| hooks.iter().any(|id| id == hook);
    let at: Vec<&Firing> = firings
        .iter()
        .filter(|firing| firing.event == Some(event))
        .collect();
    let mut said = at
        .iter()
        .flat_map(|firing| &firing.said)
        .filter(|said| is_its(&said.hooks));
    let mut unsaid = at
        .iter()
        .flat_map(|firing| &firing.unsaid)
        .filter(|unsaid| is_its(&unsaid.hooks));
    if !client.mapping(event).delivery.reaches_agent() {
        judged.note = Some("no text reaches the agent at this event".to_owned());
    } else if let Some(said) = said.next() {
        judged.place = requests.find(&said.text);
        judged.fate = if judged.place.is_some() {
            Fate::Reached
        } else {
            Fate::Dropped
        };
        judged.finding = match &judged.place {
            None => Some(
                "its text was dropped: the hook answered, and no request has the text".to_owned(),
            ),
            Some(place) => difference(std::slice::from_ref(place), None, place),
        };
    } else if let Some(first) = unsaid.next() {
        judged.fate = Fate::Silent;
        let worst = unsaid.find(|unsaid| !unsaid.meant).unwrap_or(first);
        match worst.meant {
            true => judged.note = Some(worst.why.clone()),
            false => judged.finding = Some(worst.why.clone()),
        }
    } else {
        judged.note = Some("its event did not fire".to_owned());
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clients,
        prove::{inside::Unsaid, search::tests::requests},
    };

    fn fired(event: Event, tool: &str, said: &[(&str, &str)]) -> Firing {
        let said = said.iter().map(|(hook, text)| Said {
            hooks: vec![hook.to_string()],
            text: text.to_string(),
        });
        Firing {
            event: Some(event),
            tool: Some(tool.to_owned()),
            said: said.collect(),
            ..Firing::default()
        }
    }

    fn codex() -> &'static dyn Client {
        clients::by_name("codex").expect("a client")
    }

    #[test]
    fn a_probe_is_judged_by_the_table() {
        let event = Event::PreRequest;
        let judge = |firings: &[Firing], told: &[&[(&str, &str)]]| {
            at_event(codex(), event, firings, &requests(told))
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
                "the client cut the text",
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
        let never = at_event(
            codex(),
            Event::SessionEnd,
            &[fired(
                Event::SessionEnd,
                "",
                &[(PROBE, "Probe 17 is known by its beginning.")],
            )],
            &requests(&[]),
        );
        assert_eq!((never.fate, never.finding), (Fate::Dropped, None));
        let never = [fired(
            Event::SessionEnd,
            "",
            &[(PROBE, "Probe 17 is known by its beginning.")],
        )];
        let told = requests(&[&[("user", "Probe 17 is known by its beginning.")]]);
        assert!(
            at_event(codex(), Event::SessionEnd, &never, &told)
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
        assert_eq!(at_event(codex(), event, &two, &both).finding, None);
        let one = requests(&[&[("developer", "Probe 1.")]]);
        let found = at_event(codex(), event, &two, &one)
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
        let judge = |firings: &[Firing], told: &str| {
            of_hook(
                codex(),
                "mine",
                event,
                firings,
                &requests(&[&[("developer", told)]]),
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
}

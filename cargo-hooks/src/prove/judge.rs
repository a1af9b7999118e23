//! The judgement on what a trial shows: where it differs from the table.

use hooks_clients::{
    Client,
    trial::{PROBE, ProbeFiring, Said},
};
use hooks_core::lifecycle::Event;

use super::{AtEvent, Fate, OfHook, OfInstructions, Requests, Where};

/// How far a client came. What it did not come to is not known.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// Whether the client ended by itself, without an error.
    pub is_complete: bool,
    /// Whether the model gave its last answer.
    pub is_done: bool,
    /// The time of the agent's last request, in nanoseconds since 1970.
    pub latest: u64,
}

impl Course {
    /// Returns whether a text of this time would be in a request, if the client sent it.
    fn would_have(self, at: u64) -> bool {
        self.is_complete || (self.is_done && at < self.latest)
    }

    /// Returns whether a hook at this event would have fired, if the client fired it.
    fn would_have_fired(self, event: Event) -> bool {
        let is_after = matches!(event, Event::PostRequest | Event::SessionEnd);
        self.is_complete || (self.is_done && !is_after)
    }
}

/// What a trial shows.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'s> {
    /// The client.
    pub client: &'s Client,
    /// The runs of `hooks fire`.
    pub firings: &'s [ProbeFiring],
    /// The requests of the agent to its model.
    pub requests: &'s Requests,
    /// How the trial went.
    pub course: Course,
}

/// What happened to the texts of some firings.
#[derive(Default)]
struct Texts<'s> {
    reached: Vec<(Where, &'s str)>,
    /// The tools at whose calls the texts were dropped.
    dropped: Vec<&'s str>,
    unknown: usize,
}

impl Texts<'_> {
    /// Says how many texts were dropped, and at which tools.
    fn some_dropped(&self) -> String {
        let dropped = self.dropped.len();
        let all = dropped + self.reached.len() + self.unknown;
        let tools = self.dropped.join(", ");
        format!("{dropped} of {all} texts were dropped ({tools})")
    }
}

impl<'s> Shown<'s> {
    fn at(&self, event: Event) -> Vec<&'s ProbeFiring> {
        let at = |firing: &&ProbeFiring| firing.event == Some(event);
        self.firings.iter().filter(at).collect()
    }

    fn texts(&self, fired: &[&'s ProbeFiring], wanted: impl Fn(&Said) -> bool) -> Texts<'s> {
        let mut texts = Texts::default();
        for firing in fired {
            for said in firing.said.iter().filter(|said| wanted(said)) {
                match self.requests.find(&said.text) {
                    Some(place) => texts.reached.push((place, &said.text)),
                    None if !self.course.would_have(firing.at) => texts.unknown += 1,
                    None => texts
                        .dropped
                        .push(firing.tool.as_deref().unwrap_or_default()),
                }
            }
        }
        texts
    }

    /// Returns what happened to texts of which none was said or some were.
    fn fate(&self, event: Event, fired: &[&ProbeFiring], texts: &Texts<'_>) -> Fate {
        if !texts.reached.is_empty() {
            Fate::Reached
        } else if !texts.dropped.is_empty() {
            Fate::Dropped
        } else if texts.unknown > 0 {
            Fate::NotKnown
        } else if !fired.is_empty() {
            Fate::Silent
        } else if self.course.would_have_fired(event) {
            Fate::DidNotFire
        } else {
            Fate::NotKnown
        }
    }

    /// Returns how the texts that reached the model differ from the table.
    fn difference(&self, texts: &Texts<'_>, role: Option<&'static str>) -> Option<String> {
        let (place, _) = texts.reached.first()?;
        for (place, text) in &texts.reached {
            let all = self.firings.iter().flat_map(|firing| &firing.said);
            let said = Requests::within(text, all.map(|said| said.text.as_str()));
            if place.times > said.max(1) {
                let said = match said {
                    0 | 1 => String::new(),
                    said => format!(", and the hooks said it {said} times"),
                };
                return Some(format!(
                    "one request has the text {} times{said}",
                    place.times
                ));
            }
            if let Some(cut) = place.cut {
                return Some(format!(
                    "the client cut the text in request {}, {cut}",
                    place.request
                ));
            }
        }
        let role = role.filter(|role| *role != place.role)?;
        Some(format!(
            "the text is in the role `{}`, and the table says `{role}`",
            place.role
        ))
    }
}

const DROPPED: &str = "its text was dropped: the hook answered, and no request has the text";

/// Judges what happened at an event.
pub fn at_event(shown: Shown<'_>, event: Event) -> AtEvent {
    let mapping = shown.client.mapping(event);
    let expected = mapping.delivery.reaches_agent();
    let fired = shown.at(event);
    let texts = shown.texts(&fired, |said| said.hooks == [PROBE]);
    let fate = shown.fate(event, &fired, &texts);
    let place = texts.reached.first().map(|(place, _)| place.clone());
    let finding = match (expected, fate) {
        (true, Fate::Reached) if !texts.dropped.is_empty() => Some(format!(
            "{}; others reached the model in request {}",
            texts.some_dropped(),
            place.as_ref().map_or(0, |place| place.request),
        )),
        (true, Fate::Reached) => shown.difference(&texts, mapping.role),
        (true, Fate::Dropped) => Some(DROPPED.to_owned()),
        (true, Fate::DidNotFire) => Some("its hook did not fire".to_owned()),
        (true, Fate::Silent) => Some(silence(&fired)),
        (false, Fate::Reached) => {
            Some("the text reaches the model, and the table says that none does".to_owned())
        }
        (true, Fate::NotKnown) | (false, _) => None,
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
fn silence(fired: &[&ProbeFiring]) -> String {
    let probe = |firing: &&ProbeFiring| {
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

/// Judges what happened to a hook of the author.
pub fn of_hook(shown: Shown<'_>, hook: &str, event: Event) -> OfHook {
    let mut judged = OfHook {
        hook: hook.to_owned(),
        event,
        fate: Fate::DidNotFire,
        place: None,
        note: None,
        finding: None,
    };
    let is_its = |hooks: &[String]| hooks.iter().any(|id| id == hook);
    let fired = shown.at(event);
    let texts = shown.texts(&fired, |said| is_its(&said.hooks));
    let mut unsaid = fired
        .iter()
        .flat_map(|firing| &firing.unsaid)
        .filter(|unsaid| is_its(&unsaid.hooks));
    if !shown.client.mapping(event).delivery.reaches_agent() {
        judged.note = Some("no text reaches the agent at this event".to_owned());
        return judged;
    }
    judged.place = texts.reached.first().map(|(place, _)| place.clone());
    judged.fate = shown.fate(event, &fired, &texts);
    match judged.fate {
        Fate::Reached if texts.dropped.is_empty() => {
            judged.finding = shown.difference(&texts, None);
        }
        Fate::Reached => judged.finding = Some(texts.some_dropped()),
        Fate::Dropped => judged.finding = Some(DROPPED.to_owned()),
        Fate::NotKnown => {}
        Fate::Silent | Fate::DidNotFire => {
            judged.fate = Fate::DidNotFire;
            if let Some(first) = unsaid.next() {
                judged.fate = Fate::Silent;
                let worst = unsaid.find(|unsaid| !unsaid.meant).unwrap_or(first);
                match worst.meant {
                    true => judged.note = Some(worst.why.clone()),
                    false => judged.finding = Some(worst.why.clone()),
                }
            } else {
                judged.note = Some("its event did not fire".to_owned());
            }
        }
    }
    judged
}

/// Judges what happened to the server's instructions.
pub fn of_instructions(shown: Shown<'_>, text: &str) -> OfInstructions {
    let expected = shown.client.shows_instructions;
    // Of a hook's text, the first line names the server. All of these lines are the author's.
    let place = shown.requests.find(&format!("\n{text}"));
    // A part can be of a text that begins alike. Where the client has none, it is.
    let place = place.filter(|place| expected != Some(false) || place.cut.is_none());
    let fate = match &place {
        Some(_) => Fate::Reached,
        None if shown.course.is_complete || shown.course.is_done => Fate::Dropped,
        None => Fate::NotKnown,
    };
    let cut = place
        .as_ref()
        .and_then(|place| Some((place.request, place.cut?)));
    let finding = match (expected, fate, cut) {
        (_, _, Some((request, cut))) => {
            Some(format!("the client cut them in request {request}, {cut}"))
        }
        (Some(false), Fate::Reached, None) => {
            Some("the model receives them, and the table says that it does not".to_owned())
        }
        (Some(true), Fate::Dropped, _) => {
            Some("no request has them, and the table says that the model receives them".to_owned())
        }
        _ => None,
    };
    OfInstructions {
        expected,
        fate,
        place,
        finding,
    }
}

#[cfg(test)]
mod tests;

//! What a trial shows: which texts reached the model, and where that differs from the table.

use serde::Serialize;

use super::{
    inside::{Firing, PROBE},
    stand_in::Told,
};
use crate::{clients::Client, lifecycle::Event};

/// What was seen of one client.
#[derive(Debug, Serialize)]
pub(crate) struct Proof {
    pub(crate) client: &'static str,
    #[serde(skip)]
    pub(crate) title: &'static str,
    /// What the client says at `--version`.
    pub(crate) version: Option<String>,
    /// The version to which the table applies.
    pub(crate) recorded: &'static str,
    pub(crate) is_recorded: bool,
    pub(crate) seconds: f64,
    /// How many requests the agent sent to its model.
    pub(crate) requests: usize,
    pub(crate) outcome: Outcome,
    /// Why the trial could not be run to its end.
    pub(crate) problem: Option<String>,
    /// The last lines of the client's standard error, if there is a problem.
    pub(crate) stderr: Vec<String>,
    pub(crate) events: Vec<AtEvent>,
    pub(crate) hooks: Vec<OfHook>,
    /// The firings that could not be answered: why.
    pub(crate) unanswered: Vec<String>,
    /// What else was seen, as sentences.
    pub(crate) notes: Vec<String>,
}

impl Proof {
    pub(crate) fn of(client: &'static dyn Client) -> Proof {
        Proof {
            client: client.name(),
            title: client.title(),
            version: None,
            recorded: client.tested().version,
            is_recorded: false,
            seconds: 0.0,
            requests: 0,
            outcome: Outcome::NotRun,
            problem: None,
            stderr: Vec::new(),
            events: Vec::new(),
            hooks: Vec::new(),
            unanswered: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Makes the proof of a client that was not started.
    pub(crate) fn failed(client: &'static dyn Client, problem: String) -> Proof {
        Proof {
            problem: Some(problem),
            ..Proof::of(client)
        }
    }

    pub(crate) fn set_version(&mut self, version: Option<String>) {
        self.is_recorded = version.as_deref() == Some(self.recorded);
        self.version = version;
    }

    /// Returns the number of findings.
    pub(crate) fn findings(&self) -> usize {
        let events = self.events.iter().filter(|at| at.finding.is_some()).count();
        let hooks = self
            .hooks
            .iter()
            .filter(|each| each.finding.is_some())
            .count();
        events + hooks + self.unanswered.len()
    }

    /// Sets the outcome.
    pub(crate) fn conclude(&mut self) {
        self.outcome = match (&self.problem, self.findings()) {
            (Some(_), _) => Outcome::NotRun,
            (None, 0) => Outcome::AsTheTableSays,
            (None, _) => Outcome::Differs,
        };
    }
}

/// The outcome for one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// All texts arrived that should, as the table says.
    AsTheTableSays,
    /// The trial could not be run to its end.
    NotRun,
    /// A text did not arrive, or something else differs from the table.
    Differs,
}

/// What happened to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fate {
    /// It reached the model.
    Reached,
    /// The hook fired, and its text is in no request.
    Dropped,
    /// The hook fired, and had no text for this event.
    Silent,
    /// No hook fired.
    DidNotFire,
}

/// What happened to the probe of an event.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct AtEvent {
    pub(crate) event: Event,
    pub(crate) native: &'static str,
    /// Whether a text reaches the agent there, by the table.
    pub(crate) expected: bool,
    pub(crate) fate: Fate,
    /// How many times the client fired.
    pub(crate) fired: usize,
    #[serde(flatten)]
    pub(crate) place: Option<Where>,
    /// How it differs from the table.
    pub(crate) finding: Option<String>,
}

/// What happened to a hook of the author.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct OfHook {
    pub(crate) hook: String,
    pub(crate) event: Event,
    pub(crate) fate: Fate,
    #[serde(flatten)]
    pub(crate) place: Option<Where>,
    /// Why there is no text, where that is as the author wants it.
    pub(crate) note: Option<String>,
    pub(crate) finding: Option<String>,
}

/// Where a text is in the requests of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Where {
    /// The first request that has it, from 1.
    pub(crate) request: usize,
    /// Who says it: `system`, `developer`, `user` or `tool result`.
    pub(crate) role: String,
    /// How often one request has it, at most.
    #[serde(skip)]
    times: usize,
    #[serde(skip)]
    whole: bool,
}

/// The requests of the agent, for searching.
pub(crate) struct Requests(Vec<Vec<(String, String)>>);

impl Requests {
    pub(crate) fn of(requests: &[Vec<Told>]) -> Requests {
        let letters = |told: &Told| (told.role.clone(), letters(&told.text));
        let each = requests
            .iter()
            .map(|told| told.iter().map(letters).collect());
        Requests(each.collect())
    }

    /// Searches a text by its letters and digits: clients quote, escape and wrap it.
    fn find(&self, text: &str) -> Option<Where> {
        let whole = letters(text);
        // A client that cuts a text keeps its beginning.
        let begin: String = whole
            .chars()
            .take(whole.chars().count().div_ceil(2))
            .collect();
        self.find_letters(&whole, true)
            .or_else(|| self.find_letters(&begin, false))
    }

    fn find_letters(&self, letters: &str, whole: bool) -> Option<Where> {
        if letters.is_empty() {
            return None;
        }
        let times = |told: &[(String, String)]| {
            let each = told.iter().map(|(_, text)| text.matches(letters).count());
            each.sum::<usize>()
        };
        let mut all = self.0.iter().enumerate();
        let (at, told) = all.find(|(_, told)| times(told) > 0)?;
        let (role, _) = told.iter().find(|(_, text)| text.contains(letters))?;
        Some(Where {
            request: at + 1,
            role: role.clone(),
            times: self
                .0
                .iter()
                .map(|told| times(told))
                .max()
                .unwrap_or_default(),
            whole,
        })
    }
}

/// Returns the letters and digits of a text, without escapes of JSON and HTML.
fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let skipped = match letter {
            '\\' if rest.starts_with("\\u") => 6,
            '\\' => 2,
            '&' => ["&lt;", "&gt;", "&amp;", "&quot;", "&#39;"]
                .iter()
                .find(|escape| rest.starts_with(**escape))
                .map_or(1, |escape| escape.len()),
            _ => {
                letters.extend(Some(letter).filter(|letter| letter.is_alphanumeric()));
                letter.len_utf8()
            }
        };
        let mut end = skipped.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        rest = &rest[end..];
    }
    letters
}

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
        let probe = |said: &&super::inside::Said| said.hooks == [PROBE];
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

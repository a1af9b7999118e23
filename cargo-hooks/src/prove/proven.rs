//! The output of `cargo hooks prove`.

use std::process::ExitCode;

use hooks_core::lifecycle::Event;

use super::{AtEvent, Fate, OfHook, OfInstructions, Proof, ProofOutcome, Where, gates};

/// The exit code where a text did not arrive.
const DIFFERS: u8 = 1;

/// The exit code where a trial could not be run.
pub(super) const CANNOT_RUN: u8 = 2;

/// Returns 1 if a text did not arrive in one of the clients, 2 if a client could not be run, and otherwise 0.
pub(super) fn exit_code(proofs: &[Proof]) -> ExitCode {
    match proofs.iter().map(|proof| proof.outcome).max() {
        Some(ProofOutcome::AsTheTableSays) => ExitCode::SUCCESS,
        Some(ProofOutcome::Differs) => ExitCode::from(DIFFERS),
        Some(ProofOutcome::NotRun) | None => ExitCode::from(CANNOT_RUN),
    }
}

/// Formats what was seen of one client.
pub(super) fn page(proof: &Proof) -> String {
    let mut page = format!("{}{}\n", proof.title, version(proof));
    if let Some(problem) = &proof.problem {
        page.push_str(&format!("  could not be run to its end: {problem}\n"));
        for line in &proof.stderr {
            page.push_str(&format!("    | {line}\n"));
        }
    }
    for at in &proof.events {
        // A command is long, and begins a line of its own.
        let line = at_event(at).replace(": `", &format!(":\n{:17}`", ""));
        page.push_str(&format!("  {:<14} {line}\n", at.event.as_str()));
    }
    if let Some(seen) = &proof.instructions {
        page.push_str(&format!(
            "  {:<14} {}\n",
            "instructions",
            instructions(seen)
        ));
    }
    if !proof.hooks.is_empty() {
        page.push_str("  the server's own hooks:\n");
    }
    let width = proof
        .hooks
        .iter()
        .map(|each| each.hook.chars().count())
        .max();
    for each in &proof.hooks {
        let width = width.unwrap_or_default();
        page.push_str(&format!(
            "    {:<width$}  {:<14} {}\n",
            each.hook,
            each.event.as_str(),
            of_hook(each)
        ));
    }
    for note in &proof.notes {
        page.push_str(&format!("  note: {note}\n"));
    }
    if let Some(problem) = &proof.refused {
        page.push_str(&format!("  FOUND: the server does not start: {problem}\n"));
    }
    for problem in &proof.unanswered {
        page.push_str(&format!("  FOUND: a firing was not answered: {problem}\n"));
    }
    page.push_str(&gates::page(proof));
    let findings = proof.findings();
    page.push_str(&match proof.outcome {
        ProofOutcome::AsTheTableSays => "  as the table says\n".to_owned(),
        ProofOutcome::NotRun => String::new(),
        ProofOutcome::Differs if findings == 1 => "  1 finding\n".to_owned(),
        ProofOutcome::Differs => format!("  {findings} findings\n"),
    });
    page
}

fn version(proof: &Proof) -> String {
    let version = match &proof.version {
        Some(version) if proof.is_recorded => format!(" {version}, the version of the table"),
        Some(version) => format!(" {version}; the table was recorded with {}", proof.recorded),
        None => "; it does not report its version".to_owned(),
    };
    match proof.requests {
        0 => version,
        1 => format!("{version}: 1 request, {} s", proof.seconds),
        requests => format!("{version}: {requests} requests, {} s", proof.seconds),
    }
}

fn at_event(at: &AtEvent) -> String {
    let fate = fate(at.fate, at.place.as_ref());
    match &at.finding {
        Some(finding) => format!("FOUND: {finding}"),
        None if at.expected || at.fate == Fate::NotKnown => fate,
        None => format!("{fate}, as the table says"),
    }
}

fn instructions(seen: &OfInstructions) -> String {
    match (&seen.finding, seen.fate, seen.expected) {
        (Some(finding), ..) => format!("FOUND: {finding}"),
        (None, Fate::Dropped, Some(false)) => "in no request, as the table says".to_owned(),
        (None, Fate::Dropped, _) => "in no request".to_owned(),
        (None, ..) => fate(seen.fate, seen.place.as_ref()),
    }
}

fn of_hook(each: &OfHook) -> String {
    match (&each.finding, &each.note) {
        (Some(finding), _) => format!("FOUND: {finding}"),
        (None, Some(note)) => format!("no text: {note}"),
        (None, None) => fate(each.fate, each.place.as_ref()),
    }
}

fn fate(fate: Fate, place: Option<&Where>) -> String {
    match (fate, place) {
        (_, Some(place)) => format!(
            "reached the model: request {}, {}",
            place.request, place.role
        ),
        (Fate::DidNotFire, _) => "did not fire".to_owned(),
        (Fate::Silent, _) => "fired without a text".to_owned(),
        (Fate::NotKnown, _) => "not known: the run ended before".to_owned(),
        (Fate::Dropped | Fate::Reached, _) => "fired and was dropped".to_owned(),
    }
}

/// Formats all clients as a table of events: the request and the role in which a text reached the model.
pub(super) fn matrix(proofs: &[Proof]) -> String {
    let mut columns = vec![vec!["".to_owned()]];
    columns[0].extend(Event::ALL.iter().map(|event| event.as_str().to_owned()));
    for proof in proofs {
        let mut column = vec![proof.client.to_owned()];
        let cells = proof
            .events
            .iter()
            .map(|at| match (&at.place, at.finding.is_some()) {
                (Some(place), false) => format!("{} {}", place.request, place.role),
                (_, true) => "FOUND".to_owned(),
                (None, false) if at.fate == Fate::DidNotFire => "-".to_owned(),
                (None, false) if at.fate == Fate::NotKnown => "not known".to_owned(),
                (None, false) => "dropped".to_owned(),
            });
        column.extend(cells);
        column.resize(Event::ALL.len() + 1, "not run".to_owned());
        columns.push(column);
    }
    let width = |column: &Vec<String>| column.iter().map(String::len).max().unwrap_or_default();
    let mut matrix = String::new();
    for row in 0..=Event::ALL.len() {
        let cells = columns
            .iter()
            .map(|column| format!("{:<1$}", column[row], width(column)));
        let line: Vec<String> = cells.collect();
        matrix.push_str(line.join("  ").trim_end());
        matrix.push('\n');
    }
    matrix.push_str(
        "The first request with the text and its role; dropped: fired, and no request has the text; -: did not fire.\n",
    );
    matrix
}

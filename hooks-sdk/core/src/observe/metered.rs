//! Counters and histograms, by the `metrics` crate.
//!
//! A label has few values: hooks are known when the server starts, and so are its tools. What a client names and nobody
//! knows is `_OTHER`.

use std::time::Duration;

use metrics::{
    Key, Label, Level, Metadata, SharedString, Unit, counter, describe_counter, describe_histogram,
    with_recorder,
};

/// Where the histogram of hooks is recorded, as the macros of `metrics` say it.
static HERE: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, Some(module_path!()));

/// Each counter, and what it counts.
const COUNTERS: &[(&str, &str)] = &[
    ("hooks.runs", "Runs of hooks"),
    (
        "mcp.server.call.deadlines",
        "Calls that were stopped at their deadline",
    ),
    (
        "mcp.server.unknown_methods",
        "Messages that were stopped because the SDK does not know their method",
    ),
    (
        "mcp.server.unseen_messages",
        "Messages that were stopped because no guardian sees messages on their transport",
    ),
    (
        "mcp.server.cleaned",
        "Messages and answers that belong to no item, in which a plugin found secrets or personal data",
    ),
    (
        "mcp.server.decisions",
        "Calls, by what was decided about them",
    ),
    (
        "mcp.server.stops",
        "Stops and changes that belong to no call, by what was decided",
    ),
    (
        "mcp.server.bypasses",
        "Checks that failed while their call went on",
    ),
    (
        "hooks.log.dropped",
        "Lines that are not in the decision log",
    ),
    ("aos.decisions", "Steps that a guardian decided about"),
    ("aos.failures", "Steps that a guardian did not decide about"),
    (
        "aos.unaskable",
        "Steps that were denied because the guardian cannot be asked about them",
    ),
    ("aos.bypasses", "Steps that went on without a decision"),
];

/// Each histogram of times, and what took the time.
const HISTOGRAMS: &[(&str, &str)] = &[
    ("hooks.duration", "Time of a hook's run"),
    (
        "mcp.server.operation.duration",
        "Time of an MCP request, from its arrival at the hooks to its answer",
    ),
    ("aos.duration", "Time of a question to a guardian"),
];

/// Tells the installed recorder the unit and the meaning of each metric of the SDK. Call it after installing the
/// recorder.
pub fn describe_metrics() {
    for &(name, meaning) in COUNTERS {
        describe_counter!(name, Unit::Count, meaning);
    }
    for &(name, meaning) in HISTOGRAMS {
        describe_histogram!(name, Unit::Seconds, meaning);
    }
}

/// Counts a hook's run. A rule without a function took no time.
pub(super) fn ran(
    protocol: &'static str,
    point: &'static str,
    id: &str,
    outcome: &'static str,
    error: Option<&'static str>,
    took: Option<Duration>,
) {
    let id = SharedString::from_shared(id.into());
    // One list for both metrics, since every run of a hook pays for it, whether or not somebody listens.
    let mut labels = Vec::with_capacity(5);
    labels.push(Label::from_static_parts("hooks.protocol", protocol));
    labels.push(Label::from_static_parts("hooks.point", point));
    labels.push(Label::new("hooks.id", id));
    if let Some(took) = took {
        let key = Key::from_parts("hooks.duration", labels);
        with_recorder(|recorder| recorder.register_histogram(&key, &HERE)).record(took);
        (_, labels) = key.into_parts();
    }
    labels.push(Label::from_static_parts("hooks.outcome", outcome));
    labels.extend(error.map(|error| Label::from_static_parts("error.type", error)));
    counter!("hooks.runs", labels).increment(1);
}

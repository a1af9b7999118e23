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

/// Tells the installed recorder the unit and the meaning of each metric of the SDK. Call it after installing the
/// recorder.
pub fn describe_metrics() {
    describe_counter!("hooks.runs", Unit::Count, "Runs of hooks");
    describe_histogram!("hooks.duration", Unit::Seconds, "Time of a hook's run");
    describe_histogram!(
        "mcp.server.operation.duration",
        Unit::Seconds,
        "Time of an MCP request, from its arrival at the hooks to its answer"
    );
    describe_counter!(
        "mcp.server.call.deadlines",
        Unit::Count,
        "Calls that were stopped at their deadline"
    );
    describe_counter!(
        "mcp.server.unknown_methods",
        Unit::Count,
        "Messages that were stopped because the SDK does not know their method"
    );
    describe_counter!(
        "mcp.server.unseen_messages",
        Unit::Count,
        "Messages that were stopped because no guardian sees messages on their transport"
    );
    describe_counter!(
        "mcp.server.cleaned",
        Unit::Count,
        "Messages and answers that belong to no item, in which a plugin found secrets or personal data"
    );
    describe_counter!(
        "mcp.server.decisions",
        Unit::Count,
        "Calls, by what was decided about them"
    );
    describe_counter!(
        "mcp.server.stops",
        Unit::Count,
        "Stops and changes that belong to no call, by what was decided"
    );
    describe_counter!(
        "mcp.server.bypasses",
        Unit::Count,
        "Checks that failed while their call went on"
    );
    describe_counter!(
        "hooks.log.dropped",
        Unit::Count,
        "Lines that are not in the decision log"
    );
    describe_counter!(
        "aos.decisions",
        Unit::Count,
        "Steps that a guardian decided about"
    );
    describe_counter!(
        "aos.failures",
        Unit::Count,
        "Steps that a guardian did not decide about"
    );
    describe_counter!(
        "aos.unaskable",
        Unit::Count,
        "Steps that were denied because the guardian cannot be asked about them"
    );
    describe_counter!(
        "aos.bypasses",
        Unit::Count,
        "Steps that went on without a decision"
    );
    describe_histogram!(
        "aos.duration",
        Unit::Seconds,
        "Time of a question to a guardian"
    );
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

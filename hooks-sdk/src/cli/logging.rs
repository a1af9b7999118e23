//! The program's own log, on standard error: standard output is the protocol.

use std::{
    env::{self, VarError},
    fmt, io,
};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    prelude::*,
    registry::LookupSpan,
};

/// The variable with the levels, such as `warn,hooks_sdk=debug`.
const LEVELS: &str = "RUST_LOG";

/// Sets up the log of `serve`, with the time of each line, or that of another command, whose user sees it beside the output.
pub(super) fn start(serves: bool) {
    let mut usual = Targets::new().with_default(LevelFilter::WARN);
    if serves {
        // The log names the hooks that were found.
        usual = usual.with_target("hooks_sdk", LevelFilter::INFO);
    }
    let (wanted, wrong) = match env::var(LEVELS) {
        Ok(levels) if !levels.is_empty() => match levels.parse::<Targets>() {
            Ok(wanted) => (Some(wanted), None),
            Err(error) => (None, Some(error.to_string())),
        },
        Err(VarError::NotUnicode(_)) => (None, Some("it is not Unicode".to_owned())),
        _ => (None, None),
    };
    let log = tracing_subscriber::registry().with(wanted.unwrap_or(usual));
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    // Keeps a log that the author has set up before.
    _ = match serves {
        true => log.with(lines).try_init(),
        false => log.with(lines.event_format(Plain)).try_init(),
    };
    if let Some(error) = wrong {
        tracing::warn!("{LEVELS} is not obeyed ({error}): write `warn` or `warn,hooks_sdk=debug`");
    }
}

/// The line of a command: `warning:` and what is wrong.
struct Plain;

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let word = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            _ => "note",
        };
        write!(writer, "{word}: ")?;
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

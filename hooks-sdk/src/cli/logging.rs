//! The program's own log, on standard error: standard output is the protocol.

use std::{fmt, io};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{
    EnvFilter,
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

/// The default of `RUST_LOG` while a server is served: the log names the hooks that were found.
const LOG_OF_SERVE: &str = "warn,hooks_sdk=info";

/// The default of the other commands, whose user sees the log beside the output.
const LOG_OF_COMMANDS: &str = "warn";

/// Sets up the log of `serve`, with the time of each line, or that of another command.
pub(super) fn start(serves: bool) {
    let level = match serves {
        true => LOG_OF_SERVE,
        false => LOG_OF_COMMANDS,
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    // Keeps a log that the author has set up before.
    _ = match serves {
        true => log.try_init(),
        false => log.event_format(Plain).try_init(),
    };
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

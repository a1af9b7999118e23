//! Where lines go beside the file.

use std::{fmt, sync::Arc};

use crate::{LogError, LogSettings};

/// The socket of the system's log.
#[cfg(unix)]
const SYSLOG: &str = "/dev/log";

pub(crate) type SinkFunction = dyn Fn(&str) -> Result<(), String> + Send + Sync;

/// A place for lines beside the file.
#[derive(Clone)]
pub(crate) enum Sink {
    /// A function of the program, which receives each line without its end.
    Function(Arc<SinkFunction>),
    /// The system's log, by its socket.
    #[cfg(unix)]
    Syslog(std::path::PathBuf),
}

impl Sink {
    /// Returns the sinks that settings name.
    pub(crate) fn of(settings: &LogSettings) -> Vec<Sink> {
        #[cfg(unix)]
        if settings.syslog {
            return vec![Sink::Syslog(SYSLOG.into())];
        }
        let _ = settings;
        Vec::new()
    }
}

/// Sends a line with its end to each sink, also behind one that fails. Returns the first error.
pub(crate) fn send(sinks: &mut [OpenSink], line: &[u8]) -> Result<(), LogError> {
    if sinks.is_empty() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(line);
    let mut sent = Ok(());
    for sink in sinks {
        sent = sent.and(sink.send(text.trim_end()));
    }
    sent
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sink::Function(_) => f.write_str("Function"),
            #[cfg(unix)]
            Sink::Syslog(socket) => f.debug_tuple("Syslog").field(socket).finish(),
        }
    }
}

/// A sink as the writer has it.
pub(crate) struct OpenSink {
    sink: Sink,
    #[cfg(unix)]
    syslog: Option<syslog::Logger<syslog::LoggerBackend, syslog::Formatter3164>>,
}

impl OpenSink {
    pub(crate) fn new(sink: Sink) -> OpenSink {
        OpenSink {
            sink,
            #[cfg(unix)]
            syslog: None,
        }
    }

    /// Sends a line without its end.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), LogError> {
        match &self.sink {
            Sink::Function(function) => {
                let sent = hooks_core::internal::catch_panic_now(|| function(line));
                let sent = sent.unwrap_or_else(|failure| Err(failure.to_string()));
                sent.map_err(|wrong| LogError::Sink {
                    sink: "function",
                    wrong,
                })
            }
            #[cfg(unix)]
            Sink::Syslog(socket) => {
                let failed = |error: syslog::Error| LogError::Sink {
                    sink: "syslog",
                    wrong: error.to_string(),
                };
                let logger = match &mut self.syslog {
                    Some(logger) => logger,
                    none => none.insert(syslog::unix_custom(formatter(), socket).map_err(failed)?),
                };
                let sent = logger.info(line).map_err(failed);
                if sent.is_err() {
                    // The daemon may have made its socket anew.
                    self.syslog = None;
                }
                sent
            }
        }
    }
}

#[cfg(unix)]
fn formatter() -> syslog::Formatter3164 {
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(std::path::Path::file_name);
    syslog::Formatter3164 {
        facility: syslog::Facility::LOG_AUTHPRIV,
        hostname: None,
        process: program.unwrap_or_default().to_string_lossy().into_owned(),
        pid: std::process::id(),
    }
}

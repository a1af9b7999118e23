//! Subscribers of one test in a program of many tests.

use std::{
    io::{self, Write},
    mem,
    sync::{Arc, Mutex, Once},
};

use tracing::{
    Level, Subscriber,
    subscriber::{DefaultGuard, set_default, set_global_default},
};
use tracing_subscriber::{filter::dynamic_filter_fn, layer::SubscriberExt, registry};

/// Gives this thread a subscriber until the guard is dropped.
///
/// `tracing` switches a callsite off for the whole process if no subscriber wants it when the first thread reaches it. So the
/// process also gets a subscriber. It takes no event, and makes `tracing` ask again at each event.
pub fn subscribe(subscriber: impl Subscriber + Send + Sync + 'static) -> DefaultGuard {
    static PROCESS: Once = Once::new();
    PROCESS.call_once(|| {
        let nothing = registry().with(dynamic_filter_fn(|_, _| false));
        set_global_default(nothing).expect("no test sets one");
    });
    set_default(subscriber)
}

/// What this thread logs.
#[derive(Debug)]
pub struct Logged {
    text: Text,
    _guard: DefaultGuard,
}

impl Logged {
    /// Starts to keep what this thread logs at `level` and above.
    pub fn listen(level: Level) -> Logged {
        let text = Text::default();
        let writer = text.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_max_level(level)
            .with_writer(move || writer.clone());
        Logged {
            text,
            _guard: subscribe(subscriber.finish()),
        }
    }

    /// Returns what was logged since the last look.
    pub fn take(&self) -> String {
        let bytes = mem::take(&mut *self.text.0.lock().unwrap());
        String::from_utf8(bytes).unwrap()
    }
}

#[derive(Clone, Debug, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

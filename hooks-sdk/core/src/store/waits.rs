//! The waits of one process for new entries of streams, over one connection to the database.

use std::{collections::HashMap, future::Future, time::Duration};

use futures::future::BoxFuture;
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, MissedTickBehavior, interval_at, timeout, timeout_at},
};

use super::{
    LogPosition, StoreError, StoreFuture,
    shared::{FIRST_PAUSE, LONGEST_PAUSE, PATIENCE, reason},
};
use crate::macros::debugs;

/// The longest time that a wait for a new entry lasts.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The interval at which the connection is checked, and at which streams that nobody waits for are left.
const CHECK_EVERY: Duration = Duration::from_secs(10);

/// The number of waits that may ask for their stream at once; further ones wait for a place.
const MOST_ASKS: usize = 1024;

/// A connection that reports new entries.
pub(super) trait Line: Send {
    /// Begins to report the entries of a stream.
    fn join<'a>(&'a mut self, stream: &'a str) -> StoreFuture<'a, ()>;

    /// Ends to report the entries of a stream.
    fn leave<'a>(&'a mut self, stream: &'a str) -> StoreFuture<'a, ()>;

    /// Waits for the next report, and returns its stream. Returns `None` when the connection is broken.
    ///
    /// No report is lost if the future is dropped.
    fn next(&mut self) -> BoxFuture<'_, Option<String>>;

    /// Checks that the database still answers.
    fn check(&mut self) -> StoreFuture<'_, ()>;
}

/// Opens the connection.
pub(super) type OpenConnection = Box<dyn Fn() -> StoreFuture<'static, Box<dyn Line>> + Send + Sync>;

/// The waits of one store. The connection is opened at the first wait.
pub(super) struct Waits {
    asks: mpsc::Sender<ReportQuery>,
}

/// A wait's question for the reports of a stream.
struct ReportQuery {
    stream: String,
    answer: oneshot::Sender<Result<watch::Receiver<()>, StoreError>>,
}

/// A stream that the connection reports.
struct Joined {
    reported: watch::Sender<()>,
    /// Nobody waited at the last check.
    is_idle: bool,
}

impl Waits {
    pub(super) fn new(open: OpenConnection) -> Waits {
        let (asks, asked) = mpsc::channel(MOST_ASKS);
        tokio::spawn(run(open, asked));
        Waits { asks }
    }

    /// Waits until the stream has an entry after `after`, at most 30 seconds. `newest` looks the stream up.
    pub(super) async fn changed(
        &self,
        stream: String,
        after: LogPosition,
        newest: impl Future<Output = Result<LogPosition, StoreError>>,
    ) -> Result<(), StoreError> {
        let until = Instant::now() + LONGEST_WAIT;
        let (answer, answered) = oneshot::channel();
        let ended = || StoreError::unreachable("the runtime that connected it has ended");
        let asked = self.asks.send(ReportQuery { stream, answer }).await;
        asked.map_err(|_| ended())?;
        let mut reported = answered.await.map_err(|_| ended())??;
        // An entry that came before the stream was joined was not reported.
        if newest.await? <= after {
            // If the connection breaks or the time is over, the caller looks for itself.
            _ = timeout_at(until, reported.changed()).await;
        }
        Ok(())
    }
}

debugs!(Waits {});

async fn run(open: OpenConnection, mut asks: mpsc::Receiver<ReportQuery>) {
    let mut pause = FIRST_PAUSE;
    while let Some(first) = asks.recv().await {
        let opened = timeout(PATIENCE, open()).await;
        let error = match opened.unwrap_or_else(|_| Err(silent())) {
            Ok(line) => {
                pause = FIRST_PAUSE;
                serve(line, first, &mut asks).await;
                continue;
            }
            Err(error) => error,
        };
        tracing::warn!(
            target: "hooks_sdk::store",
            "waits for new entries fail for {pause:?}: {error}"
        );
        let text = reason(&error);
        _ = first.answer.send(Err(error));
        let until = Instant::now() + pause;
        while let Ok(Some(ask)) = timeout_at(until, asks.recv()).await {
            _ = ask.answer.send(Err(StoreError::unreachable(text.clone())));
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn silent() -> StoreError {
    StoreError::unreachable(format!("no answer within {PATIENCE:?}"))
}

/// Serves the waits until the connection breaks. Every wait that is left then returns, because its sender is dropped.
async fn serve(
    mut line: Box<dyn Line>,
    first: ReportQuery,
    asks: &mut mpsc::Receiver<ReportQuery>,
) {
    let mut streams = HashMap::new();
    let mut checks = interval_at(Instant::now() + CHECK_EVERY, CHECK_EVERY);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut next = Some(first);
    loop {
        let served = match next.take() {
            Some(ask) => join(&mut *line, &mut streams, ask).await,
            None => tokio::select! {
                ask = asks.recv() => {
                    let Some(ask) = ask else { return };
                    next = Some(ask);
                    Ok(())
                }
                stream = line.next() => stream
                    .map(|stream| report(&streams, &stream))
                    .ok_or_else(|| StoreError::unreachable("the connection has broken")),
                _ = checks.tick() => check(&mut *line, &mut streams).await,
            },
        };
        if let Err(error) = served {
            tracing::warn!(
                target: "hooks_sdk::store",
                "waits for new entries return early: {error}"
            );
            return;
        }
    }
}

async fn join(
    line: &mut dyn Line,
    streams: &mut HashMap<String, Joined>,
    ask: ReportQuery,
) -> Result<(), StoreError> {
    if !streams.contains_key(&ask.stream) {
        let joined = timeout(PATIENCE, line.join(&ask.stream)).await;
        if let Err(error) = joined.unwrap_or_else(|_| Err(silent())) {
            let text = reason(&error);
            _ = ask.answer.send(Err(error));
            return Err(StoreError::unreachable(text));
        }
    }
    let stream = streams.entry(ask.stream).or_insert_with(|| Joined {
        reported: watch::Sender::new(()),
        is_idle: false,
    });
    stream.is_idle = false;
    _ = ask.answer.send(Ok(stream.reported.subscribe()));
    Ok(())
}

fn report(streams: &HashMap<String, Joined>, stream: &str) {
    if let Some(stream) = streams.get(stream) {
        stream.reported.send_replace(());
    }
}

async fn check(
    line: &mut dyn Line,
    streams: &mut HashMap<String, Joined>,
) -> Result<(), StoreError> {
    let mut left = Vec::new();
    for (name, stream) in streams.iter_mut() {
        let nobody = stream.reported.receiver_count() == 0;
        if nobody && stream.is_idle {
            left.push(name.clone());
        }
        stream.is_idle = nobody;
    }
    for name in &left {
        streams.remove(name);
        let done = timeout(PATIENCE, line.leave(name)).await;
        done.unwrap_or_else(|_| Err(silent()))?;
    }
    let checked = timeout(PATIENCE, line.check()).await;
    checked.unwrap_or_else(|_| Err(silent()))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures::FutureExt;

    use super::*;

    /// A database whose reports the test sends, and which notes what it is asked.
    #[derive(Clone, Default)]
    struct Fake {
        notes: Arc<Mutex<Vec<String>>>,
        reports: Arc<Mutex<Option<mpsc::UnboundedSender<String>>>>,
        is_down: Arc<Mutex<bool>>,
    }

    struct FakeLine(Fake, mpsc::UnboundedReceiver<String>);

    impl Fake {
        fn waits(&self) -> Arc<Waits> {
            let fake = self.clone();
            Arc::new(Waits::new(Box::new(move || {
                fake.note("open");
                if *fake.is_down.lock().unwrap() {
                    return Box::pin(async { Err(StoreError::unreachable("down")) });
                }
                let (report, reports) = mpsc::unbounded_channel();
                *fake.reports.lock().unwrap() = Some(report);
                let line: Box<dyn Line> = Box::new(FakeLine(fake.clone(), reports));
                Box::pin(async { Ok(line) })
            })))
        }

        fn note(&self, text: &str) {
            self.notes.lock().unwrap().push(text.to_owned());
        }

        fn notes(&self) -> String {
            std::mem::take(&mut *self.notes.lock().unwrap()).join(", ")
        }

        fn report(&self, stream: &str) {
            let reports = self.reports.lock().unwrap();
            reports.as_ref().unwrap().send(stream.to_owned()).unwrap();
        }
    }

    impl Line for FakeLine {
        fn join<'a>(&'a mut self, stream: &'a str) -> StoreFuture<'a, ()> {
            self.0.note(&format!("join {stream}"));
            async { Ok(()) }.boxed()
        }

        fn leave<'a>(&'a mut self, stream: &'a str) -> StoreFuture<'a, ()> {
            self.0.note(&format!("leave {stream}"));
            async { Ok(()) }.boxed()
        }

        fn next(&mut self) -> BoxFuture<'_, Option<String>> {
            self.1.recv().boxed()
        }

        fn check(&mut self) -> StoreFuture<'_, ()> {
            async { Ok(()) }.boxed()
        }
    }

    fn wait(waits: &Arc<Waits>, stream: &str) -> tokio::task::JoinHandle<Result<(), StoreError>> {
        let (waits, stream) = (waits.clone(), stream.to_owned());
        tokio::spawn(async move {
            let newest = async { Ok(LogPosition::START) };
            waits.changed(stream, LogPosition::START, newest).await
        })
    }

    /// Lets the tasks run until all wait.
    async fn settle() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn waits_share_a_connection_and_each_stream_wakes_its_own() {
        let fake = Fake::default();
        let waits = fake.waits();
        settle().await;
        assert_eq!(fake.notes(), "", "nothing is opened before the first wait");
        let (a, again, b) = (wait(&waits, "a"), wait(&waits, "a"), wait(&waits, "b"));
        settle().await;
        assert_eq!(fake.notes(), "open, join a, join b");
        fake.report("a");
        fake.report("of another program");
        a.await.unwrap().unwrap();
        again.await.unwrap().unwrap();
        let began = Instant::now();
        assert!(!b.is_finished());
        b.await.unwrap().unwrap();
        assert!(began.elapsed() <= LONGEST_WAIT, "a wait ends on its own");
    }

    #[tokio::test(start_paused = true)]
    async fn an_entry_that_is_there_ends_the_wait() {
        let waits = Fake::default().waits();
        let newest = async { Ok(LogPosition(7)) };
        let began = Instant::now();
        let waited = waits.changed("a".to_owned(), LogPosition(6), newest).await;
        waited.unwrap();
        assert!(began.elapsed() < Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_nobody_waits_for_is_left() {
        let fake = Fake::default();
        let waits = fake.waits();
        let a = wait(&waits, "a");
        settle().await;
        fake.report("a");
        a.await.unwrap().unwrap();
        tokio::time::sleep(CHECK_EVERY * 3).await;
        assert_eq!(fake.notes(), "open, join a, leave a");
        drop(wait(&waits, "a"));
        settle().await;
        assert_eq!(fake.notes(), "join a");
    }

    #[tokio::test(start_paused = true)]
    async fn a_broken_connection_ends_every_wait_and_the_next_one_opens_it() {
        let fake = Fake::default();
        let waits = fake.waits();
        let all: Vec<_> = ["a", "b", "c"].map(|stream| wait(&waits, stream)).into();
        settle().await;
        *fake.is_down.lock().unwrap() = true;
        fake.reports.lock().unwrap().take();
        let began = Instant::now();
        for waited in all {
            waited.await.unwrap().unwrap();
        }
        assert!(began.elapsed() < Duration::from_secs(1));
        fake.notes();
        for _ in 0..100 {
            let error = wait(&waits, "a").await.unwrap().unwrap_err();
            assert_eq!(error.to_string(), "the store cannot be reached: down");
        }
        assert_eq!(fake.notes(), "open", "further waits fail during the pause");
        *fake.is_down.lock().unwrap() = false;
        tokio::time::sleep(LONGEST_PAUSE).await;
        let a = wait(&waits, "a");
        settle().await;
        fake.report("a");
        a.await.unwrap().unwrap();
    }
}

//! A session's own stream: what any replica says to the client without being asked.
//!
//! Every replica writes the events of this stream to the log. The replica that holds the client's connection reads them
//! there. Its own events do not wait for the log: they come directly, and are recognised in the log by their number.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex},
};

use futures::{Stream, future::BoxFuture, stream::poll_fn};
use rmcp::{
    model::ServerJsonRpcMessage, transport::streamable_http_server::session::ServerSseMessage,
};
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    time::{Instant, interval_at},
};
use tokio_util::sync::CancellationToken;

use super::{
    EVENT_TTL, Pause, Replicas,
    entry::{Origin, StreamEntry},
    event_id::{COMMON, EventPlace},
    events::stream_key,
    in_time,
    message::message,
};
use hooks_core::{
    internal::lock,
    store::{Key, LogEntry, LogPosition},
};

/// The number of own events that wait for a client that reads slowly. The client gets further ones from the log.
const OWN_AHEAD: usize = 64;

/// The number of events that wait in the body of the response.
const AHEAD: usize = 16;

/// The largest number of own events that a listener remembers until the log returns them. It is also the largest number of
/// other replicas whose events it counts.
const MOST_REMEMBERED: usize = 4096;

/// The listeners of this process, by session. A newer listener of a session replaces the older one.
#[derive(Default)]
pub(super) struct ReplicaListeners(Mutex<HashMap<String, Listening>>);

struct Listening {
    listener: Origin,
    own: Sender<OwnEvent>,
    ended: CancellationToken,
}

type OwnEvent = (u64, Arc<ServerJsonRpcMessage>);

impl ReplicaListeners {
    /// Hands an own event to the listener, if there is one that keeps up. Otherwise the log has the event.
    pub(super) fn offer(&self, session: &str, number: u64, message: &Arc<ServerJsonRpcMessage>) {
        self.with(|listeners| {
            if let Some(listening) = listeners.get(session) {
                _ = listening.own.try_send((number, message.clone()));
            }
        });
    }

    /// Ends the listener of a session that has ended.
    pub(super) fn end(&self, session: &str) {
        if let Some(listening) = self.with(|listeners| listeners.remove(session)) {
            listening.ended.cancel();
        }
    }

    fn remove(&self, session: &str, listener: Origin) {
        self.with(|listeners| {
            if listeners
                .get(session)
                .is_some_and(|listening| listening.listener == listener)
            {
                listeners.remove(session);
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<String, Listening>) -> T) -> T {
        work(&mut lock(&self.0))
    }
}

/// One connection of a client that listens.
struct ReplicaListener {
    replicas: Replicas,
    session: String,
    stream: Key,
    number: Origin,
    /// The client has everything of the log up to here.
    after: LogPosition,
    /// The place of this listener in the log. A listener behind it replaces this one.
    came: LogPosition,
    /// The last event of each replica that the client has.
    last_of: HashMap<Origin, u64>,
    /// The own events that the client has and the log has not shown yet.
    direct: BTreeSet<u64>,
    own: Receiver<OwnEvent>,
    to: Sender<ServerSseMessage>,
}

/// Entries for a listener.
struct Coming {
    /// At the beginning: what the client already has, and the place of the listener in the log.
    begun: Option<(LogPosition, LogPosition)>,
    entries: Vec<LogEntry>,
}

/// Why a listener stops.
enum ListenEnd {
    /// The client has gone, or the server ends.
    Gone,
    /// The client listens elsewhere.
    Replaced,
    /// The session has ended.
    Ended,
}

impl Replicas {
    /// Returns the session's own stream. It starts with what no listener got.
    pub(in crate::http) fn listen(
        &self,
        session: &str,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<> {
        self.listener(session, None)
    }

    /// Continues the session's own stream.
    pub(super) fn listen_from(
        &self,
        place: EventPlace,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<> {
        let EventPlace::Common {
            session,
            after,
            origin,
            number,
        } = place
        else {
            return self.listener("", None);
        };
        self.listener(&session, Some((after, origin, number)))
    }

    fn listener(
        &self,
        session: &str,
        since: Option<(LogPosition, Origin, u64)>,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<> {
        let (to, mut events) = channel(AHEAD);
        let mut number = Origin::default();
        // Without random bytes, the listener could be taken for another one: the stream is then empty.
        if getrandom::fill(&mut number).is_ok() {
            let (own, from) = channel(OWN_AHEAD);
            let ended = self.0.ends.child_token();
            let listening = Listening {
                listener: number,
                own,
                ended: ended.clone(),
            };
            let replaced =
                |listeners: &mut HashMap<_, _>| listeners.insert(session.to_owned(), listening);
            drop(self.0.listeners.with(replaced));
            let mut listener = ReplicaListener {
                replicas: self.clone(),
                session: session.to_owned(),
                stream: stream_key(&format!("{session}{COMMON}")),
                number,
                after: LogPosition::START,
                came: LogPosition::START,
                last_of: HashMap::new(),
                direct: BTreeSet::new(),
                own: from,
                to,
            };
            if let Some((after, origin, number)) = since {
                listener.after = after;
                listener.last_of.insert(origin, number);
            }
            tokio::spawn(listener.serve(since.is_some(), ended));
        }
        poll_fn(move |cx| events.poll_recv(cx))
    }
}

impl ReplicaListener {
    async fn serve(mut self, resumes: bool, ended: CancellationToken) {
        let to = self.to.clone();
        let stop = tokio::select! {
            stop = self.listen(resumes) => stop,
            () = to.closed() => ListenEnd::Gone,
            () = ended.cancelled() => ListenEnd::Ended,
        };
        let listeners = &self.replicas.0.listeners;
        listeners.remove(&self.session, self.number);
        match stop {
            ListenEnd::Gone => self.leave().await,
            ListenEnd::Ended if self.replicas.0.ends.is_cancelled() => self.leave().await,
            ListenEnd::Ended => {}
            // The connection stays open and silent. A client whose connection ends would take it from the newer one.
            ListenEnd::Replaced => tokio::select! {
                () = to.closed() => {}
                () = ended.cancelled() => {}
                () = self.replicas.0.ends.cancelled() => {}
            },
        }
    }

    async fn listen(&mut self, resumes: bool) -> ListenEnd {
        let mut renew = interval_at(Instant::now() + EVENT_TTL / 2, EVENT_TTL / 2);
        let mut coming = self.begin(resumes);
        loop {
            tokio::select! {
                biased;
                own = self.own.recv() => match own {
                    None => return ListenEnd::Replaced,
                    Some(event) => if let Some(stop) = self.send_own(event).await {
                        return stop;
                    },
                },
                found = &mut coming => {
                    if let Some((from, came)) = found.begun {
                        (self.after, self.came) = (from, came);
                    }
                    // An own event was handed over before it was written.
                    while let Ok(event) = self.own.try_recv() {
                        if let Some(stop) = self.send_own(event).await {
                            return stop;
                        }
                    }
                    for entry in found.entries {
                        if let Some(stop) = self.send_logged(&entry).await {
                            return stop;
                        }
                    }
                    coming = self.more();
                }
                _ = renew.tick() => self.renew().await,
            }
        }
    }

    fn more(&self) -> BoxFuture<'static, Coming> {
        let entries = self.replicas.batch(&self.stream, self.after);
        Box::pin(async move {
            let entries = entries.await;
            Coming {
                begun: None,
                entries,
            }
        })
    }

    /// Tells the other listeners that this one has come, and reads what the client did not get.
    fn begin(&self, resumes: bool) -> BoxFuture<'static, Coming> {
        let (replicas, stream, listener) =
            (self.replicas.clone(), self.stream.clone(), self.number);
        let mut from = self.after;
        Box::pin(async move {
            let mut pause = Pause::default();
            let log = &replicas.0.log;
            let came = loop {
                let entry = StreamEntry::Listens(listener).bytes();
                match in_time(log.append(&stream, entry, EVENT_TTL)).await {
                    Ok(position) => break position,
                    Err(error) => pause.after(&error).await,
                }
            };
            let (mut entries, mut at) = (Vec::new(), from);
            while at < came {
                let batch = replicas.batch(&stream, at).await;
                at = batch.last().map_or(came, |entry| entry.position);
                entries.extend(batch);
            }
            if !resumes {
                from = undelivered(&entries, listener, came);
                entries.retain(|entry| entry.position > from);
            }
            let begun = Some((from, came));
            Coming { begun, entries }
        })
    }

    async fn send_own(&mut self, (number, message): OwnEvent) -> Option<ListenEnd> {
        let own = self.replicas.0.origin;
        if self.last_of.get(&own).is_some_and(|last| *last >= number) {
            return None;
        }
        self.direct.insert(number);
        if self.direct.len() > MOST_REMEMBERED {
            self.direct.pop_first();
        }
        let mut event = ServerSseMessage::from_message(ServerJsonRpcMessage::clone(&message));
        event.event_id = Some(self.place(number));
        self.send(event).await
    }

    async fn send_logged(&mut self, entry: &LogEntry) -> Option<ListenEnd> {
        self.after = entry.position;
        match StreamEntry::of(&entry.bytes)? {
            StreamEntry::Listens(other) => {
                let is_newer = other != self.number && entry.position > self.came;
                is_newer.then_some(ListenEnd::Replaced)
            }
            StreamEntry::Leaves(..) => None,
            StreamEntry::Event {
                origin,
                number,
                json,
                ..
            } => {
                if self.last_of.len() > MOST_REMEMBERED {
                    self.last_of.clear();
                }
                let last = self.last_of.entry(origin).or_default();
                if *last >= number {
                    return None;
                }
                *last = number;
                if origin == self.replicas.0.origin && self.direct.remove(&number) {
                    return None;
                }
                let id = self.place(0);
                self.send(ServerSseMessage::new(id, message(json)?)).await
            }
        }
    }

    async fn send(&self, event: ServerSseMessage) -> Option<ListenEnd> {
        self.to
            .send(event)
            .await
            .is_err()
            .then_some(ListenEnd::Gone)
    }

    /// Returns the id of an event: the place in the log, and the last own event that did not wait for the log.
    fn place(&self, number: u64) -> String {
        let direct = self.direct.last().copied().unwrap_or_default();
        let place = EventPlace::Common {
            session: self.session.clone(),
            after: self.after,
            origin: self.replicas.0.origin,
            number: number.max(direct),
        };
        place.text()
    }

    /// Keeps the stream in the log, so that a later listener knows of this one.
    async fn renew(&self) {
        self.append(&StreamEntry::Listens(self.number)).await;
    }

    /// Tells a later listener what the client has.
    async fn leave(&self) {
        self.append(&StreamEntry::Leaves(self.number, self.after))
            .await;
    }

    async fn append(&self, entry: &StreamEntry<'_>) {
        let append = self
            .replicas
            .0
            .log
            .append(&self.stream, entry.bytes(), EVENT_TTL);
        if let Err(error) = in_time(append).await {
            tracing::debug!(
                target: "hooks_sdk::http",
                %error, "a listener could not be noted in the log"
            );
        }
    }
}

/// Returns the place before the first event that no listener got. What comes after a listener that has not left is that
/// listener's.
fn undelivered(entries: &[LogEntry], new: Origin, came: LogPosition) -> LogPosition {
    let (mut current, mut got) = (None, LogPosition::START);
    for entry in entries.iter().filter(|entry| entry.position < came) {
        match StreamEntry::of(&entry.bytes) {
            Some(StreamEntry::Listens(listener)) if listener != new => current = Some(listener),
            Some(StreamEntry::Leaves(listener, after))
                if current.is_none_or(|current| current == listener) =>
            {
                (current, got) = (None, got.max(after));
            }
            _ => {}
        }
    }
    if current.is_some() { came } else { got }
}

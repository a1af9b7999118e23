//! What a client does while servers and their store come and go, and what must hold all the time.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::{Client, Connect, Failure, Generation, text};

/// The longest time until a call that is sent again and again has an answer.
const LONGEST: Duration = Duration::from_secs(60);

/// What went on.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) sessions: AtomicU64,
    pub(crate) calls: AtomicU64,
    pub(crate) retried: AtomicU64,
    pub(crate) approved: AtomicU64,
    pub(crate) declined: AtomicU64,
    pub(crate) replays: AtomicU64,
    pub(crate) hooks: AtomicU64,
    /// How often the hook of a session fired. It does at the replica where it was registered.
    pub(crate) fired: AtomicU64,
    broken: Mutex<Vec<String>>,
    pub(crate) stop: AtomicBool,
}

impl Tally {
    /// Records that something happened that must not.
    fn breaks(&self, what: String) {
        self.broken.lock().unwrap().push(what);
    }

    /// # Panics
    ///
    /// Panics if something happened that must not.
    pub(crate) fn check(&self) {
        let broken = self.broken.lock().unwrap();
        assert!(
            broken.is_empty(),
            "{} broken: {:#?}",
            broken.len(),
            &broken[..broken.len().min(10)]
        );
    }

    /// Adds what went on elsewhere.
    pub(crate) fn add(&self, other: &Tally) {
        for (count, more) in self.counts().into_iter().zip(other.counts()) {
            count.fetch_add(more.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// # Panics
    ///
    /// Panics if something did not happen at all.
    pub(crate) fn is_enough(&self) {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        assert!(
            self.counts().into_iter().take(7).all(|count| of(count) > 0),
            "{self:?}"
        );
    }

    fn counts(&self) -> [&AtomicU64; 8] {
        [
            &self.sessions,
            &self.calls,
            &self.approved,
            &self.declined,
            &self.replays,
            &self.hooks,
            &self.fired,
            &self.retried,
        ]
    }
}

/// Opens sessions one after the other until the time is over.
pub(crate) async fn run<C: Connect + Clone>(
    connect: C,
    generation: Generation,
    user: String,
    tally: &Tally,
) {
    let mut round = 0;
    while !tally.stop.load(Ordering::Relaxed) {
        let client = Client::new(connect.clone(), generation, user.clone());
        let mut session = Session {
            client,
            tally,
            project: format!("fleet-{user}"),
            mark: format!("mark-{user}-{round}-end"),
            handle: None,
            stored: 0,
        };
        match session.run().await {
            Ok(()) => _ = tally.sessions.fetch_add(1, Ordering::Relaxed),
            Err(Stop::TimeIsOver) => {}
            Err(Stop::Broken(what)) => {
                tally.breaks(format!("{generation:?} {user} {round}: {what}"));
            }
        }
        round += 1;
    }
}

enum Stop {
    TimeIsOver,
    Broken(String),
}

struct Session<'t, C> {
    client: Client<C>,
    tally: &'t Tally,
    project: String,
    /// A text that only this session uses.
    mark: String,
    handle: Option<String>,
    stored: usize,
}

impl<C: Connect> Session<'_, C> {
    async fn run(&mut self) -> Result<(), Stop> {
        again(self.tally, || self.client.begin()).await?;
        self.is_closed().await?;
        let opened = self.call("session_init", json!({})).await?;
        self.handle = opened["_meta"]["hooks-sdk/session"]
            .as_str()
            .map(str::to_owned);
        if self.client.generation == Generation::Stateless && self.handle.is_none() {
            return Err(Stop::Broken(format!("no handle: {opened}")));
        }
        self.register().await?;
        for round in 0..4 {
            let id = self.store().await?;
            self.delete(&id, round % 2 == 0).await?;
        }
        if self.client.generation == Generation::Stateless {
            self.replay().await?;
        }
        // A session that ends loses nothing, so an error is no matter.
        _ = self.client.end().await;
        Ok(())
    }

    /// A guarded tool does not run outside a session.
    async fn is_closed(&mut self) -> Result<(), Stop> {
        let refused = self.call("store_memory", self.memory("outside")).await?;
        if refused["isError"] != true || text(&refused).contains("ID: ") {
            return Err(Stop::Broken(format!(
                "a tool ran without its session: {refused}"
            )));
        }
        Ok(())
    }

    /// Registers a hook for this session.
    async fn register(&mut self) -> Result<(), Stop> {
        let hook = json!({
            "tag": "mine", "type": "action", "lifecycle": "end", "name": "Mine",
            "requirementLevel": "MAY", "content": format!("hook of {}", self.mark),
            "tool": "store_memory",
        });
        let result = self.call("hooks_register", hook).await?;
        // The first of two attempts may have done it.
        if result["isError"] == true && !text(&result).contains("there is a hook with the id") {
            return Err(Stop::Broken(format!("no hook: {result}")));
        }
        self.tally.hooks.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Stores a memory. Returns its id.
    async fn store(&mut self) -> Result<String, Stop> {
        self.stored += 1;
        let memory = self.memory(&format!("number {}", self.stored));
        let result = self.call("store_memory", memory).await?;
        let said = text(&result);
        if result["isError"] == true {
            return Err(Stop::Broken(format!("an open session was refused: {said}")));
        }
        self.is_mine(&said)?;
        if said.contains(&format!("hook of {}", self.mark)) {
            self.tally.fired.fetch_add(1, Ordering::Relaxed);
        }
        id_of(&said).ok_or_else(|| Stop::Broken(format!("no id: {said}")))
    }

    /// Deletes a memory, if the user agrees.
    async fn delete(&mut self, id: &str, agrees: bool) -> Result<(), Stop> {
        let asked = AtomicU64::new(0);
        let foreign = Mutex::new(None);
        let decide = |question: &str| {
            asked.fetch_add(1, Ordering::Relaxed);
            if !question.contains(id) {
                *foreign.lock().unwrap() = Some(question.to_owned());
            }
            agrees
        };
        let arguments = self.with_handle(json!({"project": self.project, "memory_id": id}));
        let attempt = || {
            self.client
                .call("delete_memory", arguments.clone(), &decide)
        };
        let result = again(self.tally, attempt).await?;
        if let Some(question) = foreign.into_inner().unwrap() {
            return Err(Stop::Broken(format!(
                "asked about another's call: {question}"
            )));
        }
        let said = text(&result);
        let deleted = result["isError"] != true;
        if deleted && (!agrees || asked.into_inner() == 0) {
            return Err(Stop::Broken(format!(
                "deleted against the user's will: {said}"
            )));
        }
        let exists = self.exists(id).await?;
        match agrees {
            true if deleted && exists => Err(Stop::Broken(format!("not deleted: {said}"))),
            false if !exists => Err(Stop::Broken(format!("deleted although declined: {said}"))),
            true => {
                // An attempt whose answer was lost may have used the approval. Then the last one is refused.
                let spent = ["elicitation_replayed", "elicitation_expired", "no memory"];
                let is_known = deleted || !exists || spent.iter().any(|why| said.contains(why));
                if !is_known {
                    return Err(Stop::Broken(format!("the approval was lost: {said}")));
                }
                self.tally
                    .approved
                    .fetch_add(u64::from(deleted), Ordering::Relaxed);
                Ok(())
            }
            false => {
                self.tally.declined.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// One approval deletes once, however often and wherever it is sent.
    async fn replay(&mut self) -> Result<(), Stop> {
        let id = self.store().await?;
        let arguments = self.with_handle(json!({"project": self.project, "memory_id": id}));
        let attempt = || {
            self.client
                .asked("delete_memory", arguments.clone(), &|_| true)
        };
        let (question, call) = again(self.tally, attempt).await?;
        if question["resultType"] != "input_required" {
            return Err(Stop::Broken(format!("no question: {question}")));
        }
        let sent = (0..3).map(|_| self.client.request(call.clone(), &|_| true));
        let answers = futures::future::join_all(sent).await;
        let ran = answers.iter().filter(|answer| {
            let answer = answer.as_ref().ok();
            answer.is_some_and(|result| result["isError"] != true)
        });
        let ran = ran.count();
        if ran > 1 {
            return Err(Stop::Broken(format!("one approval was used {ran} times")));
        }
        self.tally.replays.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn exists(&mut self, id: &str) -> Result<bool, Stop> {
        let arguments = json!({"project": self.project, "memory_ids": [id]});
        let found = self.call("expand_memories", arguments).await?;
        let said = text(&found);
        self.is_mine(&said)?;
        Ok(said.contains(&self.mark))
    }

    /// Nothing of another session is in a result.
    fn is_mine(&self, said: &str) -> Result<(), Stop> {
        let others = said
            .match_indices("mark-")
            .find(|(at, _)| !said[*at..].starts_with(&self.mark));
        match others {
            Some(_) => Err(Stop::Broken(format!("a text of another session: {said}"))),
            None => Ok(()),
        }
    }

    fn memory(&self, what: &str) -> Value {
        // A memory server does not store what is like another memory.
        let words: Vec<String> = (0..8)
            .map(|_| format!("{:08x}", RandomState::new().hash_one(what) as u32))
            .collect();
        let content = format!("{what} of {} {}", self.mark, words.join(" "));
        json!({"project": self.project, "content": content, "tags": []})
    }

    fn with_handle(&self, mut arguments: Value) -> Value {
        if let (Generation::Stateless, Some(handle)) = (self.client.generation, &self.handle) {
            arguments["session"] = json!(handle);
        }
        arguments
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Stop> {
        self.tally.calls.fetch_add(1, Ordering::Relaxed);
        let arguments = self.with_handle(arguments);
        let attempt = || self.client.call(tool, arguments.clone(), &|_| false);
        again(self.tally, attempt).await
    }
}

/// Does something until it has an answer that is worth no retry.
async fn again<T, F>(tally: &Tally, mut attempt: impl FnMut() -> F) -> Result<T, Stop>
where
    F: Future<Output = Result<T, Failure>>,
{
    let until = Instant::now() + LONGEST;
    loop {
        match attempt().await {
            Ok(done) => return Ok(done),
            Err(Failure::Final(what)) => return Err(Stop::Broken(what)),
            Err(Failure::Retryable(_)) if tally.stop.load(Ordering::Relaxed) => {
                return Err(Stop::TimeIsOver);
            }
            Err(Failure::Retryable(what)) if Instant::now() > until => {
                return Err(Stop::Broken(format!("no answer for a minute: {what}")));
            }
            Err(Failure::Retryable(_)) => {
                tally.retried.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// The id in the answer of `store_memory`.
fn id_of(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("ID: ")?;
    let id: String = rest
        .chars()
        .take_while(|each| each.is_ascii_alphanumeric() || *each == '-')
        .collect();
    (!id.is_empty()).then_some(id)
}

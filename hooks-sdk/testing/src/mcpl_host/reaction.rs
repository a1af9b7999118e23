//! What the host does with a request of the server, answer like a good host or misbehave, and how a test scripts it.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};

use hooks_core::internal::debugs;
use hooks_core::internal::setters;
use hooks_mcpl::{ErrorObject, wire::method};

/// What the host does with a request.
///
/// ```
/// use std::time::Duration;
/// use hooks_testing::mcpl_host::{Chunks, Reaction};
///
/// let slow = Reaction::good().after(Duration::from_millis(50));
/// let twice = Reaction::good().twice();
/// let shuffled = Reaction::good().chunks(Chunks::Shuffled);
/// let odd = Reaction::result(serde_json::json!({"accepted": "perhaps"}));
/// ```
#[derive(Clone, Debug)]
pub struct Reaction {
    said: Scripted,
    delay: Option<Duration>,
    times: usize,
    chunks: Chunks,
    first: Vec<Value>,
    afterwards: Vec<Value>,
}

#[derive(Clone, Debug)]
enum Scripted {
    Good,
    Lost,
    Never,
    Result(Value),
    Error(ErrorObject),
    Neither,
    UnderAnotherId,
    Half,
}

/// When the parts of a streamed inference are sent.
///
/// ```
/// use hooks_testing::mcpl_host::{Chunks, Reaction};
///
/// let shuffled = Reaction::good().chunks(Chunks::Shuffled);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chunks {
    /// In order, before the answer.
    #[default]
    InOrder,
    /// Before the answer, every other one first.
    Shuffled,
    /// After the answer, in order.
    Late,
    /// In order, each followed by one of a request that nobody made.
    Mixed,
    /// Not at all, though they were asked for.
    None,
}

impl Reaction {
    fn new(said: Scripted) -> Reaction {
        Reaction {
            said,
            delay: None,
            times: 1,
            chunks: Chunks::InOrder,
            first: Vec::new(),
            afterwards: Vec::new(),
        }
    }

    /// The answer of a good host.
    pub fn good() -> Reaction {
        Reaction::new(Scripted::Good)
    }

    /// The host acts on the request like a good one, and its answer is lost.
    pub fn lost() -> Reaction {
        Reaction::new(Scripted::Lost)
    }

    /// The host does nothing at all.
    pub fn never() -> Reaction {
        Reaction::new(Scripted::Never)
    }

    /// This result, whatever the request was; the host does not act on it.
    pub fn result(result: Value) -> Reaction {
        Reaction::new(Scripted::Result(result))
    }

    /// This error; the host does not act on the request.
    pub fn error(error: ErrorObject) -> Reaction {
        Reaction::new(Scripted::Error(error))
    }

    /// A result that is not of the method's shape, nor of any.
    pub fn wrong_shape() -> Reaction {
        Reaction::result(json!(["what", {"is": null}, 0]))
    }

    /// An answer with neither a result nor an error.
    pub fn neither() -> Reaction {
        Reaction::new(Scripted::Neither)
    }

    /// A good host's answer, under an id that the server never used.
    pub fn under_another_id() -> Reaction {
        Reaction::new(Scripted::UnderAnotherId)
    }

    /// The connection ends in the middle of a good host's answer.
    pub fn disconnect() -> Reaction {
        Reaction::new(Scripted::Half)
    }

    setters! {
        /// Waits first; what the server sends meanwhile is answered meanwhile.
        fn after(mut self, delay: Duration) { self.delay = Some(delay) }

        /// Says the answer twice.
        fn twice(mut self) { self.times = 2 }

        /// When the parts of a streamed inference are sent.
        fn chunks(mut self, chunks: Chunks) { self.chunks = chunks }

        /// Sends this message before the answer, in the order of the calls.
        fn first(mut self, message: Value) { self.first.push(message) }

        /// Sends this message after the answer, in the order of the calls.
        fn afterwards(mut self, message: Value) { self.afterwards.push(message) }
    }

    /// What is sent for the request `id`; `good` makes a good host act on it.
    pub(super) fn play(self, id: &Value, good: impl FnOnce() -> HostAnswer) -> Vec<WireStep> {
        let delay = self.delay.map(WireStep::Wait);
        let half = matches!(self.said, Scripted::Half);
        let acts = matches!(
            self.said,
            Scripted::Good | Scripted::Lost | Scripted::UnderAnotherId | Scripted::Half
        );
        let answer = if acts {
            good()
        } else {
            HostAnswer::from(Ok(Value::Null))
        };
        let said = match self.said {
            Scripted::Never | Scripted::Lost => return Vec::new(),
            Scripted::Result(result) => response(id, Ok(result)),
            Scripted::Error(error) => response(id, Err(error)),
            Scripted::Neither => json!({"jsonrpc": "2.0", "id": id}),
            Scripted::UnderAnotherId => response(&json!("nobody's"), answer.result),
            Scripted::Good | Scripted::Half => response(id, answer.result),
        };
        if half {
            let text = said.to_string();
            let half = text.as_bytes()[..text.len() / 2].to_vec();
            return delay.into_iter().chain([WireStep::Cut(half)]).collect();
        }
        let (before, behind) = arranged(self.chunks, id, answer.deltas);
        let messages = self
            .first
            .into_iter()
            .chain(before)
            .chain(std::iter::repeat_n(said, self.times))
            .chain(behind)
            .chain(self.afterwards);
        delay
            .into_iter()
            .chain(messages.map(WireStep::Send))
            .collect()
    }
}

/// What a good host answers.
#[derive(Debug)]
pub(super) struct HostAnswer {
    pub(super) result: Result<Value, ErrorObject>,
    /// The parts of a streamed inference.
    pub(super) deltas: Vec<String>,
}

impl From<Result<Value, ErrorObject>> for HostAnswer {
    fn from(result: Result<Value, ErrorObject>) -> HostAnswer {
        HostAnswer {
            result,
            deltas: Vec::new(),
        }
    }
}

/// One thing done on the wire.
#[derive(Debug)]
pub(super) enum WireStep {
    Send(Value),
    Wait(Duration),
    Cut(Vec<u8>),
}

fn response(id: &Value, result: Result<Value, ErrorObject>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    }
}

fn arranged(order: Chunks, id: &Value, deltas: Vec<String>) -> (Vec<Value>, Vec<Value>) {
    let chunk = |id: &Value, index: usize, delta: &str| {
        let params = json!({"requestId": id, "index": index, "delta": delta});
        json!({"jsonrpc": "2.0", "method": method::INFERENCE_CHUNK, "params": params})
    };
    let chunks = deltas.iter().enumerate();
    let chunks = chunks.map(|(at, delta)| chunk(id, at, delta));
    match order {
        Chunks::InOrder => (chunks.collect(), Vec::new()),
        Chunks::Late => (Vec::new(), chunks.collect()),
        Chunks::None => (Vec::new(), Vec::new()),
        Chunks::Shuffled => {
            let odd = chunks.clone().skip(1).step_by(2);
            (odd.chain(chunks.step_by(2)).collect(), Vec::new())
        }
        Chunks::Mixed => {
            let nobodys = json!("nobody's");
            let strange = |at| chunk(&nobodys, at, "not yours");
            let mixed = chunks.enumerate();
            let mixed = mixed.flat_map(|(at, own)| [own, strange(at)]);
            (mixed.collect(), Vec::new())
        }
    }
}

/// A test's own judgement of each request: its method and params.
pub(super) type Behaviour = Arc<dyn Fn(&str, &Value) -> Reaction + Send + Sync>;

/// What was scripted, the narrowest first.
#[derive(Clone, Default)]
pub(super) struct Script {
    once: HashMap<String, VecDeque<Reaction>>,
    always: HashMap<String, Reaction>,
    behaviour: Option<Behaviour>,
}

impl Script {
    pub(super) fn once(&mut self, method: &str, reaction: Reaction) {
        let queue = self.once.entry(method.to_owned()).or_default();
        queue.push_back(reaction);
    }

    pub(super) fn always(&mut self, method: &str, reaction: Reaction) {
        self.always.insert(method.to_owned(), reaction);
    }

    pub(super) fn behave(&mut self, behaviour: Behaviour) {
        self.behaviour = Some(behaviour);
    }

    /// Forgets everything that was scripted.
    pub(super) fn clear(&mut self) {
        *self = Script::default();
    }

    /// The scripted reaction, or the closure that is to be asked for it.
    pub(super) fn next(&mut self, method: &str) -> Result<Reaction, Option<Behaviour>> {
        let once = self.once.get_mut(method).and_then(VecDeque::pop_front);
        once.or_else(|| self.always.get(method).cloned())
            .ok_or_else(|| self.behaviour.clone())
    }
}

debugs!(Script { once, always });

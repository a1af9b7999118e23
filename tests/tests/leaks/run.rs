//! Plays a case against the shipped server, and looks at everything that left.

mod asked;
mod counted;

use std::fmt::Write;

use serde_json::{Value, json};

use crate::{
    author::Author,
    case::{Case, Op},
    live,
    over_http::Http,
    seen::{Left, Seen},
    stream::Stream,
};

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const STATELESS: &str = "2026-07-28";

/// How a client reaches the server, and by which generation of MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    StreamLegacy,
    StreamStateless,
    /// A stream of rmcp's, on which no guardian sees messages.
    StreamUnseen,
    HttpLegacy,
    HttpStateless,
    Replicas,
}

impl Kind {
    fn version(self) -> &'static str {
        match self {
            Kind::StreamStateless | Kind::HttpStateless => STATELESS,
            _ => LEGACY,
        }
    }
}

enum Wire {
    Stream(Stream),
    Http(Http),
}

/// A request that was sent.
struct Sent {
    id: Value,
    /// The plan that its answer may be about.
    about: Option<usize>,
    /// Whether it may go without an answer.
    is_loose: bool,
    /// The members that are fixed: a handshake has no plan.
    is_handshake: bool,
}

struct Play<'c> {
    case: &'c Case,
    kind: Kind,
    author: Author,
    seen: Seen,
    wire: Wire,
    sent: Vec<Sent>,
    /// The plans, in the order of their requests.
    plans: Vec<usize>,
    /// The ids of the questions that were answered.
    replied: Vec<Value>,
    transcript: String,
}

/// Plays a case.
///
/// # Errors
///
/// What is wrong, and the transcript.
pub(crate) async fn play(case: &Case, kind: Kind, far: &str) -> Result<(), String> {
    let (author, seen) = (Author::new(), Seen::default());
    let hooked = || case.judge.hooked(author.clone(), far);
    let version = kind.version();
    let wire = match kind {
        Kind::StreamLegacy | Kind::StreamStateless => {
            Wire::Stream(Stream::open(hooked(), seen.clone(), true))
        }
        Kind::StreamUnseen => Wire::Stream(Stream::open(hooked(), seen.clone(), false)),
        Kind::HttpLegacy | Kind::HttpStateless => {
            Wire::Http(Http::open(vec![hooked()], version, seen.clone()))
        }
        Kind::Replicas => Wire::Http(Http::open(vec![hooked(), hooked()], version, seen.clone())),
    };
    let mut play = Play {
        case,
        kind,
        author,
        seen,
        wire,
        sent: Vec::new(),
        plans: Vec::new(),
        replied: Vec::new(),
        transcript: String::new(),
    };
    let ended = play.all().await;
    ended.map_err(|wrong| {
        let left: String = play.seen.all().iter().fold(String::new(), |mut all, left| {
            _ = writeln!(all, "← {}", String::from_utf8_lossy(&left.raw).trim_end());
            all
        });
        format!(
            "{wrong}\n{kind:?}, {:?}\n{}{left}",
            case.judge, play.transcript
        )
    })
}

impl Play<'_> {
    async fn all(&mut self) -> Result<(), String> {
        self.shake().await?;
        for op in &self.case.ops {
            self.op(op).await?;
            self.look()?;
        }
        let finished = self.finish().await;
        self.look()?;
        finished?;
        self.count()
    }

    async fn shake(&mut self) -> Result<(), String> {
        let is_stateless = self.kind.version() == STATELESS;
        let (method, params) = match is_stateless {
            // Over HTTP each request is on its own.
            true if matches!(self.wire, Wire::Http(_)) => return Ok(()),
            // The first message of a stream is a request.
            true => ("server/discover", json!({"_meta": meta()})),
            false => (
                "initialize",
                json!({
                    "protocolVersion": LEGACY,
                    "capabilities": {
                        "elicitation": {}, "sampling": {},
                        "experimental": {"mcpl": live::host()},
                    },
                    "clientInfo": {"name": "client", "version": "1"},
                }),
            ),
        };
        let shake = json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": params});
        match &mut self.wire {
            Wire::Stream(stream) => stream.send(&shake).await,
            Wire::Http(http) => http.shake(&shake).await,
        }
        self.sent.push(Sent {
            id: 0.into(),
            about: None,
            is_loose: false,
            is_handshake: true,
        });
        let is_shaken = |left: &Left| left.is_answer() && left.message["id"] == 0;
        if !self.seen.until(|all| all.iter().any(is_shaken)).await {
            return Err("the handshake was not answered".to_owned());
        }
        if is_stateless {
            // rmcp ends a stream on which a notification comes before the first other request.
            let id = json!("begin");
            self.request(0, id.clone(), "tools/list", json!({}), None)
                .await;
            let has_begun = |left: &Left| left.is_answer() && left.message["id"] == id;
            if !self.seen.until(|all| all.iter().any(has_begun)).await {
                return Err("the first request was not answered".to_owned());
            }
        } else {
            self.tell("notifications/initialized", json!({})).await;
            // An MCPL host says what it enables.
            self.tell("featureSets/update", json!({"enabled": ["*"]}))
                .await;
        }
        if let Wire::Http(http) = &mut self.wire {
            http.listen().await;
        }
        Ok(())
    }

    fn id(&self, id: u8) -> Value {
        match id {
            0..3 => (1 + id).into(),
            3 => "1".into(),
            _ => (100 + self.sent.len()).into(),
        }
    }

    fn write(&mut self, message: &Value) {
        let whole = message.to_string();
        let mut line: String = whole.chars().take(2_000).collect();
        if line.len() < whole.len() {
            line.push('…');
        }
        _ = writeln!(self.transcript, "→ {line}");
    }

    /// Sends a request.
    async fn request(
        &mut self,
        at: u8,
        id: Value,
        method: &str,
        mut params: Value,
        about: Option<usize>,
    ) {
        if self.kind.version() == STATELESS {
            let members = meta();
            for (name, value) in members.as_object().expect("an object") {
                params["_meta"][name] = value.clone();
            }
        }
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&message);
        let within = self.sent.len();
        self.sent.push(Sent {
            id,
            about,
            is_loose: false,
            is_handshake: false,
        });
        match &mut self.wire {
            Wire::Stream(stream) => stream.send(&message).await,
            // The answer's head comes with its first message, so a held one would be waited for.
            Wire::Http(http) => http.post(at, &message, Some(within)).await,
        }
    }

    async fn send(&mut self, at: u8, message: &Value) {
        self.write(message);
        match &mut self.wire {
            Wire::Stream(stream) => stream.send(message).await,
            Wire::Http(http) => http.post(at, message, None).await,
        }
    }

    async fn tell(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send(0, &message).await;
    }

    async fn op(&mut self, op: &Op) -> Result<(), String> {
        match op {
            Op::Ask(ask) => self.ask(ask).await,
            Op::Fetch { id, back } => {
                let Some(plan) = self.plans.iter().rev().nth((*back).into()).copied() else {
                    return Ok(());
                };
                let id = self.id(*id);
                let params = json!({"taskId": plan.to_string()});
                self.request(0, id, "tasks/get", params, Some(plan)).await;
            }
            Op::Cancel { id } => self.cancel(*id).await,
            Op::Ping { id } => self.request(0, self.id(*id), "ping", json!({}), None).await,
            Op::Answer { id, brings, fails } => {
                let said = self.said(*brings);
                let id = self.id(*id);
                let answer = match fails {
                    true => {
                        json!({"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": said}})
                    }
                    false => json!({"jsonrpc": "2.0", "id": id, "result": {"text": said}}),
                };
                self.send(0, &answer).await;
            }
            Op::Reply { brings, at } => {
                self.reply(*brings, *at).await;
            }
            Op::Tell { brings } => {
                let said = self.said(*brings);
                self.tell("notifications/note", json!({"text": said})).await;
            }
            Op::Hidden { id, by } => self.hidden(*id, *by).await,
            Op::Pad { id, deep } => self.pad(*id, *deep).await,
            Op::Release => self.author.go.add_permits(100),
            Op::Sync => return self.sync().await,
        }
        Ok(())
    }

    /// Answers the oldest question. Returns whether there was one.
    async fn reply(&mut self, brings: bool, at: u8) -> bool {
        let all = self.seen.all();
        let mut questions = all.iter().filter(|left| left.is_question());
        let asked = questions.find(|left| !self.replied.contains(&left.message["id"]));
        let Some(asked) = asked else {
            return false;
        };
        let id = asked.message["id"].clone();
        self.replied.push(id.clone());
        let said = self.said(brings);
        let result = json!({"jsonrpc": "2.0", "id": id, "result": {"text": said}});
        self.send(at, &result).await;
        true
    }

    async fn sync(&mut self) -> Result<(), String> {
        let id = json!(format!("sync {}", self.sent.len()));
        let within = self.sent.len();
        self.request(0, id.clone(), "ping", json!({}), None).await;
        let refused = match &self.wire {
            Wire::Http(http) => Some(http.refused.clone()),
            Wire::Stream(_) => None,
        };
        let answered = self.seen.until(|all| {
            let is_refused = refused
                .as_ref()
                .is_some_and(|all| all.lock().unwrap().contains(&within));
            is_refused
                || all
                    .iter()
                    .any(|left| left.is_answer() && left.message["id"] == id)
        });
        if !answered.await {
            return Err("a ping was not answered".to_owned());
        }
        // What the ping overtook gets a turn.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), String> {
        if self.case.ends_early
            && let Wire::Stream(stream) = &mut self.wire
        {
            stream.end().await;
        }
        self.author.go.add_permits(10_000);
        loop {
            let strict = self.strict();
            let replied = self.replied.clone();
            let (mut is_done, mut is_asked) = (false, false);
            let can_reply = !self.case.ends_early || !matches!(self.wire, Wire::Stream(_));
            let seen = self.seen.clone();
            let ended = seen.until(|all| {
                is_done = strict.iter().all(|strict| strict.is_done(all));
                is_asked = can_reply
                    && all
                        .iter()
                        .any(|left| left.is_question() && !replied.contains(&left.message["id"]));
                is_done || is_asked
            });
            if !ended.await {
                let missing: Vec<String> = strict
                    .iter()
                    .filter(|strict| !strict.is_done(&self.seen.all()))
                    .map(|strict| strict.id.to_string())
                    .collect();
                return Err(format!("not answered: {}", missing.join(", ")));
            }
            if is_done {
                break;
            }
            self.reply(false, 1).await;
        }
        let ended = match &mut self.wire {
            Wire::Stream(stream) => stream.ended().await,
            Wire::Http(http) => {
                http.end().await;
                true
            }
        };
        ended
            .then_some(())
            .ok_or_else(|| "the server did not end".to_owned())
    }
}

/// The members that each request of 2026-07-28 has.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {
            "elicitation": {},
            "sampling": {},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        },
        "io.modelcontextprotocol/clientInfo": {"name": "client", "version": "1"},
    })
}

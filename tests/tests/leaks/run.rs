//! Plays a case against the shipped server, and looks at everything that left.

use std::{
    collections::HashMap,
    fmt::Write,
    sync::{Arc, atomic::Ordering},
};

use serde_json::{Value, json};

use crate::{
    author::{Author, Plan},
    case::{Ask, Case, Op},
    output::Output,
    over_http::Http,
    secret::{self, Form},
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
            Wire::Stream(Stream::open(hooked(), seen.clone()))
        }
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
        self.finish().await?;
        self.look()?;
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
                    "capabilities": {"elicitation": {}, "sampling": {}},
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
        let mut line = message.to_string();
        if line.len() > 2_000 {
            line.truncate(line.floor_char_boundary(2_000));
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
            Op::Break { at } => {
                if let Wire::Http(http) = &mut self.wire
                    && self.kind == Kind::Replicas
                    && let Some(broken) = http.resume(*at).await
                {
                    self.sent[broken].is_loose = true;
                }
            }
        }
        Ok(())
    }

    /// What the client says. It brings the secret only where a policy looks for it.
    fn said(&self, brings: bool) -> String {
        match brings && self.case.judge.sees_inbound() {
            true => Form::Plain.text(),
            false => "fine".to_owned(),
        }
    }

    async fn ask(&mut self, ask: &Ask) {
        let is_covered = ask.output.is_covered(self.case.judge.by());
        let form = if is_covered { ask.form } else { Form::Harmless };
        // A client of 2026-07-28 over HTTP is asked by no server.
        let output = match ask.output {
            Output::Question if self.kind.version() == STATELESS => Output::ToolText,
            other => other,
        };
        let is_covered =
            is_covered && output == ask.output || output.is_covered(self.case.judge.by());
        let form = if is_covered { form } else { Form::Harmless };
        let number = {
            let mut plans = self.author.plans.lock().unwrap();
            let (held, turns) = (ask.held, ask.turns);
            plans.push(Plan {
                output,
                form,
                held,
                turns,
            });
            plans.len() - 1
        };
        self.plans.push(number);
        _ = writeln!(
            self.transcript,
            "  plan {number}: {output:?}, {form:?}, held {}",
            ask.held
        );
        let tool = match output {
            Output::Memory => ["recall", "recall_note"][number % 2],
            _ => "emit",
        };
        let uri = format!("plan://{number}");
        let mut params = match output.method() {
            "prompts/get" => json!({"name": "plan", "arguments": {"n": number.to_string()}}),
            "resources/read" | "resources/subscribe" | "resources/directory/read" => {
                json!({ "uri": uri })
            }
            "completion/complete" => json!({
                "ref": {"type": "ref/prompt", "name": "plan"},
                "argument": {"name": "n", "value": number.to_string()},
            }),
            "tools/call" => json!({"name": tool, "arguments": {"n": number}}),
            "desk/custom" => json!({"n": number}),
            _ => json!({"cursor": number.to_string()}),
        };
        if ask.brings && output.method() == "tools/call" && self.case.judge.sees_arguments() {
            params["arguments"]["text"] = Form::Plain.text().into();
        }
        params["_meta"] = json!({"progressToken": number});
        let id = self.id(ask.id);
        self.request(ask.at, id, output.method(), params, Some(number))
            .await;
    }

    async fn cancel(&mut self, id: u8) {
        let id = self.id(id);
        for (within, sent) in self.sent.iter_mut().enumerate() {
            if sent.id == id && !sent.is_handshake {
                sent.is_loose = true;
                if let Wire::Http(http) = &mut self.wire
                    && self.kind == Kind::HttpStateless
                {
                    http.give_up(within);
                }
            }
        }
        if self.kind != Kind::HttpStateless {
            self.tell("notifications/cancelled", json!({"requestId": id}))
                .await;
        }
    }

    async fn hidden(&mut self, id: u8, by: u8) {
        let reference = |kind: &str, name: &str, value: &str| json!({"ref": {"type": kind, name: value}, "argument": {"name": "n", "value": ""}});
        let (method, params) = match by {
            0 => (
                "tools/call",
                json!({"name": "hidden_tool", "arguments": {}}),
            ),
            1 => ("resources/read", json!({"uri": "hidden://0"})),
            2 => ("resources/read", json!({"uri": "hidden-template://7"})),
            3 => (
                "completion/complete",
                reference("ref/prompt", "name", "hidden"),
            ),
            4 => (
                "completion/complete",
                reference("ref/resource", "uri", "hidden-template://{n}"),
            ),
            5 => ("resources/subscribe", json!({"uri": "hidden://0"})),
            _ => ("resources/directory/read", json!({"uri": "hidden://0"})),
        };
        if self.case.judge.hides() {
            let id = self.id(id);
            self.request(0, id, method, params, None).await;
        }
    }

    async fn pad(&mut self, id: u8, deep: bool) {
        if !self.case.judge.sees_arguments() {
            return;
        }
        let mut arguments = json!({"text": Form::Plain.text()});
        if deep {
            let nested = (0..118).fold(json!(1), |inner, _| json!([inner]));
            arguments["deep"] = nested;
        } else {
            let bytes = if matches!(self.wire, Wire::Stream(_)) {
                5 << 20
            } else {
                3 << 20
            };
            arguments["padding"] = "x".repeat(bytes).into();
        }
        let params = json!({"name": "emit", "arguments": arguments});
        let id = self.id(id);
        self.request(0, id, "tools/call", params, None).await;
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

    /// What has to be answered.
    fn strict(&self) -> Vec<Strict> {
        match &self.wire {
            Wire::Stream(_) => {
                let mut numbers = HashMap::<String, usize>::new();
                for sent in self.sent.iter().filter(|sent| !sent.is_loose) {
                    *numbers.entry(sent.id.to_string()).or_default() += 1;
                }
                let of = |(id, number)| Strict {
                    id,
                    number,
                    done: None,
                };
                numbers.into_iter().map(of).collect()
            }
            Wire::Http(http) => {
                let done = http.done().into_iter();
                let strict = done.filter(|(within, _)| !self.sent[*within].is_loose);
                let of = |(within, done): (usize, Arc<_>)| Strict {
                    id: self.sent[within].id.to_string(),
                    number: 1,
                    done: Some(done),
                };
                strict.map(of).collect()
            }
        }
    }

    /// Looks for the secret in what left, and in what the author heard.
    fn look(&self) -> Result<(), String> {
        if let Some(left) = self
            .seen
            .all()
            .iter()
            .find(|left| secret::in_bytes(&left.raw))
        {
            let left = String::from_utf8_lossy(&left.raw);
            return Err(format!("the secret left: {}", left.trim_end()));
        }
        let heard = self.author.heard.lock().unwrap();
        match heard
            .iter()
            .find(|heard| secret::in_bytes(heard.as_bytes()))
        {
            Some(heard) => Err(format!("the secret reached the author: {heard}")),
            None => Ok(()),
        }
    }

    /// Counts the answers to each request, and looks whose they are.
    fn count(&self) -> Result<(), String> {
        let all = self.seen.all();
        match &self.wire {
            Wire::Stream(_) => self.count_ids(&all)?,
            Wire::Http(http) => self.count_responses(&all, &http.refused.lock().unwrap())?,
        }
        for left in all.iter().filter(|left| left.is_answer()) {
            let id = &left.message["id"];
            for number in left.numbers() {
                let mut own = self.sent.iter().filter(|sent| sent.id == *id);
                if !own.any(|sent| sent.about == Some(number)) {
                    return Err(format!("the answer to {id} is that of plan {number}"));
                }
            }
        }
        Ok(())
    }

    fn count_ids(&self, all: &[Left]) -> Result<(), String> {
        let mut asked = HashMap::<String, (usize, usize)>::new();
        for sent in &self.sent {
            let (strict, most) = asked.entry(sent.id.to_string()).or_default();
            *strict += usize::from(!sent.is_loose);
            *most += 1;
        }
        for (id, (strict, most)) in &asked {
            let answers = all.iter().filter(|left| left.is_answer());
            let number = answers
                .filter(|left| left.message["id"].to_string() == *id)
                .count();
            if number < *strict || number > *most {
                return Err(format!(
                    "{number} answers to the {most} requests with the id {id}"
                ));
            }
        }
        let mut answers = all.iter().filter(|left| left.is_answer());
        match answers.find(|left| !asked.contains_key(&left.message["id"].to_string())) {
            Some(left) => Err(format!("an answer that nobody asked for: {}", left.message)),
            None => Ok(()),
        }
    }

    fn count_responses(&self, all: &[Left], refused: &[usize]) -> Result<(), String> {
        for (within, sent) in self.sent.iter().enumerate() {
            if sent.is_handshake {
                continue;
            }
            let own = all
                .iter()
                .filter(|left| left.within == Some(within) && left.is_answer());
            let ids: Vec<_> = own.map(|left| &left.message["id"]).collect();
            let is_refused = refused.contains(&within);
            if ids
                .iter()
                .any(|id| **id != sent.id && !(is_refused && id.is_null()))
            {
                return Err(format!(
                    "the response to {} has other answers: {ids:?}",
                    sent.id
                ));
            }
            if ids.len() > 1 || ids.is_empty() && !is_refused && !sent.is_loose {
                return Err(format!("{} answers to {}", ids.len(), sent.id));
            }
        }
        Ok(())
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

/// A request, or all with one id, that must be answered.
struct Strict {
    id: String,
    number: usize,
    done: Option<Arc<std::sync::atomic::AtomicBool>>,
}

impl Strict {
    fn is_done(&self, all: &[Left]) -> bool {
        if let Some(done) = &self.done {
            return done.load(Ordering::SeqCst);
        }
        let answers = all.iter().filter(|left| left.is_answer());
        answers
            .filter(|left| left.message["id"].to_string() == self.id)
            .count()
            >= self.number
    }
}

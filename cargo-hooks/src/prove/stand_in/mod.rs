//! The stand-in for a client's model service: on loopback, it plays a model that takes a few steps, and keeps what it was
//! told.

mod anthropic;
mod chat;
mod gemini;
mod log;
mod responses;
#[cfg(test)]
mod tests;
mod web;

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Bytes, to_bytes},
    extract::{Request, State},
    http::{Method, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet, time::sleep};

pub(crate) use self::log::RequestLog;
use self::log::Subagent;
pub use self::web::{PAGE_HOST, UNASSIGNED_PAGE, page_certificate};
use super::{Dialect, Trial};

/// The maximum length of a request in bytes: 32 MiB.
const LONGEST: usize = 32 << 20;

/// The maximum length of all kept texts in bytes: 64 MiB.
const MOST_KEPT: usize = 64 << 20;

/// The maximum time in which the agent waits for its subagent's end.
const FOR_SUBAGENT: Duration = Duration::from_secs(8);

/// The time between two looks at the subagent.
const LOOK: Duration = Duration::from_millis(20);

/// The tokens that the model reports for a request.
const TOKENS: u64 = 10;

/// The last word of the model, and its summary of a session: Qwen Code takes a summary only in this element.
const DONE: &str = "<state_snapshot>done</state_snapshot>";

/// A step that the model takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Play {
    /// A command in the client's shell tool.
    Shell(String),
    /// A tool of an MCP server.
    Tool {
        /// The server's name in the client.
        server: String,
        /// The tool's name at the server.
        tool: String,
        /// The arguments of the call.
        arguments: Value,
    },
    /// A command in a subagent's shell tool. The agent does not take this step.
    Inside(String),
    /// A tool of the client itself. The model calls it even if it is not offered.
    Own {
        /// The client's name of the tool, towards its model.
        tool: String,
        /// The arguments of the call.
        arguments: Value,
    },
    /// The client's own tool that starts a subagent.
    Subagent {
        /// The client's name of the tool.
        tool: String,
        /// The arguments of the call.
        arguments: Value,
    },
}

/// A text in a request, and who says it: `system`, `developer`, `user` or `tool result`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestText {
    pub role: String,
    pub text: String,
}

/// A question to the model, read from a request.
#[derive(Debug, Default, PartialEq)]
struct Asked {
    told: Vec<RequestText>,
    /// The names of the tools; a name in a namespace is joined by `/`.
    offered: Vec<String>,
    /// How many results of tools the conversation has.
    results: usize,
}

/// What the model answers: a call or its last word, and the tokens that it reports for the request.
#[derive(Debug, PartialEq)]
struct Turn {
    call: Option<Call>,
    tokens: u64,
}

/// A call of a tool.
#[derive(Debug, PartialEq)]
struct Call {
    name: String,
    arguments: Value,
}

#[derive(Debug, PartialEq)]
enum Reply {
    Json(Value),
    Events(String),
}

struct Room {
    dialect: Dialect,
    plays: Vec<Play>,
    /// The tokens that the model reports for the agent's requests until the client compacts its session, if not a few.
    tokens: Option<u64>,
    log: Arc<Mutex<RequestLog>>,
}

/// A running stand-in. It ends with this value.
#[derive(Debug)]
pub struct StandIn {
    log: Arc<Mutex<RequestLog>>,
    _task: JoinSet<()>,
}

/// Takes a port on loopback; 0 is any free one.
///
/// # Errors
///
/// The port is taken, or this process may not listen.
pub async fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", port))
        .await
        .map_err(|error| {
            let which = match port {
                0 => "a port".to_owned(),
                port => format!("port {port}"),
            };
            let what = format!("cannot listen on {which} of 127.0.0.1 for the stand-in: {error}");
            io::Error::new(error.kind(), what)
        })
}

impl StandIn {
    /// Serves `dialect` from a task of its own, and takes the steps `plays`, then says that it is done. Reports `tokens`
    /// until the client compacts its session.
    pub fn serve(
        listener: TcpListener,
        dialect: Dialect,
        plays: Vec<Play>,
        tokens: Option<u64>,
    ) -> StandIn {
        let log = Arc::default();
        let room = Room {
            dialect,
            plays,
            tokens,
            log: Arc::clone(&log),
        };
        let router = router(Arc::new(room));
        let mut task = JoinSet::new();
        task.spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::warn!(target: "hooks_sdk::clients", %error, "the stand-in has ended");
            }
        });
        StandIn { log, _task: task }
    }

    /// Returns what the agent sent to its model so far.
    pub fn log(&self) -> MutexGuard<'_, RequestLog> {
        lock(&self.log)
    }
}

fn lock(log: &Mutex<RequestLog>) -> MutexGuard<'_, RequestLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

fn router(room: Arc<Room>) -> Router {
    Router::new().fallback(answer).with_state(room)
}

async fn answer(State(room): State<Arc<Room>>, request: Request) -> Response {
    tracing::debug!(target: "hooks_sdk::clients", method = %request.method(), uri = %request.uri(), "the client asks");
    if request.method() == Method::CONNECT {
        web::tunnel(request, router(room));
        return Response::default();
    }
    if request.method() == Method::GET {
        lock(&room.log).fetched(request.uri().path());
    }
    let path = request.uri().path().to_owned();
    let body = to_bytes(request.into_body(), LONGEST)
        .await
        .unwrap_or_default();
    room.answered(&path, &body).await
}

impl Room {
    async fn answered(&self, path: &str, body: &Bytes) -> Response {
        let body = serde_json::from_slice(body).unwrap_or_default();
        // Some clients run a subagent beside the agent, and end with the agent's last answer.
        let until = Instant::now() + FOR_SUBAGENT;
        while self.waits(path, &body) && Instant::now() < until {
            sleep(LOOK).await;
        }
        if self.waits(path, &body) {
            // No subagent began. The agent goes on, and waits no more.
            lock(&self.log).subagent = Subagent::Ended;
        }
        match self.answer(path, &body) {
            Reply::Json(value) => ([(CONTENT_TYPE, "application/json")], value.to_string()),
            Reply::Events(events) => ([(CONTENT_TYPE, "text/event-stream")], events),
        }
        .into_response()
    }

    fn asked(&self, path: &str, body: &Value) -> Result<Asked, Value> {
        match self.dialect {
            Dialect::Anthropic => anthropic::asked(path, body),
            Dialect::Responses => responses::asked(path, body),
            Dialect::Gemini => gemini::asked(path, body),
            Dialect::Chat => chat::asked(path, body),
        }
    }

    /// Returns whether the agent asks while its subagent is at work.
    fn waits(&self, path: &str, body: &Value) -> bool {
        lock(&self.log).subagent == Subagent::Called
            && self
                .asked(path, body)
                .is_ok_and(|asked| !asked.offered.is_empty() && !asked.is_inside())
    }

    fn answer(&self, path: &str, body: &Value) -> Reply {
        let asked = self.asked(path, body);
        let mut log = lock(&self.log);
        log.all += 1;
        let number = log.all;
        let asked = match asked {
            Ok(asked) => asked,
            Err(other) => return Reply::Json(other),
        };
        let turn = log.take(asked, &self.plays, self.tokens);
        match self.dialect {
            Dialect::Anthropic => anthropic::reply(number, body, turn),
            Dialect::Responses => responses::reply(number, turn),
            Dialect::Gemini => gemini::reply(path, body, turn),
            Dialect::Chat => chat::reply(number, body, turn),
        }
    }
}

impl Asked {
    /// Returns whether a subagent asks: somebody gave it its task. The agent's own call is not told.
    fn is_inside(&self) -> bool {
        let is_task =
            |told: &RequestText| told.role != "tool result" && told.text.contains(Trial::TASK);
        self.told.iter().any(is_task)
    }
}

impl Play {
    /// Returns the call of one of the offered tools.
    fn call(&self, offered: &[String]) -> Option<Call> {
        let is_offered = |name: &str| offered.iter().any(|offered| offered == name);
        let call = |name: &str, arguments| Call {
            name: name.to_owned(),
            arguments,
        };
        match self {
            Play::Shell(command) | Play::Inside(command) => {
                let what = "a planned step";
                let shells = [
                    ("Bash", json!({ "command": command, "description": what })),
                    ("bash", json!({ "command": command, "description": what })),
                    ("exec_command", json!({ "cmd": command })),
                    (
                        "run_shell_command",
                        json!({ "command": command, "description": what, "is_background": false }),
                    ),
                    ("run_commands", json!({ "commands": [command] })),
                ];
                let mut shells = shells.into_iter();
                let (name, arguments) = shells.find(|(name, _)| is_offered(name))?;
                Some(call(name, arguments))
            }
            Play::Own { tool, arguments } => Some(call(tool, arguments.clone())),
            Play::Subagent { tool, arguments } => {
                is_offered(tool).then(|| call(tool, arguments.clone()))
            }
            Play::Tool {
                server,
                tool,
                arguments,
            } => {
                let doubly = format!("mcp__{server}__{tool}");
                let names = [
                    doubly.clone(),
                    format!("mcp__{server}/{tool}"),
                    format!("mcp_{server}_{tool}"),
                    format!("{server}-{tool}"),
                    format!("{server}_{tool}"),
                    format!("{server}__{tool}"),
                ];
                if let Some(name) = names.iter().find(|name| is_offered(name)) {
                    return Some(call(name, arguments.clone()));
                }
                // Qwen Code does not offer the tools of servers; its agent calls them through this one.
                if is_offered("tool_call") {
                    let inner = json!({ "name": doubly, "arguments": arguments });
                    return Some(call("tool_call", inner));
                }
                // Claude Code may offer them only when the agent searches for them.
                Some(call(&doubly, arguments.clone()))
            }
        }
    }
}

/// Returns the text of a content: a text, or a list of blocks that have one.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(text_of);
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            texts.join("\n")
        }
        Value::Object(block) => match block.get("text") {
            Some(Value::String(text)) => text.clone(),
            _ => match block.get("image_url") {
                Some(Value::String(image)) => image.clone(),
                _ => block.get("content").map(text_of).unwrap_or_default(),
            },
        },
        _ => String::new(),
    }
}

/// Returns the items of a member that is a list.
fn items<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value
        .get(member)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Returns the names of the tools, each in a member `name`.
fn names<'a>(tools: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let names = tools.filter_map(|tool| tool["name"].as_str());
    names.map(str::to_owned).collect()
}

fn told(role: &str, text: String) -> RequestText {
    RequestText {
        role: role.to_owned(),
        text,
    }
}

/// Writes the events of a stream, each with the name in its member `type`, if it has one.
fn events(all: impl IntoIterator<Item = Value>) -> String {
    let each = all.into_iter().map(|data| match data["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    });
    each.collect()
}

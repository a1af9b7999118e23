//! A server whose tools are what a test gives it.

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use futures::future::BoxFuture;
use hooks_sdk::{
    Collected, Hooked,
    core::Registry,
    http,
    rmcp::{
        ErrorData, RoleServer, ServerHandler,
        model::{
            CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult,
            CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock,
            CustomNotification, ElicitRequest, JsonObject, ListToolsResult, PaginatedRequestParams,
            ProgressNotificationParam, ServerCapabilities, ServerConfig, ServerNotification,
            ServerRequest, Tool,
        },
        service::RequestContext,
    },
    server::Sessions,
    session::Machine,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Semaphore, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::client::PATIENCE;

/// What a tool answers.
pub type Answer = Result<CallToolResponse, ErrorData>;
type Work = Arc<dyn Fn(ToolCall) -> BoxFuture<'static, Answer> + Send + Sync>;

/// A server with the tools of a test. Clones share what happens.
#[derive(Clone)]
pub struct ToyServer {
    tools: Vec<(Tool, Work)>,
    /// The instructions of the handshake.
    pub instructions: Option<String>,
    calls: Arc<Mutex<Calls>>,
    /// One permit for each call of a waiting tool that has begun.
    pub begun: Arc<Semaphore>,
    /// One permit for each of them that has ended, however it did.
    pub ended: Arc<Semaphore>,
    /// A call of a waiting tool takes one permit to end.
    pub leave: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Calls {
    all: Vec<(String, Value)>,
    running: usize,
    most_at_once: usize,
}

/// A call of a tool.
#[derive(Debug)]
pub struct ToolCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub arguments: JsonObject,
    /// What rmcp knows of the request.
    pub cx: RequestContext<RoleServer>,
    /// The server.
    pub server: ToyServer,
}

/// Counts a call while it runs.
struct Running(Arc<Mutex<Calls>>);

impl Drop for Running {
    fn drop(&mut self) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.running -= 1;
    }
}

/// Tells that a call has ended, however it did.
#[derive(Debug)]
pub struct Ended(Arc<Semaphore>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

impl fmt::Debug for ToyServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.tools.iter().map(|(tool, _)| &*tool.name);
        f.debug_list().entries(names).finish()
    }
}

impl Default for ToyServer {
    fn default() -> ToyServer {
        let none = || Arc::new(Semaphore::new(0));
        ToyServer {
            tools: Vec::new(),
            instructions: None,
            calls: Arc::default(),
            begun: none(),
            ended: none(),
            leave: none(),
        }
    }
}

impl ToyServer {
    /// The same server with one tool more, which answers as it likes.
    #[must_use]
    pub fn with_tool<F>(
        mut self,
        tool: Tool,
        work: impl Fn(ToolCall) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let work: Work = Arc::new(move |call| Box::pin(work(call)));
        self.tools.push((tool, work));
        self
    }

    /// The same server with one tool more, which takes any object and answers with a text.
    #[must_use]
    pub fn tool<F>(self, name: &str, work: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = String> + Send + 'static,
    {
        let schema = json!({"type": "object"});
        let schema = schema.as_object().cloned().unwrap_or_default();
        let tool = Tool::new(name.to_owned(), "", schema);
        self.with_tool(tool, move |call| {
            let text = work(call);
            async move { Ok(CallToolResult::success(vec![ContentBlock::text(text.await)]).into()) }
        })
    }

    /// The same server with a tool that always answers with this text.
    #[must_use]
    pub fn says(self, name: &str, text: &str) -> Self {
        let text = text.to_owned();
        self.tool(name, move |_| std::future::ready(text.clone()))
    }

    /// The same server with the tool `wait`, which ends when it has [`leave`](ToyServer::leave).
    #[must_use]
    pub fn waits(self) -> Self {
        self.tool("wait", async |call: ToolCall| {
            let _ended = call.begin();
            call.wait_for_leave().await;
            "waited".to_owned()
        })
    }

    /// The names of the tools that ran, in the order in which they began.
    pub fn ran(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        calls.all.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The calls that ran, with their arguments, in the order in which they began.
    pub fn calls(&self) -> Vec<(String, Value)> {
        self.calls.lock().unwrap().all.clone()
    }

    /// How many calls ran at once, at most.
    pub fn most_at_once(&self) -> usize {
        self.calls.lock().unwrap().most_at_once
    }

    /// The server without hooks. Hooks that a test program links for other servers do not matter.
    pub fn bare(&self) -> Hooked<ToyServer> {
        let collected = Collected::of(Registry::default()).expect("no hooks");
        collected.wrap(self.clone()).expect("no hooks")
    }

    /// The server with sessions that fit.
    pub fn sessions(&self, sessions: Sessions) -> Hooked<ToyServer> {
        let hooked = self.bare().sessions(sessions);
        hooked.check().expect("sessions that fit");
        hooked
    }

    /// The server with a machine that fits.
    pub fn machine(&self, machine: Machine) -> Hooked<ToyServer> {
        self.sessions(Sessions::on(machine))
    }
}

impl ToolCall {
    /// Tells that this call has begun. It ends when the returned value is dropped.
    pub fn begin(&self) -> Ended {
        self.server.begun.add_permits(1);
        Ended(self.server.ended.clone())
    }

    /// Waits until a test lets one call end.
    pub async fn wait_for_leave(&self) {
        let leave = self.server.leave.acquire().await;
        leave.expect("an open semaphore").forget();
    }

    /// Sends a notification. Returns whether it was taken.
    pub async fn notify(&self, method: &'static str, params: Value) -> bool {
        let told = CustomNotification::new(method, Some(params));
        let told = ServerNotification::CustomNotification(told);
        self.cx.peer.send_notification(told).await.is_ok()
    }

    /// Reports progress to the token of the request.
    pub async fn report(&self, step: f64, message: &str) {
        let token = self.cx.meta.get_progress_token().expect("a token");
        let progress = ProgressNotificationParam::new(token, step).with_message(message);
        let sent = self.cx.peer.notify_progress(progress).await;
        sent.expect("a report");
    }

    /// Asks the user, and returns the answer, or why there is none.
    pub async fn ask(&self, message: &str) -> String {
        let schema = json!({"type": "object", "properties": {}});
        let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
        let params = serde_json::from_value(params).expect("a question");
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
        match self.cx.peer.send_request(request).await {
            Ok(ClientResult::ElicitResult(answer)) => json!(answer).to_string(),
            other => format!("{other:?}"),
        }
    }
}

impl ServerHandler for ToyServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.instructions.clone_from(&self.instructions);
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = self.tools.iter().map(|(tool, _)| tool);
        tools.find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().map(|(tool, _)| tool.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Answer {
        let found = self
            .tools
            .iter()
            .find(|(tool, _)| tool.name == request.name);
        let Some((_, work)) = found else {
            return Err(ErrorData::invalid_params("there is no such tool", None));
        };
        let call = ToolCall {
            name: request.name.to_string(),
            arguments: request.arguments.unwrap_or_default(),
            cx,
            server: self.clone(),
        };
        let _running = {
            let mut calls = self.calls.lock().unwrap();
            let arguments = Value::Object(call.arguments.clone());
            calls.all.push((call.name.clone(), arguments));
            calls.running += 1;
            calls.most_at_once = calls.most_at_once.max(calls.running);
            Running(self.calls.clone())
        };
        work(call).await
    }

    /// Calls the tool `complete`. The texts of its result are the values.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let answer = self.call_tool(CallToolRequestParams::new("complete"), cx);
        let CallToolResponse::Complete(result) = answer.await? else {
            return Err(ErrorData::internal_error("no values", None));
        };
        let texts = result.content.iter().filter_map(ContentBlock::as_text);
        let values = texts.map(|text| format!("{}{}", request.argument.value, text.text));
        let mut completion = CompletionInfo::default();
        completion.values = values.collect();
        Ok(CompleteResult::new(completion))
    }
}

/// Serves any server on a free port of this computer, to the end of the test. Returns its address.
pub async fn serve(server: http::Server) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(server.serve_on(listener, std::future::pending()));
    address
}

/// Waits for one event.
pub async fn one(of: &Semaphore) {
    let permit = timeout(PATIENCE, of.acquire()).await.expect("in time");
    permit.expect("an open semaphore").forget();
}

/// A server on a port.
#[derive(Debug)]
pub struct Served {
    /// Where it listens.
    pub address: SocketAddr,
    /// The server.
    pub server: ToyServer,
    /// Stops it.
    pub stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl From<&Served> for SocketAddr {
    fn from(served: &Served) -> SocketAddr {
        served.address
    }
}

impl Served {
    /// Serves on a free port.
    pub async fn start(server: ToyServer, http: http::Server) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let stop = CancellationToken::new();
        let shutdown = stop.clone().cancelled_owned();
        let serving = tokio::spawn(async move {
            let served = http.serve_on(listener, shutdown).await;
            served.expect("sound settings");
        });
        Served {
            address,
            server,
            stop,
            serving,
        }
    }

    /// Stops the server, and waits until it has ended.
    pub async fn end(self) {
        self.stop.cancel();
        let ended = timeout(PATIENCE, self.serving).await;
        ended.expect("an end in time").expect("no panic");
    }
}

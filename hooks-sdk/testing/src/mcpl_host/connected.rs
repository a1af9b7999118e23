//! A connected host of MCPL.

use std::{io, marker::PhantomData, sync::Arc, time::Duration};

use crate::connection::{ConnectError, Frame, RequestError, ServerConnection, Side, object};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    ByteStream, CallError, Connector, McplHostBuilder, Reaction,
    audit::{AuditOutcome, Entry, OperationSubject},
    shared::{HostState, SharedHost},
};
use hooks_core::internal::debugs;
use hooks_mcpl::{ChannelDescriptor, Version};

/// A host of MCPL 0.4 or 0.5, connected to one server.
///
/// It answers what the server asks like a good host, unless a test scripts something else, and does what
/// MCPL asks of a host. It keeps the frames, an audit log, and what tools reported of their state.
///
/// `C` says how it reaches a server: [`StreamHost`] has a stream of bytes to it.
///
/// ```no_run,standalone_crate
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use hooks_mcpl::Position;
/// use hooks_testing::mcpl_host::{StreamHost, Turn};
/// use tokio::net::TcpStream;
///
/// let stream = TcpStream::connect("127.0.0.1:4000").await?;
/// let host = StreamHost::builder().version("0.4").enable(["memory.*"]).connect(stream).await?;
/// let turn = Turn::new("conv_1").user("How is the project?");
/// let contribution = host.before_inference(&turn).await;
/// assert!(contribution.text_at(Position::System).contains("project"));
/// # Ok(())
/// # }
/// ```
pub struct McplHost<C> {
    pub(super) connection: ServerConnection,
    pub(super) shared: Arc<SharedHost>,
    timeout: Duration,
    handshake: Value,
    connector: PhantomData<fn() -> C>,
}

/// A host over a [stream](ByteStream) that goes both ways, or over one for each direction.
pub type StreamHost = McplHost<ByteStream>;

impl<C> McplHost<C> {
    /// Connects to `server`, as [`McplHostBuilder::connect`] does, on 0.4, allowing all that it declares.
    ///
    /// # Errors
    ///
    /// As [`McplHostBuilder::connect`].
    pub async fn connect<T>(server: T) -> Result<McplHost<C>, ConnectError>
    where
        C: Connector<T> + Clone + Default,
    {
        McplHost::builder().connect(server).await
    }

    /// A host to be configured first.
    pub fn builder() -> McplHostBuilder<C>
    where
        C: Default,
    {
        McplHostBuilder::new()
    }

    pub(super) fn new(
        connection: ServerConnection,
        shared: Arc<SharedHost>,
        timeout: Duration,
    ) -> McplHost<C> {
        McplHost {
            connection,
            shared,
            timeout,
            handshake: Value::Null,
            connector: PhantomData,
        }
    }

    pub(super) async fn shake_hands(
        &mut self,
        params: Value,
        mcpl: bool,
    ) -> Result<(), ConnectError> {
        let shared = self.shared.clone();
        // Known before the server's next message is looked at, which may be one of MCPL.
        let then = move |answer: &Value| {
            let declared = &answer["result"]["capabilities"]["experimental"]["mcpl"];
            shared.declare("initialize", Some(declared).filter(|_| mcpl));
        };
        let request = self
            .connection
            .request_then("initialize", object(params), then);
        self.handshake = request.await?;
        let initialized = "notifications/initialized";
        self.connection.notify(initialized, Map::new()).await?;
        Ok(())
    }

    /// The result of `initialize`, as it stood on the wire.
    pub fn handshake(&self) -> &Value {
        &self.handshake
    }

    /// The version that the host speaks.
    pub fn version(&self) -> Version {
        self.shared.config.version
    }

    /// Whether both sides declared MCPL.
    pub fn speaks_mcpl(&self) -> bool {
        self.state().gate.declared().is_some()
    }

    /// What the server declares now under `experimental.mcpl`; `null` when it declares nothing.
    pub fn declared(&self) -> Value {
        self.state().gate.declared().cloned().unwrap_or_default()
    }

    /// The channels that are registered with the host now.
    pub fn registered_channels(&self) -> Vec<ChannelDescriptor> {
        self.state().channels.values().cloned().collect()
    }

    /// The audit log: the newest entries, the oldest first.
    pub fn audit(&self) -> Vec<Entry> {
        self.state().audit.entries()
    }

    /// The entries of the audit log in which a side did what the protocol does not allow.
    pub fn failures(&self) -> Vec<Entry> {
        let mut entries = self.audit();
        entries.retain(|entry| matches!(entry.outcome, AuditOutcome::Failed(_)));
        entries
    }

    /// The newest messages of the connection, in the order in which they were on the wire.
    pub fn frames(&self) -> Vec<Frame> {
        self.connection.frames()
    }

    /// The server's messages of this method among the frames.
    pub fn received(&self, method: &str) -> Vec<Value> {
        let frames = self.frames().into_iter();
        let theirs = frames.filter(|frame| frame.from == Side::Server);
        let messages = theirs.map(|frame| frame.message);
        messages
            .filter(|message| message["method"] == method)
            .collect()
    }

    /// The server's next message of this method, dealt with: each is given once, in order.
    ///
    /// One that came before is found among the frames that are kept; it is waited for as long as for an answer.
    ///
    /// # Errors
    ///
    /// The connection ended, or none came in time.
    pub async fn wait_for(&self, method: &str) -> Result<Value, RequestError> {
        self.wait_for_within(method, self.timeout).await
    }

    /// As [`wait_for`](McplHost::wait_for), with a time-out of its own.
    ///
    /// # Errors
    ///
    /// As [`wait_for`](McplHost::wait_for).
    pub async fn wait_for_within(
        &self,
        method: &str,
        within: Duration,
    ) -> Result<Value, RequestError> {
        self.connection.wait_for(method, within).await
    }

    /// Waits until `condition` holds, looking again after each message of the server.
    ///
    /// # Errors
    ///
    /// The connection ended, or the time of an answer passed.
    pub async fn wait_until(
        &self,
        condition: impl Fn(&McplHost<C>) -> bool,
    ) -> Result<(), RequestError> {
        let waiting = async {
            loop {
                let changed = self.connection.changed();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if condition(self) {
                    return Ok(());
                }
                if self.connection.is_closed() {
                    return Err(RequestError::Closed);
                }
                changed.await;
            }
        };
        let timed_out = |_| Err(RequestError::TimedOut(self.timeout));
        let waiting = tokio::time::timeout(self.timeout, waiting);
        waiting.await.unwrap_or_else(timed_out)
    }

    /// What is done from now on with every request of this method.
    pub fn react(&self, method: &str, reaction: Reaction) {
        self.state().script.always(method, reaction);
    }

    /// What is done with the next request of this method; further calls are for the requests behind it.
    pub fn react_once(&self, method: &str, reaction: Reaction) {
        self.state().script.once(method, reaction);
    }

    /// Says from now on what is done with each request for which nothing else was scripted.
    pub fn behaviour(&self, behaviour: impl Fn(&str, &Value) -> Reaction + Send + Sync + 'static) {
        self.state().script.behave(Arc::new(behaviour));
    }

    /// Answers everything like a good host again.
    pub fn be_good(&self) {
        self.state().script.clear();
    }

    /// Sends a request and awaits its result; the host takes no further note of it.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, RequestError> {
        self.connection.request(method, object(params)).await
    }

    /// Sends a notification; the host takes no further note of it.
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn notify(&self, method: &str, params: Value) -> io::Result<()> {
        self.connection.notify(method, object(params)).await
    }

    /// Sends one line as it is, for testing what a malformed message does.
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn send_line(&self, line: &[u8]) -> io::Result<()> {
        self.connection.send_line(line).await
    }

    /// Ends the host's side of the stream, as a client that goes away does.
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn close(&self) -> io::Result<()> {
        self.connection.close().await
    }

    /// Breaks off in the middle of a message, both ways, as a host that crashes.
    pub async fn disconnect(&self) {
        self.connection.cut(b"{\"jsonrpc\":\"2.0\",\"id\":").await;
    }

    pub(super) fn state(&self) -> std::sync::MutexGuard<'_, HostState> {
        self.shared.state()
    }

    /// Sends a request whose result has a shape, and logs how it ended.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<T, CallError> {
        let about = OperationSubject::of_members(&params);
        let answer = self.connection.request(method, params).await;
        let answer = answer.map_err(CallError::from).and_then(read);
        self.log(method, about, &answer);
        answer
    }

    /// Sends a notification, and logs how it ended.
    pub(super) async fn tell(&self, method: &str, params: Map<String, Value>) -> io::Result<()> {
        let about = OperationSubject::of_members(&params);
        let sent = self.connection.notify(method, params).await;
        let outcome = match &sent {
            Ok(()) => AuditOutcome::Success,
            Err(error) => AuditOutcome::Failed(error.to_string()),
        };
        self.shared.log(Side::Host, method, about, outcome);
        sent
    }

    pub(super) fn log<T>(
        &self,
        method: &str,
        about: OperationSubject,
        answer: &Result<T, CallError>,
    ) {
        let outcome = match answer {
            Ok(_) => AuditOutcome::Success,
            Err(error) => AuditOutcome::of_call(error),
        };
        self.shared.log(Side::Host, method, about, outcome);
    }
}

pub(super) fn read<T: DeserializeOwned>(result: Value) -> Result<T, CallError> {
    T::deserialize(&result).map_err(|error| CallError::Malformed {
        reason: error.to_string(),
        result,
    })
}

debugs!(McplHost<C> { connection, shared, handshake });

//! The server as a child process, and the host at the other end of its pipe.

use std::{env, path::Path, process::Stdio, time::Duration};

use hooks_sdk::{
    lifecycle::{Declaration, Occasion, host::Report},
    testing::{Side, TestHost, ToolAnswer},
};
use serde_json::Value;
use tokio::{
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use super::unexpected::{Unexpected, check};

/// How long the tour waits for anything.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// The host's name for the server, which what it puts before the agent shows.
pub(super) const NAME: &str = "memory";

/// What is expected of every start.
pub(super) const STARTS: &str = "the server starts and answers the handshake";

/// A running server and the host that is connected to it.
pub(super) struct Server {
    host: TestHost,
    child: Child,
}

impl Server {
    /// Starts this program as a server of the database and connects a host that has these capabilities.
    pub(super) async fn start(
        database: &Path,
        version: &str,
        capabilities: Value,
    ) -> Result<Self, Unexpected> {
        let (child, answers, requests) = spawn(database)?;
        let host = TestHost::builder()
            .name(NAME)
            .version(version)
            .capabilities(capabilities)
            .timeout(PATIENCE)
            // The tour shows what an agent does with it.
            .without_session_handle()
            .over(answers, requests);
        let host = within(STARTS, host).await?;
        let host = host.map_err(|error| Unexpected::new(STARTS, error))?;
        Ok(Self { host, child })
    }

    /// The hooks that the server declared.
    pub(super) fn declarations(&self) -> Vec<Declaration> {
        self.host.declarations()
    }

    /// The answer to `initialize` or `server/discover`.
    pub(super) fn handshake(&self) -> &Value {
        self.host.handshake()
    }

    /// Sends a request, as the client does.
    pub(super) async fn request(&self, method: &str, params: Value) -> Result<Value, Unexpected> {
        let expected = format!("an answer to `{method}`");
        let answer = within(&expected, self.host.request(method, params)).await?;
        answer.map_err(|error| Unexpected::new(expected, error))
    }

    /// Calls a tool, as the agent does.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Value,
    ) -> Result<ToolAnswer, Unexpected> {
        let expected = format!("an answer of `{tool}`");
        let answer = within(&expected, self.host.call_tool(tool, arguments)).await?;
        answer.map_err(|error| Unexpected::new(expected, error))
    }

    /// Fires an event, as the client does.
    pub(super) async fn fire(&self, occasion: Occasion) -> Result<Report, Unexpected> {
        let expected = format!("an end of `{}`", occasion.event);
        within(&expected, self.host.fire(occasion)).await
    }

    /// The tool that the host called last, with its arguments as they went over the pipe.
    pub(super) fn last_call(&self) -> Option<Value> {
        let frames = self.host.frames();
        let mut calls = frames
            .into_iter()
            .filter(|frame| frame.from == Side::Host && frame.message["method"] == "tools/call");
        calls
            .next_back()
            .map(|mut frame| frame.message["params"].take())
    }

    /// Closes the pipe, as a client that ends does, and waits for the server to end by itself.
    pub(super) async fn end(self) -> Result<(), Unexpected> {
        let Self { host, mut child } = self;
        drop(host);
        ended(&mut child).await
    }
}

/// Starts this program as a server of the database.
pub(super) fn spawn(database: &Path) -> Result<(Child, ChildStdout, ChildStdin), Unexpected> {
    let failed = |error: &dyn ToString| Unexpected::new(STARTS, error.to_string());
    let program = env::current_exe().map_err(|e| failed(&e))?;
    let mut child = Command::new(program)
        .arg("serve")
        .env("MEMORY_DATABASE", database)
        // The tour may run inside a client that gives its servers an id; this client gives none.
        .env_remove("CLAUDE_CODE_SESSION_ID")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| failed(&e))?;
    let pipes = child.stdout.take().zip(child.stdin.take());
    let (answers, requests) = pipes.ok_or_else(|| failed(&"a process without pipes"))?;
    Ok((child, answers, requests))
}

/// Waits for a server to end by itself, its client being gone.
pub(super) async fn ended(child: &mut Child) -> Result<(), Unexpected> {
    let expected = "the server ends with code 0 when its client is gone";
    match within(expected, child.wait()).await? {
        Ok(status) => check(status.success(), expected, status),
        Err(error) => Err(Unexpected::new(expected, error)),
    }
}

pub(super) async fn within<T>(
    expected: &str,
    work: impl Future<Output = T>,
) -> Result<T, Unexpected> {
    timeout(PATIENCE, work)
        .await
        .map_err(|_| Unexpected::new(expected, format!("nothing within {} s", PATIENCE.as_secs())))
}

//! The server's own tools, called through a pipe inside the process.

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::{Mutex, MutexGuard};

use super::{CommandError, Program, program::SessionPlace};
use crate::{
    core::HookError,
    lifecycle::host::ContextTools,
    server::{Hooked, ServerHandler},
    testing::TestHost,
};

/// How long a hook's process waits for another process that writes the state of sessions.
const PATIENCE: Duration = Duration::from_millis(50);

/// The revision that needs no handshake before a call.
const VERSION: &str = "2026-07-28";

/// The error code of a request that the receiver does not know.
const METHOD_NOT_FOUND: i64 = -32601;

/// Returns the tools that the server lists. A server without tools does not know the request.
pub(super) async fn listed_tools(
    host: &TestHost,
) -> Result<Vec<Value>, crate::testing::RequestError> {
    match host.list_tools().await {
        Err(crate::testing::RequestError::Refused { code, .. }) if code == METHOD_NOT_FOUND => {
            Ok(Vec::new())
        }
        listed => listed,
    }
}

/// The tools of a server that is made at the first call.
pub(super) struct Pipe<'p, H> {
    pub(super) program: &'p Program<H>,
    /// The client's own id of the session, by which the server finds the state.
    session: Option<&'p str>,
    kept: SessionPlace,
    /// Whether the calls are in the decision log.
    is_logged: bool,
    host: Mutex<Option<TestHost>>,
}

impl<'p, H: ServerHandler> Pipe<'p, H> {
    pub(super) fn new(program: &'p Program<H>, session: Option<&'p str>) -> Pipe<'p, H> {
        Pipe {
            program,
            session,
            kept: SessionPlace::Here { patience: PATIENCE },
            is_logged: true,
            host: Mutex::new(None),
        }
    }

    /// Makes the tools of a server that writes nothing into the decision log: nobody but the user of a command asked.
    pub(super) fn quiet(program: &'p Program<H>, session: Option<&'p str>) -> Pipe<'p, H> {
        Pipe {
            is_logged: false,
            ..Pipe::new(program, session)
        }
    }

    async fn server(&self) -> Result<Hooked<H>, CommandError> {
        let collected = self.program.settled(|guidance| guidance, self.kept)?;
        let collected = match self.is_logged {
            true => collected,
            false => collected.quiet(),
        };
        Ok(collected.wrap(self.program.server().await?)?)
    }

    /// Returns the host at the other end. The first call connects it.
    async fn host(&self) -> Result<MutexGuard<'_, Option<TestHost>>, HookError> {
        let mut host = self.host.lock().await;
        if host.is_none() {
            let server = self.server().await;
            let server = server.map_err(|error| HookError::new(error.to_string()))?;
            *host = Some(TestHost::builder().version(VERSION).connect(server).await?);
        }
        Ok(host)
    }

    async fn ask(&self, tool: &str, arguments: Map<String, Value>) -> Result<String, HookError> {
        let host = self.host().await?;
        let Some(host) = &*host else {
            return Err(HookError::new("there is no server"));
        };
        let mut params = json!({ "name": tool, "arguments": arguments });
        if let Some(session) = self.session {
            params["_meta"] = json!({ "sessionId": session });
        }
        let result = host.request("tools/call", params).await?;
        let blocks = result["content"].as_array().into_iter().flatten();
        let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
        let text = texts.join("\n");
        if result["isError"] == true {
            return Err(HookError::new(text));
        }
        Ok(text)
    }
}

impl<H: ServerHandler> ContextTools for Pipe<'_, H> {
    fn call<'a>(
        &'a self,
        _server: &'a str,
        tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        Box::pin(self.ask(tool, args))
    }
}

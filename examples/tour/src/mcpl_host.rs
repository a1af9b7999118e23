//! The server as a child process, and a host of MCPL at the other end of its pipe.

use std::path::Path;

use hooks_sdk::{
    mcpl::{Position, wire::RollbackResult},
    testing::{
        McplHost, ToolAnswer,
        mcpl::{Contribution, Turn},
    },
};
use serde_json::Value;
use tokio::process::Child;

use super::{
    server::{NAME, PATIENCE, STARTS, ended, spawn, within},
    unexpected::Unexpected,
};

/// A running server and the host that is connected to it.
pub(super) struct Connected {
    host: McplHost,
    child: Child,
}

impl Connected {
    /// Starts this program and connects a host that allows everything, and whose model writes `text`.
    pub(super) async fn start(database: &Path, text: &str) -> Result<Self, Unexpected> {
        let (child, answers, requests) = spawn(database)?;
        let host = McplHost::builder()
            .name(NAME)
            .protocol("2025-11-25")
            .infers(text)
            .timeout(PATIENCE)
            .over(answers, requests);
        let host = within(STARTS, host).await?;
        let host = host.map_err(|error| Unexpected::new(STARTS, error))?;
        Ok(Self { host, child })
    }

    /// What the server declared under `experimental.mcpl`.
    pub(super) fn declared(&self) -> Value {
        self.host.declared()
    }

    /// Asks for context before a turn in which the user says this.
    pub(super) async fn turn_begins(&self, says: &str) -> Result<Contribution, Unexpected> {
        let turn = Turn::new("tour").user(says);
        let expected = "an answer to `context/beforeInference`";
        let contribution = within(expected, self.host.before_inference(&turn)).await?;
        match &contribution.failure {
            Some(failure) => Err(Unexpected::new(expected, failure)),
            None => Ok(contribution),
        }
    }

    /// What the server adds before the user's message of such a turn.
    pub(super) async fn given(&self, says: &str) -> Result<String, Unexpected> {
        Ok(self.turn_begins(says).await?.text_at(Position::BeforeUser))
    }

    /// Tells the server of a finished turn.
    pub(super) async fn turn_ends(&self, user: &str, assistant: &str) -> Result<(), Unexpected> {
        let turn = Turn::new("tour")
            .user(user)
            .assistant(assistant)
            .usage(20, 10);
        let told = self.host.notify_after_inference(&turn).await;
        told.map_err(|error| Unexpected::new("the server hears of the turn", error))
    }

    /// Calls a tool, as the agent does.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Value,
    ) -> Result<ToolAnswer, Unexpected> {
        let expected = format!("an answer of `{tool}`");
        let answer = within(&expected, self.host.call_tool(tool, arguments)).await?;
        match answer {
            Ok(answer) if answer.is_error() => Err(Unexpected::new(expected, answer.text())),
            Ok(answer) => Ok(answer),
            Err(error) => Err(Unexpected::new(expected, error)),
        }
    }

    /// Goes back to a checkpoint.
    pub(super) async fn roll_back(
        &self,
        set: &str,
        checkpoint: &str,
    ) -> Result<RollbackResult, Unexpected> {
        let expected = "an answer to `state/rollback`";
        let answer = within(expected, self.host.rollback(set, checkpoint)).await?;
        answer.map_err(|error| Unexpected::new(expected, error))
    }

    /// The params of the server's next message of this method.
    pub(super) async fn hears(&self, method: &str) -> Result<Value, Unexpected> {
        let message = self.host.wait_for(method).await;
        let mut message = message.map_err(|error| Unexpected::new(format!("`{method}`"), error))?;
        Ok(message["params"].take())
    }

    /// Closes the pipe, and waits for the server to end by itself.
    pub(super) async fn end(self) -> Result<(), Unexpected> {
        let Self { host, mut child } = self;
        drop(host);
        ended(&mut child).await
    }
}

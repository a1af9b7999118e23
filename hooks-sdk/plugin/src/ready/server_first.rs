//! `server_first`: an agent opens its session with the server before it uses its own tools.

use std::convert::Infallible;

use serde::Deserialize;
use serde_json::Value;

use super::{
    super::{AgentToolCall, PluginContext},
    refusal,
};
use hooks_core::{HookError, Verdict, internal::setters};

/// The member of `global.state` that says whether the session with the server is open.
pub const SESSION_OPEN: &str = "hooks-sdk/session_open";

/// Refuses calls of an agent's own tools until a tool has opened its session with the server.
///
/// ```yaml
/// - name: look_first
///   kind: server_first
///   posture: proceed
///   kinds: [write, edit, shell]
///   config: { tool: session_init }
/// ```
///
/// The state is that of the server's session machine, in the store that the program's processes share. A server without a
/// machine or without this store cannot use the plugin. If the client does not tell the session, or if the store does not
/// answer, the plugin fails, and the posture of the gate applies.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerFirst {
    tool: Option<String>,
    reason: Option<String>,
}

impl ServerFirst {
    setters! {
        /// Names the tool that opens a session, for the sentence that the agent gets.
        fn tool(mut self, tool: impl Into<String>) { self.tool = Some(tool.into()) }

        /// Sets the sentence that the agent gets.
        fn reason(mut self, reason: impl Into<String>) { self.reason = Some(reason.into()) }
    }

    fn check(
        &self,
        _call: &AgentToolCall,
        cx: &PluginContext,
    ) -> Result<Verdict<Infallible>, HookError> {
        match cx.global.state.get(SESSION_OPEN) {
            Some(Value::Bool(true)) => Ok(Verdict::Allow),
            Some(Value::Bool(false)) => {
                let own = || match &self.tool {
                    Some(tool) => {
                        format!("call `{tool}` first: it opens the session with the server")
                    }
                    None => "open the session with the server first".to_owned(),
                };
                let violation = refusal(&self.reason, own, "server_first");
                Ok(Verdict::Deny(violation))
            }
            _ => Err(HookError::new("the state of the session is not known")),
        }
    }
}

ready!(ServerFirst = "server_first", "Creates the plugin." { agent_tool_pre_invoke => ServerFirst::check, again, without_commands; });

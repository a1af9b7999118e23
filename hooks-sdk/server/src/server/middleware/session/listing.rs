//! The argument that names a session, and the opening tool that the gate serves itself.

use std::{collections::BTreeSet, sync::Arc};

use rmcp::{model::Tool, object};
use serde_json::{Value, json};

use super::{SessionGate, identity::SessionCaller};
use hooks_core::session::OPENING_TOOL;

impl SessionGate {
    /// Adds the argument to the schema of a guarded tool.
    pub(super) fn show_argument(&self, tool: &mut Tool) {
        if !self.ledger.machine().guards(&tool.name) {
            return;
        }
        if declares(tool, &self.argument) {
            error!(
                tool = &*tool.name,
                argument = &*self.argument,
                "the tool has its own parameter with the name of the session argument, so a client cannot pass \
                 a session to it; rename the parameter, or set another `Sessions::argument`"
            );
        } else if let Value::Object(properties) = Arc::make_mut(&mut tool.input_schema)
            .entry("properties")
            .or_insert_with(|| json!({}))
        {
            properties.insert(self.argument.to_string(), self.schema());
        }
    }

    /// Returns the tools whose success moves the caller's session to another state, except resets and destructive
    /// tools.
    pub(super) async fn tools_leading_on(&self, caller: &SessionCaller) -> Vec<String> {
        let machine = self.ledger.machine();
        let session = match self.find(caller).await {
            Ok((_, session)) => session,
            Err(error) => {
                warn!(%error, "the state of a session cannot be read, so no tool is proposed");
                return Vec::new();
            }
        };
        let arrows = machine.arrows(session.state);
        let on = arrows.filter(|arrow| arrow.to != session.state);
        let tools: BTreeSet<&str> = on
            .filter_map(|arrow| arrow.tool)
            .filter(|tool| !machine.resets(tool) && !machine.is_destructive(tool))
            .collect();
        tools.into_iter().map(str::to_owned).collect()
    }

    fn schema(&self) -> Value {
        let machine = self.ledger.machine();
        let openers: Vec<&str> = machine.opening_tools().collect();
        let from = match &openers[..] {
            [] => "the call that opened the session".to_owned(),
            openers => openers.join(" or "),
        };
        let description = match &self.seal {
            Some(_) => format!(
                "The session's handle, as returned last: by {from}, or by a later call that returned a new one."
            ),
            None => format!("The session's handle, as returned by {from}."),
        };
        json!({"type": "string", "description": description})
    }
}

/// Returns whether a tool has its own parameter with the argument's name.
pub(super) fn declares(tool: &Tool, argument: &str) -> bool {
    tool.input_schema
        .get("properties")
        .is_some_and(|properties| properties.get(argument).is_some())
}

/// Returns the opening tool, for servers whose author has none.
pub(super) fn opening_tool() -> Tool {
    let schema = object!({"type": "object", "properties": {}});
    let description = "Opens the session. Call it first, before any other tool of this server.";
    Tool::new(OPENING_TOOL, description, Arc::new(schema))
}

//! Calls of tools: what the host sends along, who may call, and the state that the answer carries.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
        Extensions, JsonObject, ListToolsResult,
    },
    service::RequestContext,
};
use serde_json::{Map, Value, json};

use super::error_data;
use crate::{
    core::{BuildError, Registry},
    mcpl::{Call, CheckpointError, Hook, Host, LeaveBy, Scope, SendError},
    server::{
        Hooked,
        door::{lift::LIFT, transport::Wire},
    },
};

/// Where a tool's result carries its state when no shim can write the top level.
const STATE: &str = "hooks-sdk/state";

/// The members of a call that rmcp's types have no place for.
#[derive(Clone, Debug)]
pub(super) struct Carried(pub(super) Arc<Map<String, Value>>);

impl<H: ServerHandler> Hooked<H> {
    /// Puts what MCPL makes of a call where the tool finds it; nothing where the server has nothing of MCPL.
    pub(in crate::server) fn carry_call(&self, context: &mut RequestContext<RoleServer>) {
        if self.mcpl.derived.is_empty() {
            return;
        }
        let connection = self.connection_of(&context.extensions);
        connection.mcpl.came_by(&context.peer);
        let link = connection.mcpl.link();
        let host = link.map_or_else(Host::plain, |link| Host::of(link.clone()));
        let carried = context.extensions.get::<Carried>();
        let sent = carried.map(|Carried(members)| Map::clone(members));
        let call = Call::new(host, sent.unwrap_or_default());
        context.extensions.insert(call);
    }

    /// Runs a tool of the author's, and what MCPL asks before and adds after.
    pub(in crate::server) async fn run_own_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(call) = context.extensions.get::<Call>().cloned() else {
            let run = async { self.server.call_tool(request, context).await };
            return self.answer("tools/call", run).await;
        };
        let arguments = request.arguments.as_ref();
        let set = self.mcpl.derived.tool(&request.name);
        let set = set.map(|(_, set)| set.name);
        if let Some(refused) = self.refused(&call, &request.name, arguments).await? {
            return Ok(refused.into());
        }
        let by_wire = context.extensions.get::<Wire>().is_some();
        let run = async { self.server.call_tool(request, context).await };
        let mut answer = self.answer("tools/call", run).await;
        if let (Ok(CallToolResponse::Complete(result)), Some(state)) =
            (&mut answer, call.take_state())
            && result.is_error != Some(true)
            // A plain MCP host has no use for it, and is shown nothing of MCPL.
            && call.host().link().is_some()
        {
            let mut state = serde_json::to_value(&state).unwrap_or_default();
            // Hosts keep states by feature set, and some look for its name here.
            if let (Some(set), Value::Object(members)) = (&set, &mut state) {
                members.entry("featureSet").or_insert_with(|| json!(set));
            }
            let meta = result.meta.get_or_insert_default();
            if by_wire {
                meta.insert(LIFT.to_owned(), json!({ "state": state }));
            } else {
                meta.insert(STATE.to_owned(), state);
            }
        }
        answer
    }

    /// Why a bound tool does not run: its set is disabled, or what it acts on is out of scope.
    async fn refused(
        &self,
        call: &Call,
        name: &str,
        arguments: Option<&JsonObject>,
    ) -> Result<Option<CallToolResult>, ErrorData> {
        let Some((tool, set)) = self.mcpl.derived.tool(name) else {
            return Ok(None);
        };
        if let Some(error) = call.odd_scope().filter(|_| set.scoped) {
            let message = format!("the `scope` of a call cannot be read: {error}");
            return Err(ErrorData::invalid_params(message, None));
        }
        if !tool.guarded {
            return Ok(None);
        }
        let refuse = |error: SendError| error_data(error.to_error());
        call.check_set(set.name).map_err(refuse)?;
        let Some(argument) = tool.scope.as_deref() else {
            return Ok(None);
        };
        let Some(label) = arguments.and_then(|all| all.get(argument)?.as_str()) else {
            let message =
                format!("`{argument}` is missing or no string, and it is the scope of `{name}`");
            return Err(ErrorData::invalid_params(message, None));
        };
        let payload = Map::from_iter([(argument.to_owned(), json!(label))]);
        let scope = Scope::new(label).payload(payload);
        let leave = call.leave_for(set.name, scope).await.map_err(refuse)?;
        if leave.approved {
            call.has_leave(leave);
            return Ok(None);
        }
        let why = leave.reason.as_deref().unwrap_or("the host gave no reason");
        let text = match leave.by {
            LeaveBy::Call => format!("`{name}` did not run: {why}."),
            _ => {
                format!("`{name}` did not run: the host does not let it act on `{label}` ({why}).")
            }
        };
        Ok(Some(CallToolResult::error(vec![ContentBlock::text(text)])))
    }

    /// Whether the client of a request speaks MCPL.
    pub(in crate::server) fn speaks_mcpl(&self, extensions: &Extensions) -> bool {
        self.connection_of(extensions).mcpl.link().is_some()
    }

    /// Says of each listed tool which feature set it belongs to, for hosts that keep state by set.
    ///
    /// Only hosts of MCPL are told, so that others may not be given a list that was kept.
    pub(in crate::server) fn show_feature_sets(
        &self,
        listed: &mut ListToolsResult,
        stateless: bool,
    ) {
        for tool in &mut listed.tools {
            if let Some((_, set)) = self.mcpl.derived.tool(&tool.name) {
                let meta = tool.meta.get_or_insert_default();
                meta.insert("featureSet".to_owned(), json!(set.name));
                if stateless {
                    listed.cache_scope = Some(CacheScope::Private);
                }
            }
        }
    }
}

/// Tools that belong to a feature set, and that the server does not have.
pub(in crate::server) fn unbound(
    registry: &Registry,
    has_tool: impl Fn(&str) -> bool,
) -> Vec<BuildError> {
    let tools = registry
        .details::<Hook>()
        .filter_map(|(entry, hook)| Some((entry.origin(), hook.definition(), hook.as_tool()?)));
    tools
        .filter(|(.., tool)| !has_tool(&tool.name))
        .map(|(origin, set, tool)| {
            let message = format!(
                "the feature set `{}` has a tool `{}`, and the server's `get_tool` does not know it",
                set.name, tool.name
            );
            let help = "implement `get_tool`, which `#[tool_handler]` writes, or mend the tool's name";
            BuildError::new(origin, message, help)
        })
        .collect()
}

/// So that a tool's `?` on a checkpoint that is gone answers with the document's own error (MCPL 0.4.1 §8.7).
impl From<CheckpointError> for ErrorData {
    fn from(error: CheckpointError) -> ErrorData {
        error_data(error.into())
    }
}

impl From<SendError> for ErrorData {
    fn from(error: SendError) -> ErrorData {
        error_data(error.to_error())
    }
}

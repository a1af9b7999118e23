//! Tool calls: the members that the host adds, the host's permission, and the state that the answer carries.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject},
};
use serde_json::{Map, Value, json};

use hooks_mcpl::internal::HostInfo;

use super::Mcpl;
use crate::server::{
    McpContext,
    pipeline::{Author, Flow, ListEntry, McpAnswer, McpResponse, RequestState, Viewer, Visibility},
    request::{CarriedMembers, client_name, is_http, is_lifted, is_stateless, principal},
    transport::marks::{LIFT, marked},
};
use hooks_core::{BuildError, Registry};
use hooks_mcpl::{Call, Definition, Host, McplHook, McplTool, Scope, ScopeDecider};

/// The member of `_meta` in which a tool's result carries its state without the wire shim.
const STATE: &str = "hooks-sdk/state";

/// A running call, and the name of its feature set.
pub(crate) struct RunningFeature {
    call: Call,
    set: Option<Box<str>>,
    /// Whether the client is an MCPL host. A plain MCP client does not use the state, and the SDK sends it nothing of
    /// MCPL.
    reads_state: bool,
    by_wire: bool,
}

impl Mcpl {
    /// Stores the MCPL data of a call where the tool finds it, and asks the host for permission.
    pub(super) async fn before_tool(
        &self,
        request: &CallToolRequestParams,
        cx: &mut McpContext,
        passing: &mut RequestState,
    ) -> Flow {
        let connected = &passing.connection.host;
        connected.came_by(&cx.peer);
        let link = connected.link();
        let host = link.map_or_else(Host::plain, |link| Host::of(link.clone()));
        let plain = || HostInfo {
            name: client_name(cx),
            principal: principal(cx),
            ..HostInfo::default()
        };
        let sender = link.map_or_else(|| Arc::new(plain()), |link| link.info().clone());
        let advertises = || {
            let client = is_stateless(cx).then(|| cx.client_capabilities()).flatten();
            client.is_some_and(|client| super::advertised(&client).is_some())
        };
        let is_lifted = is_lifted(&cx.extensions);
        let reads_state = link.is_some() || is_lifted && is_http(&cx.extensions) && advertises();
        let carried = cx.extensions.get::<CarriedMembers>();
        let sent = carried
            .filter(|_| reads_state)
            .map(|CarriedMembers(members)| Map::clone(members));
        let call = Call::new(host, sender, sent.unwrap_or_default());
        cx.extensions.insert(call.clone());
        let bound = self.derived.tool(&request.name);
        passing.feature = Some(Box::new(RunningFeature {
            call: call.clone(),
            set: bound.map(|(_, set)| set.name.into()),
            reads_state,
            by_wire: is_lifted,
        }));
        let Some((tool, set)) = bound else {
            return Flow::On;
        };
        let flow = Box::pin(may_run(&call, tool, set, request.arguments.as_ref())).await;
        flow.unwrap_or_else(|error| Flow::answer(Err(error)))
    }

    /// Adds the state that the tool set to its result.
    pub(crate) fn after_tool(&self, passing: &mut RequestState, answer: &mut McpAnswer) {
        let Some(running) = passing.feature.take() else {
            return;
        };
        let RunningFeature { call, set, .. } = &*running;
        if let (Ok(McpResponse::CallTool(CallToolResponse::Complete(result))), Some(state)) =
            (answer, call.take_state())
            && result.is_error != Some(true)
            && running.reads_state
        {
            let mut state = serde_json::to_value(&state).unwrap_or_default();
            // Hosts store states by feature set, and some hosts read its name here.
            if let (Some(set), Value::Object(members)) = (set, &mut state) {
                members.entry("featureSet").or_insert_with(|| json!(set));
            }
            let meta = result.meta.get_or_insert_default();
            if running.by_wire {
                let members = JsonObject::from_iter([("state".to_owned(), state)]);
                meta.insert(LIFT.to_owned(), marked(members).into());
            } else {
                meta.insert(STATE.to_owned(), state);
            }
        }
    }

    /// Adds to a listed tool the name of its feature set, for hosts that keep state by set.
    ///
    /// Only MCPL hosts receive the name. Such a list must not be cached for other clients.
    pub(crate) fn show_feature_set(
        &self,
        item: &mut ListEntry<'_>,
        to: Option<&Viewer>,
    ) -> Visibility {
        if let (ListEntry::Tool(tool, None), Some(viewer)) = (item, to)
            && viewer.connection.host.link().is_some()
            && let Some((_, set)) = self.derived.tool(&tool.name)
        {
            let meta = tool.meta.get_or_insert_default();
            meta.insert("featureSet".to_owned(), json!(set.name));
            return Visibility::ToThisClient;
        }
        Visibility::ToAll
    }
}

/// Refuses a bound tool whose feature set is disabled or whose target is out of scope.
async fn may_run(
    call: &Call,
    tool: &McplTool,
    set: &Definition,
    arguments: Option<&JsonObject>,
) -> Result<Flow, ErrorData> {
    if let Some(error) = call.odd_scope().filter(|_| set.scoped) {
        let message = format!("the `scope` of a call cannot be read: {error}");
        return Err(ErrorData::invalid_params(message, None));
    }
    if !tool.guarded {
        return Ok(Flow::On);
    }
    call.policy_arrives().await;
    call.check_set(set.name)?;
    let Some(argument) = tool.scope.as_deref() else {
        return Ok(Flow::On);
    };
    let name = &tool.name;
    let Some(label) = arguments.and_then(|all| all.get(argument)?.as_str()) else {
        let message =
            format!("`{argument}` is missing or no string, and it is the scope of `{name}`");
        return Err(ErrorData::invalid_params(message, None));
    };
    let payload = Map::from_iter([(argument.to_owned(), json!(label))]);
    let scope = Scope::new(label).payload(payload);
    let leave = call.leave_for(set.name, scope).await?;
    if leave.approved {
        call.has_leave(leave);
        return Ok(Flow::On);
    }
    let why = leave.reason.as_deref().unwrap_or("the host gave no reason");
    let text = match leave.by {
        ScopeDecider::Call => format!("`{name}` did not run: {why}."),
        _ => format!("`{name}` did not run: the host does not let it act on `{label}` ({why})."),
    };
    let refused = CallToolResult::error(vec![ContentBlock::text(text)]);
    Ok(Flow::answer(Ok(McpResponse::CallTool(refused.into()))))
}

/// Returns a problem for each tool of a feature set that the author's server does not have.
pub(crate) fn problems(hooks: &Registry, author: &dyn Author) -> Vec<BuildError> {
    let missing = |(entry, hook): (&hooks_core::Hook, &McplHook)| {
        let (set, tool) = (&hook.definition().name, &hook.as_tool()?.name);
        let message = format!(
            "the feature set `{set}` has a tool `{tool}`, and the server's `get_tool` does not know it"
        );
        let help = "implement `get_tool`, which `#[tool_handler]` writes, or mend the tool's name";
        let is_missing = author.tool(tool).is_none();
        is_missing.then(|| BuildError::new(entry.origin(), message, help))
    };
    hooks.details::<McplHook>().filter_map(missing).collect()
}

//! Cursor, as its documents describe it. It was not run.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{
    AfterStart, Aftermath, Capabilities, Client, Delivery, InstallScope, Installation, Mapping,
    Place, Seen, Tested, UserFolder, answer, capabilities::USER_AND_PROJECT, config::Plan,
    input::Input, installation, mapping::NO_TEXT_AT_THE_END, output, tool::Tool,
};
use hooks_core::{guidance::McpFeatures, lifecycle::Event};

/// Cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Cursor;

pub(super) const ROW: Capabilities = Capabilities {
    name: "cursor",
    title: "Cursor",
    program: "cursor",
    handshake: "cursor",
    recorded: Tested::documents("1.0.32 of its SDK", "2026-11-22"),
    folder: UserFolder::new(".cursor", &[]),
    readings: &[],
    adds_server: None,
    shells: &["Shell"],
    features: McpFeatures::EMPTY,
    tells_session: false,
    after_start: AfterStart::new(Aftermath::NotRun, Aftermath::NotRun, Aftermath::NotRun),
    events: [
        Mapping::new("sessionStart", Delivery::Next)
            .note(
                "Users report that the client drops the answer at this event. So the text is kept, and sent once with \
                 the next event, which is the first prompt. If the client does not fire this event, no text is sent.",
            ),
        Mapping::new("sessionEnd", Delivery::Never).note(NO_TEXT_AT_THE_END),
        Mapping::new("preToolUse", Delivery::Context),
        Mapping::new("postToolUse", Delivery::Context)
            .note("A failed call is another event, `postToolUseFailure`, at which no hook fires."),
        Mapping::new("beforeSubmitPrompt", Delivery::Context),
        Mapping::new("stop", Delivery::Continue)
            .role("user")
            .note(
                "The text becomes a further message: it costs one request to the model, and is sent once for each \
                 message of the user. Users report that the event does not always occur.",
            ),
    ],
    gates: None,
    scopes: USER_AND_PROJECT,
    also_read_by: &["Grok Build"],
};

/// What is before the name of an MCP tool.
const SERVED: &str = "MCP:";

impl Cursor {
    /// Reads `MCP:SERVER:TOOL`. Some versions write `MCP:TOOL`, which does not say which server it is.
    fn tool(name: &str) -> Tool {
        let served = name.strip_prefix(SERVED);
        match served.and_then(|served| served.split_once(':')) {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
                Tool::served(server, tool)
            }
            _ => Tool::split(name, None, &[]),
        }
    }
}

impl Client for Cursor {
    fn capabilities(&self) -> &'static Capabilities {
        &ROW
    }

    fn read(&self, event: Event, input: &Value, _servers: &[&str]) -> Seen {
        let input = Input(input);
        let mut seen = input.seen(event, Cursor::tool, output::text);
        let name = input.text("tool_name");
        if let Some(tool) = name.and_then(|name| name.strip_prefix(SERVED))
            && event.is_tool_event()
            && seen.tool.is_none()
            && !tool.is_empty()
        {
            seen.occasion.also_named.push(tool.to_owned());
        }
        let variables = &mut seen.occasion.variables;
        if variables.project_name.is_none() {
            variables.project_name = input.first_folder("workspace_roots");
        }
        if event == Event::PostToolUse {
            variables.tool_output = input.member("tool_output").map(output::text);
        }
        let session = input.text("conversation_id").map(str::to_owned);
        if session.is_some() {
            variables.session_id.clone_from(&session);
            seen.session_id = session;
        }
        if event == Event::PostRequest {
            let has_ended = input
                .text("status")
                .is_none_or(|status| status == "completed");
            let is_first = input.member("loop_count") == Some(&json!(0));
            seen.kept_going = !has_ended || !is_first;
        }
        seen
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        json!({ "tool_name": match server {
            Some(server) => format!("{SERVED}{server}:{tool}"),
            None => Tool::named(tool, &ROW).to_owned(),
        } })
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        let mapping = self.mapping(seen.occasion.event);
        let context = |text: &str| json!({ "additional_context": text });
        let reason = |text: &str| json!({ "followup_message": text });
        answer::delivered(mapping, seen, text, context, reason)
    }

    fn hook_entry(&self, event: Event, _server: &str, command: &str) -> Value {
        let timeout = self.deadline(event).as_secs();
        json!({ "type": "command", "command": command, "timeout": timeout })
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place, _server: &str) -> PathBuf {
        ROW.folder.within(scope, place).join("hooks.json")
    }

    fn plan_hooks(&self, plan: Plan, to: &Installation<'_>) -> Plan {
        let file = self.hooks_file(to.scope, to.place, to.server);
        let version = Map::from_iter([("version".to_owned(), 1.into())]);
        installation::plan(self, plan, to).created_with(file, version)
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        let file = ROW.folder.within(scope, place).join("mcp.json");
        Some((file, vec!["mcpServers".to_owned()]))
    }

    fn further_step(&self, _scope: InstallScope) -> Option<&'static str> {
        Some(
            "Cursor was not run: its entries follow its documents. Look at its page of hooks in the settings whether it \
             has read them.",
        )
    }
}

//! Cursor, as its documents describe it. It was not run.

use serde_json::json;

use super::{
    Client, Mapping, Seen, Tested, UserFolder,
    client::{AnswerForm, EntryForm, Further, LIKE_MOST, Servers},
    input::Input,
    mapping::NO_TEXT_AT_THE_END,
    output,
    tool::ToolNames,
};
use hooks_core::lifecycle::Event;

const VERSION: &str = r#"{"version": 1}"#;

const STEP: &str = "Cursor was not run: its entries follow its documents. Look at its page of hooks in the settings whether \
    it has read them.";

/// The text before the name of an MCP tool. Some versions write `MCP:TOOL`, which does not say which server it is.
const SERVED: &str = "MCP:";

pub(crate) const ROW: Client = Client {
    name: "cursor",
    title: "Cursor",
    program: "cursor",
    handshake: "cursor",
    tested: Tested::documents("1.0.32 of its SDK", "2026-11-22"),
    folder: UserFolder::new(".cursor", &[]),
    shells: &["Shell"],
    events: [
        Mapping {
            native: "sessionStart",
            note: Some(
                "Users report that the client drops the answer at this event, so no text is sent. The nearest \
                 alternative is a `pre_request` hook at each prompt.",
            ),
            ..Mapping::NEVER
        },
        Mapping {
            native: "sessionEnd",
            note: Some(NO_TEXT_AT_THE_END),
            ..Mapping::NEVER
        },
        Mapping {
            native: "preToolUse",
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "postToolUse",
            note: Some(
                "A failed call is another event, `postToolUseFailure`, at which no hook fires.",
            ),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "beforeSubmitPrompt",
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "stop",
            note: Some(
                "The text becomes a further message: it costs one request to the model, and is sent once for each \
                 message of the user. Users report that the event does not always occur.",
            ),
            subagents: None,
            described: r#"{"loop_count": 0}"#,
            ..Mapping::CONTINUE
        },
    ],
    also_read_by: &["Grok Build"],
    hooks: ["hooks.json", ".cursor/hooks.json", ".cursor/hooks.json"],
    begins: [VERSION; 3],
    servers: Servers {
        files: [Some("mcp.json"), Some(".cursor/mcp.json"), None],
        ..LIKE_MOST.servers
    },
    tools: ToolNames {
        before: SERVED,
        gap: ":",
        ..ToolNames::DOUBLE
    },
    sessions: &["conversation_id", "session_id"],
    answers: AnswerForm {
        context: Some("additional_context"),
        further: Further::Member("followup_message"),
        ..LIKE_MOST.answers
    },
    entries: EntryForm {
        is_grouped: false,
        ..LIKE_MOST.entries
    },
    steps: [Some(STEP); 3],
    read: Some(read),
    ..LIKE_MOST
};

fn read(input: Input<'_>, seen: &mut Seen) {
    let event = seen.occasion.event;
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
    if event == Event::PostRequest {
        let status = input.text("status");
        let has_ended = status.is_none_or(|status| status == "completed");
        let is_first = input.member("loop_count") == Some(&json!(0));
        seen.kept_going = !has_ended || !is_first;
    }
}

//! The rows of the clients whose hooks are a generated plugin, and of those that were not run.

use std::time::Duration;

use super::{
    AfterStart, Aftermath, Capabilities, Delivery, InstallScope, Mapping, Tested,
    table::NO_TEXT_AT_THE_END,
};
use hooks_core::guidance::McpFeatures;

const USER_AND_PROJECT: &[InstallScope] = &[InstallScope::User, InstallScope::Project];

const NO_END: &str = "No text reaches the agent at the end of a session.";

const NO_STOP: &str = "Nothing that a plugin returns keeps the agent going. The nearest alternative is a `pre_request` hook \
     at the next prompt.";

pub(super) const OPENCODE: Capabilities = Capabilities {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    handshake: "opencode",
    recorded: Tested::new("1.18.33", "2026-11-23"),
    features: McpFeatures::EMPTY,
    tells_session: false,
    after_start: AfterStart::new(Aftermath::Kept, Aftermath::SentAgain, Aftermath::NotRun),
    events: [
        Mapping::new("chat.message.first", Delivery::Context)
            .role("user")
            .subagents(false)
            .note(
                "The event is the first `chat.message` of a session, or a compaction. The text is a part of the user's \
                 message; after a compaction, it arrives with the next result of a tool or message.",
            )
            .recording("opencode/chat.message.first.json"),
        Mapping::new("dispose", Delivery::Never).note(NO_END),
        Mapping::new("tool.execute.before", Delivery::Context)
            .role("tool result")
            .subagents(true)
            .note(
                "The text arrives with the result of the call. If the call fails, it arrives with the next result or \
                 message.",
            )
            .recording("opencode/tool.execute.before.shell.json"),
        Mapping::new("tool.execute.after", Delivery::Context)
            .role("tool result")
            .subagents(true)
            .note(
                "The event does not occur when a call of an MCP tool fails. A command that ends with an error is no \
                 failed call.",
            )
            .recording("opencode/tool.execute.after.shell.json"),
        Mapping::new("chat.message", Delivery::Context)
            .role("user")
            .subagents(false)
            .recording("opencode/chat.message.json"),
        Mapping::new("session.idle", Delivery::Never).note(NO_STOP),
    ],
    scopes: USER_AND_PROJECT,
    also_read_by: &["Kilo, if you copy the plugin into its own folder of plugins"],
};

/// Cline ends the whole run when a hook takes 3 s, so the plugin ends its command before.
const IN_CLINE: Duration = Duration::from_millis(2_500);

pub(super) const CLINE: Capabilities = Capabilities {
    name: "cline",
    title: "Cline CLI",
    program: "cline",
    handshake: "@cline/core",
    recorded: Tested::new("3.0.65", "2026-11-23"),
    features: McpFeatures::EMPTY,
    tells_session: false,
    after_start: AfterStart::new(Aftermath::NotRun, Aftermath::NotRun, Aftermath::NotRun),
    events: [
        Mapping::new("beforeRun.first", Delivery::Context)
            .role("user")
            .deadline(IN_CLINE)
            .subagents(false)
            .note("The event is the first `beforeRun` of a session.")
            .recording("cline/beforeRun.first.json"),
        Mapping::new("SessionShutdown", Delivery::Never)
            .deadline(IN_CLINE)
            .note(NO_END),
        Mapping::new("beforeTool", Delivery::Context)
            .role("user")
            .deadline(IN_CLINE)
            .subagents(true)
            .note("The text arrives after the results of the agent's calls.")
            .recording("cline/beforeTool.shell.json"),
        Mapping::new("afterTool", Delivery::Context)
            .role("user")
            .deadline(IN_CLINE)
            .subagents(true)
            .note(
                "No hook fires after a failed call of an MCP tool. A command that ends with an error is no failed \
                 call.",
            )
            .recording("cline/afterTool.shell.json"),
        Mapping::new("beforeRun", Delivery::Context)
            .role("user")
            .deadline(IN_CLINE)
            .subagents(false)
            .recording("cline/beforeRun.json"),
        Mapping::new("afterRun", Delivery::Never)
            .deadline(IN_CLINE)
            .note(NO_STOP),
    ],
    scopes: USER_AND_PROJECT,
    also_read_by: &[],
};

pub(super) const CURSOR: Capabilities = Capabilities {
    name: "cursor",
    title: "Cursor",
    program: "cursor",
    handshake: "cursor",
    recorded: Tested::documents("1.0.32 of its SDK", "2026-11-22"),
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
    scopes: USER_AND_PROJECT,
    also_read_by: &["Grok Build"],
};

pub(super) const ANTIGRAVITY: Capabilities = Capabilities {
    name: "antigravity",
    title: "Antigravity",
    program: "agy",
    handshake: "antigravity",
    recorded: Tested::documents("0.1.22 of its harness", "2026-11-22"),
    features: McpFeatures::EMPTY,
    tells_session: false,
    after_start: AfterStart::new(Aftermath::NotRun, Aftermath::NotRun, Aftermath::NotRun),
    events: [
        Mapping::new("SessionStart", Delivery::Context)
            .role("user")
            .note("Not all of the client's documents list this event. Without it, no text is sent."),
        Mapping::new("SessionEnd", Delivery::Never).note(NO_TEXT_AT_THE_END),
        Mapping::new("PreToolUse", Delivery::Gates).note(
            "A hook before a tool call must decide whether the call may run, in the place of the user. So none is \
             installed there. The nearest alternatives are a `pre_request` hook before the turn and a \
             `post_tool_use` hook after the call.",
        ),
        Mapping::new("PostToolUse", Delivery::Next)
            .role("user")
            .note(
                "The client takes no text at this event. The text is kept, and sent once with the next request to the \
                 model.",
            ),
        Mapping::new("PreInvocation", Delivery::Context)
            .role("user")
            .note("The event occurs for each request to the model. A hook fires only for the first one of a prompt."),
        Mapping::new("Stop", Delivery::Continue)
            .role("user")
            .note(
                "The text is the reason why the agent may not stop yet: it costs one request to the model, and is sent \
                 at the agent's first stop only.",
            ),
    ],
    scopes: USER_AND_PROJECT,
    also_read_by: &[],
};

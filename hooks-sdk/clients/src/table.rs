//! The table of clients: what each can do, in one constant.

use std::time::Duration;

use super::{
    AfterStart, Aftermath, Capabilities, Delivery, Excess, InstallScope, Limit, Mapping, Tested,
    rows,
};
use hooks_core::guidance::{McpFeature, McpFeatures};

pub(super) const NO_TEXT_AT_THE_END: &str = "No text reaches the agent at the end of a session. The nearest alternative is a `post_request` \
     hook, which fires each time the agent has finished.";

const ONE_REQUEST_MORE: &str = "The text is the reason why the agent may not stop yet: it costs one request to the model, and is \
     sent once for each message of the user.";

const ASKS: McpFeatures = McpFeatures::EMPTY.with(McpFeature::Elicitation);

const ALL_SCOPES: &[InstallScope] = &[
    InstallScope::User,
    InstallScope::Project,
    InstallScope::Local,
];
const USER_AND_PROJECT: &[InstallScope] = &[InstallScope::User, InstallScope::Project];

/// Claude Code's limit at every event.
const TO_A_FILE: Limit = Limit::utf16(10_000, Excess::WrittenToFile);

/// Codex CLI's limit, unless the entry sets another.
const MIDDLE_CUT: Limit = Limit::tokens(2_500, Excess::MiddleCut);

/// The limit that the entries of Codex CLI set: 30,000 characters of four bytes fit, with the lines around them.
const IN_CODEX: usize = 32_000;

/// What each client can do, in the order of [`ALL`](super::ALL).
pub static TABLE: [Capabilities; 9] = [
    Capabilities {
        name: "claude-code",
        title: "Claude Code",
        program: "claude",
        handshake: "claude-code",
        recorded: Tested::new("2.1.329", "2026-11-23"),
        features: ASKS,
        tells_session: true,
        after_start: AfterStart::new(
            Aftermath::Kept,
            Aftermath::SentAgain,
            Aftermath::SentAgain,
        ),
        events: [
            Mapping::new("SessionStart", Delivery::Context)
                .role("system")
                .limit(TO_A_FILE)
                .subagents(false)
                .recording("claude-code/SessionStart.json"),
            Mapping::new("SessionEnd", Delivery::Never)
                .note(NO_TEXT_AT_THE_END)
                .recording("claude-code/SessionEnd.json"),
            Mapping::new("PreToolUse", Delivery::Context)
                .role("system")
                .limit(TO_A_FILE)
                .subagents(true)
                .recording("claude-code/PreToolUse.shell.json"),
            Mapping::new("PostToolUse", Delivery::Context)
                .role("system")
                .limit(TO_A_FILE)
                .subagents(true)
                .note("A failed call is another event, `PostToolUseFailure`, at which no hook fires.")
                .recording("claude-code/PostToolUse.shell.json"),
            Mapping::new("UserPromptSubmit", Delivery::Context)
                .role("system")
                .limit(TO_A_FILE)
                .subagents(false)
                .note("The event also occurs when a background subagent has ended.")
                .recording("claude-code/UserPromptSubmit.json"),
            Mapping::new("Stop", Delivery::Continue)
                .role("user")
                .subagents(false)
                .note(ONE_REQUEST_MORE)
                .recording("claude-code/Stop.json"),
        ],
        scopes: ALL_SCOPES,
        also_read_by: &[
            "GitHub Copilot CLI, the project's file in a folder that you trust",
            "VS Code with GitHub Copilot, the project's file (a preview)",
            "Cursor, when its setting to load Claude's hooks is on",
            "Grok Build",
        ],
    },
    Capabilities {
        name: "codex",
        title: "Codex CLI",
        program: "codex",
        handshake: "codex",
        recorded: Tested::new("0.169.0", "2026-11-23"),
        features: ASKS,
        tells_session: true,
        after_start: AfterStart::new(Aftermath::Kept, Aftermath::SentAgain, Aftermath::NotRun),
        events: [
            Mapping::new("SessionStart", Delivery::Context)
                .role("developer")
                .limit(MIDDLE_CUT)
                .raised(IN_CODEX)
                .subagents(false)
                .recording("codex/SessionStart.json"),
            Mapping::new("SessionEnd", Delivery::Never)
                // Whatever the entry says.
                .deadline(Duration::from_secs(3))
                .note(
                    "No text reaches the agent at the end of a session, and the client ends a hook after 3 s. The \
                     nearest alternative is a `post_request` hook, which fires each time the agent has finished.",
                )
                .recording("codex/SessionEnd.json"),
            Mapping::new("PreToolUse", Delivery::Context)
                .role("developer")
                .limit(MIDDLE_CUT)
                .raised(IN_CODEX)
                .subagents(true)
                .recording("codex/PreToolUse.shell.json"),
            Mapping::new("PostToolUse", Delivery::Context)
                .role("developer")
                .limit(MIDDLE_CUT)
                .raised(IN_CODEX)
                .subagents(true)
                .recording("codex/PostToolUse.shell.json"),
            Mapping::new("UserPromptSubmit", Delivery::Context)
                .role("developer")
                .limit(MIDDLE_CUT)
                .raised(IN_CODEX)
                .subagents(true)
                .note("The event also occurs for the task that a subagent receives.")
                .recording("codex/UserPromptSubmit.json"),
            // The entry does not set the limit of a reason.
            Mapping::new("Stop", Delivery::Continue)
                .role("user")
                .limit(MIDDLE_CUT)
                .subagents(false)
                .note(ONE_REQUEST_MORE)
                .recording("codex/Stop.json"),
        ],
        scopes: USER_AND_PROJECT,
        also_read_by: &[],
    },
    Capabilities {
        name: "gemini",
        title: "Gemini CLI",
        program: "gemini",
        handshake: "gemini",
        recorded: Tested::new("0.61.0", "2026-11-23"),
        features: McpFeatures::EMPTY,
        tells_session: false,
        after_start: AfterStart::new(
            Aftermath::SentAgain,
            Aftermath::Lost,
            Aftermath::NotRun,
        ),
        events: [
            Mapping::new("SessionStart", Delivery::Context)
                .role("user")
                .subagents(false)
                .recording("gemini/SessionStart.json"),
            Mapping::new("SessionEnd", Delivery::Never)
                .note(NO_TEXT_AT_THE_END)
                .recording("gemini/SessionEnd.json"),
            Mapping::new("BeforeTool", Delivery::Gates)
                .note(
                    "Before a tool call, a hook can refuse or change the call, but its text does not reach the agent. \
                     The nearest alternatives are a `pre_request` hook before the turn and a `post_tool_use` hook \
                     after the call.",
                )
                .recording("gemini/BeforeTool.shell.json"),
            Mapping::new("AfterTool", Delivery::Context)
                .role("tool result")
                .subagents(true)
                .recording("gemini/AfterTool.shell.json"),
            Mapping::new("BeforeAgent", Delivery::Context)
                .role("user")
                .subagents(false)
                .note(
                    "The event also occurs for the reason with which `AfterAgent` kept the agent going. No hook fires \
                     then, unless the reason begins with the text of another program's hook.",
                )
                .recording("gemini/BeforeAgent.json"),
            Mapping::new("AfterAgent", Delivery::Continue)
                .role("user")
                .subagents(false)
                .note(ONE_REQUEST_MORE)
                .recording("gemini/AfterAgent.json"),
        ],
        scopes: USER_AND_PROJECT,
        also_read_by: &[],
    },
    Capabilities {
        name: "copilot",
        title: "GitHub Copilot CLI",
        program: "copilot",
        handshake: "copilot",
        recorded: Tested::new("1.0.102", "2026-11-23"),
        features: ASKS,
        // By the answer to `preMcpToolCall`.
        tells_session: true,
        after_start: AfterStart::new(
            Aftermath::SentAgain,
            Aftermath::Lost,
            Aftermath::NotRun,
        ),
        events: [
            Mapping::new("SessionStart", Delivery::Context)
                .role("user")
                .subagents(false)
                .recording("copilot/SessionStart.json"),
            Mapping::new("SessionEnd", Delivery::Never)
                .note(NO_TEXT_AT_THE_END)
                .recording("copilot/SessionEnd.json"),
            Mapping::new("PreToolUse", Delivery::Context)
                .role("user")
                .subagents(true)
                .recording("copilot/PreToolUse.shell.json"),
            Mapping::new("PostToolUse", Delivery::Context)
                .role("tool result")
                .limit(Limit::bytes(10_240, Excess::Cut))
                .subagents(true)
                .note(
                    "A failed call is another event, `PostToolUseFailure`, at which no hook fires; a command that ends \
                     with an error is no failed call. The client cuts the texts of all hooks together.",
                )
                .recording("copilot/PostToolUse.shell.json"),
            Mapping::new("UserPromptSubmit", Delivery::Context)
                .role("user")
                .subagents(true)
                .note(
                    "The event also occurs for the task that a subagent receives, and for the reason with which `Stop` \
                     kept the agent going. No hook fires for the reason, unless it begins with the text of another \
                     program's hook. If another program has a hook at this event, only the last text arrives.",
                )
                .recording("copilot/UserPromptSubmit.json"),
            Mapping::new("Stop", Delivery::Continue)
                .role("user")
                .subagents(false)
                .note(ONE_REQUEST_MORE)
                .recording("copilot/Stop.json"),
        ],
        scopes: ALL_SCOPES,
        also_read_by: &[],
    },
    Capabilities {
        name: "qwen",
        title: "Qwen Code",
        program: "qwen",
        handshake: "qwen",
        recorded: Tested::new("0.24.4", "2026-11-23"),
        features: McpFeatures::EMPTY,
        tells_session: false,
        after_start: AfterStart::new(
            Aftermath::SentAgain,
            Aftermath::SentAgain,
            Aftermath::NotRun,
        ),
        events: [
            Mapping::new("SessionStart", Delivery::Context)
                .role("system")
                .subagents(false)
                .recording("qwen/SessionStart.json"),
            Mapping::new("SessionEnd", Delivery::Never)
                .note(
                    "No text reaches the agent at the end of a session, and the event did not occur in a run without a \
                     terminal. The nearest alternative is a `post_request` hook, which fires each time the agent has \
                     finished.",
                ),
            Mapping::new("PreToolUse", Delivery::Gates)
                .note(
                    "Before a tool call, a hook can refuse the call, but its text does not reach the agent. The nearest \
                     alternatives are a `pre_request` hook before the turn and a `post_tool_use` hook after the call.",
                )
                .recording("qwen/PreToolUse.shell.json"),
            Mapping::new("PostToolUse", Delivery::Context)
                .also(&["PostToolUseFailure"])
                .role("tool result")
                .subagents(true)
                .note("The client cuts a tool's result together with the texts of hooks if both are very long.")
                .recording("qwen/PostToolUse.shell.json"),
            Mapping::new("UserPromptSubmit", Delivery::Context)
                .role("user")
                .subagents(false)
                .note(
                    "The event occurs for each request to the model. A hook fires only for what the user wrote.",
                )
                .recording("qwen/UserPromptSubmit.json"),
            Mapping::new("Stop", Delivery::Continue)
                .role("user")
                .subagents(false)
                .note(ONE_REQUEST_MORE)
                .recording("qwen/Stop.json"),
        ],
        scopes: USER_AND_PROJECT,
        also_read_by: &[],
    },
    rows::OPENCODE,
    rows::CLINE,
    rows::CURSOR,
    rows::ANTIGRAVITY,
];

/// Returns the row of a client. A name that is not in the table does not compile.
pub(super) const fn row(name: &str) -> &'static Capabilities {
    let mut at = 0;
    while at < TABLE.len() {
        if same(TABLE[at].name, name) {
            return &TABLE[at];
        }
        at += 1;
    }
    panic!("no row has this name")
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

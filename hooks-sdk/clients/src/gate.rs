//! Gates: what a client asks its hooks before it runs one of its tools, and how a hook refuses.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Client, InstallScope, Place, input::Input};

/// What a gate does not hold in the clients whose hooks are commands.
pub(crate) const ENDED_BY_THE_CLIENT: &str = "The client ends a hook that has not answered after 10 s, and runs the call. \
    The gate's own deadline of 2 s does not help where its program is stopped.";

/// The most bytes of a reason. GitHub Copilot CLI repeats its request without end after a longer one.
pub const MAX_REASON: usize = 2_048;

/// How a client asks its hooks before a call of a tool, as it was measured: a part of its row.
#[derive(Debug)]
#[non_exhaustive]
pub struct Gates {
    /// The client's name for the event before a call.
    pub event: &'static str,
    /// The client's tools with spaces between them, behind the word of their kind. Any other tool is of the kind `mcp` or
    /// `other`.
    pub(crate) tools: &'static [(&'static str, &'static str)],
    /// The client's form of a refusal.
    pub refusal: RefusalForm,
    /// The end of the generated plugin, if the hooks are JavaScript.
    pub(crate) plugin: Option<&'static str>,
    /// The member of `hookSpecificOutput` with changed arguments; `None` if the client takes none.
    pub change: Option<&'static str>,
    /// How long a gate may take in all.
    pub deadline: Duration,
    /// What no gate holds in this client, as sentences.
    pub not_held: &'static [&'static str],
    /// The trials of `cargo hooks prove` in which a refused call runs, each with a sentence.
    pub open: &'static [(GateTrial, &'static str)],
    /// The trials of `cargo hooks prove` for which the client has no tool, each with a sentence.
    pub without_tool: &'static [(GateTrial, &'static str)],
    /// The variables that turn the client's hooks off.
    pub off_variables: &'static [&'static str],
    /// What turns the client's hooks off, for people.
    pub switches: &'static [&'static str],
}

/// A client's form of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalForm {
    /// An object on standard output with `decision: block` and `permissionDecision: deny`, which the clients with commands
    /// obey alike.
    Object,
    /// The plugin throws an error.
    Thrown,
    /// The plugin returns `skip` with the reason.
    Skipped,
}

impl Gates {
    /// A client whose hooks are commands, and which takes no changed arguments.
    pub(crate) const CLOSED: Gates = Gates {
        event: "",
        tools: &[],
        refusal: RefusalForm::Object,
        plugin: None,
        change: None,
        deadline: Duration::from_secs(2),
        not_held: &[],
        open: &[(GateTrial::Hang, ENDED_BY_THE_CLIENT)],
        without_tool: &[],
        off_variables: &[],
        switches: &[],
    };

    /// Returns the client's tools, each with the word of its kind.
    pub fn tools(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let kinds = self.tools.iter();
        kinds.flat_map(|(kind, tools)| tools.split(' ').map(|tool| (tool, *kind)))
    }

    /// Returns every sentence about what no gate holds.
    pub fn sentences(&self) -> impl Iterator<Item = &'static str> + use<> {
        let open = self.open.iter().map(|(_, sentence)| *sentence);
        self.not_held.iter().copied().chain(open)
    }

    /// Returns whether the table names that a refused call runs in this trial.
    pub fn is_open(&self, trial: GateTrial) -> bool {
        self.open.iter().any(|(open, _)| *open == trial)
    }

    /// Returns whether the client has no tool for this trial.
    pub fn has_no_tool(&self, trial: GateTrial) -> bool {
        self.without_tool
            .iter()
            .any(|(without, _)| *without == trial)
    }

    /// Returns the word of a tool's kind, if it is a tool of the client itself.
    pub fn kind(&self, tool: &str) -> Option<&'static str> {
        let mut tools = self.tools();
        tools.find_map(|(known, kind)| known.eq_ignore_ascii_case(tool).then_some(kind))
    }
}

macro_rules! trials {
    ($($(#[$doc:meta])+ $trial:ident = $word:literal, $title:literal;)+) => {
        /// A call beside a gate, as `cargo hooks prove` tries it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum GateTrial {
            $($(#[$doc])+ $trial,)+
        }

        impl GateTrial {
            /// Every trial, in the order of the matrix.
            pub const ALL: &'static [GateTrial] = &[$(GateTrial::$trial,)+];

            /// Returns the trial's word, which is also in the names of its files.
            pub const fn as_str(self) -> &'static str {
                match self { $(GateTrial::$trial => $word,)+ }
            }

            /// Returns the trial for people.
            pub const fn title(self) -> &'static str {
                match self { $(GateTrial::$trial => $title,)+ }
            }
        }
    };
}

trials! {
    /// A command in the shell.
    Shell = "shell", "shell";
    /// The client's own tool reads a file.
    Read = "read", "read";
    /// The client's own tool writes a file.
    Write = "write", "write";
    /// The client's own tool changes a file.
    Edit = "edit", "edit";
    /// The client's own tool fetches a page.
    Fetch = "fetch", "fetch";
    /// A tool of another MCP server.
    Mcp = "mcp", "tool of another server";
    /// A command in a subagent's shell.
    Subagent = "subagent", "shell of a subagent";
    /// The rules take longer than the deadline.
    Late = "late", "the rules are too slow";
    /// A rule panics.
    Panic = "panic", "a rule panics";
    /// A signal ends the program.
    Crash = "crash", "the program crashes";
    /// The program writes no object.
    Garbage = "garbage", "the program writes garbage";
    /// The program stops, and never answers.
    Hang = "hang", "the program never answers";
    /// Another hook approves the same call.
    Approved = "approved", "another hook approves";
    /// Another hook writes garbage about the same call.
    Noise = "noise", "another hook writes garbage";
    /// The program is missing.
    Missing = "missing", "the program is missing";
}

/// A call of a client's tool, as the client told its hook.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AskedCall {
    /// The tool, in the client's own word.
    pub tool: String,
    /// The word of its kind.
    pub kind: &'static str,
    /// The MCP server of the tool, and the tool's name there.
    pub served: Option<(String, String)>,
    /// The arguments.
    pub args: Map<String, Value>,
    /// What the tool answered, after it ran.
    pub result: Option<Value>,
    /// The id of the session.
    pub session: Option<String>,
    /// The id of the subagent that calls.
    pub subagent: Option<String>,
    /// The working folder.
    pub folder: Option<String>,
}

/// Reads the call that a client asks its hook about. `servers` are the known names of MCP servers.
///
/// # Errors
///
/// The input tells no call: why.
pub fn read_call(
    client: &Client,
    input: &[u8],
    servers: &[&str],
) -> Result<AskedCall, &'static str> {
    let gates = client.gates.as_ref();
    let gates = gates.ok_or("the client asks its hooks about no call")?;
    let input = serde_json::from_slice(input).ok().filter(Value::is_object);
    let input = input.ok_or("the input is no JSON object")?;
    let members = Input(&input);
    let tool = members.text("tool_name");
    let tool = tool.ok_or("the input names no tool")?;
    let args = members
        .member("tool_input")
        .or_else(|| members.member("tool_args"));
    let args = match args {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(args)) => args.clone(),
        Some(_) => return Err("the arguments are no JSON object"),
    };
    let event = hooks_core::lifecycle::Event::PreToolUse;
    let seen = client.read(event, &input, servers);
    let kind = gates.kind(tool);
    let served = match (seen.occasion.tool_server, seen.tool, kind) {
        (Some(server), Some(tool), _) => Some((server, tool)),
        (_, _, Some(_)) => None,
        _ if READ_SERVERS.contains(&tool) => read_server(tool, &args),
        _ => client.tools.guessed(tool),
    };
    let kind = match (&served, kind) {
        (Some(_), _) => "mcp",
        (None, Some(kind)) => kind,
        (None, None) => "other",
    };
    Ok(AskedCall {
        tool: tool.to_owned(),
        kind,
        served,
        args,
        result: members
            .member("tool_response")
            .or_else(|| members.member("tool_result"))
            .or_else(|| members.member("tool_output"))
            .cloned(),
        session: seen.session_id,
        subagent: members.text("agent_id").map(str::to_owned),
        folder: members.text("cwd").map(str::to_owned),
    })
}

/// Returns the names of the MCP servers in the files of the client. Where a client writes the names of a server and its tool as one
/// word, only these names tell where the word is split.
pub fn configured_servers(client: &Client, place: &Place) -> Vec<String> {
    let scopes = InstallScope::ALL.into_iter();
    let servers = scopes.filter_map(|scope| client.servers_object(scope, place));
    let names = servers.filter_map(|servers| match servers {
        Value::Object(servers) => Some(servers.into_iter().map(|(name, _)| name)),
        _ => None,
    });
    names.flatten().collect()
}

/// Tools of clients that read what another MCP server has, and the arguments that name the server.
const READ_SERVERS: [&str; 5] = [
    "ListMcpResourcesTool",
    "ReadMcpResourceTool",
    "list_mcp_resources",
    "list_mcp_resource_templates",
    "read_mcp_resource",
];

/// Returns the server whose resources a tool of the client itself reads, and the tool.
fn read_server(tool: &str, args: &Map<String, Value>) -> Option<(String, String)> {
    let names = ["server", "server_name", "serverName"];
    let server = names.iter().find_map(|name| args.get(*name)?.as_str())?;
    Some((server.to_owned(), tool.to_owned()))
}

/// The variable in which several clients tell a hook the folder of the session.
const PROJECT: &str = "CLAUDE_PROJECT_DIR";

/// Returns the folder in which the session of the client began that started this process; `None` if it is not told.
///
/// Claude Code tells a hook the folder to which the agent has moved with `cd`, and Codex CLI that of the call.
pub fn project_of_hook(client: &Client) -> Option<String> {
    if client.starts_in_project {
        let here = std::env::current_dir().ok()?;
        return Some(here.to_string_lossy().into_owned());
    }
    let told = std::env::var(PROJECT).ok();
    told.filter(|folder| folder.starts_with('/'))
}

/// Returns the answer that refuses a call, on the standard output of a gate. The reason is cut to [`MAX_REASON`] bytes, and
/// is never empty.
pub fn refusal(event: &str, reason: &str) -> Value {
    let reason = match reason.trim() {
        "" => "a rule of this project refuses the call",
        reason => cut(reason),
    };
    json!({
        "decision": "block",
        "reason": reason,
        "hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        },
    })
}

/// Returns the answer that changes the arguments of a call; `None` if the client takes no change.
pub fn changed(gates: &Gates, args: &Map<String, Value>) -> Option<Value> {
    let member = gates.change?;
    // Without `permissionDecision`: the user's approval stays as it is.
    Some(json!({ "hookSpecificOutput": { "hookEventName": gates.event, member: args } }))
}

fn cut(reason: &str) -> &str {
    let mut end = reason.len().min(MAX_REASON);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    &reason[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALL, by_name};

    #[test]
    fn a_reason_is_never_empty_and_never_long() {
        assert!(
            !refusal("PreToolUse", " ")["reason"]
                .as_str()
                .unwrap()
                .is_empty()
        );
        let long = "é".repeat(5_000);
        let answer = refusal("PreToolUse", &long);
        assert_eq!(answer["reason"].as_str().unwrap().len(), MAX_REASON);
        assert_eq!(
            answer["reason"],
            answer["hookSpecificOutput"]["permissionDecisionReason"]
        );
    }

    #[test]
    fn each_client_tells_its_call() {
        for (client, input, kind, served) in [
            (
                "claude-code",
                json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
                "shell",
                None,
            ),
            (
                "claude-code",
                json!({"tool_name": "mcp__other__mark", "tool_input": {}, "mcp_server": {"name": "other"}}),
                "mcp",
                Some(("other", "mark")),
            ),
            (
                "codex",
                json!({"tool_name": "spawn_agent", "tool_input": {}}),
                "subagent",
                None,
            ),
            (
                "gemini",
                json!({"tool_name": "web_fetch", "tool_input": {"prompt": "x"}}),
                "fetch",
                None,
            ),
            (
                "gemini",
                json!({"tool_name": "mcp_memory_mark", "mcp_context": {"server_name": "memory", "tool_name": "mark"}}),
                "mcp",
                Some(("memory", "mark")),
            ),
            (
                "copilot",
                json!({"tool_name": "Write", "tool_input": {"path": "x"}}),
                "write",
                None,
            ),
            (
                "copilot",
                json!({"tool_name": "other-mark", "tool_input": {}}),
                "mcp",
                Some(("other", "mark")),
            ),
            (
                "copilot",
                json!({"toolName": "bash", "toolArgs": {"command": "ls"}}),
                "shell",
                None,
            ),
            (
                "qwen",
                json!({"tool_name": "edit", "tool_input": {}}),
                "edit",
                None,
            ),
            (
                "opencode",
                json!({"tool_name": "webfetch", "tool_input": {}}),
                "fetch",
                None,
            ),
            (
                "cline",
                json!({"tool_name": "run_commands", "tool_input": {"commands": ["ls"]}}),
                "shell",
                None,
            ),
            (
                "cline",
                json!({"tool_name": "other__mark", "tool_input": {}}),
                "mcp",
                Some(("other", "mark")),
            ),
            (
                "kimi",
                json!({"tool_name": "FetchURL", "tool_input": {"url": "x://y"}}),
                "fetch",
                None,
            ),
            (
                "codex",
                json!({"tool_name": "read_mcp_resource", "tool_input": {"server": "other", "uri": "x://y"}}),
                "mcp",
                Some(("other", "read_mcp_resource")),
            ),
            (
                "qwen",
                json!({"tool_name": "read_mcp_resource", "tool_input": {"server_name": "other"}}),
                "mcp",
                Some(("other", "read_mcp_resource")),
            ),
            (
                "claude-code",
                json!({"tool_name": "ListMcpResourcesTool", "tool_input": {}}),
                "other",
                None,
            ),
            (
                "claude-code",
                json!({"tool_name": "Sleep", "tool_input": {}}),
                "other",
                None,
            ),
        ] {
            let client = by_name(client).unwrap();
            let call = read_call(client, input.to_string().as_bytes(), &["memory"]).unwrap();
            let found = call
                .served
                .as_ref()
                .map(|(server, tool)| (&**server, &**tool));
            assert_eq!((call.kind, found), (kind, served), "{input}");
        }
        let client = by_name("codex").unwrap();
        for input in [
            "",
            "[]",
            "{",
            "{}",
            r#"{"tool_name":7}"#,
            r#"{"tool_name":"Bash","tool_input":"x"}"#,
        ] {
            assert!(read_call(client, input.as_bytes(), &[]).is_err(), "{input}");
        }
    }

    #[test]
    fn a_gate_ends_before_its_client_ends_it() {
        for client in ALL {
            let Some(gates) = &client.gates else {
                continue;
            };
            let event = hooks_core::lifecycle::Event::PreToolUse;
            let own = client.mapping(event).deadline;
            assert!(gates.deadline < own, "{}", client.name);
            assert!(gates.tools().next().is_some());
        }
    }
}

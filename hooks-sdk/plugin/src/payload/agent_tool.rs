//! The payloads of gates: a call of an agent client's own tool, in one form for every client.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Payload, Writable, guard, measure::Measure};
#[doc(inline)]
pub use hooks_core::condition::ShellCommand;
use hooks_core::{condition::Subject, internal::words};

words! {
    /// What a tool of an agent client does.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum AgentToolKind, ALL: "Returns the kind's word, in an attribute and in a configuration file." {
        /// It runs commands in a shell.
        Shell = "shell",
        /// It reads files.
        Read = "read",
        /// It writes whole files.
        Write = "write",
        /// It changes parts of files; a patch too.
        Edit = "edit",
        /// It fetches from the web.
        Fetch = "fetch",
        /// It is a tool of an MCP server.
        Mcp = "mcp",
        /// It starts another agent.
        Subagent = "subagent",
        /// Any other tool.
        #[default]
        Other = "other",
        /// It writes into a shell that runs already. No client asks its hooks about it, so no gate can hold it.
        ShellInput = "shell_input",
    }
}

/// The kinds of tools as words of an attribute.
pub mod agent_tool_kind {
    use super::AgentToolKind;

    hooks_core::internal::constants! {
        shell: AgentToolKind = Shell;
        read: AgentToolKind = Read;
        write: AgentToolKind = Write;
        edit: AgentToolKind = Edit;
        fetch: AgentToolKind = Fetch;
        mcp: AgentToolKind = Mcp;
        subagent: AgentToolKind = Subagent;
        other: AgentToolKind = Other;
        shell_input: AgentToolKind = ShellInput;
    }
}

impl AgentToolKind {
    /// Returns the kind with this word.
    pub fn named(word: &str) -> Option<AgentToolKind> {
        AgentToolKind::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == word)
    }
}

/// A part of a call that cannot be read before it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Unread {
    /// The part, as the agent wrote it; at most 200 characters.
    pub text: String,
    /// Why it cannot be read, for the agent.
    pub why: String,
}

impl Unread {
    /// Makes a part with its reason.
    pub fn new(text: &str, why: impl Into<String>) -> Unread {
        Unread {
            text: text.chars().take(200).collect(),
            why: why.into(),
        }
    }
}

/// A call of a tool of an agent client, before the tool runs. The document has no such payload.
///
/// The fields are in one form for every client. Only `args` may change, and only some clients take a change.
///
/// ```
/// use hooks_sdk::plugin::AgentToolCall;
///
/// let call = AgentToolCall::default();
/// assert!(call.commands.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentToolCall {
    /// The name of the client, such as `claude-code`.
    pub client: Cow<'static, str>,
    /// What the tool does.
    pub kind: AgentToolKind,
    /// The tool in the client's own word, such as `Bash`.
    pub tool: String,
    /// Each command that the shell would run: those of lists, pipes, substitutions, and those that another command runs, as
    /// `sh -c` and `env` do.
    #[serde(default)]
    pub commands: Vec<ShellCommand>,
    /// Arguments of other programs that are command lines themselves. Whether they run, only the program knows: a gate with the
    /// posture `deny` refuses the call where it would refuse one of them.
    #[serde(default)]
    pub possible: Vec<ShellCommand>,
    /// Each path that the call names: absolute, without `..`, and with links resolved as far as the path exists. If a link
    /// leads elsewhere, the path as it was named is in the list too.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Each URL that the call names.
    #[serde(default)]
    pub urls: Vec<String>,
    /// What cannot be read of the commands. A gate with the posture `deny` that decides by commands, paths or URLs refuses
    /// such a call.
    #[serde(default)]
    pub unread: Vec<Unread>,
    /// Words of a command whose value only the shell knows, such as `$(date)`. They may be paths.
    #[serde(default)]
    pub unresolved: Vec<String>,
    /// The MCP server of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<String>,
    /// The name of the tool in its MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_tool: Option<String>,
    /// The arguments as the client sent them.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// The id of the client's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The id of the subagent that calls the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The working folder of the call. Claude Code and Codex CLI tell another one after a `cd` or with a tool's own argument.
    #[serde(default)]
    pub folder: String,
    /// The folder in which the client's session began: the relative paths of rules are in it.
    #[serde(default)]
    pub project: String,
}

impl AgentToolCall {
    /// Creates a call of a tool without arguments.
    pub fn new(
        client: impl Into<Cow<'static, str>>,
        kind: AgentToolKind,
        tool: impl Into<String>,
    ) -> AgentToolCall {
        AgentToolCall {
            client: client.into(),
            kind,
            tool: tool.into(),
            ..AgentToolCall::default()
        }
    }

    /// Returns the same call with one argument changed.
    #[must_use]
    pub fn with(&self, argument: impl Into<String>, value: impl Into<Value>) -> AgentToolCall {
        let mut call = self.clone();
        call.args.insert(argument.into(), value.into());
        call
    }

    fn root(&self, root: &str) -> Option<Subject<'_>> {
        match root {
            "args" => Some(Subject::Object(&self.args)),
            "client" => Some(Subject::Text(&self.client)),
            "commands" => Some(Subject::Commands(&self.commands)),
            "paths" => Some(Subject::Texts(&self.paths)),
            "urls" => Some(Subject::Texts(&self.urls)),
            "mcp_server" => self.mcp_server.as_deref().map(Subject::Text),
            "mcp_tool" => self.mcp_tool.as_deref().map(Subject::Text),
            "session" => self.session.as_deref().map(Subject::Text),
            "subagent" => self.subagent.as_deref().map(Subject::Text),
            "folder" => Some(Subject::Text(&self.folder)),
            _ => None,
        }
    }

    fn measured(&self, limit: usize) -> Measure {
        Measure::new(limit).name(&self.tool).map(&self.args)
    }
}

/// A call of a tool of an agent client that ran, with its answer. The document has no such payload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentToolResult {
    /// The call.
    #[serde(flatten)]
    pub call: AgentToolCall,
    /// The answer as the client sent it.
    pub result: Value,
}

impl AgentToolResult {
    /// Creates the payload of an answer.
    pub fn new(call: AgentToolCall, result: Value) -> AgentToolResult {
        AgentToolResult { call, result }
    }
}

impl Payload for AgentToolCall {
    type Change = AgentToolCall;

    fn item(&self) -> &str {
        &self.tool
    }

    fn size(&self, limit: usize) -> usize {
        self.measured(limit).ended()
    }

    fn changed(
        &self,
        change: AgentToolCall,
        writable: Writable<'_>,
    ) -> (AgentToolCall, Vec<&'static str>) {
        let mut kept = Vec::new();
        let mut changed = self.clone();
        changed.args = change.args;
        guard("args", &self.args, &mut changed.args, writable, &mut kept);
        (changed, kept)
    }

    fn root(&self, root: &str) -> Option<Subject<'_>> {
        AgentToolCall::root(self, root)
    }

    fn kind(&self) -> Option<AgentToolKind> {
        Some(self.kind)
    }

    fn unread(&self) -> &[Unread] {
        &self.unread
    }

    fn with_possible(&self) -> Option<AgentToolCall> {
        let mut all = self.clone();
        all.commands.append(&mut all.possible);
        (all.commands.len() > self.commands.len()).then_some(all)
    }
}

impl Payload for AgentToolResult {
    type Change = AgentToolResult;

    fn item(&self) -> &str {
        &self.call.tool
    }

    fn size(&self, limit: usize) -> usize {
        self.call.measured(limit).json(&self.result).ended()
    }

    fn changed(
        &self,
        change: AgentToolResult,
        _: Writable<'_>,
    ) -> (AgentToolResult, Vec<&'static str>) {
        // The tool ran, and the client has its answer.
        let kept = if change == *self {
            Vec::new()
        } else {
            vec!["result"]
        };
        (self.clone(), kept)
    }

    fn root(&self, root: &str) -> Option<Subject<'_>> {
        match root {
            "result" => Some(Subject::Value(&self.result)),
            root => self.call.root(root),
        }
    }

    fn kind(&self) -> Option<AgentToolKind> {
        Some(self.call.kind)
    }
}

//! Qwen Code, whose hooks have Claude Code's form in a file of its own.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{
    AfterStart, Aftermath, Capabilities, Client, Delivery, GateTrial, Gates, InstallScope,
    Installation, Mapping, Place, RefusalForm, Seen, Tested, UserFolder, answer,
    capabilities::USER_AND_PROJECT,
    config::{self, Plan},
    config::{MemberType, Reading},
    input::Input,
    installation,
    mapping::ONE_REQUEST_MORE,
    output,
    tool::Tool,
};
use hooks_core::{guidance::McpFeatures, lifecycle::Event};

/// Qwen Code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Qwen;

const READINGS: &[Reading] = &[Reading {
    comments: true,
    checked: &[
        (MemberType::Object, &["hooks", "mcpServers"]),
        (MemberType::List, &["permissions.allow"]),
    ],
    ..Reading::strict("settings.json", "does not start, or empties the file")
}];

pub(super) const ROW: Capabilities = Capabilities {
    name: "qwen",
    title: "Qwen Code",
    program: "qwen",
    handshake: "qwen",
    recorded: Tested::new("0.24.4", "2026-11-23"),
    folder: UserFolder::new(".qwen", &[("QWEN_HOME", "")]),
    readings: READINGS,
    adds_server: Some("qwen mcp add --scope user {server} {start}"),
    shells: &["run_shell_command"],
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
    gates: Some(
        Gates::new(
            "PreToolUse",
            RefusalForm::Object,
            &[
                ("run_shell_command", "shell"),
                ("read_file", "read"),
                ("read_many_files", "read"),
                ("list_directory", "read"),
                ("glob", "read"),
                ("grep_search", "read"),
                ("search_file_content", "read"),
                ("write_file", "write"),
                ("edit", "edit"),
                ("web_fetch", "fetch"),
                ("web_search", "fetch"),
                ("agent", "subagent"),
                ("task", "subagent"),
            ],
        )
        .not_held(&["The client takes no changed arguments."])
        .open(&[
            (
                GateTrial::Hang,
                "The client ends a hook that has not answered after 10 s, and runs the call. The gate's own deadline of 2 s \
                 does not help where its program is stopped.",
            ),
            (
                GateTrial::Approved,
                "A later hook that answers `allow` undoes a refusal: the last decision holds. The user's hooks run after the \
                 project's.",
            ),
        ])
        .off_by(&[
            "`disableAllHooks` in the user's or the project's settings",
            "`--bare`",
            "`--safe-mode`",
            "a project's hooks in a folder that the user does not trust",
        ]),
    ),
    scopes: USER_AND_PROJECT,
    also_read_by: &[],
};

impl Qwen {
    /// Returns whether the client asks for trust in a folder before it reads a project's settings.
    fn asks_for_trust(settings: &Value) -> bool {
        settings["security"]["folderTrust"]["enabled"] == true
    }

    /// Returns whether the user trusts the folder, or one above it.
    fn trusts(trusted: &Value, project: &Path) -> bool {
        let project = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let mut folders = trusted.as_object().into_iter().flatten();
        folders.any(|(folder, trust)| match trust.as_str() {
            Some("TRUST_FOLDER") => project.starts_with(folder),
            Some("TRUST_PARENT") => {
                let above = Path::new(folder).parent();
                above.is_some_and(|above| project.starts_with(above))
            }
            _ => false,
        })
    }
}

impl Client for Qwen {
    fn capabilities(&self) -> &'static Capabilities {
        &ROW
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        let input = Input(input);
        let tool = |name| Tool::split(name, None, servers);
        let mut seen = input.seen(event, tool, output::text_of_gemini);
        let output = &mut seen.occasion.variables.tool_output;
        if event == Event::PostToolUse && output.is_none() {
            *output = input.text("error").map(str::to_owned);
        }
        if event == Event::PreRequest {
            // The client fires the event for each request to the model. Only a user's prompt was submitted.
            seen.kept_going = input.text("submitted_prompt").is_none();
        }
        seen
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        json!({ "tool_name": match server {
            Some(server) => Tool::doubly_joined(server, tool),
            None => Tool::named(tool, &ROW).to_owned(),
        } })
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        let mut answer = answer::bringing(self.mapping(seen.occasion.event), seen, "block", text);
        // Two of the client's events are one event here, and the client needs no name.
        let inside = answer.get_mut("hookSpecificOutput");
        if let Some(inside) = inside.and_then(Value::as_object_mut) {
            inside.remove("hookEventName");
        }
        answer
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place, _server: &str) -> PathBuf {
        ROW.folder.within(scope, place).join("settings.json")
    }

    fn plan_hooks(&self, plan: Plan, to: &Installation<'_>) -> Plan {
        let file = self.hooks_file(to.scope, to.place, to.server);
        // The client adds this to a file that lacks it, and writes the file anew.
        let created = Map::from_iter([("$version".to_owned(), json!(4))]);
        installation::plan(self, plan, to).created_with(file, created)
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        let file = self.hooks_file(scope, place, "");
        Some((file, vec!["mcpServers".to_owned()]))
    }

    fn checks(&self, scope: InstallScope, place: &Place) -> Vec<String> {
        let scopes = [InstallScope::User, InstallScope::Project];
        let files = scopes.map(|scope| self.hooks_file(scope, place, ""));
        let off = files.into_iter().filter(|file| {
            let settings = config::settings(file);
            settings.is_some_and(|settings| settings["disableAllHooks"] == true)
        });
        let off = off.map(|file| {
            let file = file.display();
            format!("`disableAllHooks` in {file} turns all hooks off: remove it")
        });
        let folder = ROW.folder.of(place);
        let settings = |name| config::settings(&folder.join(name)).unwrap_or_default();
        let is_skipped = scope != InstallScope::User
            && Qwen::asks_for_trust(&settings("settings.json"))
            && !Qwen::trusts(&settings("trustedFolders.json"), &place.project);
        is_skipped
            .then(|| {
                format!(
                    "folder trust is on and the project is not in {}, so its hooks are skipped: start `qwen` in {}, \
                     and trust the folder",
                    folder.join("trustedFolders.json").display(),
                    place.project.display()
                )
            })
            .into_iter()
            .chain(off)
            .collect()
    }
}

//! One agent client: its row in the table, and all that is made from the row.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde_json::{Map, Value, json};

use super::{
    AfterStart, Delivery, Excess, Gates, InstallScope, Limit, Mapping, Place, Seen, Tested,
    UserFolder,
    config::{self, Reading},
    input::Input,
    tool::{Tool, ToolNames},
};
use hooks_core::{
    guidance::McpFeatures,
    lifecycle::{Event, budget::LONGEST_ANSWER},
};

/// The part of a client's deadline for starting, reading and writing.
const MARGIN: Duration = Duration::from_secs(1);

/// The maximum time for context tools.
const LONGEST_PATIENCE: Duration = Duration::from_secs(4);

/// A client, as it was measured or as its documents say: one row of [`ALL`](super::ALL).
///
/// `install`, `fire`, `explain`, `doctor`, the book and the tests are made from it, so that no fact stands twice.
#[derive(Debug)]
pub struct Client {
    /// The client's name on a command line, such as `claude-code`.
    pub name: &'static str,
    /// The client's name for people.
    pub title: &'static str,
    /// The name of the client's program.
    pub program: &'static str,
    /// The beginning of the name that the client sends to an MCP server.
    pub handshake: &'static str,
    /// The version to which the row applies, and how that is known.
    pub tested: Tested,
    /// The folder of the user's files.
    pub folder: UserFolder,
    /// How the client reads its files; the first row with a file's name applies.
    pub readings: &'static [Reading],
    /// The client's own command that adds an MCP server for the user: `{server}` is its name, and `{start}` the words that
    /// start it. `None` if the client has no such command.
    pub adds_server: Option<&'static str>,
    /// The names of the client's shell tool: towards hooks, and then any others, such as those towards its model.
    pub shells: &'static [&'static str],
    /// The features of MCP that the client has, of those that a hook can require.
    pub features: McpFeatures,
    /// Whether an MCP server receives the id of the client's session.
    pub tells_session: bool,
    /// Whether the model receives the `instructions` of an MCP server, unless the user changes a setting; `None` if that was not
    /// run.
    pub shows_instructions: Option<bool>,
    /// What happens to the texts of a session's start.
    pub after_start: AfterStart,
    /// The client's behaviour at each event, in the order of [`Event::ALL`].
    pub events: [Mapping; 6],
    /// How the client asks its hooks before a call of a tool; `None` if that was not run.
    pub gates: Option<Gates>,
    /// The scopes in which hooks can be installed.
    pub scopes: &'static [InstallScope],
    /// The other clients that read this client's hook entries, for people, each with its condition.
    pub also_read_by: &'static [&'static str],
    /// The arguments with which the client's program says, in JSON, which hooks the user has reviewed.
    pub reviewer: Option<&'static str>,
    /// What the user has to do after an installation, such as to review hooks before the client runs them, by scope.
    pub steps: [Option<&'static str>; 3],
    /// The file of hooks in each scope, below the user's folder or the project. `{server}` is the name of the MCP server, and
    /// `{letters}` only those of its letters that every file system takes.
    pub(crate) hooks: [&'static str; 3],
    /// The JSON members with which the file of hooks begins in each scope if it is created.
    pub(crate) begins: [&'static str; 3],
    /// Where MCP servers are configured.
    pub(crate) servers: Servers,
    /// How a tool of an MCP server is named.
    pub(crate) tools: ToolNames,
    /// The member of a hook's input with the names of the server and its tool; `None` if the client writes one word only.
    pub(crate) named_server: Option<NamedServer>,
    /// The members of a hook's input with the id of the session; the first one counts.
    pub(crate) sessions: &'static [&'static str],
    /// The form of an answer with a text.
    pub(crate) answers: AnswerForm,
    /// The form of a hook entry.
    pub(crate) entries: EntryForm,
    /// The end of the generated plugin, if the hooks are JavaScript. It sets `LIMIT`, the milliseconds for the program,
    /// and has the placeholder `__NAME__` at most once.
    pub(crate) plugin: Option<&'static str>,
    /// The event at which the server learns its session.
    pub(crate) aside: Option<Aside>,
    /// Whether other clients run this client's entries.
    pub(crate) is_run_by_others: bool,
    /// The member that the client writes, and the one that it lacks, when it runs another client's entry.
    pub(crate) as_other: Option<[&'static str; 2]>,
    /// Whether the client starts a hook in the folder of its session.
    pub(crate) starts_in_project: bool,
    /// The member of the file of hooks, with points, that turns all hooks off, and the value that does so.
    pub(crate) off: Option<(&'static str, bool)>,
    /// Reads what is only in this client's input.
    pub(crate) read: Option<fn(Input<'_>, &mut Seen)>,
    /// Looks at files that only this client has.
    pub(crate) look: Option<fn(InstallScope, &Place) -> Looked>,
}

/// Where a client configures MCP servers.
#[derive(Debug)]
pub(crate) struct Servers {
    /// The file in each scope.
    pub(crate) files: [Option<&'static str>; 3],
    /// The JSON members with which it begins if it is created.
    pub(crate) begins: &'static str,
    /// The member with the servers.
    pub(crate) member: &'static str,
    /// Whether the same file with the ending `.jsonc` is taken, if only that exists.
    pub(crate) or_jsonc: bool,
    /// The older file in the user's folder, which is taken if it exists. The user's file is then beside that folder, unless
    /// a variable moves the folder, and the scope `local` is in the user's file, below the member `projects`.
    pub(crate) older: Option<&'static str>,
    /// The JSON members of an entry beside the command.
    pub(crate) entry: &'static str,
    /// Whether the command and its arguments are one list.
    pub(crate) is_list: bool,
    /// The member of an entry with the variables of the server.
    pub(crate) environment: &'static str,
}

/// A member of a hook's input that names the MCP server of a tool.
#[derive(Debug)]
pub(crate) struct NamedServer {
    pub(crate) member: &'static str,
    pub(crate) server: &'static str,
    /// The member in it with the tool's name on the server.
    pub(crate) tool: Option<&'static str>,
}

/// The form of an answer.
#[derive(Debug)]
pub(crate) struct AnswerForm {
    /// The member with a text that is context; `None` for `hookSpecificOutput`.
    pub(crate) context: Option<&'static str>,
    /// Whether `hookSpecificOutput` names the event.
    pub(crate) is_named: bool,
    /// The form of a text that keeps the agent going.
    pub(crate) further: Further,
    /// Whether the client reads an output that has no text as a text.
    pub(crate) reads_any: bool,
}

/// The form of a text that keeps the agent going.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Further {
    /// `decision` is this word, and `reason` is the text.
    Decision(&'static str),
    /// The member of this name is the text.
    Member(&'static str),
    /// `hookSpecificOutput` is a refusal, and its reason is the text.
    Refusal,
}

/// The form of a hook entry.
#[derive(Debug)]
pub(crate) struct EntryForm {
    /// Whether the entry has a list of commands.
    pub(crate) is_grouped: bool,
    /// Whether the command has a name.
    pub(crate) is_named: bool,
    /// Whether the command has a type.
    pub(crate) is_typed: bool,
    /// The member with the time-out.
    pub(crate) timeout: &'static str,
    /// What the time-out counts.
    pub(crate) unit: Duration,
}

/// An event that is none of the six, before a call of a server's tool: its answer becomes part of the call.
#[derive(Debug)]
pub(crate) struct Aside {
    pub(crate) event: &'static str,
    /// The member with the name of the server that is called.
    pub(crate) server: &'static str,
    /// The member of the answer for the metadata of the call.
    pub(crate) answer: &'static str,
}

/// The findings in a client's files, as sentences for people.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Looked {
    /// What keeps hooks off without a word, each with what mends it.
    pub wrong: Vec<String>,
    /// What the user may wonder about.
    pub remarks: Vec<String>,
}

/// What a row has unless it says something else: the forms that most clients share.
pub(crate) const LIKE_MOST: Client = Client {
    name: "",
    title: "",
    program: "",
    handshake: "",
    tested: Tested::new("", ""),
    folder: UserFolder {
        name: "",
        variables: &[],
    },
    readings: &[],
    adds_server: None,
    shells: &[],
    features: McpFeatures::EMPTY,
    tells_session: false,
    shows_instructions: None,
    after_start: AfterStart::NOT_RUN,
    events: [Mapping::NEVER; 6],
    gates: None,
    scopes: &[InstallScope::User, InstallScope::Project],
    also_read_by: &[],
    reviewer: None,
    steps: [None; 3],
    hooks: [""; 3],
    begins: ["{}"; 3],
    servers: Servers {
        files: [None; 3],
        begins: "{}",
        member: "mcpServers",
        or_jsonc: false,
        older: None,
        entry: "{}",
        is_list: false,
        environment: "env",
    },
    tools: ToolNames::DOUBLE,
    named_server: None,
    sessions: &["session_id"],
    answers: AnswerForm {
        context: None,
        is_named: true,
        further: Further::Decision("block"),
        reads_any: false,
    },
    entries: EntryForm {
        is_grouped: true,
        is_named: false,
        is_typed: true,
        timeout: "timeout",
        unit: Duration::from_secs(1),
    },
    plugin: None,
    aside: None,
    is_run_by_others: false,
    as_other: None,
    starts_in_project: false,
    off: None,
    read: None,
    look: None,
};

impl Client {
    /// Returns the client's behaviour at an event: its own name for it, and how a text reaches the agent.
    pub const fn mapping(&self, event: Event) -> Mapping {
        self.events[event as usize]
    }

    /// Returns the event for one of the client's own names, in any case, because clients that read this client's files
    /// change the case. `None` for an event that is none of the six, such as `PreCompact`.
    pub fn event(&self, native: &str) -> Option<Event> {
        let is_at = |event: &Event| {
            let mapping = self.mapping(*event);
            let mut names = mapping.natives().chain(mapping.other_form);
            names.any(|name| name.eq_ignore_ascii_case(native))
        };
        Event::ALL.into_iter().find(is_at)
    }

    /// Returns the maximum length of one answer, including the lines that name servers and priorities: the client's own
    /// limit, but at most 10,000 of its units; the limit that the entry sets, where an entry can set one; and 10,000
    /// characters in a client without a known limit.
    pub const fn budget(&self, event: Event) -> Limit {
        let mapping = self.mapping(event);
        match (mapping.limit, mapping.raised) {
            (Some(limit), Some(most)) => Limit { most, ..limit },
            (Some(limit), None) if limit.most < LONGEST_ANSWER => limit,
            (Some(limit), None) => Limit {
                most: LONGEST_ANSWER,
                ..limit
            },
            (None, _) => Limit::characters(LONGEST_ANSWER, Excess::LeftOut),
        }
    }

    /// Returns how long [`fire`](super::fire) waits for context tools: a second less than the
    /// [deadline](Mapping::deadline), at most 4 s. `hooks fire` also reads the input in this time.
    pub fn patience(&self, event: Event) -> Duration {
        let deadline = self.mapping(event).deadline;
        deadline.saturating_sub(MARGIN).min(LONGEST_PATIENCE)
    }

    /// Returns the other client that wrote this input, because it fires this client's entries. It is answered in its own
    /// form.
    pub fn caller(&self, input: &Value) -> Option<&'static Client> {
        let has = |name: &str| input.get(name).is_some();
        let wrote = |client: &&'static Client| {
            let [member, lacking] = client.as_other?;
            (has("hook_event_name") && has(member) && !has(lacking)).then_some(())
        };
        let mut all = super::ALL.into_iter().filter(|_| self.is_run_by_others);
        all.find(|client| wrote(client).is_some())
    }

    /// Reads what the client wrote to a hook's standard input. Ignores members that are missing, unknown or of another
    /// type.
    ///
    /// `servers` are the names of MCP servers in the client. If a tool's name can be split in several ways, the tool
    /// belongs to one of these.
    pub fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        let mut seen = Input(input).seen(self, event, servers);
        if let Some(read) = self.read {
            read(Input(input), &mut seen);
        }
        seen
    }

    /// Returns the answer at an event of the client's own that is none of the six and that no hook is declared for.
    /// `None` for every other event. `native` is the client's name for the event, and `server` is the name of the MCP
    /// server.
    pub fn aside(&self, native: &str, input: &Value, server: &str) -> Option<Value> {
        let aside = self.aside.as_ref()?;
        if !native.eq_ignore_ascii_case(aside.event) {
            return None;
        }
        let input = Input(input);
        // The server reads the id like that of a client that sends it by itself.
        let session = input.session(self);
        let session = session.filter(|_| input.text(aside.server) == Some(server));
        Some(match session {
            Some(session) => json!({ aside.answer: { "sessionId": session } }),
            None => json!({}),
        })
    }

    /// Returns the members by which the client names a tool on a hook's standard input: the tool of an MCP server, or
    /// one of its own. A shell tool can have the name of any client.
    pub fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        let Some(server) = server else {
            return json!({ "tool_name": Tool::named(tool, self) });
        };
        let mut named = json!({ "tool_name": self.tools.join(server, tool) });
        if let Some(of) = &self.named_server {
            named[of.member] = json!({ of.server: server });
            if let Some(member) = of.tool {
                named[of.member][member] = tool.into();
            }
        }
        named
    }

    /// Returns the JSON object for a hook's standard output that sends `text` to the agent. It is empty if no text
    /// reaches the agent, if a hook has already kept the agent going, or if `text` is empty.
    ///
    /// The answer is never plain text, which each client reads differently.
    pub fn answer(&self, seen: &Seen, text: &str) -> Value {
        let (mapping, form) = (self.mapping(seen.occasion.event), &self.answers);
        match (mapping.delivery, form.context, form.further) {
            _ if text.is_empty() || seen.kept_going => json!({}),
            (Delivery::Context, Some(member), _)
            | (Delivery::Continue, _, Further::Member(member)) => {
                json!({ member: text })
            }
            (Delivery::Context, None, _) => {
                let mut inside = json!({ "additionalContext": text });
                if form.is_named {
                    inside["hookEventName"] = mapping.native.into();
                }
                json!({ "hookSpecificOutput": inside })
            }
            (Delivery::Continue, _, Further::Decision(word)) => {
                json!({ "decision": word, "reason": text })
            }
            (Delivery::Continue, _, Further::Refusal) => json!({ "hookSpecificOutput": {
                "hookEventName": mapping.native,
                "permissionDecision": "deny",
                "permissionDecisionReason": text,
            } }),
            (Delivery::Gates | Delivery::Never, ..) => json!({}),
        }
    }

    /// Returns the line that a hook writes for an answer. It is empty if there is nothing to say to a client that reads any
    /// output as a text.
    pub fn printed(&self, answer: &Value) -> String {
        match self.answers.reads_any && *answer == json!({}) {
            true => String::new(),
            false => answer.to_string(),
        }
    }

    /// Returns the entry, in the list of an event, that makes the client run `command`. `server` is the name of the MCP
    /// server.
    ///
    /// It has no matcher: [`fire`](super::fire) does the matching, because the clients' matchers differ from SEP-2282's.
    pub fn hook_entry(&self, event: Event, server: &str, command: &str) -> Value {
        let (mapping, form) = (self.mapping(event), &self.entries);
        let timeout = mapping.deadline.as_millis() / form.unit.as_millis();
        let timeout = u64::try_from(timeout).unwrap_or(u64::MAX);
        let mut hook = json!({ "command": command, form.timeout: timeout });
        if form.is_typed {
            hook["type"] = "command".into();
        }
        if form.is_named {
            hook["name"] = format!("{server} {event}").into();
        }
        if let Some(most) = mapping.raised {
            hook["additionalContextLimit"] = most.into();
        }
        match form.is_grouped {
            true => json!({ "hooks": [hook] }),
            false => hook,
        }
    }

    /// Returns the file of hook entries, or the file that this SDK writes for the client. `server` is the name of the MCP
    /// server.
    pub fn hooks_file(&self, scope: InstallScope, place: &Place, server: &str) -> PathBuf {
        let name = self.hooks[scope as usize];
        let name = name.replace("{letters}", &super::tool::written(server));
        self.below(scope, place, &name.replace("{server}", server))
    }

    /// Returns the file of MCP servers, and the path of members to the object with one member for each server. The file
    /// is TOML if its name ends in `.toml`, otherwise JSON. `None` if the client has no such file in this scope.
    pub fn servers_file(
        &self,
        scope: InstallScope,
        place: &Place,
    ) -> Option<(PathBuf, Vec<String>)> {
        let servers = &self.servers;
        let mut path = vec![servers.member.to_owned()];
        let name = servers.files[scope as usize]?;
        let Some(older) = servers.older.filter(|_| scope != InstallScope::Project) else {
            let file = self.below(scope, place, name);
            let file = if servers.or_jsonc {
                config::or_jsonc(file)
            } else {
                file
            };
            return Some((file, path));
        };
        if scope == InstallScope::Local {
            let project = place.project.to_string_lossy().into_owned();
            path.splice(0..0, ["projects".to_owned(), project]);
        }
        let older = self.folder.of(place).join(older);
        let moved = self.folder.moved(place).map(|(_, folder)| folder);
        let file = match older.exists() {
            true => older,
            false => moved.unwrap_or_else(|| place.home.clone()).join(name),
        };
        Some((file, path))
    }

    /// Returns the object of MCP servers in the client's file, if there is one.
    pub(crate) fn servers_object(&self, scope: InstallScope, place: &Place) -> Option<Value> {
        let (file, path) = self.servers_file(scope, place)?;
        let mut settings = config::settings(&file)?;
        let servers = path
            .iter()
            .try_fold(&mut settings, |at, name| at.get_mut(name))?;
        Some(servers.take())
    }

    /// Returns the variables that the client's entry of an MCP server sets. A value with a `$` is left out: the client puts
    /// a variable of its own there.
    pub fn server_environment(
        &self,
        scope: InstallScope,
        place: &Place,
        server: &str,
    ) -> BTreeMap<String, String> {
        let servers = self.servers_object(scope, place).unwrap_or_default();
        let variables = servers[server][self.servers.environment].as_object();
        let texts = variables.into_iter().flatten().filter_map(|(name, value)| {
            let value = value.as_str().filter(|value| !value.contains('$'))?;
            Some((name.clone(), value.to_owned()))
        });
        texts.collect()
    }

    fn below(&self, scope: InstallScope, place: &Place, name: &str) -> PathBuf {
        match scope {
            InstallScope::User => self.folder.of(place).join(name),
            InstallScope::Project | InstallScope::Local => place.project.join(name),
        }
    }

    /// Returns the JSON members with which the file of hooks and that of servers begin in a scope.
    pub(crate) fn created(&self, scope: InstallScope) -> [Map<String, Value>; 2] {
        [self.begins[scope as usize], self.servers.begins]
            .map(|members| serde_json::from_str(members).unwrap_or_default())
    }

    /// Returns the entry that makes the client start an MCP server on standard input and output.
    pub fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        let mut entry: Value = serde_json::from_str(self.servers.entry).unwrap_or_default();
        if self.servers.is_list {
            let arguments = arguments.iter().map(String::as_str);
            entry["command"] = [command].into_iter().chain(arguments).collect();
        } else {
            entry["command"] = command.into();
            entry["args"] = arguments.into();
        }
        entry
    }

    /// Looks at the client's files for what concerns the hooks of a scope.
    pub fn looked(&self, scope: InstallScope, place: &Place) -> Looked {
        let files = self.scopes.iter();
        let files = files.map(|scope| self.hooks_file(*scope, place, ""));
        let off = files.filter_map(|file| {
            let (member, value) = self.off?;
            let settings = config::settings(&file)?;
            let found = member.split('.').fold(&settings, |at, name| &at[name]);
            let file = file.display();
            (*found == value)
                .then(|| format!("`{member}` in {file} turns all hooks off: remove it"))
        });
        let off: Vec<String> = off.collect();
        let mut looked = self
            .look
            .map_or_else(Looked::default, |look| look(scope, place));
        looked.wrong.splice(0..0, off);
        looked
    }
}

impl PartialEq for Client {
    fn eq(&self, other: &Client) -> bool {
        self.name == other.name
    }
}

impl Eq for Client {}

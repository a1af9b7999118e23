//! How a client is started unattended, with the stand-in in the place of its model service.

use std::path::PathBuf;

use hooks_clients::GateTrial;
use serde_json::Value;

use super::{Play, Trial};

/// The protocol in which a client asks its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The Messages API of Anthropic.
    Anthropic,
    /// The Responses API of OpenAI.
    Responses,
    /// `generateContent` and `streamGenerateContent` of Gemini.
    Gemini,
    /// The Chat Completions API.
    Chat,
}

/// A call of one of the client's own tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCall {
    /// The trial of a gate for which the tool is called; `None` for a call that prepares the next one.
    pub trial: Option<GateTrial>,
    /// The tool, towards the model.
    pub tool: &'static str,
    /// The arguments. In their texts, `{path}` is an absolute path, `{name}` its last part, `{old}` and `{text}` are words, `{url}`,
    /// `{page}` and `{nowhere}` are addresses, and `{task}` is [`Trial::TASK`].
    arguments: Value,
}

impl OwnCall {
    /// Reads a row of a table: the trial's word or `prepare`, the tool, and the arguments.
    fn read(row: &'static str) -> Option<OwnCall> {
        let mut words = row.trim().splitn(3, ' ');
        let (word, tool, arguments) = (words.next()?, words.next()?, words.next()?);
        let mut trials = GateTrial::ALL.iter().copied();
        let trial = trials.find(|trial| trial.as_str() == word);
        let arguments = serde_json::from_str(arguments).ok()?;
        (trial.is_some() || word == "prepare").then_some(OwnCall {
            trial,
            tool,
            arguments,
        })
    }

    /// Returns the arguments with these values of the words in braces.
    pub fn arguments(&self, values: &[(&str, &str)]) -> Value {
        let mut arguments = self.arguments.clone();
        fill(&mut arguments, values);
        arguments
    }
}

fn fill(value: &mut Value, values: &[(&str, &str)]) {
    match value {
        Value::String(text) => {
            for (word, with) in values {
                *text = text.replace(&format!("{{{word}}}"), with);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, values)),
        Value::Object(members) => members.values_mut().for_each(|item| fill(item, values)),
        _ => {}
    }
}

/// How a client is started once in a [`Trial`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The protocol in which the client asks its model.
    pub dialect: Dialect,
    /// The arguments of the client's program.
    pub arguments: Vec<String>,
    /// The calls of the client's own tools.
    pub calls: Vec<OwnCall>,
    /// The client's most permissive mode: what people call it, and the arguments that it needs beside the others.
    pub permissive: (&'static str, &'static [&'static str]),
    /// Variables beside those that every client gets: `PATH`, `HOME`, the folders of XDG and a few more.
    pub env: Vec<(String, String)>,
    /// Variables that take the place of others beside a gate, so that the client's own tool fetches a page.
    pub for_pages: Vec<(String, String)>,
    /// The files that the client needs before the hooks are installed, with their contents. They are below the folders
    /// of the trial.
    pub files: Vec<(PathBuf, String)>,
}

impl Launch {
    /// Makes a launch with these arguments.
    pub(super) fn new<A: Into<String>>(
        dialect: Dialect,
        arguments: impl IntoIterator<Item = A>,
    ) -> Launch {
        Launch {
            dialect,
            arguments: arguments.into_iter().map(Into::into).collect(),
            calls: Vec::new(),
            permissive: ("", &[]),
            env: Vec::new(),
            for_pages: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Sets the calls of the client's own tools: a table with a row for each.
    pub(super) fn calls(mut self, table: &'static str) -> Launch {
        let read = |row| OwnCall::read(row).expect("a trial, a tool and its arguments");
        self.calls = table.trim().lines().map(read).collect();
        self
    }

    /// Returns the call with which the client's model starts a subagent.
    pub fn subagent(&self) -> Option<Play> {
        let is_it = |call: &&OwnCall| call.trial == Some(GateTrial::Subagent);
        let call = self.calls.iter().find(is_it)?;
        Some(Play::Subagent {
            tool: call.tool.to_owned(),
            arguments: call.arguments(&[("task", Trial::TASK)]),
        })
    }

    /// Sets the client's most permissive mode, and the arguments that it needs beside the others.
    pub(super) fn most_permissive(
        mut self,
        mode: &'static str,
        arguments: &'static [&'static str],
    ) -> Launch {
        self.permissive = (mode, arguments);
        self
    }

    /// Adds a variable.
    pub(super) fn env(mut self, name: &str, value: impl Into<String>) -> Launch {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Makes the stand-in the proxy of the client beside a gate: its tool fetches pages of other hosts there, and nothing
    /// leaves this computer.
    pub(super) fn pages_by_proxy(mut self, trial: &Trial) -> Launch {
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] {
            let value = match name {
                "NO_PROXY" => "127.0.0.1".to_owned(),
                _ => trial.url(""),
            };
            self = self
                .env_for_pages(name, value.clone())
                .env_for_pages(&name.to_ascii_lowercase(), value);
        }
        self
    }

    /// Adds a variable beside a gate, with which the client's tool fetches a page.
    pub(super) fn env_for_pages(mut self, name: &str, value: impl Into<String>) -> Launch {
        self.for_pages.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a file.
    pub(super) fn file(mut self, path: impl Into<PathBuf>, content: impl ToString) -> Launch {
        self.files.push((path.into(), content.to_string()));
        self
    }
}

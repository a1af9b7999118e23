//! How a client is started unattended, with the stand-in in the place of its model service.

use std::path::PathBuf;

use serde_json::Value;

use super::{Play, Trial};
use hooks_clients::GateTrial;

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

/// How a client is made to compact its session without a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compaction {
    /// The client resumes its session with this command in the place of the prompt.
    Command(&'static str),
    /// The client compacts its session by itself when its model reports this many tokens.
    Tokens(u64),
}

/// A call of one of the client's own tools.
///
/// In the texts of its arguments, `{path}` is an absolute path, `{name}` its last part, `{old}` and `{text}` are words, and
/// `{url}` is an address of the stand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCall {
    /// The trial; `None` for a call that prepares the next one.
    pub trial: Option<GateTrial>,
    /// The tool, towards the model.
    pub tool: &'static str,
    /// The arguments.
    pub arguments: Value,
}

impl OwnCall {
    /// Returns the step with these values of the words in braces.
    pub fn play(&self, values: &[(&str, &str)]) -> Play {
        let mut arguments = self.arguments.clone();
        fill(&mut arguments, values);
        Play::Own {
            tool: self.tool.to_owned(),
            arguments,
        }
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

/// How a client is started once in a [`Trial`](super::Trial).
///
/// ```
/// use cargo_hooks::prove::{Dialect, Launch, Trial};
///
/// fn launch(trial: &Trial) -> Option<Launch> {
///     let settings = trial.home().join(".notes/settings.json");
///     Some(
///         Launch::new(Dialect::Chat, ["-p", Trial::PROMPT])
///             .env("NOTES_MODEL_URL", trial.url("/v1"))
///             .env("NOTES_MODEL_KEY", Trial::KEY)
///             .file(settings, r#"{"telemetry": false}"#),
///     )
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The protocol in which the client asks its model.
    pub dialect: Dialect,
    /// The arguments of the client's program.
    pub arguments: Vec<String>,
    /// The arguments with which it resumes its last session; empty if it cannot do that without a terminal.
    pub resume: Vec<String>,
    /// The client's own tool with which its model starts a subagent, and the arguments.
    pub subagent: Option<(&'static str, Value)>,
    /// How the client is made to compact its session.
    pub compaction: Option<Compaction>,
    /// The client's own tools, by the trial of a gate for which they are called; `None` prepares the next call.
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
    pub fn new<A: Into<String>>(
        dialect: Dialect,
        arguments: impl IntoIterator<Item = A>,
    ) -> Launch {
        Launch {
            dialect,
            arguments: arguments.into_iter().map(Into::into).collect(),
            resume: Vec::new(),
            subagent: None,
            compaction: None,
            calls: Vec::new(),
            permissive: ("", &[]),
            env: Vec::new(),
            for_pages: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Sets the words that make the client resume its last session. They go behind the subcommand, if the arguments begin
    /// with one.
    #[must_use]
    pub fn resumed_by<A: Into<String>>(mut self, words: impl IntoIterator<Item = A>) -> Launch {
        let is_subcommand = |word: &&String| !word.starts_with('-');
        let at = usize::from(self.arguments.first().filter(is_subcommand).is_some());
        let (before, after) = self.arguments.split_at(at);
        self.resume = before.to_vec();
        self.resume.extend(words.into_iter().map(Into::into));
        self.resume.extend_from_slice(after);
        self
    }

    /// Sets the client's own tool with which its model starts a subagent. The arguments hold [`Trial::TASK`], by which the
    /// stand-in knows the subagent's requests.
    #[must_use]
    pub fn subagent_by(mut self, tool: &'static str, arguments: Value) -> Launch {
        self.subagent = Some((tool, arguments));
        self
    }

    /// Sets how the client is made to compact its session.
    #[must_use]
    pub fn compacted_by(mut self, compaction: Compaction) -> Launch {
        self.compaction = Some(compaction);
        self
    }

    /// Adds a call of one of the client's own tools.
    #[must_use]
    pub fn call(
        mut self,
        trial: impl Into<Option<GateTrial>>,
        tool: &'static str,
        arguments: Value,
    ) -> Launch {
        self.calls.push(OwnCall {
            trial: trial.into(),
            tool,
            arguments,
        });
        self
    }

    /// Sets the client's most permissive mode, and the arguments that it needs beside the others.
    #[must_use]
    pub fn most_permissive(
        mut self,
        mode: &'static str,
        arguments: &'static [&'static str],
    ) -> Launch {
        self.permissive = (mode, arguments);
        self
    }

    /// Returns the words that resume the last session with another prompt.
    pub fn resume_with(&self, prompt: &str) -> Vec<String> {
        let word = |word: &String| match word == Trial::PROMPT {
            true => prompt.to_owned(),
            false => word.clone(),
        };
        self.resume.iter().map(word).collect()
    }

    /// Adds a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Launch {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Makes the stand-in the proxy of the client beside a gate: its tool fetches pages of other hosts there, and nothing
    /// leaves this computer.
    #[must_use]
    pub fn pages_by_proxy(mut self, trial: &Trial) -> Launch {
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
    #[must_use]
    pub fn env_for_pages(mut self, name: &str, value: impl Into<String>) -> Launch {
        self.for_pages.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a file.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>, content: impl ToString) -> Launch {
        self.files.push((path.into(), content.to_string()));
        self
    }
}

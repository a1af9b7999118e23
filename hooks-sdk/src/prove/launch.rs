//! How a client is started unattended, with the stand-in in the place of its model service.

use std::path::PathBuf;

/// The protocol in which a client asks its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

/// How a client is started once in a [`Trial`](super::Trial).
///
/// ```
/// use hooks_sdk::prove::{Dialect, Launch, Trial};
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
#[non_exhaustive]
pub struct Launch {
    /// The protocol in which the client asks its model.
    pub dialect: Dialect,
    /// The arguments of the client's program.
    pub arguments: Vec<String>,
    /// The arguments with which it resumes its last session; empty if it cannot do that without a terminal.
    pub resume: Vec<String>,
    /// Variables beside those that every client gets: `PATH`, `HOME`, the folders of XDG and a few more.
    pub env: Vec<(String, String)>,
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
            env: Vec::new(),
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

    /// Adds a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Launch {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a file.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>, content: impl ToString) -> Launch {
        self.files.push((path.into(), content.to_string()));
        self
    }
}

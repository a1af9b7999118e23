//! Reads the shell commands in a call of an agent client: which programs run, and which files and URLs they name.
//!
//! Nobody knows which shell a client starts. So the reader takes only what sh, bash, zsh, ksh and fish read alike: words,
//! quotes, lists, pipes, redirections, substitutions, groups, `for`, `if` and `while`. It runs nothing. All else is said to
//! be unread.

mod list;
mod paths;
mod program;
mod table;
#[cfg(test)]
mod tests;
mod words;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use hooks_core::condition::ShellCommand;

use crate::{AgentToolCall, Unread};

/// The longest text of commands that is read, in bytes.
pub(crate) const MAX_TEXT: usize = 64 * 1024;

/// How deep commands may be in commands, as in `sh -c "sh -c …"`.
const MAX_DEPTH: usize = 8;

/// The most commands that are read, each as often as a loop or another program runs it.
const MAX_STEPS: usize = 5_000;

/// The most commands, paths, URLs and unknown words of one call. More than these are said to be unread.
const MAX_FOUND: usize = 1_000;

/// The most folders in which the next command may run. With more, the folder is not known.
const MAX_FOLDERS: usize = 16;

/// Reads the commands of one call.
struct Walk<'c> {
    call: &'c mut AgentToolCall,
    state: State,
    home: Option<String>,
    /// The command that was read last.
    last: Simple,
    depth: usize,
    steps: usize,
}

/// What a shell remembers between commands.
#[derive(Clone, Default, PartialEq)]
struct State {
    /// The folders in which the next command may run; none if only the shell knows.
    folders: Vec<PathBuf>,
    /// The variables that the text sets; `None` for a value that only the shell knows.
    variables: BTreeMap<String, Option<String>>,
    /// Whether the commands run on another computer.
    is_elsewhere: bool,
}

impl State {
    /// Takes in the state of another way through the commands.
    fn or(&mut self, other: State) {
        let is_known = !self.folders.is_empty() && !other.folders.is_empty();
        self.folders.extend(other.folders);
        self.folders.dedup();
        if !is_known || self.folders.len() > MAX_FOLDERS {
            self.folders.clear();
        }
        for (name, value) in &mut self.variables {
            *value = value
                .take()
                .filter(|it| other.variables.get(name) == Some(&Some(it.clone())));
        }
        for name in other.variables.into_keys() {
            self.variables.entry(name).or_default();
        }
    }
}

/// A word's value.
#[derive(Clone)]
struct Value {
    /// The value; of one that only the shell knows, the word as it is written.
    text: String,
    is_known: bool,
}

impl Value {
    fn new(text: &str) -> Value {
        Value {
            text: text.to_owned(),
            is_known: true,
        }
    }

    fn unknown(text: &str) -> Value {
        Value {
            is_known: false,
            ..Value::new(text)
        }
    }

    /// Returns a part of the value, as sure as the whole.
    fn with(&self, part: &str) -> Value {
        Value {
            text: part.to_owned(),
            ..*self
        }
    }

    fn known(&self) -> Option<String> {
        self.is_known.then(|| self.text.clone())
    }
}

/// A simple command with its values.
#[derive(Clone, Default)]
struct Simple {
    words: Vec<Value>,
    /// The texts on its standard input: here-documents and here-strings.
    input: Vec<Value>,
}

impl Simple {
    /// Returns the same command with other words.
    fn of(&self, words: impl Iterator<Item = Value>) -> Simple {
        Simple {
            words: words.collect(),
            ..self.clone()
        }
    }
}

impl AgentToolCall {
    /// Reads a text of shell commands: adds its commands, paths, URLs, and what cannot be read. The working folder must be
    /// set before.
    ///
    /// A text of more than 64 KiB is not read. The text is not run, and no file is opened; folders are listed for wildcards,
    /// and links are resolved.
    pub fn read_commands(&mut self, text: &str) {
        let folder = PathBuf::from(&self.folder);
        self.read_commands_in(folder, text);
    }

    /// Like [`read_commands`](AgentToolCall::read_commands), for a shell that starts in another folder.
    pub fn read_commands_in(&mut self, folder: PathBuf, text: &str) {
        let state = State {
            folders: vec![folder],
            ..State::default()
        };
        self.read_in(state, 0, 0, text);
    }

    /// Returns how many commands were read, with those before.
    fn read_in(&mut self, state: State, depth: usize, steps: usize, text: &str) -> usize {
        let mut walk = Walk {
            call: self,
            state,
            home: home(),
            last: Simple::default(),
            depth,
            steps,
        };
        let read = walk.commands(text);
        let steps = walk.steps;
        if let Err(why) = read {
            self.cannot_read(text, why);
        }
        steps
    }

    /// Adds a path that the call names. The working folder must be set before.
    pub fn read_path(&mut self, path: &str) {
        let folder = PathBuf::from(&self.folder);
        let path = paths::joined(path, &folder, home()).unwrap_or_else(|| folder.join(path));
        self.add_path(&path);
    }

    /// Adds each URL in a text, and the paths of addresses such as `file:///a`.
    pub fn read_urls(&mut self, text: &str) {
        for url in paths::urls(text) {
            if paths::of_file_url(&url).is_some() {
                self.read_path(&url);
            } else if !self.urls.contains(&url) && self.urls.len() < MAX_FOUND {
                self.urls.push(url);
            }
        }
    }

    /// Adds the paths that a patch names, in the forms of `apply_patch` and of `diff -u`.
    pub fn read_patch(&mut self, text: &str) {
        for path in paths::of_patch(text) {
            self.read_path(&path);
        }
    }

    fn add_path(&mut self, path: &Path) {
        for path in paths::named(path) {
            if self.paths.len() >= MAX_FOUND {
                self.cannot_read(&path, format!("it names more than {MAX_FOUND} paths"));
            } else if !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
    }

    /// Says that a part of the call cannot be read.
    pub fn cannot_read(&mut self, text: &str, why: impl Into<String>) {
        if self.unread.len() < 16 {
            self.unread.push(Unread::new(text, why));
        }
    }
}

fn home() -> Option<String> {
    std::env::home_dir().map(|home| home.to_string_lossy().into_owned())
}

impl Walk<'_> {
    /// Returns the paths of a word in each folder. Returns `None` if one is known only when the shell runs.
    fn joined(&self, value: &Value) -> Option<Vec<PathBuf>> {
        let nowhere = [PathBuf::new()];
        let folders = match &self.state.folders[..] {
            [] => &nowhere,
            folders => folders,
        };
        let text = value.known()?;
        let paths = folders
            .iter()
            .map(|it| paths::joined(&text, it, self.variable("HOME")));
        let paths = paths.map(|path| path.filter(|path| path.is_absolute()));
        paths.collect()
    }

    /// Adds the paths that a word may name.
    fn path_word(&mut self, value: &Value) {
        if self.state.is_elsewhere {
            return;
        }
        if let Some(paths) = self.joined(value) {
            return paths.iter().for_each(|path| self.call.add_path(path));
        }
        let word: String = value.text.chars().take(200).collect();
        let all = &mut self.call.unresolved;
        if all.len() < MAX_FOUND && !all.contains(&word) {
            all.push(word);
        }
    }

    /// Adds the command as a text, with this program.
    fn said(&mut self, program: &str, simple: &Simple) {
        let rest = simple
            .words
            .iter()
            .skip(1)
            .map(|it| it.text.replace('\n', " "));
        let mut command = ShellCommand::new([program.to_owned()].into_iter().chain(rest).collect());
        for input in &simple.input {
            let part: String = input.text.chars().take(4_096).collect();
            command.text += &format!(" <<{}", part.replace('\n', " "));
        }
        let all = &mut self.call.commands;
        if all.len() >= MAX_FOUND {
            let why = format!("it has more than {MAX_FOUND} commands");
            self.call.cannot_read(&command.text, why);
        } else if !all.contains(&command) {
            all.push(command);
        }
    }

    /// Goes into a folder. If it may be absent, the commands may run in the one before too.
    fn enters(&mut self, folder: &Value) {
        let paths = self.joined(folder).unwrap_or_default();
        let paths: Vec<PathBuf> = paths.iter().map(|path| paths::plain(path)).collect();
        if paths.iter().all(|path| path.is_dir()) {
            self.state.folders.clear();
        }
        self.state.folders.extend(paths);
        if self.state.folders.len() > MAX_FOLDERS {
            self.state.folders.clear();
        }
    }
}

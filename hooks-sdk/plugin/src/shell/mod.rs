//! Reads the shell commands in a call of an agent client: which programs run, and which files and URLs they name.
//!
//! Nobody knows which shell a client starts. So the reader takes only what sh, bash, zsh, ksh and fish read alike: words,
//! quotes, lists, pipes, redirections, substitutions, groups, `for`, `if` and `while`. It runs nothing. All else is said to
//! be unread.

mod code;
mod grammar;
mod list;
mod names;
mod paths;
mod program;
mod quotes;
mod table;
#[cfg(test)]
mod tests;
mod value;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use hooks_core::condition::ShellCommand;

use crate::{AgentToolCall, Unread};

use self::value::Value;

/// The longest text of commands that is read, in bytes.
pub(crate) const MAX_TEXT: usize = 64 * 1024;

/// How deep commands may be in commands, as in `sh -c "sh -c …"`.
const MAX_DEPTH: usize = 8;

/// The most commands, paths, URLs and unknown words of one call. More than these are said to be unread.
const MAX_FOUND: usize = 1_000;

/// Reads the commands of one call.
struct Walk<'c> {
    call: &'c mut AgentToolCall,
    state: State,
    home: Option<String>,
    /// Whether the commands run on another computer.
    is_elsewhere: bool,
    depth: usize,
}

/// What a shell remembers between commands.
#[derive(Clone, Default)]
struct State {
    /// The folders in which the next command may run; none if only the shell knows.
    folders: Vec<PathBuf>,
    /// The variables that the text sets; `None` for a value that only the shell knows.
    variables: BTreeMap<String, Option<String>>,
}

impl State {
    /// Takes in the state of another way through the commands.
    fn or(&mut self, other: State) {
        let is_known = !self.folders.is_empty() && !other.folders.is_empty();
        self.folders.extend(other.folders);
        self.folders.dedup();
        if !is_known || self.folders.len() > 16 {
            self.folders.clear();
        }
        let mut both = other.variables;
        for (name, value) in &mut both {
            if self.variables.get(name) != Some(value) {
                *value = None;
            }
        }
        for name in self.variables.keys() {
            let value = both.get(name).cloned().flatten();
            both.insert(name.clone(), value);
        }
        self.variables = both;
    }
}

/// A simple command with its values.
#[derive(Clone, Default)]
struct Simple {
    words: Vec<Value>,
    /// The texts on its standard input: here-documents and here-strings.
    input: Vec<Value>,
    /// Whether it has a standard input at all but that of its shell.
    is_fed: bool,
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
        self.read_in(state, 0, text);
    }

    fn read_in(&mut self, state: State, depth: usize, text: &str) {
        let mut walk = Walk {
            call: self,
            state,
            home: home(),
            is_elsewhere: false,
            depth,
        };
        if let Err(why) = walk.commands(text) {
            self.cannot_read(text, why);
        }
    }

    /// Adds a path that the call names. The working folder must be set before.
    pub fn read_path(&mut self, path: &str) {
        let folder = PathBuf::from(&self.folder);
        for path in paths::named(path, &folder, home().as_deref()) {
            self.add_path(path);
        }
    }

    /// Adds each URL in a text, and the paths of addresses such as `file:///a`.
    pub fn read_urls(&mut self, text: &str) {
        for address in paths::file_urls(text) {
            self.read_path(address);
        }
        for url in paths::urls(text) {
            if !self.urls.contains(&url) && self.urls.len() < MAX_FOUND {
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

    fn add_path(&mut self, path: String) {
        if self.paths.contains(&path) {
            return;
        }
        if self.paths.len() >= MAX_FOUND {
            self.cannot_read(&path, format!("it names more than {MAX_FOUND} paths"));
            return;
        }
        self.paths.push(path);
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
    /// Adds the paths that a word may name.
    fn path_word(&mut self, value: &Value) {
        if self.is_elsewhere {
            return;
        }
        let Some(word) = value.known() else {
            return self.unresolved(&value.text);
        };
        let folders = self.state.folders.clone();
        if folders.is_empty() && !word.starts_with(['/', '~']) {
            return self.unresolved(&word);
        }
        let nowhere = [PathBuf::new()];
        let folders = if folders.is_empty() {
            &nowhere[..]
        } else {
            &folders
        };
        for folder in folders {
            for path in paths::named(&word, folder, self.home.as_deref()) {
                self.call.add_path(path);
            }
        }
    }

    fn unresolved(&mut self, word: &str) {
        let word: String = word.chars().take(200).collect();
        let all = &mut self.call.unresolved;
        if !self.is_elsewhere && all.len() < MAX_FOUND && !all.contains(&word) {
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
        let words: Vec<String> = [program.to_owned()].into_iter().chain(rest).collect();
        let mut command = ShellCommand::new(words);
        for input in &simple.input {
            let part: String = input.text.chars().take(4_096).collect();
            command
                .text
                .push_str(&format!(" <<{}", part.replace('\n', " ")));
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
    fn enters(&mut self, folder: Option<String>) {
        let Some(folder) = folder else {
            return self.state.folders.clear();
        };
        let mut entered = Vec::new();
        for before in std::mem::take(&mut self.state.folders) {
            let path = paths::absolute(&folder, &before, self.home.as_deref());
            if !path.is_dir() {
                entered.push(before);
            }
            entered.push(path);
        }
        if entered.is_empty() && folder.starts_with('/') {
            entered.push(paths::absolute(&folder, Path::new("/"), None));
        }
        entered.truncate(16);
        self.state.folders = entered;
    }
}

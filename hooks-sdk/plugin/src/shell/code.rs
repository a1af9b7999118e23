//! Code in the words of a command: of shells, of `eval`, and of programs that may run a word.

use std::slice;

use hooks_core::condition::ShellCommand;

use super::{
    MAX_DEPTH, MAX_FOUND, Simple, Walk, grammar::Unreadable, program::STANDARD_INPUT, value::Value,
};
use crate::AgentToolCall;

impl Walk<'_> {
    /// Reads the commands of a shell: `-c`, standard input, or a script, which is not read.
    pub(super) fn shell(&mut self, name: &str, simple: &Simple) -> Result<(), Unreadable> {
        let (mut has_code, mut reads_input, mut skipped) = (false, false, 0);
        for word in &simple.words[1..] {
            match &*word.text {
                "--version" | "--help" => return Ok(()),
                "--rcfile" | "--init-file" => skipped += 1,
                // `-euo pipefail -c CODE`: the options take words, which come before the commands.
                text if text.starts_with(['-', '+']) => {
                    let is_short = text.starts_with('-') && !text.starts_with("--");
                    has_code |= is_short && text.contains('c');
                    reads_input |= is_short && text.contains('s');
                    skipped +=
                        usize::from(!text.starts_with("--")) * text.matches(['o', 'O']).count();
                }
                _ if skipped > 0 => skipped -= 1,
                _ if has_code => {
                    let before = self.state.clone();
                    self.evaluated(slice::from_ref(word))?;
                    self.state = before;
                    return Ok(());
                }
                text if reads_input || STANDARD_INPUT.contains(&text) => break,
                _ => {
                    let why = format!("the script of `{name}` is known only when the shell runs");
                    return word.is_known.then_some(()).ok_or(why);
                }
            }
        }
        self.standard_input(name, simple)
    }

    /// Reads the commands on standard input.
    pub(super) fn standard_input(&mut self, name: &str, simple: &Simple) -> Result<(), Unreadable> {
        match simple.input.is_empty() {
            true => Err(format!(
                "`{name}` reads its commands from a pipe, a file or a terminal"
            )),
            false => self.evaluated(&simple.input),
        }
    }

    pub(super) fn waits(&mut self, program: &str) -> Result<(), Unreadable> {
        match &*self.call.client {
            "codex" => Err(format!(
                "`{program}` waits for commands that this client sends without asking: start it with its commands"
            )),
            _ => Ok(()),
        }
    }

    /// Reads words as commands.
    pub(super) fn evaluated(&mut self, words: &[Value]) -> Result<(), Unreadable> {
        let texts: Vec<&str> = words.iter().map(|it| &*it.text).collect();
        match words {
            _ if words.iter().any(|it| !it.is_known) => {
                Err("its commands are known only when the shell runs".to_owned())
            }
            _ if words.iter().any(|it| !it.is_alike) => {
                Err("its backslashes are read differently by shells".to_owned())
            }
            _ => self.commands(&texts.join(" ")),
        }
    }

    /// Keeps the words that are command lines themselves, of a program that may run them.
    pub(super) fn possible(&mut self, words: &[Value]) {
        for word in words {
            // Of a value that only the shell knows, the first word may be known.
            let text = match word.is_known {
                true => &*word.text,
                false => word.text.trim_matches(['"', '\'']),
            };
            let attached = text.get(2..).filter(|_| text.starts_with('-'));
            let behind = ['=', ':'].map(|mark| Some(text.split_once(mark)?.1));
            for text in [Some(text), attached].into_iter().chain(behind).flatten() {
                if text.trim().contains([' ', '\t', '\n']) {
                    self.may_run(text);
                }
            }
        }
        let behind: Vec<&str> = words
            .iter()
            .map(|it| &*it.text)
            .skip_while(|it| *it != "--")
            .collect();
        if behind.len() > 1 {
            self.may_run(&behind[1..].join(" "));
        }
    }

    /// Keeps the commands of a text that may be run as one.
    pub(super) fn may_run(&mut self, text: &str) {
        let mut inner = AgentToolCall::new("", self.call.kind, "");
        inner.read_in(self.state.clone(), (self.depth + 1).min(MAX_DEPTH), text);
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let whole = ShellCommand::new(words);
        for command in inner
            .commands
            .into_iter()
            .chain(inner.possible)
            .chain([whole])
        {
            if self.call.possible.len() < MAX_FOUND && !self.call.possible.contains(&command) {
                self.call.possible.push(command);
            }
        }
    }
}

//! The programs that a command runs: itself, and those that it is told to run.

use std::slice;

use hooks_core::condition::ShellCommand;

use super::{
    MAX_DEPTH, MAX_FOUND, MAX_STEPS, Simple, Value, Walk, paths,
    table::Program,
    words::{is_variable, unlike},
};
use crate::AgentToolCall;

/// The most words of which each may begin a command.
const MOST_TAILS: usize = 32;

fn unknown<T>(what: &str) -> Result<T, String> {
    Err(format!("{what} is known only when the shell runs"))
}

impl Walk<'_> {
    /// Reads a command with its values.
    pub(super) fn run(&mut self, simple: &Simple) -> Result<(), String> {
        let Some((first, rest)) = simple.words.split_first() else {
            return Ok(());
        };
        self.enter()?;
        let program = &*first.text;
        self.said(program, simple);
        if !first.is_known {
            return unknown(&format!("the program `{program}`"));
        }
        let name = self.name(program, simple);
        let row = Program(&name);
        let is_other = program.contains(['*', '?', '[', '{', '}']) || program.starts_with('=');
        if is_other && !row.is("test") || row.is("never") {
            return unlike(program);
        }
        let before = self.state.clone();
        row.values("enter", rest)
            .iter()
            .for_each(|folder| self.enters(folder));
        for word in rest.iter().chain(&simple.input) {
            self.call.read_urls(&word.text);
            for path in paths::of_patch(&word.text) {
                self.path_word(&word.with(&path));
            }
        }
        if !row.is("pathless") {
            self.paths_of(row, rest);
        }
        self.state.is_elsewhere |= row.is("far");
        let told = self.told(&name, simple);
        if !row.is("same") {
            self.state = before;
        }
        told?;
        self.special(&name, simple)?;
        let mut texts = rest.iter().chain(&simple.input).map(|word| &*word.text);
        let is_index = |text: &str| text.contains('[') && text.contains(['$', '`']);
        if row.is("indexed") && texts.any(|it| is_index(it) || Program(it).is("fixed")) {
            return Err(format!("`{name}` may run a command in its words"));
        }
        let sets = |name: &str| rest.iter().any(|it| !it.is_known || it.text.contains(name));
        for (variable, value) in &mut self.state.variables {
            *value = value.take().filter(|_| !row.is("sets") || !sets(variable));
        }
        let is_option =
            |it: &Value| it.text.starts_with('-') && !row.options("waits").contains(&&*it.text);
        let has_code = !simple.input.is_empty() || !rest.iter().all(is_option);
        if row.is("waits") && self.call.client == "codex" && !has_code {
            return Err(format!("`{name}` waits for commands, which no gate sees"));
        }
        if !row.is("quotes") {
            self.possible(rest);
        }
        if row.is("fed") {
            simple
                .input
                .iter()
                .for_each(|text| self.may_run(&text.text));
        }
        self.depth -= 1;
        Ok(())
    }

    /// Returns the name of a program without its folder. The command is said by that name, too, and by that of a link's target.
    fn name(&mut self, program: &str, simple: &Simple) -> String {
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let mut names = vec![last(program)];
        if program.contains('/') && !self.state.is_elsewhere {
            let paths = self.joined(&simple.words[0]).unwrap_or_default();
            let targets = paths.iter().flat_map(|path| paths::named(path));
            let targets = targets.map(|path| last(&path));
            names.extend(targets.filter(|it| !Program(it).is("many")));
        }
        names.iter().for_each(|name| self.said(name, simple));
        let runs = |name: &&String| ["shell", "runs"].iter().any(|it| Program(name).has_all(it));
        names.iter().find(runs).unwrap_or(&names[0]).clone()
    }

    /// Reads the commands that a program runs.
    fn told(&mut self, name: &str, simple: &Simple) -> Result<(), String> {
        let (row, rest) = (Program(name), &simple.words[1..]);
        let mut codes = row.values("code", rest);
        if row.has_all("code") {
            codes.extend(rest.iter().filter(|word| word.text.contains(' ')).cloned());
        }
        for code in codes {
            self.evaluated(&[code])?;
        }
        self.runs(row, simple)?;
        match name {
            "git" => self.git(simple),
            _ if name.starts_with("git-") => {
                let own = [Value::new("git"), Value::new(&name[4..])];
                self.run(&simple.of(own.into_iter().chain(rest.iter().cloned())))
            }
            _ if row.is("shell") => self.shell(name, simple),
            _ if row.is("input") => self.standard_input(name, simple),
            _ => Ok(()),
        }
    }

    /// Reads what may be the command of a program that runs one: from each of its words on.
    fn runs(&mut self, row: Program<'_>, simple: &Simple) -> Result<(), String> {
        if !row.is("runs") {
            return Ok(());
        }
        let (mut before, marks) = (self.state.clone(), row.options("runs"));
        let mut words = simple.words.clone();
        // A later word may come from standard input, or from a file that is found.
        if row.is("later") {
            let own = mark_of(&words).filter(|_| marks.is_empty());
            let (place, mark) = own.unwrap_or((0, "{}".to_owned()));
            for (at, word) in words.iter_mut().enumerate() {
                word.is_known &= at == place || !word.text.contains(&mark);
            }
            words.extend(marks.is_empty().then(|| Value::unknown("(standard input)")));
        }
        // Whether the program may still come, and whether the next word may be the value of an option.
        let (mut begins, mut is_open, mut is_value) = (marks.is_empty(), true, row.is("one"));
        let mut tails = 0;
        for (at, word) in words.iter().enumerate().skip(1) {
            let text = &*word.text;
            if marks.contains(&text) {
                (begins, is_open, is_value) = (true, true, row.is("one"));
                continue;
            }
            let assigned = text
                .split_once('=')
                .filter(|(name, _)| begins && is_variable(name));
            if let Some((name, value)) = assigned {
                self.assigned(name, &word.with(value))?;
                before = self.state.clone();
                continue;
            }
            let is_lost = !word.is_known && at < simple.words.len() || tails == MOST_TAILS;
            if !begins {
                continue;
            } else if is_lost && is_open {
                return unknown(&format!("the program `{text}`"));
            } else if text.starts_with('-') && text.len() > 1 {
                is_value = text != "--";
            } else if text.starts_with(|it: char| it.is_ascii_digit()) {
                is_value = false;
            } else {
                is_open &= is_value;
                is_value = false;
            }
            if tails == MOST_TAILS || !is_program(word) || text == "." && !row.is("same") {
                continue;
            }
            tails += 1;
            let tail = words[at..].iter();
            let tail = tail.take_while(|it| it.text != ";" && it.text != "+");
            match text.contains(' ') {
                true => self.may_run(text),
                false => self.run(&simple.of(tail.cloned()))?,
            }
            if !row.is("same") {
                self.state = before.clone();
            }
        }
        Ok(())
    }

    /// Reads the commands of a shell: `-c`, standard input, or a script, which is not read.
    fn shell(&mut self, name: &str, simple: &Simple) -> Result<(), String> {
        let (mut letters, mut skipped) = (String::new(), 0);
        for word in &simple.words[1..] {
            match &*word.text {
                "--version" | "--help" => return Ok(()),
                "--rcfile" | "--init-file" => skipped += 1,
                text if text.starts_with("--") => {}
                // `-euo pipefail -c CODE`: the options take words, which come before the commands.
                text if text.starts_with(['-', '+']) => {
                    skipped += text.matches(['o', 'O']).count();
                    letters += if text.starts_with('-') { text } else { "" };
                }
                _ if skipped > 0 => skipped -= 1,
                _ if letters.contains('c') => return self.evaluated(slice::from_ref(word)),
                text if letters.contains('s') || is_open_file(text) => break,
                _ if word.is_known => return Ok(()),
                _ => return unknown(&format!("the script of `{name}`")),
            }
        }
        self.standard_input(name, simple)
    }

    /// Reads the commands on standard input.
    fn standard_input(&mut self, name: &str, simple: &Simple) -> Result<(), String> {
        match simple.input.is_empty() {
            true => Err(format!(
                "`{name}` reads its commands from a pipe, a file or a terminal"
            )),
            false => {
                let mut texts = simple.input.iter();
                texts.try_for_each(|text| self.evaluated(slice::from_ref(text)))
            }
        }
    }

    /// Reads words as commands.
    pub(super) fn evaluated(&mut self, words: &[Value]) -> Result<(), String> {
        let texts: Vec<&str> = words.iter().map(|it| &*it.text).collect();
        let text = texts.join(" ");
        if words.iter().any(|it| !it.is_known) {
            return unknown("a text of commands");
        }
        match text.contains("\\\\") || text.contains('`') {
            true => Err("its backslashes and backquotes are read differently by shells".to_owned()),
            false => self.commands(&text),
        }
    }

    /// Keeps the words that are command lines themselves, of a program that may run them.
    fn possible(&mut self, words: &[Value]) {
        for word in words {
            // Of a value that only the shell knows, the first word may be known.
            let quotes: &[char] = if word.is_known { &[] } else { &['"', '\''] };
            let text = word.text.trim_matches(quotes);
            let attached = text.get(2..).filter(|_| text.starts_with('-'));
            let behind = ['=', ':'].map(|mark| Some(text.split_once(mark)?.1));
            for text in [Some(text), attached].into_iter().chain(behind).flatten() {
                if text.trim().contains([' ', '\t', '\n']) {
                    self.may_run(text);
                }
            }
        }
        let texts = words.iter().map(|it| &*it.text);
        let behind: Vec<&str> = texts.skip_while(|it| *it != "--").skip(1).collect();
        if !behind.is_empty() {
            self.may_run(&behind.join(" "));
        }
    }

    /// Keeps the commands of a text that may be run as one.
    fn may_run(&mut self, text: &str) {
        let mut inner = AgentToolCall::new("", self.call.kind, "");
        let depth = (self.depth + 1).min(2 * MAX_DEPTH);
        self.steps = inner.read_in(self.state.clone(), depth, self.steps, text);
        if self.steps > MAX_STEPS {
            self.call.cannot_read(text, "it has too many commands");
        }
        let mut found = inner.commands;
        found.append(&mut inner.possible);
        found.push(ShellCommand::new(
            text.split_whitespace().map(str::to_owned).collect(),
        ));
        for command in found {
            if self.call.possible.len() < MAX_FOUND && !self.call.possible.contains(&command) {
                self.call.possible.push(command);
            }
        }
    }

    /// Follows the commands of the shell itself.
    fn special(&mut self, name: &str, simple: &Simple) -> Result<(), String> {
        let rest = &simple.words[1..];
        let dashes = rest.first().is_some_and(|first| first.text == "--");
        let rest = &rest[usize::from(dashes)..];
        let row = Program(name);
        match name {
            "eval" => self.evaluated(rest)?,
            "trap" => {
                let before = self.state.clone();
                self.evaluated(&rest[..rest.len().min(1)])?;
                if self.state != before {
                    return Err("`trap` changes variables or the folder later".to_owned());
                }
            }
            "." | "source" => match rest.first() {
                Some(file) if is_open_file(&file.text) => self.standard_input(name, simple)?,
                Some(file) if file.is_known => {
                    self.state.variables.values_mut().for_each(|it| *it = None);
                }
                _ => return unknown(&format!("the file of `{name}`")),
            },
            "cd" | "pushd" | "popd" => {
                let is_option = |word: &&Value| row.options("plain").contains(&&*word.text);
                let targets: Vec<&Value> = rest.iter().filter(|it| !is_option(it)).collect();
                match targets[..] {
                    [] if name == "cd" => self.enters(&Value::new("~")),
                    [target] if !target.text.starts_with(['-', '+']) => self.enters(target),
                    // zsh replaces a part of the folder's name.
                    _ => self.state.folders.clear(),
                }
            }
            "apply_patch" | "applypatch" => match rest.first().or(simple.input.first()) {
                Some(patch) if patch.is_known => {}
                _ => return unknown("the patch"),
            },
            "find" if rest.first().is_none_or(|word| word.text.starts_with('-')) => {
                self.path_word(&Value::new("."));
            }
            _ if row.is("plain") => {
                let mut is_named = false;
                for word in rest {
                    let is_option = !dashes && word.text.starts_with(['-', '+']);
                    if (is_option || is_named) && !row.options("plain").contains(&&*word.text) {
                        let text = &word.text;
                        return Err(format!("`{name} {text}` changes how the commands are read"));
                    }
                    is_named = is_option && word.text.ends_with('o');
                    let (variable, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                    if is_variable(variable) && name != "set" && word.text != variable {
                        self.assigned(variable, &word.with(value))?;
                    } else if !word.is_known {
                        self.state.variables.values_mut().for_each(|it| *it = None);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the words after `git`. Says the command a second time without the options before its subcommand.
    fn git(&mut self, simple: &Simple) -> Result<(), String> {
        let (words, row) = (&simple.words, Program("git"));
        let mut at = 1;
        while let Some(word) = words.get(at)
            && word.text.starts_with('-')
        {
            at += 1 + usize::from(row.options("value").contains(&&*word.text));
        }
        let rest = words.get(at..).unwrap_or_default();
        self.said("git", &simple.of(words[..1].iter().chain(rest).cloned()));
        let pairs = rest.windows(2).map(|pair| (&*pair[0].text, &*pair[1].text));
        let settings = words.iter().filter_map(|word| word.text.split_once('='));
        for (key, value) in settings.chain(pairs) {
            let key = key.to_ascii_lowercase();
            let is_alias = key.starts_with("alias.");
            if is_alias && !value.starts_with('!') {
                return Err(format!("`git` runs `{value}` under another name"));
            }
            let last = key.rsplit_once('.').map_or("", |(_, last)| last);
            if is_alias || key.starts_with("pager.") || Program(last).is("setting") {
                self.commands(value.trim_start_matches('!'))?;
            }
        }
        let hides =
            |word: &Value| word.text.contains("ext::") || word.text.starts_with("--config-e");
        match words.iter().find(|word| hides(word)) {
            Some(word) => Err(format!("`git` may run a command by `{}`", word.text)),
            None => Ok(()),
        }
    }

    /// Reads the words after a program: each may be a path, and each may have a URL.
    fn paths_of(&mut self, row: Program<'_>, words: &[Value]) {
        let is_copied = row.is("into");
        let mut folders = row.values("folder", words);
        let last = words
            .last()
            .filter(|it| is_copied && !it.text.starts_with('-'));
        folders.extend(last.cloned());
        for word in words {
            let text = &*word.text;
            if !word.is_known {
                self.path_word(word);
                continue;
            }
            let is_address = paths::of_file_url(text).is_some();
            if text.contains("://") && !is_address || text.contains('\n') || text.len() > 4_096 {
                continue;
            }
            // The value of `-oFILE` is in the word; `@FILE` is the contents of a file to curl.
            let value = match text.split_once('=') {
                Some((_, value)) if !is_address => value,
                None if text.starts_with("--") => "",
                None if text.starts_with('-') => text.get(2..).unwrap_or_default(),
                _ => text,
            };
            let value = value.trim_start_matches('@');
            if value.is_empty() {
                continue;
            }
            self.path_word(&Value::new(value));
            let ends = value.trim_end_matches('/').rsplit('/').next();
            let inner = ends.filter(|_| is_copied).unwrap_or(value);
            let is_inner = !inner.starts_with(['/', '~', '-']);
            for folder in folders.iter().filter(|_| is_inner) {
                self.path_word(&folder.with(&format!("{}/{inner}", folder.text)));
            }
            // `-v FOLDER:PATH` of containers.
            if let Some((outside, _)) = value.split_once(':')
                && outside.starts_with(['/', '.', '~'])
            {
                self.path_word(&Value::new(outside));
            }
        }
    }
}

/// Returns where the value of `xargs -I` is, and the value; in `-IX`, the option has it.
fn mark_of(words: &[Value]) -> Option<(usize, String)> {
    words.iter().enumerate().skip(1).find_map(|(at, word)| {
        if let Some(mark) = word.text.strip_prefix("--replace=") {
            return Some((at, mark.to_owned()));
        }
        let is_short = word.text.starts_with('-') && !word.text.starts_with("--");
        let (_, mark) = word.text.split_once(['I', 'J']).filter(|_| is_short)?;
        match mark {
            "" => Some((at + 1, words.get(at + 1)?.text.clone())),
            mark => Some((at, mark.to_owned())),
        }
    })
}

/// Returns whether a path may be that of a file that the shell has open, such as its standard input.
fn is_open_file(path: &str) -> bool {
    path.starts_with("/dev/") || path.starts_with("/proc/")
}

/// Returns whether a word may be a program, or code.
fn is_program(word: &Value) -> bool {
    let text = &word.text;
    let is_fitting = text.contains(' ')
        || text
            .chars()
            .all(|it| it.is_alphanumeric() || "_-.+/[".contains(it));
    let is_other = text.is_empty() || text.starts_with('-') && text.len() > 1;
    word.is_known && is_fitting && !is_other
}

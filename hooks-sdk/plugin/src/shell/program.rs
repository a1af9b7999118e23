//! The programs that a command runs: itself, and those that it is told to run.

use std::{path::Path, slice};

use hooks_core::condition::ShellCommand;

use super::{
    MAX_DEPTH, MAX_FOUND, Simple, Walk, grammar::Unreadable, paths, table::Program, value::Value,
};
use crate::AgentToolCall;

/// The most words of which each may begin a command.
const MOST_TAILS: usize = 32;

/// Files that are the standard input.
const STANDARD_INPUT: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Options of `set` that leave the grammar as it is.
const PLAIN_OPTIONS: [&str; 6] = [
    "errexit",
    "nounset",
    "pipefail",
    "xtrace",
    "noclobber",
    "verbose",
];

impl Walk<'_> {
    /// Reads a command with its values.
    pub(super) fn run(&mut self, simple: Simple) -> Result<(), Unreadable> {
        let Some((first, rest)) = simple.words.split_first() else {
            return Ok(());
        };
        let program = &*first.text;
        self.said(program, &simple);
        if !first.is_known {
            return Err(format!(
                "the program `{program}` is known only when the shell runs"
            ));
        }
        let name = self.name(program, &simple);
        let row = Program(&name);
        let is_test = ["[", "[[", "test"].contains(&&*name);
        if program.contains(['*', '?', '[', '{', '}']) && !is_test || row.is("never") {
            return Err(format!("`{program}` is read differently by shells"));
        }
        let texts: Vec<&str> = rest.iter().map(|it| &*it.text).collect();
        let folders: Vec<String> = row
            .values("enter", &texts)
            .map(|(_, it)| it.to_owned())
            .collect();
        let codes: Vec<Value> = row
            .values("code", &texts)
            .map(|(at, code)| rest[at].with(code))
            .collect();
        // `--checkpoint-action=exec=CODE` of tar, and `-o ProxyCommand=CODE` of ssh.
        let marked = rest.iter().filter_map(|word| {
            let marks = ["action=exec=", "ProxyCommand=", "LocalCommand="];
            marks
                .iter()
                .find_map(|mark| Some(word.with(word.text.split_once(mark)?.1)))
        });
        let blanks = rest
            .iter()
            .filter(|word| row.has_all("code") && word.text.contains(' '));
        let (before, was_elsewhere) = (self.state.clone(), self.is_elsewhere);
        self.is_elsewhere |= row.is("far");
        for code in codes.into_iter().chain(marked).chain(blanks.cloned()) {
            self.evaluated(&[code])?;
        }
        for folder in folders {
            self.enters(Some(folder));
        }
        self.runs(row, &simple)?;
        self.is_elsewhere = was_elsewhere;
        if row.is("shell") {
            self.shell(&name, &simple)?;
        }
        match row.is("pathless") {
            true => texts.iter().for_each(|word| self.call.read_urls(word)),
            false => self.paths_of(row, rest),
        }
        self.special(&name, &simple)?;
        if row.is("enter") {
            self.state = before;
        }
        if (row.is("sets") || row.is("assigns") || is_test) && texts.iter().any(is_subscript) {
            return Err(format!("`{name}` may run a command in its words"));
        }
        for (variable, value) in &mut self.state.variables {
            if row.is("sets") && texts.iter().any(|word| word.contains(&**variable)) {
                *value = None;
            }
        }
        let is_option = |word: &&str| {
            word.starts_with('-') && !["-c", "-e", "-m", "--version", "-V", "-v"].contains(word)
        };
        if row.is("waits") && texts.iter().all(is_option) && !simple.is_fed {
            self.waits(&name)?;
        }
        if !row.is("quotes") {
            self.possible(rest);
        }
        Ok(())
    }

    /// Reads what may be the command of a program that runs one: from each of its words on.
    fn runs(&mut self, row: Program<'_>, simple: &Simple) -> Result<(), Unreadable> {
        for kind in ["same", "runs", "far"]
            .into_iter()
            .filter(|kind| row.is(kind))
        {
            let before = self.state.clone();
            let marks = row.options(kind);
            let mut words = simple.words.clone();
            // A later word may come from standard input, or from a file that is found.
            let is_later = ["xargs", "gxargs"].contains(&row.0);
            if is_later || marks.contains(&"-exec") || marks.contains(&"-x") {
                let taken = words
                    .iter()
                    .position(|it| it.text == "-I")
                    .and_then(|at| words.get(at + 1));
                let mark = taken.map_or_else(|| "{}".to_owned(), |it| it.text.clone());
                words
                    .iter_mut()
                    .for_each(|it| it.is_known &= !it.text.contains(&mark));
            }
            let from = words
                .iter()
                .position(|it| marks.is_empty() || marks.contains(&&*it.text));
            for (at, word) in words.iter().enumerate() {
                let is_mark = match marks.first() {
                    Some(mark) => mark.starts_with('-') && marks.contains(&&*word.text),
                    None => at == 0,
                };
                if is_mark {
                    is_told(&words[at + 1..], row.is("one"))?;
                }
            }
            words.extend(is_later.then(|| Value::unknown("(standard input)")));
            let places = from.map_or(words.len(), |at| at + 1)..words.len();
            for at in places.filter(|at| is_program(&words[*at])).take(MOST_TAILS) {
                let tail = words[at..]
                    .iter()
                    .take_while(|it| it.text != ";" && it.text != "+");
                let inner = Simple {
                    words: tail.cloned().collect(),
                    ..simple.clone()
                };
                match words[at].text.contains(' ') {
                    true => self.may_run(&words[at].text),
                    false => self.run(inner)?,
                }
                if kind != "same" {
                    self.state = before.clone();
                }
            }
        }
        Ok(())
    }

    fn special(&mut self, name: &str, simple: &Simple) -> Result<(), Unreadable> {
        let rest = &simple.words[1..];
        let dashes = rest.first().is_some_and(|first| first.text == "--");
        let rest = &rest[usize::from(dashes)..];
        let row = Program(name);
        match name {
            "eval" => self.evaluated(rest)?,
            "trap" => self.evaluated(&rest[..rest.len().min(1)])?,
            "git" => self.git(simple)?,
            _ if name.starts_with("git-") => {
                let mut words = simple.words.clone();
                words[0].text = name[4..].to_owned();
                words.insert(0, Value::new("git"));
                self.said(
                    "git",
                    &Simple {
                        words,
                        ..simple.clone()
                    },
                );
            }
            _ if row.is("input") => self.standard_input(name, simple)?,
            "." | "source" => match rest.first() {
                Some(file) if STANDARD_INPUT.contains(&&*file.text) => {
                    self.standard_input(name, simple)?
                }
                Some(file) if file.is_known => {
                    self.state.variables.values_mut().for_each(|it| *it = None);
                }
                _ => {
                    return Err(format!(
                        "the file of `{name}` is known only when the shell runs"
                    ));
                }
            },
            "set" => {
                let is_plain = |word: &&Value| {
                    let text = word.text.trim_start_matches(['-', '+']);
                    let are_letters = text.chars().all(|it| "euxvCo".contains(it));
                    word.is_known && (PLAIN_OPTIONS.contains(&text) || are_letters)
                };
                let has_options = rest
                    .first()
                    .is_some_and(|it| it.text.starts_with(['-', '+']));
                if has_options && !dashes && !rest.iter().all(|it| is_plain(&it)) {
                    return Err("`set` changes how the commands are read".to_owned());
                }
            }
            _ if row.is("assigns") => {
                let options = row.options("assigns");
                for word in rest {
                    if word.text.starts_with('-') && !options.contains(&&*word.text) {
                        return Err(format!(
                            "`{name} {}` changes how values are read",
                            word.text
                        ));
                    }
                    if let Some((variable, value)) = word.text.split_once('=') {
                        self.assigned(variable, &word.with(value))?;
                    }
                }
            }
            "cd" | "pushd" => self.moved(rest),
            "popd" => self.state.folders.clear(),
            "apply_patch" | "applypatch" => {
                for patch in rest.iter().chain(&simple.input) {
                    if !patch.is_known {
                        return Err("the patch is known only when the shell runs".to_owned());
                    }
                    self.patch(&patch.text);
                }
                if rest.is_empty() && simple.input.is_empty() {
                    return Err("the patch comes from a pipe or a file".to_owned());
                }
            }
            "find" if rest.first().is_none_or(|word| word.text.starts_with('-')) => {
                self.path_word(&Value::new("."));
            }
            _ => {}
        }
        for input in &simple.input {
            self.call.read_urls(&input.text);
            input.known().iter().for_each(|text| self.patch(text));
        }
        Ok(())
    }

    /// Reads the words after `git`. Says the command a second time without the options before its subcommand.
    fn git(&mut self, simple: &Simple) -> Result<(), Unreadable> {
        const TAKE_NEXT: [&str; 6] = [
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--config-env",
        ];
        let mut rest = &simple.words[1..];
        while let Some((word, more)) = rest.split_first()
            && word.text.starts_with('-')
        {
            rest = more
                .get(usize::from(TAKE_NEXT.contains(&&*word.text))..)
                .unwrap_or_default();
        }
        let words = [Value::new("git")]
            .into_iter()
            .chain(rest.iter().cloned())
            .collect();
        self.said(
            "git",
            &Simple {
                words,
                ..simple.clone()
            },
        );
        let is_config = rest.first().is_some_and(|it| it.text == "config");
        let pairs = rest
            .windows(2)
            .filter(|_| is_config)
            .map(|pair| (&*pair[0].text, &*pair[1].text));
        let settings = simple
            .words
            .iter()
            .filter_map(|word| word.text.split_once('='));
        for (key, value) in settings.chain(pairs) {
            let key = key.to_ascii_lowercase();
            let last = key.rsplit('.').next().unwrap_or_default();
            if key.starts_with("alias.") && !value.starts_with('!') || value.starts_with("ext::") {
                return Err(format!("`git` runs `{value}` under another name"));
            }
            let runs = Program(last).is("setting")
                || key.starts_with("alias.")
                || key.starts_with("pager.");
            if key.contains('.') && runs {
                self.commands(value.trim_start_matches('!'))?;
            }
        }
        match rest.iter().any(|word| word.text.starts_with("ext::")) {
            true => Err("`git` runs an address that begins with `ext::`".to_owned()),
            false => Ok(()),
        }
    }

    /// Reads the commands of a shell: `-c`, standard input, or a script, which is not read.
    fn shell(&mut self, name: &str, simple: &Simple) -> Result<(), Unreadable> {
        let words = simple.words[1..].iter().map(|word| &*word.text);
        let (long, short): (Vec<&str>, Vec<&str>) = words
            .filter(|word| word.starts_with(['-', '+']))
            .partition(|word| word.starts_with("--"));
        let has = |letter| {
            short
                .iter()
                .any(|it| it.starts_with('-') && it.contains(letter))
        };
        // `-euo pipefail -c CODE`: the options take words, which come before the commands.
        let named = short.concat().matches(['o', 'O']).count();
        let files = long
            .iter()
            .filter(|it| ["--rcfile", "--init-file"].contains(*it));
        let mut first = simple.words[1..]
            .iter()
            .filter(|word| !word.text.starts_with(['-', '+']));
        match first.nth(named + files.count()) {
            Some(code) if has('c') => {
                let before = self.state.clone();
                self.evaluated(slice::from_ref(code))?;
                self.state = before;
                Ok(())
            }
            Some(script) if !has('s') && !STANDARD_INPUT.contains(&&*script.text) => {
                let why = format!("the script of `{name}` is known only when the shell runs");
                script.is_known.then_some(()).ok_or(why)
            }
            None if long.contains(&"--version") || long.contains(&"--help") => Ok(()),
            _ => self.standard_input(name, simple),
        }
    }

    /// Reads the commands on standard input.
    fn standard_input(&mut self, name: &str, simple: &Simple) -> Result<(), Unreadable> {
        match simple.input.is_empty() {
            true => Err(format!(
                "`{name}` reads its commands from a pipe, a file or a terminal"
            )),
            false => self.evaluated(&simple.input),
        }
    }

    fn waits(&mut self, program: &str) -> Result<(), Unreadable> {
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
    fn possible(&mut self, words: &[Value]) {
        for word in words.iter().filter(|word| word.is_known) {
            let text = &*word.text;
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
    fn may_run(&mut self, text: &str) {
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

    /// Returns the name of a program without its folder. The command is said by that name, too, and by that of a link's target.
    fn name(&mut self, program: &str, simple: &Simple) -> String {
        let last = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
        let own = last(Path::new(program)).unwrap_or_else(|| program.to_owned());
        self.said(&own, simple);
        let folders = self.state.folders.iter();
        let folders = folders.filter(|_| program.contains('/') && !self.is_elsewhere);
        let mut targets =
            folders.filter_map(|folder| last(&std::fs::canonicalize(folder.join(program)).ok()?));
        // These are many programs in one, each by the name of a link.
        let is_many = |real: &String| ["busybox", "toybox", "coreutils"].contains(&&**real);
        let Some(real) = targets.find(|real| *real != own && !is_many(real)) else {
            return own;
        };
        self.said(&real, simple);
        let runs = |name: &str| {
            ["shell", "same", "runs", "far"]
                .iter()
                .any(|kind| Program(name).has_all(kind))
        };
        match runs(&real) && !runs(&own) {
            true => real,
            false => own,
        }
    }

    /// Reads the words after a program: each may be a path, and each may have a URL.
    fn paths_of(&mut self, row: Program<'_>, words: &[Value]) {
        let texts: Vec<&str> = words.iter().map(|it| &*it.text).collect();
        let moves = row.is("into");
        let last = texts.last().filter(|it| moves && !it.starts_with('-'));
        let folders: Vec<&str> = row
            .values("folder", &texts)
            .map(|(_, it)| it)
            .chain(last.copied())
            .collect();
        for word in words {
            let text = &*word.text;
            self.call.read_urls(text);
            let address = paths::of_file_url(text).is_some();
            if !word.is_known {
                self.unresolved(text);
            }
            if !word.is_known
                || text.contains("://") && !address
                || text.contains('\n')
                || text.len() > 4_096
            {
                continue;
            }
            // The value of `-oFILE` is in the word; `@FILE` is the contents of a file to curl.
            let value = match text.split_once('=') {
                Some((_, value)) if !address => value,
                None if text.starts_with("--") => continue,
                None if text.starts_with('-') => text.get(2..).unwrap_or_default(),
                _ => text,
            };
            let value = value.trim_start_matches('@');
            if value.is_empty() {
                continue;
            }
            self.path_word(&Value::new(value));
            let inner = match moves {
                true => value
                    .trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or(value),
                false => value,
            };
            for folder in folders
                .iter()
                .filter(|_| !inner.starts_with(['/', '~', '-']))
            {
                self.path_word(&Value::new(&format!("{folder}/{inner}")));
            }
            // `-v FOLDER:PATH` of containers.
            if let Some((outside, _)) = value.split_once(':')
                && outside.starts_with(['/', '.', '~'])
            {
                self.path_word(&Value::new(outside));
            }
        }
    }

    /// Adds the paths that a patch names.
    fn patch(&mut self, patch: &str) {
        for path in paths::of_patch(patch) {
            self.path_word(&Value::new(&path));
        }
    }

    /// Follows `cd`.
    fn moved(&mut self, words: &[Value]) {
        let is_option = |word: &&Value| ["-L", "-P", "-e", "-@", "--"].contains(&&*word.text);
        let targets: Vec<&Value> = words.iter().filter(|word| !is_option(word)).collect();
        let searches = self.state.variables.contains_key("CDPATH");
        self.state.variables.remove("PWD");
        let is_fixed = |target: &String| {
            !target.starts_with(['-', '+']) && (!searches || target.starts_with(['/', '.']))
        };
        let folder = match targets[..] {
            [] => self.variable("HOME"),
            [target] => target.known().filter(is_fixed),
            // zsh replaces a part of the folder's name.
            _ => None,
        };
        self.enters(folder);
    }
}

/// Refuses words of which one that only the shell knows may be the program. A word behind an option may be its value.
fn is_told(words: &[Value], mut may_be_other: bool) -> Result<(), Unreadable> {
    let mut is_cluster = false;
    for word in words {
        let text = &*word.text;
        if text.starts_with('-') && text.len() > 1 {
            // `-I{}` has its value, and `-iu` has none.
            is_cluster = text.len() > 2 && !text.starts_with("--");
            may_be_other = true;
            continue;
        }
        match word.is_known {
            _ if text.starts_with(|it: char| it.is_ascii_digit()) => may_be_other = false,
            _ if text.contains('=') && !text.starts_with('=') => {}
            true if !may_be_other => return Ok(()),
            false if !may_be_other || is_cluster => {
                return Err(format!(
                    "the program `{text}` is known only when the shell runs"
                ));
            }
            _ => may_be_other = false,
        }
    }
    Ok(())
}

/// Returns whether a word may be a program, or code.
fn is_program(word: &Value) -> bool {
    let is_name = |it: char| it.is_alphanumeric() || "_-.+/[".contains(it);
    let text = &word.text;
    let is_fitting = text.contains(' ') || text.chars().all(is_name);
    let is_other = text.is_empty() || text == "." || text.starts_with('-') && text.len() > 1;
    word.is_known && is_fitting && !is_other
}

/// Returns whether a word has a command in the place of an index, which some shells run.
fn is_subscript(word: &&str) -> bool {
    word.len() > 2 && word.contains('[') && (word.contains("$(") || word.contains('`'))
}

//! The programs that a command runs: itself, and those that it is told to run.

use std::path::Path;

use super::{Simple, Walk, options, paths, runners::Runner, value::Value};

const SHELLS: [&str; 15] = [
    "sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "csh", "tcsh", "mksh", "yash", "rbash",
    "nu", "elvish", "xonsh",
];

/// Files that are the standard input.
const STANDARD_INPUT: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Programs that read commands from their terminal when they are started bare.
const INTERACTIVE: [&str; 12] = [
    "python", "python3", "node", "irb", "lua", "ghci", "gdb", "ssh", "screen", "tmux", "expect",
    "script",
];

impl Walk<'_> {
    /// Reads a command with its values.
    pub(super) fn run(&mut self, simple: Simple) {
        let Some((first, rest)) = simple.words.split_first() else {
            return;
        };
        let Value::Known(program) = first else {
            let why = format!(
                "the program `{}` is known only when the shell runs",
                first.text()
            );
            self.said(&simple);
            return self.call.cannot_read(first.text(), why);
        };
        if program.contains(['*', '?', '[']) && *program != "[" && *program != "[[" {
            self.said(&simple);
            let why = format!("the program `{program}` has a wildcard");
            return self.call.cannot_read(program, why);
        }
        if program.is_empty() {
            return;
        }
        self.said(&simple);
        let name = self.name(program, &simple);
        if let Some(runner) = Runner::of(&name) {
            self.codes(&name, rest);
            return self.wrapped(&name, &simple, runner);
        }
        if SHELLS.contains(&&*name) {
            self.codes(&name, rest);
            self.paths_of(&name, rest);
            return self.shell(&name, &simple);
        }
        self.input(&simple);
        self.codes(&name, rest);
        self.tails(&name, &simple);
        match &*name {
            "eval" => return self.evaluated(without_dashes(rest)),
            "trap" => self.evaluated(without_dashes(rest).get(..1).unwrap_or_default()),
            "git" => return self.git(&simple),
            _ if name.starts_with("git-") => {
                let words = [name[4..].to_owned()].map(Value::Known).into_iter();
                let words: Vec<Value> = words.chain(rest.iter().cloned()).collect();
                self.said_as("git", &words, &simple);
            }
            "at" | "batch" => self.standard_input(&name, &simple),
            "." | "source" => match rest.first() {
                Some(Value::Known(file)) if STANDARD_INPUT.contains(&&**file) => {
                    self.standard_input(&name, &simple);
                }
                Some(Value::Unknown(file)) => {
                    let why = "its commands are known only when the shell runs";
                    self.call.cannot_read(file, why);
                }
                _ => {}
            },
            "hash" if rest.first().is_some_and(|word| word.text() == "-p") => self.run(Simple {
                words: rest[1..].to_vec(),
                ..Simple::default()
            }),
            "alias" => {
                for value in rest {
                    match value {
                        Value::Known(text) => {
                            let (_, command) = text.split_once('=').unwrap_or_default();
                            self.text(command);
                        }
                        Value::Unknown(text) => {
                            let why = "an alias is known only when the shell runs";
                            self.call.cannot_read(text, why);
                        }
                    }
                }
                return;
            }
            "cd" | "pushd" => self.moved(&name, rest),
            "popd" => self.folder = self.folders.pop().flatten(),
            "find" | "bfs" | "fd" | "fdfind" => self.found(&name, rest),
            "apply_patch" | "applypatch" => {
                if rest.is_empty() && simple.input.is_empty() && simple.is_fed {
                    let why = "the patch comes from a pipe or a file";
                    self.call.cannot_read(&name, why);
                }
                let patches = rest.iter().chain(&simple.input);
                let patches: Vec<Value> = patches.cloned().collect();
                for patch in patches {
                    match patch {
                        Value::Known(patch) => self.patch(&patch),
                        Value::Unknown(patch) => {
                            let why = "the patch is known only when the shell runs";
                            self.call.cannot_read(&patch, why);
                        }
                    }
                }
                return;
            }
            _ => {}
        }
        if INTERACTIVE.contains(&&*name) && simple.input.is_empty() && !simple.is_fed {
            let bare = rest.iter().all(|word| word.text().starts_with('-'));
            if bare
                && !rest.iter().any(|word| {
                    matches!(word.text(), "-c" | "-e" | "-m" | "--version" | "-V" | "-v")
                })
            {
                self.interactive(&name);
            }
        }
        if !matches!(
            &*name,
            "echo" | "printf" | "test" | "[" | "export" | "kill" | "sleep"
        ) {
            self.paths_of(&name, rest);
        } else {
            rest.iter()
                .for_each(|word| self.call.read_urls(word.text()));
        }
    }

    /// Adds the command as a text: with the path of its program and without.
    fn said(&mut self, simple: &Simple) {
        if let Some((program, rest)) = simple.words.split_first() {
            self.said_as(program.text(), rest, simple);
            self.said_as(name(program.text()), rest, simple);
        }
    }

    /// Adds the command as a text, with this program.
    pub(super) fn said_as(&mut self, program: &str, rest: &[Value], simple: &Simple) {
        let words = [program].into_iter().chain(rest.iter().map(Value::text));
        let words: Vec<&str> = words.collect();
        let mut text = words.join(" ");
        for input in &simple.input {
            text.push_str(" <<");
            text.extend(input.text().chars().take(4_096));
        }
        let text = text.replace('\n', " ");
        if self.call.commands.contains(&text) {
            return;
        }
        if self.call.commands.len() >= super::MAX_FOUND {
            let why = format!("it has more than {} commands", super::MAX_FOUND);
            return self.call.cannot_read(&text, why);
        }
        self.call.commands.push(text);
    }

    /// Returns the name of a program. A link to a program is also said by the name of its target.
    fn name(&mut self, program: &str, simple: &Simple) -> String {
        let own = name(program).to_owned();
        let folder = self
            .folder
            .as_ref()
            .filter(|_| program.contains('/') && !self.is_elsewhere);
        let target = folder.and_then(|folder| std::fs::canonicalize(folder.join(program)).ok());
        let real = target
            .as_deref()
            .and_then(Path::file_name)
            .and_then(|real| real.to_str());
        // These are many programs in one, each by the name of a link.
        let Some(real) =
            real.filter(|real| *real != own && !["busybox", "toybox", "coreutils"].contains(real))
        else {
            return own;
        };
        self.said_as(real, &simple.words[1..], simple);
        let runs = |name: &str| Runner::of(name).is_some() || SHELLS.contains(&name);
        match runs(real) && !runs(&own) {
            true => real.to_owned(),
            false => own,
        }
    }

    /// Reads the words after a program: each may be a path, and each may have a URL.
    pub(super) fn paths_of(&mut self, program: &str, words: &[Value]) {
        let texts: Vec<&str> = words.iter().map(Value::text).collect();
        let folders = options::folders(program, &texts);
        let folders: Vec<String> = folders.into_iter().map(str::to_owned).collect();
        for word in words {
            self.call.read_urls(word.text());
            let Value::Known(text) = word else {
                self.unresolved(word.text());
                continue;
            };
            let is_address = text.contains("://") && paths::of_file_url(text).is_none();
            if is_address || text.contains('\n') || text.len() > 4_096 {
                continue;
            }
            let value = match text.split_once('=') {
                Some((_, value)) if paths::of_file_url(text).is_none() => value,
                // The value of `-oFILE` is in the word.
                None if text.starts_with('-') && !text.starts_with("--") => {
                    text.get(2..).unwrap_or_default()
                }
                None if text.starts_with('-') => continue,
                _ => text,
            };
            let value = value.strip_prefix('@').unwrap_or(value);
            if value.is_empty() {
                continue;
            }
            self.path_word(&Value::Known(value.to_owned()));
            for folder in folders.iter().filter(|folder| *folder != value) {
                let inner = match options::moves_files(program) {
                    true => value
                        .trim_end_matches('/')
                        .rsplit('/')
                        .next()
                        .unwrap_or(value),
                    false => value,
                };
                if !inner.starts_with(['/', '~', '-']) {
                    self.path_word(&Value::Known(format!("{folder}/{inner}")));
                }
            }
            // `-v FOLDER:PATH` of containers.
            if let Some((outside, _)) = value.split_once(':')
                && outside.starts_with(['/', '.', '~'])
            {
                self.path_word(&Value::Known(outside.to_owned()));
            }
        }
    }

    /// Adds the paths that a patch names.
    fn patch(&mut self, patch: &str) {
        for path in paths::of_patch(patch) {
            self.path_word(&Value::Known(path));
        }
    }

    /// Reads the paths of a patch on standard input.
    fn input(&mut self, simple: &Simple) {
        for input in &simple.input {
            self.call.read_urls(input.text());
            if let Value::Known(text) = input {
                self.patch(text);
            }
        }
    }

    /// Reads the commands of a shell: `-c`, standard input, or a script, which is not read.
    fn shell(&mut self, name: &str, simple: &Simple) {
        let (mut has_code, mut options_end, mut reads_input) = (false, false, false);
        let mut words = simple.words[1..].iter();
        while let Some(word) = words.next() {
            let text = word.text();
            let is_option = text.starts_with(['-', '+']) && !options_end;
            match text {
                "-" | "--" => options_end = true,
                "--rcfile" | "--init-file" => _ = words.next(),
                "--version" | "--help" => return,
                _ if text.starts_with("--") && is_option => {}
                // `-euo pipefail -c` and `-ceuo pipefail` have the commands behind all options.
                _ if is_option => {
                    has_code |= text.starts_with('-') && text.contains('c');
                    reads_input |= text.starts_with('-') && text.contains('s');
                    let named = text.chars().filter(|it| matches!(it, 'o' | 'O')).count();
                    (0..named).for_each(|_| _ = words.next());
                }
                _ if has_code => return self.evaluated(std::slice::from_ref(word)),
                _ if reads_input || STANDARD_INPUT.contains(&text) => break,
                _ => {
                    if word.known().is_none() {
                        let why = "its options are known only when the shell runs";
                        self.call.cannot_read(text, why);
                    }
                    // A script.
                    return;
                }
            }
        }
        if has_code {
            return;
        }
        match simple.input.is_empty() && !simple.is_fed {
            true => self.interactive(name),
            false => self.standard_input(name, simple),
        }
    }

    /// Reads the commands on standard input.
    fn standard_input(&mut self, name: &str, simple: &Simple) {
        if !simple.input.is_empty() {
            self.evaluated(&simple.input);
        } else if simple.is_fed {
            let why = format!("`{name}` reads its commands from a pipe or a file");
            self.call.cannot_read(name, why);
        }
    }

    pub(super) fn interactive(&mut self, program: &str) {
        if self.call.client == "codex" {
            let why = format!(
                "`{program}` waits for commands that this client sends without asking: start it with its commands"
            );
            self.call.cannot_read(program, why);
        }
    }

    /// Reads words as commands.
    pub(super) fn evaluated(&mut self, words: &[Value]) {
        let known: Option<Vec<String>> = words.iter().map(Value::known).collect();
        match known {
            Some(words) => self.text(&words.join(" ")),
            None => {
                let words: Vec<&str> = words.iter().map(Value::text).collect();
                let why = "its commands are known only when the shell runs";
                self.call.cannot_read(&words.join(" "), why);
            }
        }
    }

    /// Reads the commands that `find` runs.
    fn found(&mut self, name: &str, words: &[Value]) {
        let is_bare = words
            .first()
            .is_none_or(|word| word.text().starts_with('-'));
        if name == "find" && is_bare {
            self.path_word(&Value::Known(".".to_owned()));
        }
        let options: &[&str] = match name {
            "fd" | "fdfind" => &["-x", "-X", "--exec", "--exec-batch"],
            _ => &["-exec", "-execdir", "-ok", "-okdir"],
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !options.contains(&word.text()) {
                continue;
            }
            let command = words
                .by_ref()
                .take_while(|word| !matches!(word.text(), ";" | "+"));
            let command = command.map(|word| match word.text() {
                text if text.contains("{}") => Value::Unknown(text.to_owned()),
                _ => word.clone(),
            });
            let simple = Simple {
                words: command.collect(),
                ..Simple::default()
            };
            self.run(simple);
        }
    }

    /// Follows `cd`.
    fn moved(&mut self, name: &str, words: &[Value]) {
        if name == "pushd" {
            self.folders.push(self.folder.clone());
        }
        let is_option =
            |word: &&Value| matches!(word.text(), "-L" | "-P" | "-e" | "-@" | "-n" | "--");
        let target = words.iter().find(|word| !is_option(word));
        let searches = self.variables.contains_key("CDPATH");
        self.folder = match (target, self.folder.take()) {
            (None, _) => self.home.as_ref().map(Into::into),
            (Some(Value::Known(target)), folder)
                if target != "-" && (!searches || target.starts_with(['/', '.'])) =>
            {
                let folder = folder.unwrap_or_default();
                let target = paths::absolute(target, &folder, self.home.as_deref());
                Some(target).filter(|target| target.is_absolute())
            }
            _ => None,
        };
    }
}

/// Returns the words without a first `--`.
fn without_dashes(words: &[Value]) -> &[Value] {
    match words.split_first() {
        Some((first, rest)) if first.text() == "--" => rest,
        _ => words,
    }
}

/// Returns the name of a program without its folder.
fn name(program: &str) -> &str {
    let name = Path::new(program).file_name();
    name.and_then(|name| name.to_str()).unwrap_or(program)
}

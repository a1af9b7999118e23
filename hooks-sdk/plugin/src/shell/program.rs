//! The programs that a command runs: itself, and those that it is told to run.

use std::path::Path;

use super::{Simple, Walk, paths, value::Value};

/// Programs that run the command in their arguments, with the options that take a value, and the number of plain
/// arguments before the command.
const WRAPPERS: [(&str, &[&str], usize); 22] = [
    (
        "sudo",
        &[
            "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "--user", "--group",
        ],
        0,
    ),
    ("doas", &["-u", "-C"], 0),
    ("env", &["-u", "--unset", "-C", "--chdir"], 0),
    ("nohup", &[], 0),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n", "-p"], 0),
    ("time", &["-f", "-o"], 0),
    ("timeout", &["-k", "-s", "--signal", "--kill-after"], 1),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("setsid", &[], 0),
    ("command", &[], 0),
    ("builtin", &[], 0),
    ("exec", &["-a"], 0),
    (
        "xargs",
        &[
            "-I",
            "-i",
            "-n",
            "-P",
            "-d",
            "-L",
            "-s",
            "-a",
            "-E",
            "--max-args",
            "--max-procs",
        ],
        0,
    ),
    ("parallel", &["-j", "--jobs"], 0),
    ("watch", &["-n", "--interval"], 0),
    ("busybox", &[], 0),
    ("chroot", &[], 1),
    ("flock", &["-w", "-E"], 1),
    ("unbuffer", &[], 0),
    ("caffeinate", &[], 0),
    ("strace", &["-o", "-e", "-p"], 0),
];

const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"];

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
        let name = name(program).to_owned();
        if let Some((_, valued, plain)) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name) {
            return self.wrapped(&name, &simple, valued, *plain);
        }
        if SHELLS.contains(&&*name) {
            self.paths_of(rest);
            return self.shell(&name, &simple);
        }
        self.input(&simple);
        match &*name {
            "eval" => return self.evaluated(rest),
            "trap" => self.evaluated(rest.get(..1).unwrap_or_default()),
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
            "cd" | "pushd" => self.moved(rest),
            "find" => self.found(rest),
            "su" | "script" => self.option_c(rest),
            "apply_patch" | "applypatch" => {
                let patches = rest.iter().chain(&simple.input);
                let patches: Vec<Value> = patches.cloned().collect();
                for patch in patches {
                    match patch {
                        Value::Known(patch) => self.call.read_patch(&patch),
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
                self.interactive(program);
            }
        }
        if !matches!(
            &*name,
            "echo" | "printf" | "test" | "[" | "export" | "kill" | "sleep"
        ) {
            self.paths_of(rest);
        } else {
            rest.iter()
                .for_each(|word| self.call.read_urls(word.text()));
        }
    }

    /// Adds the command as a text: with the path of its program and without.
    fn said(&mut self, simple: &Simple) {
        let words: Vec<&str> = simple.words.iter().map(Value::text).collect();
        let mut text = words.join(" ");
        for input in &simple.input {
            text.push_str(" <<");
            text.extend(input.text().chars().take(4_096));
        }
        let text: String = text
            .chars()
            .map(|it| if it == '\n' { ' ' } else { it })
            .collect();
        let short = words.first().map(|program| {
            let rest = &text[program.len().min(text.len())..];
            format!("{}{rest}", name(program))
        });
        for text in [Some(text.clone()), short].into_iter().flatten() {
            if self.call.commands.len() >= super::MAX_FOUND {
                let why = format!("it has more than {} commands", super::MAX_FOUND);
                return self.call.cannot_read(&text, why);
            }
            if !self.call.commands.contains(&text) {
                self.call.commands.push(text);
            }
        }
    }

    /// Reads the words after a program: each may be a path, and each may have a URL.
    fn paths_of(&mut self, words: &[Value]) {
        for word in words {
            let Value::Known(text) = word else {
                self.unresolved(word.text());
                continue;
            };
            self.call.read_urls(text);
            if text.contains("://") || text.contains('\n') || text.len() > 4_096 {
                continue;
            }
            let value = match text.split_once('=') {
                Some((_, value)) => value,
                None if text.starts_with('-') => continue,
                None => text,
            };
            let value = value.strip_prefix('@').unwrap_or(value);
            if !value.is_empty() {
                self.path_word(&Value::Known(value.to_owned()));
            }
        }
    }

    /// Reads the paths of a patch on standard input.
    fn input(&mut self, simple: &Simple) {
        for input in &simple.input {
            self.call.read_urls(input.text());
            if let Value::Known(text) = input {
                self.call.read_patch(text);
            }
        }
    }

    /// Reads the command behind a program such as `env` or `xargs`.
    fn wrapped(&mut self, wrapper: &str, simple: &Simple, valued: &[&str], plain: usize) {
        let mut rest = &simple.words[1..];
        let mut plain = plain;
        while let Some((word, more)) = rest.split_first() {
            let Value::Known(text) = word else {
                break;
            };
            if wrapper == "env" && matches!(&**text, "-S" | "--split-string") {
                return self.evaluated(more);
            }
            if wrapper == "command" && matches!(&**text, "-v" | "-V") {
                return;
            }
            if text.starts_with('-') && text.len() > 1 {
                let takes = valued.contains(&&**text);
                rest = if takes {
                    more.get(1..).unwrap_or_default()
                } else {
                    more
                };
            } else if wrapper == "env" && text.contains('=') {
                rest = more;
            } else if plain > 0 {
                plain -= 1;
                rest = more;
            } else {
                break;
            }
        }
        if rest.is_empty() {
            return;
        }
        let mut words = rest.to_vec();
        if matches!(wrapper, "xargs" | "parallel") {
            // Its further arguments come from standard input.
            words.push(Value::Unknown("(standard input)".to_owned()));
        }
        self.run(Simple {
            words,
            input: simple.input.clone(),
            is_fed: simple.is_fed,
        });
    }

    /// Reads the commands of a shell: `-c`, standard input, or a script, which is not read.
    fn shell(&mut self, name: &str, simple: &Simple) {
        let (mut has_code, mut options_end) = (false, false);
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
                    let named = text.chars().filter(|it| matches!(it, 'o' | 'O')).count();
                    (0..named).for_each(|_| _ = words.next());
                }
                _ if has_code => return self.evaluated(std::slice::from_ref(word)),
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
        match &simple.input[..] {
            [] if simple.is_fed => {
                let why = format!("`{name}` reads its commands from a pipe or a file");
                self.call.cannot_read(name, why);
            }
            [] => self.interactive(name),
            inputs => {
                let inputs = inputs.to_vec();
                self.evaluated(&inputs);
            }
        }
    }

    fn interactive(&mut self, program: &str) {
        if self.call.client == "codex" {
            let why = format!(
                "`{program}` waits for commands that this client sends without asking: start it with its commands"
            );
            self.call.cannot_read(program, why);
        }
    }

    /// Reads words as commands.
    fn evaluated(&mut self, words: &[Value]) {
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

    fn option_c(&mut self, words: &[Value]) {
        let at = words
            .iter()
            .position(|word| matches!(word.text(), "-c" | "--command"));
        if let Some(code) = at.and_then(|at| words.get(at + 1)) {
            self.evaluated(std::slice::from_ref(code));
        }
    }

    /// Reads the commands that `find` runs.
    fn found(&mut self, words: &[Value]) {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !matches!(word.text(), "-exec" | "-execdir" | "-ok" | "-okdir") {
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
    fn moved(&mut self, words: &[Value]) {
        let target = words
            .iter()
            .find(|word| !matches!(word.text(), "-L" | "-P" | "--"));
        self.folder = match (target, self.folder.take()) {
            (None, _) => self.home.as_ref().map(Into::into),
            (Some(Value::Known(target)), folder) if target != "-" => {
                let folder = folder.unwrap_or_default();
                let target = paths::absolute(target, &folder, self.home.as_deref());
                Some(target).filter(|target| target.is_absolute())
            }
            _ => None,
        };
    }
}

/// Returns the name of a program without its folder.
fn name(program: &str) -> &str {
    let name = Path::new(program).file_name();
    name.and_then(|name| name.to_str()).unwrap_or(program)
}

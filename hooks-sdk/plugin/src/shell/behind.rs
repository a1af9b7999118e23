//! The commands behind programs such as `env`, `xargs` and `docker exec`.

use super::{
    Simple, Walk,
    runners::{self, Opt, Runner},
    value::Value,
};

/// The most words of which each may begin a command.
const MOST_TAILS: usize = 32;

impl Walk<'_> {
    /// Reads the command behind a program such as `env` or `xargs`.
    pub(super) fn wrapped(&mut self, wrapper: &str, simple: &Simple, runner: &Runner) {
        let before = self.folder.clone();
        let mut rest = &simple.words[1..];
        let (mut plain, mut options_end, mut opens_shell) = (runner.plain, false, false);
        let mut replaced = None;
        while let Some((Value::Known(text), more)) = rest.split_first() {
            let mut used = 0;
            if text == "--" && !options_end {
                options_end = true;
            } else if text.starts_with('-') && !options_end {
                if wrapper == "command" && text.contains(['v', 'V']) {
                    return;
                }
                opens_shell |= !text.starts_with("--") && text.contains(['s', 'i']);
                let option = match runner.option(text) {
                    Opt::Alone => (text.clone(), None),
                    Opt::With(name, value) => (name, Some(Value::Known(value.to_owned()))),
                    Opt::TakesNext(name) => {
                        used = 1;
                        (name, more.first().cloned())
                    }
                };
                match (wrapper, &*option.0, option.1) {
                    ("env", "-S" | "--split-string", Some(code)) => {
                        let words = more.get(used..).unwrap_or_default();
                        let words: Vec<Value> =
                            [code].into_iter().chain(words.iter().cloned()).collect();
                        self.evaluated(&words);
                        self.folder = before;
                        return;
                    }
                    ("env", "-C" | "--chdir", value)
                    | ("sudo" | "run0", "-D" | "--chdir", value)
                    | ("unshare" | "nsenter", "--wd", value) => {
                        match value.and_then(|it| it.known()) {
                            Some(folder) => self.enters(&folder),
                            None => self.folder = None,
                        }
                    }
                    ("xargs", "-I" | "--replace", Some(Value::Known(word))) => {
                        replaced = Some(word)
                    }
                    ("xargs", "-i" | "--replace", None) => replaced = Some("{}".to_owned()),
                    _ => {}
                }
            } else if let Some((variable, value)) = assignment(text)
                && matches!(wrapper, "env" | "sudo" | "doas")
            {
                self.assigned(variable, &Value::Known(value.to_owned()));
            } else if plain > 0 {
                plain -= 1;
                if wrapper == "chroot" {
                    self.enters(text);
                }
            } else {
                break;
            }
            rest = more.get(used..).unwrap_or_default();
        }
        self.command_behind(wrapper, rest, simple, replaced.as_deref());
        if rest.is_empty()
            && (wrapper == "ssh" || matches!(wrapper, "sudo" | "doas") && opens_shell)
        {
            self.interactive(wrapper);
        }
        // These run a `cd` in the same shell.
        if !matches!(wrapper, "command" | "builtin") {
            self.folder = before;
        }
    }

    /// Reads the command that a program runs.
    fn command_behind(
        &mut self,
        wrapper: &str,
        rest: &[Value],
        simple: &Simple,
        replaced: Option<&str>,
    ) {
        let arguments = rest
            .iter()
            .position(|word| wrapper == "parallel" && word.text() == ":::");
        let (rest, arguments) = match arguments {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &[][..]),
        };
        if rest.is_empty() {
            arguments
                .iter()
                .for_each(|code| self.evaluated(std::slice::from_ref(code)));
            if wrapper == "parallel" && arguments.is_empty() && simple.is_fed {
                self.call
                    .cannot_read(wrapper, "its commands come from a pipe or a file");
            }
            return;
        }
        // A replaced word is known when the program runs.
        let replaced = |word: &Value| match replaced {
            Some(mark) if word.text().contains(mark) => Value::Unknown(word.text().to_owned()),
            _ => word.clone(),
        };
        let mut words: Vec<Value> = rest.iter().map(replaced).collect();
        if wrapper == "ssh" {
            return self.elsewhere(|walk| walk.evaluated(&words));
        }
        let is_code = words[0]
            .known()
            .is_some_and(|word| word.contains([' ', ';', '\n']));
        if is_code {
            return match wrapper {
                "hyperfine" => words
                    .iter()
                    .for_each(|code| self.evaluated(std::slice::from_ref(code))),
                _ => self.evaluated(&words),
            };
        }
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

    /// Reads what may be a command behind a program with many options: from each of its words on.
    pub(super) fn tails(&mut self, name: &str, simple: &Simple) {
        let words = &simple.words[1..];
        let texts: Vec<&str> = words.iter().map(Value::text).collect();
        let Some(at) = runners::loose(name, &texts) else {
            return;
        };
        let places = (at..words.len()).take(MOST_TAILS);
        let tails: Vec<Simple> = places
            .filter(|at| is_program(&words[*at]))
            .map(|at| Simple {
                words: words[at..].to_vec(),
                input: simple.input.clone(),
                is_fed: simple.is_fed,
            })
            .collect();
        let read = |walk: &mut Self| {
            for tail in tails {
                let before = walk.folder.clone();
                if tail.words[0].text().contains(' ') {
                    // It may be no code at all.
                    let known = walk.call.unread.len();
                    walk.evaluated(&tail.words[..1]);
                    walk.call.unread.truncate(known);
                } else {
                    walk.run(tail);
                }
                walk.folder = before;
            }
        };
        match runners::is_elsewhere(name) {
            true => self.elsewhere(read),
            false => read(self),
        }
    }

    /// Reads commands of another computer: their paths are no paths of this one.
    fn elsewhere(&mut self, read: impl FnOnce(&mut Self)) {
        let before = (self.folder.clone(), self.is_elsewhere);
        self.is_elsewhere = true;
        read(self);
        (self.folder, self.is_elsewhere) = before;
    }
}

/// Returns the variable and its value in a word such as `NAME=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_letter = |it: char| it.is_ascii_alphanumeric() || it == '_';
    (!name.is_empty() && name.chars().all(is_letter)).then_some((name, value))
}

/// Returns whether a word may be a program, or code.
fn is_program(word: &Value) -> bool {
    let Value::Known(text) = word else {
        return false;
    };
    let is_name = |it: char| it.is_alphanumeric() || "_-.+/".contains(it);
    !text.is_empty() && !text.starts_with('-') && (text.contains(' ') || text.chars().all(is_name))
}

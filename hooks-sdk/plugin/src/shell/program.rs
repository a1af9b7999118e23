//! The programs that a command runs: itself, and those that it is told to run.

use super::{Simple, Walk, grammar::Unreadable, table::Program, value::Value};

/// The most words of which each may begin a command.
const MOST_TAILS: usize = 32;

/// Files that are the standard input.
pub(super) const STANDARD_INPUT: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

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
                let own = mark_of(&simple.words).filter(|_| is_later);
                let (place, mark) = own.unwrap_or((0, "{}"));
                for (at, word) in words.iter_mut().enumerate() {
                    word.is_known &= at == place || !word.text.contains(mark);
                }
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
}

/// Refuses words of which one that only the shell knows may be the program. A known word behind an option may be its value.
fn is_told(words: &[Value], mut may_be_other: bool) -> Result<(), Unreadable> {
    for word in words {
        let text = &*word.text;
        match word.is_known {
            false if assigns(text) => {}
            false => {
                return Err(format!(
                    "the program `{text}` is known only when the shell runs"
                ));
            }
            true if text.starts_with('-') && text.len() > 1 => may_be_other = text != "--",
            true if text.starts_with(|it: char| it.is_ascii_digit()) => may_be_other = false,
            true if assigns(text) => {}
            true if !may_be_other => return Ok(()),
            true => may_be_other = false,
        }
    }
    Ok(())
}

/// Returns whether a word has the form `NAME=VALUE`.
fn assigns(word: &str) -> bool {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.chars().all(is_name))
}

/// Returns where the value of `xargs -I` is, and the value; in `-IX`, the option has it.
fn mark_of(words: &[Value]) -> Option<(usize, &str)> {
    words.iter().enumerate().skip(1).find_map(|(at, word)| {
        let text = &*word.text;
        if let Some(mark) = text.strip_prefix("--replace=") {
            return Some((at, mark));
        }
        let is_short = text.starts_with('-') && !text.starts_with("--");
        let (_, mark) = text.split_once(['I', 'J']).filter(|_| is_short)?;
        match mark {
            "" => words.get(at + 1).map(|next| (at + 1, &*next.text)),
            mark => Some((at, mark)),
        }
    })
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

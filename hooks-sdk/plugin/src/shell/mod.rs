//! Reads the shell commands in a call of an agent client: which programs run, and which files and URLs they name.
//!
//! Nobody knows which shell a client starts. So the reader takes only what sh, bash, zsh, ksh and fish read alike: words,
//! quotes, lists, pipes, redirections, substitutions, groups, `for`, `if` and `while`. It runs nothing. All else is said to
//! be unread.

mod grammar;
mod paths;
mod program;
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

use self::{
    grammar::{Token, Unreadable, Word},
    table::Program,
    value::Value,
};

const UNLIKE: &str = "brackets are read differently by shells";

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

/// The tokens that are still to be read.
#[derive(Clone, Copy)]
struct Cursor<'t>(&'t [Token]);

impl<'t> Cursor<'t> {
    fn operator(&mut self, all: &[&str]) -> Option<&'static str> {
        match self.0.split_first() {
            Some((Token::Operator(it), rest)) if all.contains(it) => {
                self.0 = rest;
                Some(it)
            }
            _ => None,
        }
    }

    /// Returns the word that is next, if none of it is quoted.
    fn plain(&self) -> Option<&'t str> {
        match self.0.first() {
            Some(Token::Word(word)) => word.plain(),
            _ => None,
        }
    }

    fn keyword(&mut self, all: &[&str]) -> Option<&'t str> {
        let word = self.plain().filter(|word| all.contains(word))?;
        self.0 = &self.0[1..];
        Some(word)
    }

    fn expect(&mut self, keyword: &str) -> Result<(), Unreadable> {
        match self.keyword(&[keyword]) {
            Some(_) => Ok(()),
            None => Err(format!("`{keyword}` is missing")),
        }
    }

    fn lines(&mut self) {
        while self.operator(&["\n"]).is_some() {}
    }
}

/// Words that end a list where a command would begin.
const ENDS: [&str; 7] = ["then", "elif", "else", "fi", "do", "done", "}"];

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
    /// Reads a text of commands.
    fn commands(&mut self, text: &str) -> Result<(), Unreadable> {
        match text.len() > MAX_TEXT {
            true => Err(format!("it is longer than {} KiB", MAX_TEXT / 1024)),
            // What is before a part that cannot be read may have a command that is refused.
            false => {
                let (tokens, read) = grammar::tokens(text);
                let whole = self.whole(&tokens);
                read.and(whole)
            }
        }
    }

    /// Reads the commands of a text or a substitution.
    fn whole(&mut self, tokens: &[Token]) -> Result<(), Unreadable> {
        if self.depth >= MAX_DEPTH {
            return Err(format!(
                "it has more than {MAX_DEPTH} commands in each other"
            ));
        }
        let mut rest = Cursor(tokens);
        self.depth += 1;
        let read = self.list(&mut rest);
        self.depth -= 1;
        match rest.0 {
            _ if read.is_err() => read,
            [] => Ok(()),
            _ => Err("it is no correct shell command".to_owned()),
        }
    }

    fn list(&mut self, rest: &mut Cursor<'_>) -> Result<(), Unreadable> {
        loop {
            rest.lines();
            let ends = rest.plain().is_some_and(|word| ENDS.contains(&word));
            if ends || matches!(rest.0.first(), None | Some(Token::Operator(")"))) {
                return Ok(());
            }
            let before = self.state.clone();
            self.pipeline(rest)?;
            let mut is_sure = true;
            while let Some(operator) = rest.operator(&["&&", "||"]) {
                is_sure = false;
                if operator == "||" {
                    self.state.or(before.clone());
                }
                rest.lines();
                self.pipeline(rest)?;
            }
            is_sure &= rest.operator(&[";", "&", "\n"]) != Some("&");
            if !is_sure {
                self.state.or(before);
            }
        }
    }

    fn pipeline(&mut self, rest: &mut Cursor<'_>) -> Result<(), Unreadable> {
        while rest.keyword(&["!"]).is_some() {}
        let before = self.state.clone();
        self.command(rest, false)?;
        while rest.operator(&["|", "|&"]).is_some() {
            rest.lines();
            // The last command of a pipe runs in the shell itself in some shells.
            self.state.or(before.clone());
            self.command(rest, true)?;
            self.state.or(before.clone());
        }
        Ok(())
    }

    fn command(&mut self, rest: &mut Cursor<'_>, is_fed: bool) -> Result<(), Unreadable> {
        let compound = rest.keyword(&["if", "while", "until", "for", "{"]);
        let Some(compound) = compound.or_else(|| rest.operator(&["("])) else {
            return self.simple(rest, is_fed);
        };
        self.compound(compound, rest)?;
        while self.redirect(rest, &mut Simple::default())? {}
        match rest.0.first() {
            Some(Token::Word(_) | Token::Operator("(")) => Err(UNLIKE.to_owned()),
            _ => Ok(()),
        }
    }

    fn compound(&mut self, compound: &str, rest: &mut Cursor<'_>) -> Result<(), Unreadable> {
        let before = self.state.clone();
        match compound {
            "(" => {
                self.list(rest)?;
                self.state = before;
                return match rest.operator(&[")"]) {
                    Some(_) => Ok(()),
                    None => Err("a bracket is open".to_owned()),
                };
            }
            "{" => {
                self.list(rest)?;
                return rest.expect("}");
            }
            "if" => loop {
                self.list(rest)?;
                rest.expect("then")?;
                self.list(rest)?;
                self.state.or(before.clone());
                match rest.keyword(&["elif", "else", "fi"]) {
                    Some("elif") => {}
                    Some("else") => {
                        self.list(rest)?;
                        rest.expect("fi")?;
                        break;
                    }
                    Some(_) => break,
                    None => return Err("`fi` is missing".to_owned()),
                }
            },
            "for" => self.each(rest)?,
            _ => {
                // The second time it begins with what the first time may have left.
                let begins = *rest;
                for _ in 0..2 {
                    *rest = begins;
                    self.list(rest)?;
                    self.body(rest)?;
                    self.state.or(before.clone());
                }
            }
        }
        self.state.or(before);
        Ok(())
    }

    fn body(&mut self, rest: &mut Cursor<'_>) -> Result<(), Unreadable> {
        rest.expect("do")?;
        self.list(rest)?;
        rest.expect("done")
    }

    fn each(&mut self, rest: &mut Cursor<'_>) -> Result<(), Unreadable> {
        let Some((Token::Word(name), more)) = rest.0.split_first() else {
            return Err("the variable of `for` is missing".to_owned());
        };
        rest.0 = more;
        let mut values = Vec::new();
        let are_words = rest.keyword(&["in"]).is_some();
        while let (true, Some((Token::Word(word), more))) = (are_words, rest.0.split_first()) {
            rest.0 = more;
            values.extend(self.values(word)?);
        }
        _ = rest.operator(&[";"]);
        rest.lines();
        // The body is read once for each of the first values.
        let known: Option<Vec<Option<String>>> = values.iter().map(|it| Some(it.known())).collect();
        let known = known.filter(|all| !all.is_empty() && all.len() <= 16 && !all.contains(&None));
        let name = name.plain().unwrap_or_default().to_owned();
        let begins = *rest;
        for value in known.unwrap_or_else(|| vec![None, None]) {
            let before = self.state.clone();
            *rest = begins;
            self.state.variables.insert(name.clone(), value);
            self.body(rest)?;
            self.state.or(before);
        }
        Ok(())
    }

    fn simple(&mut self, rest: &mut Cursor<'_>, is_fed: bool) -> Result<(), Unreadable> {
        let mut read = Simple {
            is_fed,
            ..Simple::default()
        };
        let mut assigned = Vec::new();
        let begins = rest.0.len();
        loop {
            match rest.0.split_first() {
                Some((Token::Word(word), more)) => {
                    rest.0 = more;
                    match assignment(word) {
                        Some((name, at)) if read.words.is_empty() => {
                            assigned.push((name, self.value(word, at)?));
                        }
                        None if read.words.is_empty() && word.head().contains(['=', '{']) => {
                            return Err(format!(
                                "the program `{}` is read differently by shells",
                                word.source
                            ));
                        }
                        _ => read.words.extend(self.values(word)?),
                    }
                }
                Some((Token::Operator("("), _)) => {
                    return Err(UNLIKE.to_owned());
                }
                _ if self.redirect(rest, &mut read)? => {}
                _ if rest.0.len() == begins => {
                    return Err("a command is missing".to_owned());
                }
                _ => break,
            }
        }
        // Before a command, most shells forget the values after it.
        let before = (!assigned.is_empty()).then(|| self.state.clone());
        for (name, value) in &assigned {
            self.assigned(name, value)?;
        }
        if !read.words.is_empty() {
            let words: Vec<&str> = read.words.iter().map(|it| &*it.text).collect();
            let text = words.join(" ");
            if let Err(why) = self.run(read) {
                self.call.cannot_read(&text, why);
            }
            before.into_iter().for_each(|before| self.state.or(before));
        }
        Ok(())
    }

    /// Gives a variable its value.
    fn assigned(&mut self, name: &str, value: &Value) -> Result<(), Unreadable> {
        if value.is_known && (value.text.contains("$(") || value.text.contains('`')) {
            return Err(format!(
                "the value of `{name}` has a command that may run later"
            ));
        }
        if Program(name).is("variable") {
            self.evaluated(std::slice::from_ref(value))?;
        }
        self.state.variables.insert(name.to_owned(), value.known());
        Ok(())
    }

    /// Reads a redirection, if one is next.
    fn redirect(&mut self, rest: &mut Cursor<'_>, read: &mut Simple) -> Result<bool, Unreadable> {
        match rest.0 {
            [Token::Document(word), more @ ..] => {
                rest.0 = more;
                read.input.push(self.value(word, 0)?);
            }
            [Token::Redirect(kind), Token::Word(word), more @ ..] => {
                rest.0 = more;
                let values = self.values(word)?;
                read.is_fed |= kind.starts_with('<') && *kind != "<<<";
                match *kind {
                    "<<<" => read.input.extend(values),
                    // `2>&1` and `>&-` name no file.
                    ">&" | "<&" if word.source.trim_end_matches('-').parse::<u32>().is_ok() => {}
                    ">&" | "<&" if word.source == "-" => {}
                    _ => values.iter().for_each(|value| self.path_word(value)),
                }
            }
            [Token::Redirect(_), ..] => {
                return Err("the file of a redirection is missing".to_owned());
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

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

/// Returns the variable that a word sets, and where its value begins.
fn assignment(word: &Word) -> Option<(&str, usize)> {
    let (name, _) = word.head().split_once('=')?;
    let is_name = name
        .bytes()
        .all(|it| it.is_ascii_alphanumeric() || it == b'_');
    let is_fitting = is_name && name.starts_with(|it: char| !it.is_ascii_digit());
    is_fitting.then_some((name, name.len() + 1))
}

//! Reads the shell commands in a call of an agent client: which programs run, and which files and URLs they name.
//!
//! The reader parses as Bash does, and runs nothing. It follows what a shell would run: lists, pipes, substitutions,
//! `sh -c`, `eval`, `env`, `xargs` and the like. What it cannot know before the shell runs, it says.

mod behind;
mod git;
mod options;
mod paths;
mod program;
mod redirects;
mod runners;
#[cfg(test)]
mod tests;
mod value;

use std::{collections::HashMap, io::BufReader, path::PathBuf};

use brush_parser::{
    Parser, ParserOptions,
    ast::{
        AndOr, Command, CompoundCommand, CompoundList, ExtendedTestExpr, Pipeline, SimpleCommand,
    },
};

use crate::{AgentToolCall, Unread};

use self::value::Value;

/// The longest text of commands that is read, in bytes.
pub(crate) const MAX_TEXT: usize = 64 * 1024;

/// How deep commands may stand in commands, as in `sh -c "sh -c …"`.
const MAX_DEPTH: usize = 8;

/// The most commands, paths, URLs and unknown words of one call. More than these are said to be unread.
const MAX_FOUND: usize = 1_000;

/// Walks through the commands of one call.
struct Walk<'c> {
    call: &'c mut AgentToolCall,
    /// The folder of the command that is read; `None` after a `cd` to a folder that only the shell knows.
    folder: Option<PathBuf>,
    /// The folders that `pushd` left.
    folders: Vec<Option<PathBuf>>,
    /// Whether the commands run on another computer.
    is_elsewhere: bool,
    home: Option<String>,
    /// The variables that the text itself sets; `None` for a value that only the shell knows.
    variables: HashMap<String, Option<String>>,
    depth: usize,
    options: ParserOptions,
}

/// A simple command with its values.
#[derive(Default)]
struct Simple {
    words: Vec<Value>,
    /// Texts on its standard input: here-documents and here-strings.
    input: Vec<Value>,
    /// Whether another command of a pipe writes to its standard input, or a file is.
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
        let home = std::env::home_dir().map(|home| home.to_string_lossy().into_owned());
        let mut walk = Walk {
            folder: Some(folder),
            folders: Vec::new(),
            is_elsewhere: false,
            home,
            call: self,
            variables: HashMap::new(),
            depth: 0,
            options: ParserOptions::default(),
        };
        walk.text(text);
    }

    /// Adds a path that the call names. The working folder must be set before.
    pub fn read_path(&mut self, path: &str) {
        let folder = PathBuf::from(&self.folder);
        let home = std::env::home_dir().map(|home| home.to_string_lossy().into_owned());
        for path in paths::named(path, &folder, home.as_deref()) {
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

impl Walk<'_> {
    /// Reads a text of commands.
    fn text(&mut self, text: &str) {
        if text.len() > MAX_TEXT {
            let why = format!("it is longer than {} KiB", MAX_TEXT / 1024);
            return self.call.cannot_read(text, why);
        }
        if self.depth >= MAX_DEPTH {
            let why = format!("more than {MAX_DEPTH} commands stand in each other");
            return self.call.cannot_read(text, why);
        }
        if text.contains('\0') {
            return self.call.cannot_read(text, "it has a NUL byte");
        }
        let mut parser = Parser::new(BufReader::new(text.as_bytes()), &self.options);
        let program = match parser.parse_program() {
            Ok(program) => program,
            Err(_) => {
                return self
                    .call
                    .cannot_read(text, "it is no correct shell command");
            }
        };
        self.depth += 1;
        for list in &program.complete_commands {
            self.list(list);
        }
        self.depth -= 1;
    }

    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            self.pipeline(&item.0.first);
            for more in &item.0.additional {
                let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = more;
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        for (place, command) in pipeline.seq.iter().enumerate() {
            // Each command of a pipe runs in a shell of its own.
            let alone = pipeline.seq.len() == 1;
            let folder = self.folder.clone();
            self.command(command, place > 0);
            if !alone {
                self.folder = folder;
            }
        }
    }

    fn command(&mut self, command: &Command, is_fed: bool) {
        match command {
            Command::Simple(simple) => self.simple(simple, is_fed),
            Command::Compound(compound, redirects) => {
                self.compound(compound);
                let redirects = redirects.iter().flat_map(|list| &list.0);
                let mut taken = Simple::default();
                redirects.for_each(|redirect| self.redirect(redirect, &mut taken));
            }
            Command::Function(function) => {
                self.compound(&function.body.0);
                let redirects = function.body.1.iter().flat_map(|list| &list.0);
                let mut taken = Simple::default();
                redirects.for_each(|redirect| self.redirect(redirect, &mut taken));
            }
            Command::ExtendedTest(test, _) => self.test(&test.expr),
        }
    }

    fn test(&mut self, test: &ExtendedTestExpr) {
        match test {
            ExtendedTestExpr::And(one, other) | ExtendedTestExpr::Or(one, other) => {
                self.test(one);
                self.test(other);
            }
            ExtendedTestExpr::Not(one) | ExtendedTestExpr::Parenthesized(one) => self.test(one),
            ExtendedTestExpr::UnaryTest(_, word) => _ = self.value(word),
            ExtendedTestExpr::BinaryTest(_, one, other) => {
                _ = self.value(one);
                _ = self.value(other);
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => {
                let text = &arithmetic.expr.value;
                self.inside(text);
                // `( (rm a) )` has the same form.
                let known = self.call.unread.len();
                self.text(text);
                self.call.unread.truncate(known);
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater] {
                    part.iter().for_each(|part| self.inside(&part.value));
                }
                self.list(&clause.body.list);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(shell) => {
                let (folder, variables) = (self.folder.clone(), self.variables.clone());
                self.list(&shell.list);
                (self.folder, self.variables) = (folder, variables);
            }
            CompoundCommand::ForClause(clause) => {
                let words = clause.values.iter().flatten();
                let values: Vec<Value> = words.flat_map(|word| self.values(word)).collect();
                // The body is read once for each of the first values.
                let known: Option<Vec<String>> = values.iter().map(Value::known).collect();
                match known.filter(|known| !known.is_empty() && known.len() <= 16) {
                    Some(known) => {
                        for value in known {
                            let name = clause.variable_name.clone();
                            self.variables.insert(name, Some(value));
                            self.list(&clause.body.list);
                        }
                    }
                    None => {
                        self.variables.insert(clause.variable_name.clone(), None);
                        self.list(&clause.body.list);
                    }
                }
            }
            CompoundCommand::CaseClause(clause) => {
                _ = self.value(&clause.value);
                let commands = clause.cases.iter().filter_map(|case| case.cmd.as_ref());
                commands.for_each(|list| self.list(list));
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition);
                self.list(&clause.then);
                for other in clause.elses.iter().flatten() {
                    other.condition.iter().for_each(|list| self.list(list));
                    self.list(&other.body);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0);
                self.list(&clause.1.list);
            }
            CompoundCommand::Coprocess(process) => self.command(&process.body, true),
        }
    }

    fn simple(&mut self, simple: &SimpleCommand, is_fed: bool) {
        let mut read = Simple {
            is_fed,
            ..Simple::default()
        };
        let mut assigned = Vec::new();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, &mut read, &mut assigned);
        }
        let name = simple.word_or_name.iter();
        let name: Vec<Value> = name.flat_map(|word| self.values(word)).collect();
        read.words.extend(name);
        let is_command = !read.words.is_empty();
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut read, &mut assigned);
        }
        // Before a command, the values hold for the command alone, which the shell starts with them.
        let sets = !is_command
            || read.words[0]
                .known()
                .is_some_and(|name| sets_variables(&name));
        let searches = assigned.iter().any(|(name, _)| name == "CDPATH");
        if sets || searches {
            self.variables.extend(assigned);
        }
        if is_command {
            self.run(read);
        }
    }
}

/// Returns whether a command sets variables of its shell.
fn sets_variables(name: &str) -> bool {
    matches!(
        name,
        "export" | "declare" | "local" | "readonly" | "typeset"
    )
}

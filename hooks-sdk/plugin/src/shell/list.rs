//! Follows the lists of commands: pipes, groups, `if`, loops, and the state that each may leave.

use super::{
    MAX_DEPTH, MAX_TEXT, Simple, Walk,
    grammar::{self, Token, Unreadable, Word},
    table::Program,
    value::Value,
};

const UNLIKE: &str = "brackets are read differently by shells";

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

impl Walk<'_> {
    /// Reads a text of commands.
    pub(super) fn commands(&mut self, text: &str) -> Result<(), Unreadable> {
        match text.len() > MAX_TEXT {
            true => Err(format!("it is longer than {} KiB", MAX_TEXT / 1024)),
            // The part before an unreadable one may have a command that is refused.
            false => {
                let (tokens, read) = grammar::tokens(text);
                let whole = self.whole(&tokens);
                read.and(whole)
            }
        }
    }

    /// Reads the commands of a text or a substitution.
    pub(super) fn whole(&mut self, tokens: &[Token]) -> Result<(), Unreadable> {
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
    pub(super) fn assigned(&mut self, name: &str, value: &Value) -> Result<(), Unreadable> {
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

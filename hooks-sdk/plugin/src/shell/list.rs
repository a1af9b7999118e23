//! Follows the lists of commands: pipes, groups, `if`, loops, the values of words, and the state that each may leave.

use super::{
    MAX_DEPTH, MAX_STEPS, MAX_TEXT, Simple, State, Value, Walk,
    table::Program,
    words::{Part, Word, is_variable, unlike, words},
};

/// Takes the next word, if it is a keyword or an operator of these.
fn takes<'t>(rest: &mut &'t [Word], all: &[&str]) -> Option<&'t str> {
    let (word, more) = rest.split_first()?;
    let taken = Some(word.plain()).filter(|word| all.contains(word))?;
    *rest = more;
    Some(taken)
}

fn expect(rest: &mut &[Word], keyword: &str) -> Result<(), String> {
    let taken = takes(rest, &[keyword]).map(|_| ());
    taken.ok_or_else(|| format!("`{keyword}` is missing"))
}

fn lines(rest: &mut &[Word]) {
    while takes(rest, &["\n"]).is_some() {}
}

impl Walk<'_> {
    /// Reads a text of commands.
    pub(super) fn commands(&mut self, text: &str) -> Result<(), String> {
        if text.len() > MAX_TEXT {
            return Err(format!("it is longer than {} KiB", MAX_TEXT / 1024));
        }
        // The part before an unreadable one may have a command that is refused.
        let (words, read) = words(text);
        let whole = self.whole(&words);
        read.and(whole)
    }

    /// Reads the commands of a text or a substitution.
    fn whole(&mut self, mut words: &[Word]) -> Result<(), String> {
        self.list(&mut words)?;
        match words {
            [] => Ok(()),
            _ => Err("it is no correct shell command".to_owned()),
        }
    }

    /// Counts a command that is in another one.
    pub(super) fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        self.steps += 1;
        match self.depth > 2 * MAX_DEPTH || self.steps > MAX_STEPS {
            true => Err("it has too many commands, or too many in each other".to_owned()),
            false => Ok(()),
        }
    }

    fn list(&mut self, rest: &mut &[Word]) -> Result<(), String> {
        const ENDS: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "}", ")"];
        let depth = self.depth;
        loop {
            lines(rest);
            self.depth = depth;
            if rest.first().is_none_or(|word| ENDS.contains(&word.plain())) {
                return Ok(());
            }
            self.enter()?;
            let before = self.state.clone();
            let mut is_sure = true;
            loop {
                self.command(rest)?;
                let operator = takes(rest, &["&&", "||", "|", "|&", "&", ";", "\n"]);
                is_sure &= matches!(operator, None | Some(";" | "\n"));
                match operator {
                    Some("&&") => {}
                    // The last command of a pipe runs in the shell itself in some shells.
                    Some("||" | "|" | "|&") => self.state.or(before.clone()),
                    None if rest.first().is_some_and(|it| !ENDS.contains(&it.plain())) => {
                        return unlike("(");
                    }
                    _ => break,
                }
                lines(rest);
            }
            if !is_sure {
                self.state.or(before);
            }
        }
    }

    fn command(&mut self, rest: &mut &[Word]) -> Result<(), String> {
        while takes(rest, &["!"]).is_some() {}
        let before = self.state.clone();
        match takes(rest, &["(", "{", "if", "while", "until", "for"]) {
            None => return self.simple(rest),
            Some("(") => {
                self.list(rest)?;
                expect(rest, ")")?;
                self.state = before;
            }
            Some("{") => {
                self.list(rest)?;
                expect(rest, "}")?;
            }
            Some("if") => loop {
                self.list(rest)?;
                expect(rest, "then")?;
                self.list(rest)?;
                self.state.or(before.clone());
                let more = takes(rest, &["elif", "else"]);
                if more == Some("elif") {
                    continue;
                }
                if more.is_some() {
                    self.list(rest)?;
                    self.state.or(before);
                }
                expect(rest, "fi")?;
                break;
            },
            Some(kind) => self.repeated(kind == "for", rest)?,
        }
        while self.redirect(rest, &mut Simple::default())? {}
        Ok(())
    }

    /// Reads a loop: its body once for each of the first values, or twice, since the second time may begin otherwise.
    fn repeated(&mut self, is_for: bool, rest: &mut &[Word]) -> Result<(), String> {
        let (mut name, mut values) = ("", Vec::new());
        if let (true, Some((word, more))) = (is_for, rest.split_first()) {
            name = word.plain();
            *rest = more;
            let are_words = takes(rest, &["in"]).is_some();
            while let Some((word, more)) = rest.split_first()
                && are_words
                && !word.is_operator()
            {
                *rest = more;
                values.extend(self.values(word)?);
            }
            takes(rest, &[";"]);
            lines(rest);
        }
        if values.is_empty() || values.len() > 16 || values.iter().any(|it| !it.is_known) {
            values = vec![Value::unknown(name), Value::unknown(name)];
        }
        let begins = *rest;
        for value in values {
            let before = self.state.clone();
            *rest = begins;
            match is_for {
                true => self.assigned(name, &value)?,
                false => self.list(rest)?,
            }
            expect(rest, "do")?;
            self.list(rest)?;
            expect(rest, "done")?;
            self.state.or(before);
        }
        Ok(())
    }

    fn simple(&mut self, rest: &mut &[Word]) -> Result<(), String> {
        let mut simple = Simple::default();
        let (mut assigned, begins) = (Vec::new(), rest.len());
        loop {
            if self.redirect(rest, &mut simple)? {
                continue;
            }
            let next = rest.split_first().filter(|(word, _)| !word.is_operator());
            let Some((word, more)) = next else { break };
            *rest = more;
            let head = word.head();
            match head.split_once('=').filter(|(name, _)| is_variable(name)) {
                _ if !simple.words.is_empty() => simple.words.extend(self.values(word)?),
                Some((name, _)) => {
                    let value = self.value(word, true)?;
                    let text = value.text.get(name.len() + 1..).unwrap_or_default();
                    assigned.push((name, value.with(text)));
                }
                None if head.contains(['=', '{']) => return unlike(&word.source),
                None => simple.words.extend(self.values(word)?),
            }
        }
        if rest.len() == begins {
            return Err("a command is missing".to_owned());
        }
        // Before a command, most shells forget the values after it.
        let before = (!assigned.is_empty()).then(|| self.state.clone());
        let mut assigned = assigned.iter();
        let assigned = assigned.try_for_each(|(name, value)| self.assigned(name, value));
        let depth = self.depth;
        let run = self.run(&simple);
        self.depth = depth;
        if let Err(why) = assigned.and(run) {
            let words: Vec<&str> = simple.words.iter().map(|word| &*word.text).collect();
            self.call.cannot_read(&words.join(" "), why);
        }
        if !simple.words.is_empty() {
            before.into_iter().for_each(|before| self.state.or(before));
        }
        self.last = simple;
        Ok(())
    }

    /// Gives a variable its value.
    pub(super) fn assigned(&mut self, name: &str, value: &Value) -> Result<(), String> {
        if value.is_known && (value.text.contains("$(") || value.text.contains('`')) {
            return Err(format!("the value of `{name}` may run later"));
        }
        if Program(name).is("fixed") && !value.text.is_empty() {
            return Err(format!("`{name}` changes how the commands are read"));
        }
        if Program(name).is("variable") {
            let before = self.state.clone();
            let read = self.evaluated(std::slice::from_ref(value));
            self.state = before;
            read?;
        }
        // zsh reads `NAME==name` as the path of a program.
        let value = value.known().filter(|value| !value.starts_with('='));
        self.state.variables.insert(name.to_owned(), value);
        Ok(())
    }

    /// Reads a redirection, if one is next.
    fn redirect(&mut self, rest: &mut &[Word], simple: &mut Simple) -> Result<bool, String> {
        let Some((kind, [file, more @ ..])) = rest.split_first() else {
            return Ok(false);
        };
        let kind = kind.plain();
        if !kind.contains(['<', '>']) || file.is_operator() {
            return Ok(false);
        }
        *rest = more;
        match kind {
            "<<" => simple.input.push(self.value(file, true)?),
            "<<<" => simple.input.extend(self.values(file)?),
            // `2>&1` and `>&-` name no file.
            ">&" | "<&" if file.source.bytes().all(|it| b"0123456789-".contains(&it)) => {}
            _ => self
                .values(file)?
                .iter()
                .for_each(|value| self.path_word(value)),
        }
        Ok(true)
    }

    /// Returns the words that a word becomes: several by its braces, and none by the value of an empty variable.
    fn values(&mut self, word: &Word) -> Result<Vec<Value>, String> {
        if let Some((head, rest)) = word.plain().split_once('{')
            && let Some((inside, tail)) = rest.split_once('}')
            && inside.contains(',')
            && !rest.contains('{')
            && !word.plain().contains("**")
        {
            let words = inside.split(',').map(|it| format!("{head}{it}{tail}"));
            // A shell drops an empty word of braces.
            let words = words.filter(|it| !it.is_empty());
            return Ok(words.map(|it| Value::new(&it)).collect());
        }
        let is_divided = matches!(
            &word.parts[..],
            [(false, Part::Variable(_) | Part::Commands(_))]
        );
        let value = self.value(word, is_divided)?;
        if is_divided && value.is_known {
            return Ok(value.text.split_whitespace().map(Value::new).collect());
        }
        let is_quoted = word.parts.iter().any(|(quoted, _)| *quoted);
        let is_absent = value.text.is_empty() && !is_quoted;
        Ok(if is_absent { Vec::new() } else { vec![value] })
    }

    /// Returns the value of a word, and reads the commands in it. A shell divides it outside of quotes, if no variable gets it.
    fn value(&mut self, word: &Word, is_whole: bool) -> Result<Value, String> {
        let mut value = Value::new("");
        // zsh reads `=name` as the path of a program.
        let is_test = ["=", "==", "=~"].contains(&word.plain());
        value.is_known = is_test || !word.head().starts_with('=');
        let is_home =
            |rest: &str| rest.starts_with('/') || rest.is_empty() && word.parts.len() == 1;
        for (is_quoted, part) in &word.parts {
            let text = match part {
                Part::Text(text) => match text.strip_prefix('~') {
                    Some(rest) if is_home(rest) && value.text.is_empty() && !is_quoted => {
                        self.variable("HOME").map(|home| home + rest)
                    }
                    _ => Some(text.clone()),
                },
                Part::Variable(name) => self.variable(name),
                Part::Commands(words) => {
                    let before = self.state.clone();
                    self.whole(words)?;
                    self.state = before;
                    self.output(words)
                }
                Part::Unknown => None,
            };
            let is_divided = |text: &str| match part {
                // `**` is folders of any depth in some shells.
                Part::Text(_) => {
                    text.contains("**")
                        || text.contains('{') && (text.contains(',') || text.contains(".."))
                }
                _ => text.contains([' ', '\t', '\n']),
            };
            match text.filter(|text| *is_quoted || is_whole || !is_divided(text)) {
                Some(text) => value.text.push_str(&text),
                None => value.is_known = false,
            }
        }
        match value.is_known {
            true => Ok(value),
            false => Ok(value.with(&word.source)),
        }
    }

    /// Returns the output of `pwd`, `echo WORDS` and `cat` of a here-document, of a substitution that was read.
    fn output(&self, words: &[Word]) -> Option<String> {
        let is_plain = |word: &Word| !word.is_operator() || word.plain() == "<<";
        let mut lines = words.split(|word| word.plain() == "\n");
        let first = lines.next().filter(|line| !line.is_empty())?;
        if !first.iter().all(is_plain) || lines.any(|line| !line.is_empty()) {
            return None;
        }
        let Simple { words, input } = &self.last;
        match (&*words.first()?.text, &words[1..], &input[..]) {
            ("pwd", [], []) => self.variable("PWD"),
            ("cat", [], [text]) => Some(text.known()?.trim_end_matches('\n').to_owned()),
            ("echo", said, []) => {
                // Shells disagree about its options and its backslashes.
                let is_odd = |it: &Value| it.text.starts_with('-') || it.text.contains('\\');
                let said = said
                    .iter()
                    .map(|it| Some(it.known()?).filter(|_| !is_odd(it)));
                Some(said.collect::<Option<Vec<String>>>()?.join(" "))
            }
            _ => None,
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let State {
            folders, variables, ..
        } = &self.state;
        match (variables.get(name), name, &folders[..]) {
            (Some(value), ..) => value.clone(),
            (None, "HOME", _) => self.home.clone(),
            (None, "PWD", [folder]) => Some(folder.to_string_lossy().into_owned()),
            _ => None,
        }
    }
}

//! Reads a text of shell commands into tokens. Only parts that sh, bash, zsh, ksh and fish read alike, or that are a syntax
//! error in a shell which then runs nothing, become tokens. Everything else is unread.

/// Why a text cannot be read.
pub(super) type Unreadable = String;

/// A part of a list of commands.
pub(super) enum Token {
    Word(Word),
    Operator(&'static str),
    /// A redirection. The next token is the word of its file.
    Redirect(&'static str),
    /// The text of a here-document, at its operator.
    Document(Word),
}

/// A word as it is written, and its pieces.
#[derive(Default)]
pub(super) struct Word {
    pub source: String,
    pub pieces: Vec<Piece>,
    /// Whether its plain characters are the same in each shell: fish reads some backslashes otherwise.
    pub alike: bool,
}

pub(super) enum Piece {
    Text {
        text: String,
        quoted: bool,
    },
    Variable {
        name: String,
        quoted: bool,
    },
    /// `$(…)` and the like, with `<(…)`.
    Commands(Vec<Token>),
    /// A value that only the shell knows: with the words in it, and the variable that it sets.
    Unknown {
        inner: Option<Word>,
        sets: Option<String>,
    },
}

const UNTOLD: &str = "is read differently by shells: write the command without it";

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// Reads a text of commands: as far as it can be read, with the reason why it ends there.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Result<(), Unreadable>) {
    let mut tokens = Vec::new();
    let read = checked(text).and_then(|()| Lexer { text, at: 0 }.list(false, &mut tokens));
    (tokens, read)
}

fn checked(text: &str) -> Result<(), Unreadable> {
    let strange = |it: &char| {
        it.is_control() && !"\t\n".contains(*it) || it.is_whitespace() && !it.is_ascii()
    };
    if let Some(strange) = text.chars().find(strange) {
        return Err(unlike(&strange.escape_default().to_string()));
    }
    Ok(())
}

fn unlike(part: &str) -> Unreadable {
    format!("`{part}` {UNTOLD}")
}

fn is_name(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_'
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Takes a text, if it is the next one.
    fn takes(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    fn taken_while(&mut self, test: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let taken = rest[..rest.find(|it| !test(it)).unwrap_or(rest.len())].to_owned();
        self.at += taken.len();
        taken
    }

    /// Reads commands to the end of the text, or to the bracket that ends a substitution.
    fn list(&mut self, is_nested: bool, tokens: &mut Vec<Token>) -> Result<(), Unreadable> {
        const OPERATORS: [&str; 6] = ["&&", "||", "|&", ";", "&", "|"];
        const REDIRECTS: [&str; 12] = [
            "&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">",
        ];
        let mut depth = 0;
        let mut documents: Vec<(usize, String, bool, bool)> = Vec::new();
        loop {
            while self.takes("\\\n") || self.takes(" ") || self.takes("\t") {}
            let Some(next) = self.peek() else {
                return match is_nested || !documents.is_empty() {
                    true => Err("its end is missing".to_owned()),
                    false => Ok(()),
                };
            };
            if next == '\n' {
                self.at += 1;
                for (at, end, is_quoted, strips) in documents.drain(..) {
                    tokens[at] = Token::Document(self.document(&end, is_quoted, strips)?);
                }
                tokens.push(Token::Operator("\n"));
            } else if next == '#' {
                let comment = self.taken_while(|it| it != '\n');
                if is_nested && comment.contains(')') {
                    return Err(unlike("#"));
                }
            } else if next == '(' {
                if self.rest().starts_with("((") {
                    return Err(unlike("(("));
                }
                self.at += 1;
                depth += 1;
                tokens.push(Token::Operator("("));
            } else if self.takes(")") {
                match depth {
                    0 if is_nested && documents.is_empty() => return Ok(()),
                    0 => return Err("it has a bracket too many".to_owned()),
                    _ => depth -= 1,
                }
                tokens.push(Token::Operator(")"));
            } else if self.rest().starts_with(";;") || self.rest().starts_with(";&") {
                return Err(unlike(";;"));
            } else if self.rest().starts_with("<(") || self.rest().starts_with(">(") {
                tokens.push(Token::Word(self.word()?));
            } else if let Some(redirect) = REDIRECTS.into_iter().find(|it| self.takes(it)) {
                if redirect.starts_with("<<") && redirect != "<<<" {
                    let (end, is_quoted) = self.end_of_document()?;
                    documents.push((tokens.len(), end, is_quoted, redirect == "<<-"));
                    tokens.push(Token::Document(Word::default()));
                    continue;
                }
                if self.peek() == Some('!') || redirect == ">>" && self.peek() == Some('|') {
                    return Err(unlike(">!"));
                }
                tokens.push(Token::Redirect(redirect));
            } else if let Some(operator) = OPERATORS.into_iter().find(|it| self.takes(it)) {
                tokens.push(Token::Operator(operator));
            } else {
                let word = self.word()?;
                let is_number = word.source.bytes().all(|it| it.is_ascii_digit());
                match self.peek() {
                    Some('(') => return Err(unlike(&format!("{}(", word.source))),
                    // The number of a file, as in `2>`.
                    Some('<' | '>') if is_number => {}
                    _ => tokens.push(Token::Word(word)),
                }
            }
        }
    }

    fn word(&mut self) -> Result<Word, Unreadable> {
        let start = self.at;
        let mut word = Word {
            alike: true,
            ..Word::default()
        };
        if self.takes("<(") || self.takes(">(") {
            word.pieces.push(self.nested()?);
        }
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => self.single(&mut word)?,
                '"' => {
                    self.at += 1;
                    word.push("", true);
                    self.double(&mut word, Some('"'))?;
                }
                '\\' => {
                    self.at += 1;
                    match self.next() {
                        None => return Err("it ends with a backslash".to_owned()),
                        Some('\n') => {}
                        Some(it) if "xXuU01234567".contains(it) => {
                            return Err(unlike(&format!("\\{it}")));
                        }
                        Some(it) => {
                            word.alike &= !it.is_ascii_alphabetic();
                            word.push(it.encode_utf8(&mut [0; 4]), true);
                        }
                    }
                }
                '$' => self.dollar(&mut word, false)?,
                '`' => self.backquoted(&mut word)?,
                _ => {
                    self.at += next.len_utf8();
                    word.push(next.encode_utf8(&mut [0; 4]), false);
                }
            }
        }
        word.source = self.text[start..self.at].to_owned();
        Ok(word)
    }

    fn single(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        self.at += 1;
        let text = self.taken_while(|it| it != '\'');
        if !self.takes("'") {
            return Err("a quote is open".to_owned());
        }
        let slashes = text.len() - text.trim_end_matches('\\').len();
        if slashes % 2 == 1 {
            return Err(unlike("\\'"));
        }
        word.alike &= !text.contains("\\\\");
        word.push(&text, true);
        Ok(())
    }

    /// Reads a text in which quotes are plain characters: to its closing quote, or to the end of a here-document.
    fn double(&mut self, word: &mut Word, end: Option<char>) -> Result<(), Unreadable> {
        while let Some(next) = self.peek() {
            match next {
                '"' if end.is_some() => {
                    self.at += 1;
                    return Ok(());
                }
                '$' => self.dollar(word, true)?,
                '`' => self.backquoted(word)?,
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => _ = self.next(),
                        Some(it) if "$`\\".contains(it) || it == '"' && end.is_some() => {
                            word.alike &= it != '`';
                            self.at += 1;
                            word.push(it.encode_utf8(&mut [0; 4]), true);
                        }
                        _ => word.push("\\", true),
                    }
                }
                _ => {
                    self.at += next.len_utf8();
                    word.push(next.encode_utf8(&mut [0; 4]), true);
                }
            }
        }
        match end {
            Some(_) => Err("a quote is open".to_owned()),
            None => Ok(()),
        }
    }

    fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<(), Unreadable> {
        self.at += 1;
        let unknown = |inner, sets| Piece::Unknown { inner, sets };
        let piece = match self.peek() {
            Some('(') if self.rest().starts_with("((") => {
                self.arithmetic()?;
                unknown(None, None)
            }
            Some('(') => {
                self.at += 1;
                self.nested()?
            }
            Some('{') => self.braces(quoted)?,
            Some(it) if it.is_ascii_alphabetic() || it == '_' => {
                let name = self.taken_while(is_name);
                let mut after = self.rest().chars();
                match (after.next(), after.next()) {
                    (Some('['), _) => return Err(unlike(&format!("${name}["))),
                    // zsh reads `$name:h` as the folder of the value.
                    (Some(':'), Some(it)) if it.is_ascii_alphabetic() => unknown(None, None),
                    _ => Piece::Variable { name, quoted },
                }
            }
            Some(it) if "@*#?$!-".contains(it) || it.is_ascii_digit() => {
                self.at += 1;
                if self.peek() == Some('[') {
                    return Err(unlike(&format!("${it}[")));
                }
                unknown(None, None)
            }
            Some(it @ ('\'' | '"')) if !quoted => return Err(unlike(&format!("${it}"))),
            Some(it) if "+=~^[".contains(it) || it.is_alphanumeric() => {
                return Err(unlike(&format!("${it}")));
            }
            _ => {
                word.push("$", true);
                return Ok(());
            }
        };
        word.pieces.push(piece);
        Ok(())
    }

    /// Reads `${name}`, and the forms with a value in the place of an absent or a cut one.
    fn braces(&mut self, quoted: bool) -> Result<Piece, Unreadable> {
        let start = self.at;
        self.at += 1;
        let counts = self.takes("#");
        let name = match self.peek() {
            Some(it) if "@*?".contains(it) => self.next().map(String::from).unwrap_or_default(),
            _ => self.taken_while(is_name),
        };
        if (counts || !name.is_empty()) && self.takes("}") {
            let is_plain =
                !counts && !name.starts_with(|it: char| !it.is_ascii_alphabetic() && it != '_');
            return Ok(match is_plain {
                true => Piece::Variable { name, quoted },
                false => Piece::Unknown {
                    inner: None,
                    sets: None,
                },
            });
        }
        const FORMS: [&str; 14] = [
            ":-", ":=", ":+", ":?", "-", "=", "+", "?", "%%", "%", "##", "#", "//", "/",
        ];
        let form = FORMS.into_iter().find(|form| self.takes(form));
        let cuts = form.is_none()
            && self.takes(":")
            && self
                .peek()
                .is_some_and(|it| it.is_ascii_digit() || it == ' ');
        let mut inner = Word {
            alike: true,
            ..Word::default()
        };
        if !counts && !name.is_empty() && (form.is_some() || cuts) {
            loop {
                match self.peek() {
                    Some('}') => {
                        self.at += 1;
                        let sets = form.filter(|form| form.ends_with('=')).map(|_| name);
                        return Ok(Piece::Unknown {
                            inner: Some(inner),
                            sets,
                        });
                    }
                    Some('$') => self.dollar(&mut inner, true)?,
                    Some(it) if !"'\"\\`{()\n".contains(it) => self.at += it.len_utf8(),
                    _ => break,
                }
            }
        }
        let shown: String = self.text[start..].chars().take(12).collect();
        Err(unlike(&format!("${shown}")))
    }

    /// Reads numbers and names with an operator between each two.
    fn arithmetic(&mut self) -> Result<(), Unreadable> {
        self.at += 2;
        let Some(end) = self.rest().find("))") else {
            return Err("its end is missing".to_owned());
        };
        let (mut was_operand, mut is_inside) = (false, false);
        for it in self.rest()[..end].chars() {
            let is_part = is_name(it) || it == '$';
            let is_fitting = match it {
                _ if is_part => is_inside || !was_operand,
                '(' => !was_operand,
                _ => " +-*/%)<>!&|?:".contains(it),
            };
            if !is_fitting {
                return Err(unlike("$(("));
            }
            is_inside = is_part;
            was_operand = is_part || it == ')' || it == ' ' && was_operand;
        }
        self.at += end + 2;
        Ok(())
    }

    fn backquoted(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        self.at += 1;
        let text = self.taken_while(|it| it != '`');
        if text.contains('\\') || !self.takes("`") {
            return Err(unlike("`"));
        }
        let (tokens, read) = tokens(&text);
        word.pieces.push(Piece::Commands(tokens));
        read
    }

    fn nested(&mut self) -> Result<Piece, Unreadable> {
        let mut tokens = Vec::new();
        self.list(true, &mut tokens)?;
        Ok(Piece::Commands(tokens))
    }

    /// Reads the word that ends a here-document, and whether it is quoted.
    fn end_of_document(&mut self) -> Result<(String, bool), Unreadable> {
        self.taken_while(|it| " \t".contains(it));
        let word = self.word()?;
        let end = word.source.trim_matches(['\'', '"', '\\']).to_owned();
        let is_plain = |it: char| is_name(it) || it == '-';
        match !end.is_empty() && end.chars().all(is_plain) {
            true => Ok((end.clone(), end != word.source)),
            false => Err(unlike("<<")),
        }
    }

    fn document(&mut self, end: &str, quoted: bool, strips: bool) -> Result<Word, Unreadable> {
        let mut text = String::new();
        while !self.rest().is_empty() {
            let line = self.taken_while(|it| it != '\n');
            self.takes("\n");
            let line = match strips {
                true => line.trim_start_matches('\t'),
                false => &line,
            };
            if line == end {
                let mut word = Word {
                    alike: true,
                    source: text.clone(),
                    ..Word::default()
                };
                match quoted {
                    true => word.push(&text, true),
                    false => Lexer { text: &text, at: 0 }.double(&mut word, None)?,
                }
                return Ok(word);
            }
            if !quoted && line.ends_with('\\') {
                return Err("a line of its here-document ends with a backslash".to_owned());
            }
            text.push_str(line);
            text.push('\n');
        }
        Err("the end of its here-document is missing".to_owned())
    }
}

impl Word {
    fn push(&mut self, part: &str, is_quoted: bool) {
        match self.pieces.last_mut() {
            Some(Piece::Text { text, quoted }) if *quoted == is_quoted => text.push_str(part),
            _ => self.pieces.push(Piece::Text {
                text: part.to_owned(),
                quoted: is_quoted,
            }),
        }
    }

    /// Returns the text of a word that begins with characters outside of quotes.
    pub(super) fn head(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text {
                text,
                quoted: false,
            }) => text,
            _ => "",
        }
    }

    /// Returns the word, if none of it is quoted and all of it is plain.
    pub(super) fn plain(&self) -> Option<&str> {
        (self.pieces.len() == 1)
            .then(|| self.head())
            .filter(|text| !text.is_empty())
    }
}

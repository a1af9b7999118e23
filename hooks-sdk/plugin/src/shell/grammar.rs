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
    /// A value that only the shell knows, and the variable that it sets.
    Unknown {
        sets: Option<String>,
    },
}

const UNTOLD: &str = "is read differently by shells: write the command without it";

pub(super) struct Lexer<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
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

pub(super) fn unlike(part: &str) -> Unreadable {
    format!("`{part}` {UNTOLD}")
}

pub(super) fn is_name(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_'
}

impl Lexer<'_> {
    pub(super) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Takes a text, if it is the next one.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    pub(super) fn taken_while(&mut self, test: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let taken = rest[..rest.find(|it| !test(it)).unwrap_or(rest.len())].to_owned();
        self.at += taken.len();
        taken
    }

    /// Reads commands to the end of the text, or to the bracket that ends a substitution.
    pub(super) fn list(
        &mut self,
        is_nested: bool,
        tokens: &mut Vec<Token>,
    ) -> Result<(), Unreadable> {
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
    pub(super) fn push(&mut self, part: &str, is_quoted: bool) {
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

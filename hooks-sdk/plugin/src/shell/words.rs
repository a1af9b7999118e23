//! Divides a text of shell commands into words and operators. A part that sh, bash, zsh, ksh and fish read differently is no
//! word: the text is unread from there on.

use std::sync::LazyLock;

use regex::Regex;

use super::MAX_DEPTH;

/// A word as it is written, and its parts. An operator is a word, too.
#[derive(Default)]
pub(super) struct Word {
    pub source: String,
    /// The parts, each with whether it is in quotes.
    pub parts: Vec<(bool, Part)>,
}

pub(super) enum Part {
    Text(String),
    Variable(String),
    /// `$(…)` and the like, with `<(…)`.
    Commands(Vec<Word>),
    /// A value that only the shell knows.
    Unknown,
}

impl Word {
    fn of(text: &str, is_quoted: bool) -> Word {
        let parts = vec![(is_quoted, Part::Text(text.to_owned()))];
        Word {
            source: text.to_owned(),
            parts,
        }
    }

    fn push(&mut self, part: &str, is_quoted: bool) {
        match self.parts.last_mut() {
            Some((quoted, Part::Text(text))) if *quoted == is_quoted => text.push_str(part),
            _ => self.parts.push((is_quoted, Part::Text(part.to_owned()))),
        }
    }

    /// Returns the characters with which the word begins, if they are not in quotes.
    pub(super) fn head(&self) -> &str {
        match self.parts.first() {
            Some((false, Part::Text(text))) => text,
            _ => "",
        }
    }

    /// Returns the whole word, if it is plain characters outside of quotes.
    pub(super) fn plain(&self) -> &str {
        if self.parts.len() == 1 {
            self.head()
        } else {
            ""
        }
    }

    pub(super) fn is_operator(&self) -> bool {
        self.plain().starts_with(ENDS)
    }
}

/// Characters that end a word, beside blanks.
const ENDS: [char; 8] = ['\n', ';', '&', '|', '<', '>', '(', ')'];

/// Longer ones come first.
const OPERATORS: [&str; 19] = [
    "&>>", "&>", "<<<", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&&", "||", "|&", ";", "&",
    "|", "(", ")",
];

/// Returns whether a variable may have this name.
pub(super) fn is_variable(name: &str) -> bool {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    !name.is_empty() && name.chars().all(is_name) && !name.as_bytes()[0].is_ascii_digit()
}

pub(super) fn unlike<T>(part: &str) -> Result<T, String> {
    Err(format!(
        "`{part}` is read differently by shells: write the command without it"
    ))
}

/// Reads a text of commands: as far as it can be read, with the reason why it ends there.
pub(super) fn words(text: &str) -> (Vec<Word>, Result<(), String>) {
    let is_strange = |it: &char| {
        it.is_control() && !"\t\n".contains(*it) || it.is_whitespace() && !it.is_ascii()
    };
    let mut words = Vec::new();
    let read = match text.chars().find(is_strange) {
        Some(strange) => unlike(&strange.escape_default().to_string()),
        None => Lexer::new(text, 0).list(&mut words),
    };
    (words, read)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// How many substitutions are open.
    depth: usize,
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str, depth: usize) -> Lexer<'t> {
        Lexer { text, at: 0, depth }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Takes a text, if it is the next one.
    fn takes(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    fn taken_while(&mut self, test: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|it| !test(it)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Reads commands to the end of the text, or to the bracket that ends a substitution.
    fn list(&mut self, words: &mut Vec<Word>) -> Result<(), String> {
        let (mut brackets, mut documents) = (0, Vec::<(usize, String, bool)>::new());
        loop {
            while self.takes("\\\n") || self.takes(" ") || self.takes("\t") {}
            let rest = self.rest();
            if rest.is_empty() {
                return match self.depth > 0 || !documents.is_empty() {
                    true => Err("its end is missing".to_owned()),
                    false => Ok(()),
                };
            }
            if let Some(part) = ["((", ";;", ";&"].iter().find(|it| rest.starts_with(**it)) {
                return unlike(part);
            }
            if rest.starts_with('#') {
                let comment = self.taken_while(|it| it != '\n');
                if self.depth > 0 && comment.contains(')') {
                    return unlike("#");
                }
                continue;
            }
            if self.takes("\n") {
                for (at, end, is_quoted) in documents.drain(..) {
                    words[at] = self.document(&end, is_quoted)?;
                }
                words.push(Word::of("\n", false));
                continue;
            }
            let is_file = rest.starts_with("<(") || rest.starts_with(">(");
            let Some(found) = OPERATORS.iter().find(|it| !is_file && self.takes(it)) else {
                let word = self.word(false)?;
                let is_number = word.source.bytes().all(|it| it.is_ascii_digit());
                match self.rest().chars().next() {
                    Some('(') => return unlike(&format!("{}(", word.source)),
                    // The number of a file, as in `2>`.
                    Some('<' | '>') if is_number => {}
                    _ => words.push(word),
                }
                continue;
            };
            match *found {
                "(" => brackets += 1,
                ")" if brackets == 0 && self.depth > 0 && documents.is_empty() => return Ok(()),
                ")" if brackets == 0 => return Err("it has a bracket too many".to_owned()),
                ")" => brackets -= 1,
                _ if found.contains(['<', '>']) && self.rest().starts_with(['!', '|']) => {
                    return unlike(">!");
                }
                _ => {}
            }
            words.push(Word::of(found, false));
            if *found == "<<" {
                self.taken_while(|it| " \t".contains(it));
                let end = self.word(false)?;
                match &end.parts[..] {
                    [(is_quoted, Part::Text(end))] if is_variable(end) => {
                        documents.push((words.len(), end.clone(), *is_quoted));
                    }
                    _ => return unlike("<<"),
                }
                words.push(Word::default());
            }
        }
    }

    /// Reads the text of a here-document.
    fn document(&mut self, end: &str, is_quoted: bool) -> Result<Word, String> {
        let start = self.at;
        while !self.rest().is_empty() {
            let text = &self.text[start..self.at];
            let line = self.taken_while(|it| it != '\n');
            self.takes("\n");
            if line == end && is_quoted {
                return Ok(Word::of(text, true));
            }
            if line == end {
                return Lexer::new(text, self.depth).word(true);
            }
            if !is_quoted && line.ends_with('\\') {
                return Err("a line of its here-document ends with a backslash".to_owned());
            }
        }
        Err("the end of its here-document is missing".to_owned())
    }

    /// Reads a word; or the whole text of a here-document, in which quotes are plain characters.
    fn word(&mut self, is_document: bool) -> Result<Word, String> {
        let (start, mut quoted, mut word) = (self.at, is_document, Word::default());
        if !is_document && (self.takes("<(") || self.takes(">(")) {
            word.parts.push((false, self.nested()?));
            word.parts.push((false, Part::Unknown));
        }
        while let Some(next) = self.rest().chars().next() {
            if !quoted && (ENDS.contains(&next) || " \t".contains(next)) {
                break;
            }
            self.at += next.len_utf8();
            match next {
                '"' if !is_document => {
                    quoted = !quoted;
                    word.push("", true);
                }
                '\'' if !quoted => {
                    let text = self.taken_while(|it| it != '\'');
                    if !self.takes("'") {
                        return Err("a quote is open".to_owned());
                    }
                    // In fish, a backslash keeps a quote open.
                    if (text.len() - text.trim_end_matches('\\').len()) % 2 == 1 {
                        return unlike("\\'");
                    }
                    word.push(text, true);
                }
                '\\' => {
                    let Some(next) = self.rest().chars().next() else {
                        return Err("it ends with a backslash".to_owned());
                    };
                    self.at += next.len_utf8();
                    let is_plain = "$`\\".contains(next) || next == '"' && !is_document;
                    match next {
                        '\n' => {}
                        _ if quoted && !is_plain => word.push(&format!("\\{next}"), true),
                        // These have a meaning in fish.
                        _ if !quoted && "abcefntvxXuU01234567".contains(next) => {
                            return unlike(&format!("\\{next}"));
                        }
                        _ => word.push(&next.to_string(), true),
                    }
                }
                '$' => match self.dollar(quoted)? {
                    Some(part) => word.parts.push((quoted, part)),
                    None => word.push("$", true),
                },
                '`' => {
                    let text = self.taken_while(|it| it != '`');
                    // Fish knows no backquotes: there, these would end or begin something.
                    if text.contains(['\\', '"', '\'', '#']) || !self.takes("`") {
                        return unlike("`");
                    }
                    let (inner, read) = words(text);
                    word.parts.push((quoted, Part::Commands(inner)));
                    read?;
                }
                _ => word.push(&next.to_string(), quoted),
            }
        }
        if quoted != is_document {
            return Err("a quote is open".to_owned());
        }
        word.source = self.text[start..self.at].to_owned();
        Ok(word)
    }

    fn nested(&mut self) -> Result<Part, String> {
        if self.depth >= MAX_DEPTH {
            return Err(format!(
                "it has more than {MAX_DEPTH} substitutions in each other"
            ));
        }
        let mut words = Vec::new();
        self.depth += 1;
        self.list(&mut words)?;
        self.depth -= 1;
        Ok(Part::Commands(words))
    }

    /// Reads what is behind a `$`. Returns `None` if the `$` is a plain character.
    fn dollar(&mut self, quoted: bool) -> Result<Option<Part>, String> {
        /// Forms with plain characters, of which each shell makes some value.
        const FORMS: [&str; 6] = [
            r"([A-Za-z_]\w*)",
            r"\{([A-Za-z_]\w*)\}",
            r"\d\w*|[@*#?$!-]",
            r"\{(?:\d+|[@*?]|#\w*)\}",
            r"\{\w+(?::?[-+?]|[%#/])[\w./:,@+=#%*?~ -]*\}",
            r"\{\w+:[\d:]+\}",
        ];
        static FORM: LazyLock<Regex> = LazyLock::new(|| {
            let form = Regex::new(&format!("(?-u)^(?:{})", FORMS.join("|")));
            form.unwrap_or_else(|_| unreachable!())
        });
        let rest = self.rest();
        if rest.starts_with("((") {
            return unlike("$((");
        }
        if self.takes("(") {
            return self.nested().map(Some);
        }
        let form = FORM.captures(rest);
        self.at += form.as_ref().map_or(0, |form| form[0].len());
        let mut after = self.rest().chars();
        let (next, second) = (after.next(), after.next());
        match form {
            _ if next == Some('[') => unlike("$["),
            None => match next {
                Some(it) if it.is_alphanumeric() || "+=~^{".contains(it) => {
                    unlike(&format!("${it}"))
                }
                Some(it @ ('\'' | '"')) if !quoted => unlike(&format!("${it}")),
                _ => Ok(None),
            },
            // zsh reads `$name:h` as the folder of the value.
            Some(_) if next == Some(':') && second.is_some_and(char::is_alphabetic) => {
                Ok(Some(Part::Unknown))
            }
            Some(form) => Ok(Some(match form.get(1).or(form.get(2)) {
                Some(name) => Part::Variable(name.as_str().to_owned()),
                None => Part::Unknown,
            })),
        }
    }
}

//! The value of a word, as far as it is known before the shell runs.

use super::{
    Walk,
    grammar::{Piece, Token, Unreadable, Word},
};

/// A word's value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// The value; of one that only the shell knows, the word as it is written.
    pub text: String,
    pub is_known: bool,
    /// Whether the value is the same in each shell, so that another shell can be given it as code.
    pub is_alike: bool,
}

impl Value {
    pub(super) fn new(text: &str) -> Value {
        Value {
            text: text.to_owned(),
            is_known: true,
            is_alike: true,
        }
    }

    pub(super) fn unknown(text: &str) -> Value {
        Value {
            is_known: false,
            ..Value::new(text)
        }
    }

    /// Returns a part of the value, as sure as the whole.
    pub(super) fn with(&self, part: &str) -> Value {
        Value {
            text: part.to_owned(),
            ..self.clone()
        }
    }

    pub(super) fn known(&self) -> Option<String> {
        self.is_known.then(|| self.text.clone())
    }
}

impl Walk<'_> {
    /// Returns the words that a word becomes: by its braces, and by the blanks of a variable's value.
    pub(super) fn values(&mut self, word: &Word) -> Result<Vec<Value>, Unreadable> {
        if let [
            Piece::Variable {
                name,
                quoted: false,
            },
        ] = &word.pieces[..]
            && let Some(value) = self.variable(name)
        {
            return Ok(value.split_whitespace().map(Value::new).collect());
        }
        let braces = word.plain().and_then(|text| {
            let (head, rest) = text.split_once('{')?;
            let (inside, tail) = rest.split_once('}')?;
            let is_plain = !inside.contains('{') && inside.contains(',') && !tail.contains('{');
            is_plain.then(|| {
                let words = inside.split(',').map(|it| format!("{head}{it}{tail}"));
                // A shell drops an empty word of braces.
                let words = words.filter(|it| !it.is_empty());
                words.map(|it| Value::new(&it)).collect()
            })
        });
        let split = |text: &str| text.contains('{') && (text.contains(',') || text.contains(".."));
        let mut value = match braces {
            Some(values) => return Ok(values),
            None => self.value(word, 0)?,
        };
        let is_other = |piece: &Piece| match piece {
            // zsh reads `=name` as the path of a program, and `**` as folders of any depth.
            Piece::Text {
                text,
                quoted: false,
            } => split(text) || text.contains("**"),
            Piece::Variable {
                name,
                quoted: false,
            } => self
                .variable(name)
                .is_some_and(|it| it.contains([' ', '\t', '\n', '*', '?', '['])),
            _ => false,
        };
        let is_program = word.head().starts_with('=') && !matches!(word.head(), "=" | "==" | "=~");
        if is_program || word.pieces.iter().any(is_other) {
            value = Value::unknown(&word.source);
        }
        Ok(vec![value])
    }

    /// Returns the value of a word without its first bytes, and reads the commands in it.
    pub(super) fn value(&mut self, word: &Word, skipped: usize) -> Result<Value, Unreadable> {
        let mut whole = Some(String::new());
        for (at, piece) in word.pieces.iter().enumerate() {
            let part = match piece {
                Piece::Text { text, quoted } if at == 0 => {
                    self.first(&text[skipped..], *quoted, word.pieces.len() > 1)
                }
                Piece::Text { text, .. } => Some(text.clone()),
                Piece::Variable { name, .. } => self.variable(name),
                Piece::Commands(tokens) => {
                    let before = self.state.clone();
                    self.whole(tokens)?;
                    self.state = before;
                    self.output(tokens)?
                }
                Piece::Unknown { sets } => {
                    if let Some(name) = sets {
                        self.state.variables.insert(name.clone(), None);
                    }
                    None
                }
            };
            whole = whole.zip(part).map(|(whole, part)| whole + &part);
        }
        let value = match whole {
            Some(text) => Value {
                is_alike: word.alike,
                ..Value::new(&text)
            },
            None => Value::unknown(&word.source),
        };
        Ok(value)
    }

    /// Returns the value of a word's beginning, in which `~` is a folder.
    fn first(&mut self, text: &str, quoted: bool, has_more: bool) -> Option<String> {
        match text.strip_prefix('~') {
            Some(rest) if !quoted && (rest.starts_with('/') || rest.is_empty() && !has_more) => {
                Some(self.variable("HOME")? + rest)
            }
            Some(_) if !quoted => None,
            _ if !quoted && text.starts_with('=') && has_more => None,
            _ => Some(text.to_owned()),
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let variables = &self.state.variables;
        // With another `IFS`, a shell splits values elsewhere.
        if variables.contains_key("IFS") {
            return None;
        }
        match variables.get(name) {
            Some(value) => value.clone(),
            None if name == "HOME" => self.home.clone(),
            None if name == "PWD" => self.here(),
            None => None,
        }
    }

    fn here(&self) -> Option<String> {
        match &self.state.folders[..] {
            [folder] => Some(folder.to_string_lossy().into_owned()),
            _ => None,
        }
    }

    /// Returns the output of `pwd`, `echo WORDS` and `cat` of a here-document.
    fn output(&mut self, tokens: &[Token]) -> Result<Option<String>, Unreadable> {
        let lines = tokens.iter().rev();
        let ends = lines
            .take_while(|it| matches!(it, Token::Operator("\n")))
            .count();
        let tokens = &tokens[..tokens.len() - ends];
        let Some(Token::Word(program)) = tokens.first() else {
            return Ok(None);
        };
        match (program.plain(), &tokens[1..]) {
            (Some("pwd"), []) => Ok(self.here()),
            (Some("cat"), [Token::Document(text)]) => {
                let value = self.value(text, 0)?;
                Ok(value
                    .known()
                    .map(|text| text.trim_end_matches('\n').to_owned()))
            }
            (Some("echo"), words) => {
                let mut said = Vec::new();
                for token in words {
                    let Token::Word(word) = token else {
                        return Ok(None);
                    };
                    said.extend(self.values(word)?);
                }
                // Shells disagree about its options and its backslashes.
                let is_odd =
                    |it: &Value| !it.is_known || it.text.starts_with('-') || it.text.contains('\\');
                let texts: Vec<&str> = said.iter().map(|it| &*it.text).collect();
                Ok((!said.iter().any(is_odd)).then(|| texts.join(" ")))
            }
            _ => Ok(None),
        }
    }
}

//! The value of a word, as far as it is known before the shell runs.

use brush_parser::{
    ast::{Command, CommandPrefixOrSuffixItem, IoRedirect, Word},
    word::{
        self, BraceExpressionMember, BraceExpressionOrText, Parameter, ParameterExpr, TildeExpr,
        WordPiece, WordPieceWithSource,
    },
};

use super::Walk;

/// The most words that one word with braces may become.
const MAX_BRACES: usize = 64;

/// A word's value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Known(String),
    /// Only the shell knows it: the word as it is written.
    Unknown(String),
}

impl Value {
    pub(super) fn known(&self) -> Option<String> {
        match self {
            Value::Known(text) => Some(text.clone()),
            Value::Unknown(_) => None,
        }
    }

    /// Returns the value, or the word as it is written.
    pub(super) fn text(&self) -> &str {
        let (Value::Known(text) | Value::Unknown(text)) = self;
        text
    }
}

impl Walk<'_> {
    /// Returns the values of a word after its braces are expanded.
    pub(super) fn values(&mut self, word: &Word) -> Vec<Value> {
        let text = &word.value;
        let braces = text
            .contains('{')
            .then(|| word::parse_brace_expansions(text, &self.options));
        let Some(Ok(Some(parts))) = braces else {
            return vec![self.value(word)];
        };
        match combined(&parts) {
            Some(words) => {
                // A shell drops an empty word of braces.
                let words = words.into_iter().filter(|text| !text.is_empty());
                words.map(|text| self.value(&Word::new(&text))).collect()
            }
            None => {
                let why = format!("its braces become more than {MAX_BRACES} words");
                self.call.cannot_read(text, why);
                vec![Value::Unknown(text.clone())]
            }
        }
    }

    /// Returns the value of a word, and reads the commands in it.
    pub(super) fn value(&mut self, word: &Word) -> Value {
        let pieces = match word::parse(&word.value, &self.options) {
            Ok(pieces) => pieces,
            Err(_) => {
                self.call
                    .cannot_read(&word.value, "it is no correct word of a shell");
                return Value::Unknown(word.value.clone());
            }
        };
        self.joined(&pieces, &word.value)
    }

    /// Returns the value of a here-document, in which quotes are plain characters.
    pub(super) fn document(&mut self, text: &str) -> Value {
        match word::parse_heredoc(text, &self.options) {
            Ok(pieces) => self.joined(&pieces, text),
            Err(_) => {
                self.call
                    .cannot_read(text, "it is no correct here-document");
                Value::Unknown(text.to_owned())
            }
        }
    }

    /// Reads the commands inside of a text that is no command itself, such as an arithmetic expression.
    pub(super) fn inside(&mut self, text: &str) {
        if text.contains(['$', '`']) {
            _ = self.document(text);
        }
    }

    fn joined(&mut self, pieces: &[WordPieceWithSource], source: &str) -> Value {
        let mut text = String::new();
        let mut is_known = true;
        for piece in pieces {
            match self.piece(piece, source) {
                Some(part) => text.push_str(&part),
                None => is_known = false,
            }
        }
        match is_known {
            true => Value::Known(text),
            false => Value::Unknown(source.to_owned()),
        }
    }

    fn piece(&mut self, piece: &WordPieceWithSource, source: &str) -> Option<String> {
        match &piece.piece {
            WordPiece::Text(text) | WordPiece::SingleQuotedText(text) => Some(text.clone()),
            WordPiece::EscapeSequence(text) => Some(escaped(text)),
            WordPiece::AnsiCQuotedText(text) => ansi(text),
            WordPiece::DoubleQuotedSequence(pieces)
            | WordPiece::GettextDoubleQuotedSequence(pieces) => self.joined(pieces, source).known(),
            WordPiece::TildeExpansion(TildeExpr::Home) => self.home.clone(),
            WordPiece::TildeExpansion(TildeExpr::WorkingDir) => self.here(),
            WordPiece::TildeExpansion(_) => None,
            WordPiece::ParameterExpansion(expression) => self.parameter(expression),
            WordPiece::CommandSubstitution(text) => self.substituted(text),
            WordPiece::BackquotedCommandSubstitution(text) => {
                let text = text
                    .replace("\\`", "`")
                    .replace("\\$", "$")
                    .replace("\\\\", "\\");
                self.substituted(&text)
            }
            WordPiece::ArithmeticExpression(expression) => {
                self.inside(&expression.value);
                None
            }
        }
    }

    fn here(&self) -> Option<String> {
        let folder = self.folder.as_ref()?;
        Some(folder.to_string_lossy().into_owned())
    }

    fn parameter(&mut self, expression: &ParameterExpr) -> Option<String> {
        match expression {
            ParameterExpr::Parameter {
                parameter: Parameter::Named(name),
                indirect: false,
            } => self.variable(name),
            ParameterExpr::Parameter { parameter, .. } => {
                if let Parameter::NamedWithIndex { index, .. } = parameter {
                    self.inside(index);
                }
                None
            }
            ParameterExpr::UseDefaultValues {
                default_value: text,
                ..
            }
            | ParameterExpr::AssignDefaultValues {
                default_value: text,
                ..
            }
            | ParameterExpr::UseAlternativeValue {
                alternative_value: text,
                ..
            } => {
                text.iter().for_each(|text| self.inside(text));
                None
            }
            // The texts of the others can have commands too.
            other => {
                let written = format!("{other:?}");
                if written.contains("$(") || written.contains('`') {
                    self.call.cannot_read("${…}", "a command stands in `${…}`");
                }
                None
            }
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        // With another `IFS`, a shell splits the value elsewhere.
        let splits = self.variables.get("IFS");
        if splits.is_some_and(|ifs| ifs.as_ref().is_none_or(|ifs| !ifs.trim().is_empty())) {
            return None;
        }
        match self.variables.get(name) {
            Some(value) => value.clone(),
            None if name == "HOME" => self.home.clone(),
            None if name == "PWD" => self.here(),
            None => None,
        }
    }

    /// Reads the commands of a substitution. Its value is known for `pwd`, `echo WORDS` and `cat` of a here-document.
    fn substituted(&mut self, text: &str) -> Option<String> {
        let (folder, variables) = (self.folder.clone(), self.variables.clone());
        self.text(text);
        let value = self.simply(text);
        (self.folder, self.variables) = (folder, variables);
        value
    }

    fn simply(&mut self, text: &str) -> Option<String> {
        let mut parser = brush_parser::Parser::new(text.as_bytes(), &self.options);
        let program = parser.parse_program().ok()?;
        let [list] = &program.complete_commands[..] else {
            return None;
        };
        let [item] = &list.0[..] else {
            return None;
        };
        let ([Command::Simple(simple)], true) =
            (&item.0.first.seq[..], item.0.additional.is_empty())
        else {
            return None;
        };
        let suffix: Vec<_> = simple.suffix.iter().flat_map(|suffix| &suffix.0).collect();
        let name = simple
            .word_or_name
            .as_ref()
            .filter(|_| simple.prefix.is_none())?;
        match (&*name.value, &suffix[..]) {
            ("pwd", []) => self.here(),
            ("cat", [CommandPrefixOrSuffixItem::IoRedirect(IoRedirect::HereDocument(_, doc))]) => {
                let text = &doc.doc.value;
                match doc.requires_expansion {
                    true => self.document(text).known(),
                    false => Some(text.clone()),
                }
            }
            ("echo", words) => {
                let mut said = Vec::new();
                for word in words {
                    let CommandPrefixOrSuffixItem::Word(word) = word else {
                        return None;
                    };
                    said.push(
                        self.value(word)
                            .known()
                            .filter(|word| !word.starts_with('-'))?,
                    );
                }
                Some(said.join(" "))
            }
            _ => None,
        }
    }
}

/// Returns the character after a backslash; nothing for a line that goes on.
fn escaped(text: &str) -> String {
    let text = text.strip_prefix('\\').unwrap_or(text);
    text.replace('\n', "")
}

/// Returns the text of `$'…'`, if it has no escape but the simple ones.
fn ansi(text: &str) -> Option<String> {
    let mut value = String::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            value.push(character);
            continue;
        }
        value.push(match rest.next()? {
            'n' => '\n',
            't' => '\t',
            same @ ('\\' | '\'' | '"' | '?') => same,
            'x' => {
                let digits: String = rest.by_ref().take(2).collect();
                char::from(u8::from_str_radix(&digits, 16).ok().filter(u8::is_ascii)?)
            }
            _ => return None,
        });
    }
    Some(value)
}

/// Returns the words that braces become; `None` if these are too many.
fn combined(parts: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for part in parts {
        let ends = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut ends = Vec::new();
                for member in members {
                    ends.extend(of_member(member)?);
                }
                ends
            }
        };
        if words.len() * ends.len() > MAX_BRACES {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| ends.iter().map(move |end| format!("{word}{end}")))
            .collect();
    }
    Some(words)
}

fn of_member(member: &BraceExpressionMember) -> Option<Vec<String>> {
    match member {
        BraceExpressionMember::Child(parts) => combined(parts),
        BraceExpressionMember::NumberSequence { start, end, .. } => {
            let (from, to) = (start.min(end), start.max(end));
            let count = usize::try_from(to.checked_sub(*from)?).ok()?;
            (count < MAX_BRACES).then(|| (*from..=*to).map(|it| it.to_string()).collect())
        }
        BraceExpressionMember::CharSequence { start, end, .. } => {
            let (from, to) = (start.min(end), start.max(end));
            let all: Vec<String> = (*from..=*to)
                .take(MAX_BRACES + 1)
                .map(String::from)
                .collect();
            (all.len() <= MAX_BRACES).then_some(all)
        }
    }
}

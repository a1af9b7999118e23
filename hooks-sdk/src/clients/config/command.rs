//! Command lines in hook entries: how one is written, and how ours is known again.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The words that follow the program in a hook entry of ours, unless told.
const WORDS: [&str; 2] = ["hooks", "fire"];

/// A command line that a POSIX shell splits into exactly this program and these arguments.
///
/// Clients hand the command of a hook to a shell. Windows' shells quote otherwise and are not supported.
/// A program's name that is not UTF-8 cannot stand in a JSON file; its odd bytes are replaced.
///
/// ```
/// use std::path::Path;
/// use hooks_sdk::clients::config::command_line;
///
/// assert_eq!(
///     command_line(Path::new("/home/Zoë's box/notes"), &["hooks", "fire"]),
///     r"'/home/Zoë'\''s box/notes' hooks fire",
/// );
/// ```
pub fn command_line(program: &Path, args: &[&str]) -> String {
    let mut line = quoted(&program.to_string_lossy());
    for word in args {
        line.push(' ');
        line.push_str(&quoted(word));
    }
    line
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// How a hook entry is known to be ours: its command starts a program of the same file name, and the words
/// `hooks fire` follow.
///
/// The folder does not count, so that entries are found again after the program moved. Two servers whose
/// programs have one file name take each other's entries for their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    name: String,
    words: Vec<String>,
}

/// What a command has to do with us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinship {
    /// It is ours.
    Ours,
    /// Somebody wrapped ours in a command of their own, which is theirs.
    Wrapped,
    /// It is somebody else's.
    Foreign,
}

impl Marker {
    /// Entries that start this program.
    pub fn new(program: &Path) -> Marker {
        Marker {
            name: file_name(program.as_os_str()),
            words: WORDS.map(str::to_owned).to_vec(),
        }
    }

    /// Other words than `hooks fire` after the program, for a binary that has the commands elsewhere.
    #[must_use]
    pub fn words<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Marker {
        self.words = words.into_iter().map(Into::into).collect();
        self
    }

    pub(super) fn of(name: String, words: Vec<String>) -> Marker {
        Marker { name, words }
    }

    pub(super) fn parts(&self) -> (&str, &[String]) {
        (&self.name, &self.words)
    }

    pub(super) fn kinship(&self, command: &str) -> Kinship {
        let Some(words) = split(command) else {
            return Kinship::Foreign;
        };
        let starts = |at: usize| {
            file_name(OsStr::new(&words[at].text)) == self.name
                && words.len() > at + self.words.len()
                && (words[at + 1..].iter().zip(&self.words)).all(|(word, mark)| word.text == *mark)
        };
        let simple = words.iter().all(|word| !word.special);
        match (0..words.len()).find(|at| starts(*at)) {
            Some(0) if simple => Kinship::Ours,
            Some(_) => Kinship::Wrapped,
            None => Kinship::Foreign,
        }
    }
}

fn file_name(program: &OsStr) -> String {
    let path = PathBuf::from(program);
    let name = path.file_name().unwrap_or(program);
    name.to_string_lossy().into_owned()
}

#[derive(Default)]
struct Word {
    text: String,
    /// Whether a character without quotes means more to a shell than itself.
    special: bool,
}

/// The words of a command line, or nothing when a quote is left open.
fn split(command: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut rest = command.chars();
    while let Some(character) = rest.next() {
        match character {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        inside => word.text.push(inside),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '\\' => match rest.next()? {
                            escaped @ ('"' | '\\' | '$' | '`') => word.text.push(escaped),
                            other => word.text.extend(['\\', other]),
                        },
                        inside => {
                            word.special |= matches!(inside, '$' | '`');
                            word.text.push(inside);
                        }
                    }
                }
            }
            '\\' => word.get_or_insert_default().text.push(rest.next()?),
            // A separator is a word of its own, even without blanks around it.
            ';' | '&' | '|' | '<' | '>' | '(' | ')' => {
                words.extend(word.take());
                words.push(Word {
                    text: character.to_string(),
                    special: true,
                });
            }
            plain => {
                let word = word.get_or_insert_default();
                word.special |= matches!(plain, '$' | '`' | '#');
                word.text.push(plain);
            }
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_splits_into_its_words_again() {
        for word in [
            "a", "", "a b", "it's", "é ü", "$HOME", "a\"b\\c", "~", "*", "a;b", "\n",
        ] {
            let line = command_line(Path::new("/p q/é"), &[word, "x"]);
            let words: Vec<String> = split(&line)
                .expect("closed quotes")
                .into_iter()
                .map(|word| word.text)
                .collect();
            assert_eq!(words, ["/p q/é", word, "x"], "{line}");
        }
    }

    #[test]
    fn ours_is_the_program_and_the_words() {
        let marker = Marker::new(Path::new("/opt/my tools/notes"));
        for (command, kinship) in [
            ("notes hooks fire --client x", Kinship::Ours),
            ("'/old place/notes' hooks fire", Kinship::Ours),
            ("\"$HOME/bin/notes\" hooks fire", Kinship::Wrapped),
            ("timeout 5 notes hooks fire", Kinship::Wrapped),
            ("date && notes hooks fire", Kinship::Wrapped),
            ("date;notes hooks fire", Kinship::Wrapped),
            ("notes hooks fire > log", Kinship::Wrapped),
            ("notes hooks list", Kinship::Foreign),
            ("notes hooks", Kinship::Foreign),
            ("my-notes hooks fire", Kinship::Foreign),
            ("echo 'notes hooks fire'", Kinship::Foreign),
            ("notes hooks fire 'open", Kinship::Foreign),
            ("", Kinship::Foreign),
        ] {
            assert_eq!(marker.kinship(command), kinship, "{command}");
        }
        let marker = marker.words(["admin", "fire"]);
        assert_eq!(marker.kinship("notes admin fire"), Kinship::Ours);
    }
}

//! Command lines in hook entries: how they are written, and how a program's own are recognized.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The default words after the program in a hook entry.
const WORDS: [&str; 2] = ["hooks", "fire"];

/// Makes a command line with which a POSIX shell runs exactly this program with these arguments, and does nothing if the
/// program does not exist.
///
/// Clients pass the command of a hook to a shell, and some read its exit code 127 as the hook's refusal. So a project's
/// entry must have no effect on a computer without the program. Windows' shells quote differently and are not supported.
/// A program's name that is not UTF-8 cannot be in a JSON file; its invalid bytes are replaced. The shell searches its PATH
/// for a program without a folder.
///
/// ```
/// use std::path::Path;
/// use hooks_sdk::clients::config::command_line;
///
/// assert_eq!(
///     command_line(Path::new("/home/Zoë's box/notes"), &["hooks", "fire"]),
///     r"test -x '/home/Zoë'\''s box/notes' || exit 0; exec '/home/Zoë'\''s box/notes' hooks fire",
/// );
/// assert_eq!(
///     command_line(Path::new("notes"), &["hooks", "fire"]),
///     "command -v notes >/dev/null || exit 0; exec notes hooks fire",
/// );
/// ```
pub fn command_line(program: &Path, args: &[&str]) -> String {
    guarded(program, args, "exit 0")
}

/// Makes the same command line as [`command_line`], but without the program it prints `output` in place of nothing. The exit
/// code is 0 in both cases.
///
/// ```
/// use std::path::Path;
/// use hooks_sdk::clients::config::command_line_or;
///
/// assert_eq!(
///     command_line_or(Path::new("/opt/notes"), &["hooks", "fire"], "it's gone"),
///     r"test -x /opt/notes || { printf '%s\n' 'it'\''s gone'; exit 0; }; exec /opt/notes hooks fire",
/// );
/// ```
pub fn command_line_or(program: &Path, args: &[&str], output: &str) -> String {
    let output = quoted(output);
    guarded(
        program,
        args,
        &format!("{{ printf '%s\\n' {output}; exit 0; }}"),
    )
}

/// Makes a command line that runs the program or, if it does not exist, the commands `otherwise`.
fn guarded(program: &Path, args: &[&str], otherwise: &str) -> String {
    let has_folder = program.components().count() > 1;
    let program = quoted(&program.to_string_lossy());
    let mut line = match has_folder {
        true => format!("test -x {program} || {otherwise}; exec {program}"),
        false => format!("command -v {program} >/dev/null || {otherwise}; exec {program}"),
    };
    for word in args {
        line.push(' ');
        line.push_str(&quoted(word));
    }
    line
}

/// The beginning and the end of a gate's command line: any failure of the program, its absence, and an output that is no
/// object refuse the call in every client whose hooks are commands. Some of these clients need the exit code 2 with a text.
const CLOSED: [&str; 2] = [
    "out=$(",
    ") && case $out in '{'*'}') printf '%s\\n' \"$out\";; *) false;; esac \
     || { echo 'The gate did not answer.' >&2; exit 2; }",
];

/// Makes the command line of a gate that refuses the call if the program is missing, crashes, ends with an error, or writes
/// anything else than one object.
pub fn closed_command_line(program: &Path, args: &[&str]) -> String {
    let mut line = CLOSED[0].to_owned() + &quoted(&program.to_string_lossy());
    for word in args {
        line.push(' ');
        line.push_str(&quoted(word));
    }
    line + CLOSED[1]
}

/// Returns a command line of these words for a POSIX shell.
pub(super) fn joined(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// Quotes a word for a POSIX shell, where that is needed.
pub fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The rule by which a program recognizes its own hook entries: the command starts a program of the same file name, and
/// the words `hooks fire` follow.
///
/// The folder does not count, so that entries are found after the program has moved. Two servers whose programs have
/// the same file name share their entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    name: String,
    words: Vec<String>,
}

/// Whose a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinship {
    /// The program's own.
    Ours,
    /// The user's: the program's command inside another command.
    Wrapped,
    /// Another program's.
    Foreign,
}

impl Marker {
    /// Makes the rule for entries that start this program.
    pub fn new(program: &Path) -> Marker {
        Marker {
            name: file_name(program.as_os_str()),
            words: WORDS.map(str::to_owned).to_vec(),
        }
    }

    /// Sets other words than `hooks fire`, for a binary that has the commands in another place.
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

    /// Returns whether these words start the program, with the words of the rule after it.
    pub(super) fn begins(&self, words: &[String]) -> bool {
        let Some((program, rest)) = words.split_first() else {
            return false;
        };
        file_name(OsStr::new(program)) == self.name && rest.starts_with(&self.words)
    }

    /// Returns whether a command is the program's own entry.
    pub fn is_own(&self, command: &str) -> bool {
        self.kinship(command) == Kinship::Ours
    }

    pub(super) fn kinship(&self, command: &str) -> Kinship {
        let Some(words) = split(command) else {
            return Kinship::Foreign;
        };
        let words = unguarded(&words);
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

/// Returns the words that run the program: all words, or those inside of what [`command_line`], [`command_line_or`] or
/// [`closed_command_line`] writes.
fn unguarded(words: &[Word]) -> &[Word] {
    let [begin, end] = CLOSED.map(|part| split(part).unwrap_or_default());
    let is = |words: &[Word], part: &[Word]| {
        let mut both = words.iter().zip(part);
        both.all(|(word, of)| word.text == of.text)
    };
    if let Some(inside) = words
        .len()
        .checked_sub(begin.len() + end.len())
        .filter(|&own| own > 0)
    {
        let (first, rest) = words.split_at(begin.len());
        let (own, last) = rest.split_at(inside);
        if is(first, &begin) && is(last, &end) {
            return own;
        }
    }
    GUARDS
        .iter()
        .find_map(|guard| after_guard(words, guard))
        .unwrap_or(words)
}

/// The words that [`command_line`] and [`command_line_or`] write before the program's own. An empty word matches any
/// quoted one, and the first of them is the program.
const GUARDS: [&[&str]; 2] = [
    &["test", "-x", "", "|", "|", "exit", "0", ";", "exec"],
    &[
        "test", "-x", "", "|", "|", "{", "printf", "%s\\n", "", ";", "exit", "0", ";", "}", ";",
        "exec",
    ],
];

/// Returns the words after a guard, if they start the program that the guard looks for.
fn after_guard<'w>(words: &'w [Word], expected: &[&str]) -> Option<&'w [Word]> {
    let (guard, rest) = words.split_at_checked(expected.len())?;
    let is_guard = guard.iter().zip(expected).all(|(word, expected)| {
        if expected.is_empty() {
            !word.special
        } else {
            word.text == *expected
        }
    });
    (is_guard && rest.first()?.text == guard[2].text).then_some(rest)
}

/// Returns the program that an own command starts.
pub(super) fn program(command: &str) -> Option<PathBuf> {
    let words = split(command)?;
    unguarded(&words)
        .first()
        .map(|word| PathBuf::from(&word.text))
}

fn file_name(program: &OsStr) -> String {
    let path = PathBuf::from(program);
    let name = path.file_name().unwrap_or(program);
    name.to_string_lossy().into_owned()
}

#[derive(Default)]
struct Word {
    text: String,
    /// Whether a shell interprets an unquoted character.
    special: bool,
}

/// Returns the words of a command line; `None` if a quote is not closed.
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
            let at = format!("/p q/{word}/é");
            let line = command_line(Path::new(&at), &[word, "x"]);
            let words = split(&line).expect("closed quotes");
            let words: Vec<&str> = unguarded(&words)
                .iter()
                .map(|word| word.text.as_str())
                .collect();
            assert_eq!(words, [&at, word, "x"], "{line}");
            assert_eq!(program(&line).as_deref(), Some(Path::new(&at)));
            let line = command_line_or(Path::new(&at), &["x"], word);
            assert_eq!(program(&line).as_deref(), Some(Path::new(&at)), "{line}");
        }
    }

    #[test]
    fn ours_is_the_program_and_the_words() {
        let marker = Marker::new(Path::new("/opt/my tools/notes"));
        for (command, kinship) in [
            ("notes hooks fire --client x", Kinship::Ours),
            ("'/old place/notes' hooks fire", Kinship::Ours),
            (
                "test -x '/a b/notes' || exit 0; exec '/a b/notes' hooks fire",
                Kinship::Ours,
            ),
            (
                &command_line_or(
                    Path::new("/a b/notes"),
                    &["hooks", "fire"],
                    "{\"it's\": $x}",
                ),
                Kinship::Ours,
            ),
            (
                "test -x /a/notes || { printf '%s\\n' $(rm x); exit 0; }; exec /a/notes hooks fire",
                Kinship::Wrapped,
            ),
            (
                &closed_command_line(Path::new("/a b/notes"), &["hooks", "fire"]),
                Kinship::Ours,
            ),
            (
                &closed_command_line(Path::new("/a b/notes"), &["hooks", "fire", "a b", "$x"]),
                Kinship::Ours,
            ),
            ("out=$(notes hooks fire)", Kinship::Wrapped),
            (
                "notes hooks fire || { echo no >&2; exit 2; }",
                Kinship::Wrapped,
            ),
            (
                "test -x /a/notes || exit 0; exec /b/notes hooks fire",
                Kinship::Wrapped,
            ),
            (
                "test -x /a/notes || exit 0; exec timeout 5 /a/notes hooks fire",
                Kinship::Wrapped,
            ),
            (
                "test -x /a/notes || exit 0; exec /a/notes hooks fire > log",
                Kinship::Wrapped,
            ),
            (
                "test -x $A/notes || exit 0; exec $A/notes hooks fire",
                Kinship::Wrapped,
            ),
            (
                "test -x /a/notes || exit 0; exec /a/notes hooks list",
                Kinship::Foreign,
            ),
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

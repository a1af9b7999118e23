//! Command lines in hook entries: how they are written, and how a server finds its own again.

use std::path::{Path, PathBuf};

use crate::Start;

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
    started(Start::ByName, program, args, NOTHING)
}

/// The commands that run without the program, if it then has no effect.
pub(crate) const NOTHING: &str = "exit 0";

/// Returns the commands that print this output without the program.
pub(crate) fn printed(output: &str) -> String {
    format!("{{ printf '%s\\n' {}; exit 0; }}", quoted(output))
}

/// Makes a command line that starts the program with these words or, if it does not exist, runs the commands `otherwise`.
///
/// ```
/// use std::path::Path;
/// use hooks_sdk::clients::{Start, config::started};
///
/// let (notes, fire) = (Path::new("notes"), ["hooks", "fire"]);
/// assert_eq!(
///     started(Start::ByName, notes, &fire, "exit 127"),
///     "command -v notes >/dev/null || exit 127; exec notes hooks fire",
/// );
/// assert_eq!(
///     started(Start::Pattern("bin/notes-*"), notes, &fire, "exit 127"),
///     "for p in bin/notes-*; do test -x \"$p\" || p=$(command -v notes) || exit 127; exec \"$p\" hooks fire; done",
/// );
/// ```
pub fn started(start: Start<'_>, program: &Path, args: &[&str], otherwise: &str) -> String {
    let has_folder = program.components().count() > 1;
    let line = line(program, args);
    let program = quoted(&program.to_string_lossy());
    match start {
        Start::Pattern(pattern) => format!(
            "for p in {pattern}; do test -x \"$p\" || p=$(command -v {program}) || {otherwise}; exec \"$p\"{}; done",
            &line[program.len()..]
        ),
        _ if has_folder => format!("test -x {program} || {otherwise}; exec {line}"),
        _ => format!("command -v {program} >/dev/null || {otherwise}; exec {line}"),
    }
}

/// Returns the words that start the program.
fn line(program: &Path, args: &[&str]) -> String {
    joined(&[&[&*program.to_string_lossy()], args].concat())
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
    CLOSED.join(&line(program, args))
}

/// Returns a command line of these words for a POSIX shell.
pub(super) fn joined(words: &[impl AsRef<str>]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word.as_ref())).collect();
    words.join(" ")
}

/// Quotes a word for a POSIX shell, where that is needed.
pub fn quoted(word: &str) -> String {
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// How a server finds its own hook entries in a client's file: their command ends with `--id` and the server's id.
///
/// Neither the program's name nor its folder counts. So the entries are found after the program has moved, and a server
/// whose program has the same file name keeps its own entries. Entries of an earlier version have no id. They are the
/// server's own if they start one of the programs that [`earlier`](EntryOwner::earlier) names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryOwner {
    id: String,
    earlier: Vec<PathBuf>,
}

/// Whose a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinship {
    /// The server's own.
    Ours,
    /// The server's own, written by a version that wrote no id.
    Earlier,
    /// The user's: the server's command inside another command.
    Wrapped,
    /// Another server's, or the user's.
    Foreign,
}

/// The words after the program.
const FIRE: [&str; 2] = ["hooks", "fire"];

/// The option before the id, which is the last word.
const ID: &str = "--id";

impl EntryOwner {
    /// Makes the rule for the entries of the server with this id.
    pub fn new(id: impl Into<String>) -> EntryOwner {
        EntryOwner {
            id: id.into(),
            earlier: Vec::new(),
        }
    }

    /// Takes over entries without an id that start this program. A path that is not absolute is ignored: any server can
    /// have a program of that name.
    #[must_use]
    pub fn earlier(mut self, program: &Path) -> EntryOwner {
        if program.is_absolute() {
            self.earlier.push(program.to_owned());
        }
        self
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether a command is the server's own entry.
    pub fn is_own(&self, command: &str) -> bool {
        matches!(self.kinship(command), Kinship::Ours | Kinship::Earlier)
    }

    pub(super) fn kinship(&self, command: &str) -> Kinship {
        if let Some(words) = words(command).filter(|words| fires(words)) {
            return match id(&words) {
                Some(id) if id == self.id => Kinship::Ours,
                None if self.starts_earlier(&words[0]) => Kinship::Earlier,
                _ => Kinship::Foreign,
            };
        }
        let fire = FIRE.join(" ");
        let own_id = format!("{ID} {}", self.id);
        let mut ids = command.match_indices(&own_id);
        let is_named = ids.any(|(at, _)| !command[at + own_id.len()..].starts_with(is_in_id));
        let mut earlier = self.earlier.iter();
        let starts_earlier = |program: &PathBuf| {
            let line = format!("{} {fire}", quoted(&program.to_string_lossy()));
            !command.contains(ID) && command.contains(&line)
        };
        match command.contains(&fire) && is_named || earlier.any(starts_earlier) {
            true => Kinship::Wrapped,
            false => Kinship::Foreign,
        }
    }

    fn starts_earlier(&self, program: &str) -> bool {
        self.earlier.iter().any(|it| it == Path::new(program))
    }
}

/// Returns whether these words, of which the first is a program, are the entry of a server.
fn fires(words: &[String]) -> bool {
    words
        .get(1..)
        .is_some_and(|rest| rest.starts_with(&FIRE.map(str::to_owned)))
}

/// Returns the id in the words of an entry.
fn id(words: &[String]) -> Option<&str> {
    match words {
        [.., option, id] if option == ID => Some(id),
        _ => None,
    }
}

/// Returns the words of a command line, the program first, if [`command_line`], [`started`] or
/// [`closed_command_line`] wrote the line, or if it has only words as they write them.
fn words(line: &str) -> Option<Vec<String>> {
    let closed = line.strip_prefix(CLOSED[0]);
    if let Some(inside) = closed.and_then(|line| line.strip_suffix(CLOSED[1])) {
        return all(inside);
    }
    let mut guards = ["test -x ", "command -v "].into_iter();
    let Some(guarded) = guards.find_map(|guard| line.strip_prefix(guard)) else {
        return all(line);
    };
    let (program, rest) = word(guarded)?;
    let rest = rest.strip_prefix(" >/dev/null").unwrap_or(rest);
    let rest = rest.strip_prefix(" || ")?;
    let rest = match rest.strip_prefix("{ printf '%s\\n' ") {
        Some(output) => word(output)?.1.strip_prefix("; exit 0; }")?,
        None => rest.strip_prefix("exit 0")?,
    };
    let words = all(rest.strip_prefix("; exec ")?)?;
    (words[0] == program).then_some(words)
}

/// Returns the words of a text that has nothing else; `None` if there is none.
fn all(text: &str) -> Option<Vec<String>> {
    let (first, mut rest) = word(text)?;
    let mut words = vec![first];
    while !rest.is_empty() {
        let (next, after) = word(rest.strip_prefix(' ')?)?;
        words.push(next);
        rest = after;
    }
    Some(words)
}

/// Returns the first word, if [`quoted`] wrote it, and the rest.
fn word(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('\'') else {
        let end = text.find(|it| !is_plain(it)).unwrap_or(text.len());
        return (end > 0).then(|| (text[..end].to_owned(), &text[end..]));
    };
    let mut word = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        word.push_str(part);
        match after.strip_prefix(r"\''") {
            Some(more) => {
                word.push('\'');
                rest = more;
            }
            None => return Some((word, after)),
        }
    }
}

/// Returns whether a command is the entry of any server.
pub(super) fn is_of_a_server(command: &str) -> bool {
    words(command).is_some_and(|words| fires(&words))
}

/// Returns the program that an own command starts.
pub(super) fn program(command: &str) -> Option<PathBuf> {
    Some(words(command)?.swap_remove(0).into())
}

/// Returns whether a shell takes a character as it is.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-./:@%+,".contains(character)
}

/// Returns whether a character can be in an id.
fn is_in_id(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "/a b/notes";

    /// The lines that an entry can have, with these words.
    fn lines(program: &str, words: &[&str]) -> [String; 4] {
        let program = Path::new(program);
        [
            command_line(program, words),
            started(
                Start::ByName,
                program,
                words,
                &printed("{\"it's\": \"; exec $x\"}"),
            ),
            closed_command_line(program, words),
            line(program, words),
        ]
    }

    #[test]
    fn the_program_of_each_line_is_found_again() {
        for folder in [
            "a",
            "a b",
            "it's",
            "é ü",
            "$HOME",
            "a\"b\\c",
            "~",
            "*",
            "a || b; exec c",
            "\n",
        ] {
            let at = format!("/p q/{folder}/é");
            for line in lines(&at, &["hooks", "fire", "--id", "notes"]) {
                assert_eq!(program(&line).as_deref(), Some(Path::new(&at)), "{line}");
            }
        }
        assert_eq!(program("'open hooks fire"), None);
        assert_eq!(program(""), None);
    }

    #[test]
    fn an_entry_is_of_the_server_whose_id_it_has() {
        let owner = EntryOwner::new("notes")
            .earlier(Path::new(PROGRAM))
            .earlier(Path::new("notes"));
        let all = |words: &[&str], kinship| {
            for line in lines(PROGRAM, words) {
                assert_eq!(owner.kinship(&line), kinship, "{line}");
            }
        };
        all(
            &["hooks", "fire", "--client", "x", "a; b", "--id", "notes"],
            Kinship::Ours,
        );
        all(
            &["hooks", "fire", "--client", "x", "--id", "notes-2"],
            Kinship::Foreign,
        );
        all(
            &["hooks", "fire", "--client", "x", "--id", "my-notes"],
            Kinship::Foreign,
        );
        all(&["hooks", "fire", "--client", "x"], Kinship::Earlier);
        all(&["hooks", "list", "--id", "notes"], Kinship::Foreign);
        for moved in ["/other/name", "server"] {
            let line = command_line(Path::new(moved), &["hooks", "fire", "--id", "notes"]);
            assert_eq!(owner.kinship(&line), Kinship::Ours, "{line}");
            // Any server can have a program of this name.
            let line = command_line(Path::new(moved), &["hooks", "fire"]);
            assert_eq!(owner.kinship(&line), Kinship::Foreign, "{line}");
        }
        let bare = command_line(Path::new("notes"), &["hooks", "fire"]);
        assert_eq!(owner.kinship(&bare), Kinship::Foreign, "{bare}");
    }

    #[test]
    fn a_command_around_ours_is_the_users() {
        let owner = EntryOwner::new("notes").earlier(Path::new(PROGRAM));
        for command in [
            "timeout 5 notes hooks fire --id notes",
            "notes hooks fire --id notes > log",
            "notes hooks fire --id notes; date",
            "notes hooks fire $(date) --id notes",
            "notes hooks fire\t--id notes",
            "date && notes hooks fire --id notes",
            "$A/notes hooks fire --id notes",
            "\"$HOME/bin/notes\" hooks fire --id notes",
            "out=$(notes hooks fire --id notes)",
            "notes hooks fire --id notes || { echo no >&2; exit 2; }",
            "test -x /a/notes || exit 0; exec /b/notes hooks fire --id notes",
            "test -x /a/notes || exit 0; exec timeout 5 /a/notes hooks fire --id notes",
            "test -x /a/notes || { printf '%s\\n' $(rm x); exit 0; }; exec /a/notes hooks fire --id notes",
            "timeout 5 '/a b/notes' hooks fire",
            "'/a b/notes' hooks fire > log",
        ] {
            assert_eq!(owner.kinship(command), Kinship::Wrapped, "{command}");
        }
        for command in [
            "notes hooks list",
            "notes hooks fire",
            "echo 'notes hooks fire'",
            "timeout 5 /a/notes hooks fire",
            "",
            "date --id notes",
        ] {
            assert_eq!(owner.kinship(command), Kinship::Foreign, "{command}");
        }
    }

    #[test]
    fn the_command_of_a_generated_file_has_the_id_too() {
        let owner = EntryOwner::new("notes").earlier(Path::new(PROGRAM));
        let owns = |words: &[&str]| owner.is_own(&joined(words));
        assert!(owns(&[
            "/x", "hooks", "fire", "--client", "c", "--id", "notes"
        ]));
        assert!(owns(&[PROGRAM, "hooks", "fire", "--client", "c"]));
        assert!(!owns(&[PROGRAM, "hooks", "fire", "--id", "other"]));
        assert!(!owns(&["/x/notes", "hooks", "fire", "--client", "c"]));
        assert!(!owns(&["/x", "hooks", "list", "--id", "notes"]));
        assert!(!owns(&[]));
    }
}

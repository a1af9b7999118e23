//! Conditions on JSON that an author writes in an attribute or in a file, parsed once and then tested without
//! allocation.
//!
//! ```
//! use hooks_sdk::core::condition::{Condition, Subject};
//! use serde_json::json;
//!
//! let condition = Condition::parse(r#"args.path = "/etc/**", not(user = "root")"#)?;
//! let args = json!({ "path": "/etc/passwd" });
//! let look = |root: &str| match root {
//!     "args" => Some(Subject::from(&args)),
//!     "user" => Some(Subject::Text("alice")),
//!     _ => None,
//! };
//! assert!(condition.holds(&look));
//! # Ok::<(), hooks_sdk::core::condition::ConditionError>(())
//! ```
//!
//! # Grammar
//!
//! A condition is one or more of these, with a comma between them that means *and*:
//!
//! | form | holds if the path leads to |
//! |---|---|
//! | `args.path` | anything but `null` |
//! | `args.path = "/etc/**"` | a text that matches the glob; `*` is any run of characters, `/` too. Without wildcards: this text |
//! | `args.count = 5`, `args.force = true` | this value; `5` and `5.0` are equal |
//! | `args.count = 10..=100` | a number in the range; `10..`, `..100`, `10..100` and fractions too |
//! | `args.mode = ["a", "b*", 5]` | one of these |
//! | `args.path = prefix("/srv/")` | a text that begins so |
//! | `args.path = inside("/srv/data")` | a path in this folder, or the folder itself, by its names alone: see below |
//! | `args.text = longer_than(1000)` | a text, an array or an object with more characters, items or members |
//! | `args.name = matches("^[a-z]+$")` | a text in which the regular expression is found |
//!
//! `not(…)` takes one condition, `any(…)` and `all(…)` take several. A path goes on with `.member`, `."any name"`, `[0]`,
//! and `[*]` for the items of an array. Texts are quoted as in Rust, raw ones too.
//!
//! A glob compares the text as it is: `"/etc/**"` does not match `/srv/../etc/passwd`, and `inside("/etc")` does.
//!
//! # Paths that are read differently
//!
//! Programs disagree about a path with `\`, `%2f`, `%252e`, `?`, `#`, NUL, line breaks, a drive, or dots and spaces at the
//! end of a name. So such a path has several readings. A rule that denies *unless* a path is `inside(…)` needs each reading
//! to lie in the folder, and a rule that denies *when* it is `inside(…)` matches if one does. A path that cannot be read in
//! at most 32 ways and 32 KiB is on the strict side of both. Links on the disk are not followed.
//!
//! # Absent paths, and values of another type
//!
//! [`Condition::holds`], for rules that deny *when*, takes an absent path as no match, and a value that the test cannot compare,
//! such as the text `"5000"` for a range of numbers, as a match. [`Condition::holds_for_all`], for rules that deny *unless*, takes both
//! as no match. `not(…)` does not change that: no value of another type leads around a rule.
//!
//! # Limits
//!
//! At most 16 KiB, 16 groups in each other, and 32 steps in a path. A regular expression takes linear time.

mod check;
mod inside;
#[doc(hidden)]
pub mod schema;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

pub use hooks_text::condition::ConditionFault as ConditionError;
#[doc(hidden)]
pub use hooks_text::condition::{Path, Step};
use hooks_text::condition::{Tree, parse};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use check::Check;

/// A condition that was read once and can be tested often; a clone shares it.
///
/// ```
/// use hooks_core::condition::{Condition, Subject};
/// use serde_json::json;
///
/// let args = json!({"path": "/etc/passwd"});
/// let condition = Condition::parse(r#"not(args.path = inside("/srv/exports"))"#)?;
/// assert!(condition.holds(&|root| (root == "args").then(|| Subject::from(&args))));
/// # Ok::<(), hooks_core::condition::ConditionError>(())
/// ```
#[derive(Clone)]
pub struct Condition(Arc<Parsed>);

struct Parsed {
    text: Box<str>,
    tree: Result<Tree<Check>, ConditionError>,
}

/// What a root of a path stands for, or what a path leads to.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a protocol has to be able to make each, and there is nothing else in JSON"
)]
pub enum Subject<'v> {
    /// A text.
    Text(&'v str),
    /// An object.
    Object(&'v Map<String, Value>),
    /// Any value.
    Value(&'v Value),
    /// A list of texts.
    Texts(&'v [String]),
    /// A list of shell commands.
    Commands(&'v [ShellCommand]),
    /// A shell command: its text, with its words in `.words`.
    Command(&'v ShellCommand),
}

/// A command that a shell would run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShellCommand {
    /// The command in one line, without quotes, with one blank between words; behind `<<` the text of a here-document.
    pub text: String,
    /// The program and its arguments, without quotes. A quoted text with blanks is one word.
    pub words: Vec<String>,
}

impl ShellCommand {
    /// Creates a command of its words.
    pub fn new(words: Vec<String>) -> ShellCommand {
        ShellCommand {
            text: words.join(" "),
            words,
        }
    }
}

impl PartialEq<&str> for ShellCommand {
    fn eq(&self, text: &&str) -> bool {
        self.text == *text
    }
}

impl<'v> Subject<'v> {
    /// Returns an item of a list; `None` if it is no list, or a shorter one.
    fn item(self, at: usize) -> Option<Subject<'v>> {
        match self {
            Subject::Texts(items) => items.get(at).map(|item| Subject::Text(item)),
            Subject::Commands(items) => items.get(at).map(Subject::Command),
            Subject::Value(Value::Array(items)) => items.get(at).map(Subject::from),
            _ => None,
        }
    }

    /// Returns how many items a list has.
    fn items(self) -> Option<usize> {
        match self {
            Subject::Texts(items) => Some(items.len()),
            Subject::Commands(items) => Some(items.len()),
            Subject::Value(Value::Array(items)) => Some(items.len()),
            _ => None,
        }
    }
}

impl<'v> From<&'v Value> for Subject<'v> {
    fn from(value: &'v Value) -> Subject<'v> {
        match value {
            Value::String(text) => Subject::Text(text),
            Value::Object(members) => Subject::Object(members),
            other => Subject::Value(other),
        }
    }
}

/// Resolves the roots of paths. A root without a value is as an absent path.
pub type Lookup<'l, 'v> = dyn Fn(&str) -> Option<Subject<'v>> + 'l;

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    ///
    /// The first mistake, with its column.
    pub fn parse(text: &str) -> Result<Condition, ConditionError> {
        let condition = Condition::written(text);
        match &condition.0.tree {
            Ok(_) => Ok(condition),
            Err(error) => Err(error.clone()),
        }
    }

    /// Reads a condition of generated code. A mistake that the compiler cannot see is its
    /// [`problem`](Condition::problem), which start-up reports. If it is used all the same, rules that test it deny.
    #[doc(hidden)]
    pub fn written(text: &str) -> Condition {
        Condition(Arc::new(Parsed {
            text: text.into(),
            tree: read(text),
        }))
    }

    /// Returns what is wrong with a condition of generated code.
    #[doc(hidden)]
    pub fn problem(&self) -> Option<&ConditionError> {
        self.0.tree.as_ref().err()
    }

    /// Returns the condition as it was written.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Whether the condition holds for some item wherever it says `[*]`. Rules that deny *when* it holds use this.
    ///
    /// An absent path matches no test, so `not(…)` around one holds. A value of a type that the test does not cover counts as one
    /// that matches, also inside of `not(…)`.
    pub fn holds<'v>(&self, look: &Lookup<'_, 'v>) -> bool {
        let mode = Mode {
            every: false,
            strict: false,
        };
        let tree = self.0.tree.as_ref();
        tree.map_or(true, |tree| mode.holds(tree, look))
    }

    /// Whether the condition holds for every item wherever it says `[*]`. Rules that deny *unless* it holds use this.
    ///
    /// An absent path, or a value of another type, counts as a value that is not allowed, also inside of `not(…)`. Only
    /// the bare path, which tests for presence, is sure about what is absent.
    pub fn holds_for_all<'v>(&self, look: &Lookup<'_, 'v>) -> bool {
        let mode = Mode {
            every: true,
            strict: true,
        };
        let tree = self.0.tree.as_ref();
        tree.is_ok_and(|tree| mode.holds(tree, look))
    }

    /// Returns the roots of the paths, as often as each is written. So a caller can refuse a root that it does not know.
    pub fn roots(&self) -> Vec<&str> {
        let mut roots = Vec::new();
        if let Ok(tree) = &self.0.tree {
            tree.each(&mut |path, _| roots.push(&*path.root));
        }
        roots
    }

    /// Calls `see` with each path.
    #[doc(hidden)]
    pub fn each_path<'c>(&'c self, mut see: impl FnMut(&'c Path)) {
        self.each_test(|path, _| see(path));
    }

    /// Calls `see` with each path, and the types of JSON that its test compares; none for every type.
    #[doc(hidden)]
    pub fn each_test<'c>(&'c self, mut see: impl FnMut(&'c Path, &[&'static str])) {
        if let Ok(tree) = &self.0.tree {
            tree.each(&mut |path, check| see(path, &check.types()));
        }
    }
}

fn read(text: &str) -> Result<Tree<Check>, ConditionError> {
    parse(text)?.try_map(&mut |path, test| {
        Check::new(test).map_err(|(message, help)| {
            ConditionError::new(text, path.at, format!("`{path}`: {message}"), help)
        })
    })
}

/// How a condition is read at one place.
#[derive(Clone, Copy)]
struct Mode {
    /// Whether `[*]` is every item.
    every: bool,
    /// Whether a value that cannot be judged must not let the whole condition hold.
    strict: bool,
}

impl Mode {
    /// Under `not(…)`: *some item does not* is *not every item does*.
    fn negated(self) -> Mode {
        Mode {
            every: !self.every,
            ..self
        }
    }

    fn holds<'v>(self, tree: &Tree<Check>, look: &Lookup<'_, 'v>) -> bool {
        match tree {
            Tree::All(list) => list.iter().all(|one| self.holds(one, look)),
            Tree::Any(list) => list.iter().any(|one| self.holds(one, look)),
            Tree::Not(one) => !self.negated().holds(one, look),
            Tree::Test(path, check) => match look(&path.root) {
                Some(Subject::Value(value)) => self.follow(value.into(), &path.steps, check),
                Some(subject) => self.follow(subject, &path.steps, check),
                None => self.judge(check, None),
            },
        }
    }

    /// Goes along a path. It calls itself once for each step of the path, however deep the document is.
    fn follow(self, subject: Subject<'_>, steps: &[Step], check: &Check) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            return self.judge(check, Some(subject));
        };
        let next = match (step, subject, subject.items()) {
            (Step::Every, list, Some(count)) => {
                let follows = |at| {
                    let item = list.item(at);
                    item.is_some_and(|item| self.follow(item, rest, check))
                };
                return match self.every {
                    true => (0..count).all(follows),
                    false => (0..count).any(follows),
                };
            }
            (Step::Item(at), list, Some(_)) => list.item(*at),
            (Step::Member(name), Subject::Object(members), _) => {
                members.get(name).map(Subject::from)
            }
            (Step::Member(name), Subject::Command(command), _) if name == "words" => {
                Some(Subject::Texts(&command.words))
            }
            (_, Subject::Value(Value::Null), _) => None,
            // A value that is no object and no list has no parts: no test compares one, and none is present.
            _ if !matches!(check, Check::Present) => return self.unsure(true),
            _ => None,
        };
        match next {
            Some(subject) => self.follow(subject, rest, check),
            None => self.judge(check, None),
        }
    }

    fn judge(self, check: &Check, subject: Option<Subject<'_>>) -> bool {
        let is_present = subject.is_some();
        let judged = check.of(subject, self.every);
        judged.unwrap_or_else(|| self.unsure(is_present))
    }

    /// Judges a value that a test cannot compare, or an absent one, so that it does not lead around a rule.
    fn unsure(self, is_present: bool) -> bool {
        // A condition of one kind is read as `every` outside of `not(…)`, one of the other kind inside.
        !self.every && (is_present || self.strict)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.as_str()).finish()
    }
}

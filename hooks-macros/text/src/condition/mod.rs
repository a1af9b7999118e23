//! Conditions on JSON, as authors write them in attributes and in files: `args.path = "/etc/**", not(user = "root")`.

mod number;
mod parser;
#[cfg(test)]
mod tests;
mod text;
mod value;

use std::{error::Error, fmt, ops::Bound};

pub use number::Number;
pub use parser::{parse, parse_path};

/// The longest condition, in bytes (16 KiB).
pub const MAX_CONDITION: usize = 16 * 1024;
/// How deep `not(…)`, `any(…)` and `all(…)` may stand in each other.
pub const MAX_DEPTH: usize = 16;
/// How many members and items one path may have.
pub const MAX_STEPS: usize = 32;

/// A condition with tests of the type `T`: [`Test`] as written, or a protocol's own compiled form.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every reader has to decide about every form"
)]
pub enum Tree<T> {
    /// Each of these.
    All(Vec<Tree<T>>),
    /// At least one of these.
    Any(Vec<Tree<T>>),
    /// Not this.
    Not(Box<Tree<T>>),
    /// A test of what a path leads to.
    Test(Path, T),
}

/// A path into a document: a root, which the reader resolves, and the way from there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Path {
    /// The byte of the condition at which the path begins.
    pub at: usize,
    /// The first word, such as `args`.
    pub root: String,
    /// The members and items behind it.
    pub steps: Vec<Step>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every reader has to decide about every form"
)]
pub enum Step {
    /// `.name` or `."na me"`: a member of an object.
    Member(String),
    /// `[0]`: an item of an array.
    Item(usize),
    /// `[*]`: any item, or every item, of an array.
    Every,
}

/// What a path has to lead to.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every reader has to decide about every form"
)]
pub enum Test {
    /// A bare path: anything but `null`.
    Present,
    /// `= "glob"`, `= 5`, `= true`
    Is(Scalar),
    /// `= ["a", "b*"]`
    OneOf(Vec<Scalar>),
    /// `= 10..=100`, with open ends
    Range(Bound<Number>, Bound<Number>),
    /// `= prefix("x")`
    Prefix(String),
    /// `= inside("/srv/data")`
    Inside(String),
    /// `= longer_than(1000)`
    LongerThan(usize),
    /// `= matches("^a+$")`
    Matches(String),
}

/// A single value.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every reader has to decide about every form"
)]
pub enum Scalar {
    /// A glob, or a text without wildcards.
    Text(String),
    /// A number.
    Number(Number),
    /// `true` or `false`.
    Flag(bool),
}

impl<T> Tree<T> {
    /// Replaces each test.
    ///
    /// # Errors
    ///
    /// The first error of `test`.
    pub fn try_map<U, E>(
        self,
        test: &mut impl FnMut(&Path, T) -> Result<U, E>,
    ) -> Result<Tree<U>, E> {
        let mut each = |list: Vec<Tree<T>>| -> Result<Vec<Tree<U>>, E> {
            list.into_iter().map(|one| one.try_map(test)).collect()
        };
        Ok(match self {
            Tree::All(list) => Tree::All(each(list)?),
            Tree::Any(list) => Tree::Any(each(list)?),
            Tree::Not(one) => Tree::Not(Box::new(one.try_map(test)?)),
            Tree::Test(path, own) => {
                let own = test(&path, own)?;
                Tree::Test(path, own)
            }
        })
    }

    /// Calls `see` with each path and its test.
    pub fn each<'t>(&'t self, see: &mut impl FnMut(&'t Path, &'t T)) {
        match self {
            Tree::All(list) | Tree::Any(list) => list.iter().for_each(|one| one.each(see)),
            Tree::Not(one) => one.each(see),
            Tree::Test(path, test) => see(path, test),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.steps.iter().try_for_each(|step| step.fmt(f))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Member(name) if text::is_word(name) => write!(f, ".{name}"),
            Step::Member(name) => write!(f, ".{name:?}"),
            Step::Item(at) => write!(f, "[{at}]"),
            Step::Every => f.write_str("[*]"),
        }
    }
}

/// What is wrong with a condition, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConditionFault {
    /// The byte at which it is wrong.
    pub at: usize,
    /// The column of that byte in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The one edit that mends it.
    pub help: String,
}

impl ConditionFault {
    /// Makes a mistake at a byte of the whole condition.
    pub fn new(
        whole: &str,
        at: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ConditionFault {
        ConditionFault {
            at,
            column: whole
                .char_indices()
                .take_while(|(start, _)| *start < at)
                .count()
                + 1,
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for ConditionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConditionFault {
            column,
            message,
            help,
            ..
        } = self;
        write!(f, "column {column}: {message}\nhelp: {help}")
    }
}

impl Error for ConditionFault {}

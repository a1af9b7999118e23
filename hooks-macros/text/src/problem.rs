//! What is wrong with a value that an author wrote, in one wording for the compiler, for start-up and for peers.

use std::{error::Error, fmt};

/// A rule that a value breaks: what is wrong, and the one edit that mends it.
///
/// Each rule is a function that returns one. An attribute applies it to a literal and reports it at the author's own token;
/// start-up and run-time checks call the same rule and report the same words. A rule about types is a `const fn`, which
/// generated code calls in a constant: [`pass`](Problem::pass) makes the problem a compile error there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// Message and help as one text, because a panic in a constant can format nothing.
    words: &'static str,
}

const HELP: &str = "\nhelp: ";

impl Problem {
    /// A problem in words: the message, then a line that begins with `help: `.
    pub const fn new(words: &'static str) -> Problem {
        Problem { words }
    }

    /// Panics with the words if there is a problem; in a constant this is a compile error at the caller.
    #[track_caller]
    pub const fn pass(problem: Option<Problem>) {
        if let Some(problem) = problem {
            panic!("{}", problem.words);
        }
    }

    /// What is wrong.
    pub fn message(self) -> &'static str {
        self.parts().0
    }

    /// The one edit that mends it.
    pub fn help(self) -> &'static str {
        self.parts().1
    }

    fn parts(self) -> (&'static str, &'static str) {
        self.words.split_once(HELP).unwrap_or((self.words, ""))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl Error for Problem {}

//! Reads the lines of a log for people, and counts them.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// The members of a line that people ask for. Lines without them have empty texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LogLine {
    /// The kind, such as `decision`.
    pub kind: String,
    /// The time.
    pub at: String,
    /// The id of the decision.
    pub decision_id: String,
    /// The user.
    pub user: String,
    /// The session.
    pub session: String,
    /// The method.
    pub method: String,
    /// The tool, the prompt or the URI.
    pub item: String,
    /// The decision.
    pub decision: String,
    /// The middleware that stopped the call.
    pub middleware: String,
    /// Its rule.
    pub rule: String,
    /// Its code.
    pub code: String,
    /// How the call ended.
    pub ended: String,
    /// How long it took, in microseconds.
    pub took_us: Option<u64>,
}

impl LogLine {
    /// Reads a line. Returns `None` if it is none of a log.
    pub fn read(line: &str) -> Option<LogLine> {
        let read: LogLine = serde_json::from_str(line).ok()?;
        (!read.kind.is_empty()).then_some(read)
    }

    /// Returns whether the line is about a call, a stop or a text, not about the chain.
    pub fn is_about_calls(&self) -> bool {
        matches!(&*self.kind, "call" | "decision" | "stop" | "text")
    }
}

impl fmt::Display for LogLine {
    /// Writes one line for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LogLine {
            at,
            kind,
            method,
            item,
            decision,
            decision_id,
            ..
        } = self;
        let word = if decision.is_empty() { kind } else { decision };
        write!(f, "{at} {word:<9} {method}")?;
        if !item.is_empty() {
            write!(f, " {}", item.escape_debug())?;
        }
        let by = [&self.middleware, &self.rule, &self.code];
        let by: Vec<_> = by.into_iter().filter(|word| !word.is_empty()).collect();
        if !by.is_empty() {
            write!(f, " by")?;
            for word in by {
                write!(f, " {}", word.escape_debug())?;
            }
        }
        if !self.user.is_empty() {
            write!(f, " user {}", self.user.escape_debug())?;
        }
        if let Some(took) = self.took_us {
            write!(f, " {took} µs")?;
        }
        if !decision_id.is_empty() {
            write!(f, " [{}]", decision_id.escape_debug())?;
        }
        Ok(())
    }
}

/// How often each rule decided what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSummary(BTreeMap<SummaryKey, u64>);

type SummaryKey = (String, String, String, String);

/// A row of a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SummaryRow {
    /// The decision.
    pub decision: String,
    /// The middleware.
    pub middleware: String,
    /// Its rule.
    pub rule: String,
    /// Its code.
    pub code: String,
    /// How many decisions.
    pub count: u64,
}

impl LogSummary {
    /// Counts a line, if it has a decision.
    pub fn add(&mut self, line: &LogLine) {
        if line.decision.is_empty() {
            return;
        }
        let own = line.clone();
        let key = (own.decision, own.middleware, own.rule, own.code);
        *self.0.entry(key).or_default() += 1;
    }

    /// Returns the rows, the most frequent first.
    pub fn rows(&self) -> Vec<SummaryRow> {
        let rows = self.0.iter().map(|(key, count)| {
            let (decision, middleware, rule, code) = key.clone();
            SummaryRow {
                decision,
                middleware,
                rule,
                code,
                count: *count,
            }
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.count));
        rows
    }
}

//! What may be asked of a search, and how it becomes SQL.

use jiff::Timestamp;
use rusqlite::ToSql;

use super::{check, error::Error, words::words};

/// The most different words of a query that count.
const QUERY_WORDS: usize = 64;
/// Words this long also find longer words that begin with them.
const PREFIX_FROM: usize = 4;

/// Which projects a search looks in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// These.
    Projects(Vec<String>),
    /// All there are.
    All,
}

/// What to search for.
#[derive(Clone, Debug)]
pub struct Query {
    /// Where to look.
    pub scope: Scope,
    /// The words; without any, or when no memory has one of them, the newest memories are found.
    pub text: String,
    /// Only memories with one of these tags; none means all.
    pub tags: Vec<String>,
    /// The most hits, 1 to [`check::MAX_LIMIT`].
    pub limit: i64,
    /// Only hits with at least this share of the best hit's score; with it, nothing stands in for hits.
    pub min_score: Option<f64>,
    /// Only memories stored at this moment or later.
    pub after: Option<String>,
    /// Only memories stored before this moment.
    pub before: Option<String>,
    /// Also memories that were replaced.
    pub include_superseded: bool,
    /// Only memories whose source begins so.
    pub source: Option<String>,
    /// Also the memories of this conversation; those of others are never found.
    pub conversation: Option<String>,
}

impl Query {
    /// A search in one project, with the defaults of `search_memories`.
    #[must_use]
    pub fn new(project: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            scope: Scope::Projects(vec![project.into()]),
            text: text.into(),
            tags: Vec::new(),
            limit: 5,
            min_score: None,
            after: None,
            before: None,
            include_superseded: false,
            source: None,
            conversation: None,
        }
    }

    pub(super) fn checked(self) -> Result<Checked, Error> {
        check::query(&self.text)?;
        let moment =
            |name, text: Option<&String>| text.map(|text| check::instant(name, text)).transpose();
        let after = moment("after", self.after.as_ref())?;
        let before = moment("before", self.before.as_ref())?;
        if let (Some(after), Some(before)) = (after, before)
            && after >= before
        {
            return Err(Error::refused(
                format!("`after` ({after}) is not earlier than `before` ({before})"),
                "exchange them, or leave one out",
            ));
        }
        let projects = match self.scope {
            Scope::All => None,
            Scope::Projects(names) => {
                check::count("projects", names.len(), check::MAX_PROJECTS)?;
                Some(
                    names
                        .iter()
                        .map(|name| check::project(name))
                        .collect::<Result<Vec<_>, _>>()?,
                )
            }
        };
        Ok(Checked {
            projects,
            words: sought(&self.text),
            tags: check::tags(&self.tags)?,
            limit: check::limit(self.limit)?,
            min_score: self.min_score.map(check::score).transpose()?,
            after,
            before,
            include_superseded: self.include_superseded,
            source: self.source.as_deref().map(check::source).transpose()?,
            conversation: self
                .conversation
                .as_deref()
                .map(check::conversation)
                .transpose()?,
        })
    }
}

/// A query within its bounds.
#[derive(Debug)]
pub(super) struct Checked {
    projects: Option<Vec<String>>,
    /// What to look for; any of them makes a hit.
    pub(super) words: Vec<String>,
    tags: Vec<String>,
    pub(super) limit: usize,
    pub(super) min_score: Option<f64>,
    after: Option<Timestamp>,
    before: Option<Timestamp>,
    include_superseded: bool,
    source: Option<String>,
    conversation: Option<String>,
}

/// Words that nearly every English text has: a memory that shares only these with a query does not match
/// it. They count in a query that has no others.
const FILLERS: [&str; 34] = [
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "by", "did", "do", "does", "for",
    "from", "how", "in", "is", "it", "of", "on", "or", "that", "the", "this", "to", "was", "we",
    "were", "what", "why", "with", "i", "you",
];

fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

/// A word as FTS5 takes it literally, whatever it is.
pub(super) fn phrase(word: &str) -> String {
    // FTS5 ends its input at a NUL, and a quote is doubled.
    format!("\"{}\"", word.replace('\0', " ").replace('"', "\"\""))
}

/// The words of a query that count.
fn sought(text: &str) -> Vec<String> {
    let mut seen = Vec::new();
    for word in words(text) {
        if !seen.contains(&word) && seen.len() < QUERY_WORDS {
            seen.push(word);
        }
    }
    if seen.iter().any(|word| !is_filler(word)) {
        seen.retain(|word| !is_filler(word));
    }
    seen
}

/// Whether a word also finds longer ones that begin with it.
pub(super) fn is_prefix(word: &str) -> bool {
    word.chars().count() >= PREFIX_FROM
}

/// User text is never FTS5 syntax: its words are quoted and any of them may match.
pub(super) fn expression(words: &[String]) -> String {
    let terms: Vec<String> = words
        .iter()
        .map(|word| phrase(word) + if is_prefix(word) { "*" } else { "" })
        .collect();
    terms.join(" OR ")
}

impl Checked {
    /// The conditions that were given; one that is always there would keep SQLite from using its indexes. Their values
    /// are added to `values`.
    pub(super) fn filters<'q>(&'q self, values: &mut Vec<Box<dyn ToSql + 'q>>) -> String {
        let list = |items: &[String]| Box::new(serde_json::json!(items).to_string());
        let mut conditions = Vec::new();
        let mut given = |value: Box<dyn ToSql + 'q>| {
            values.push(value);
            format!("?{}", values.len())
        };
        match self.projects.as_deref() {
            Some([one]) => conditions.push(format!("m.project = {}", given(Box::new(one)))),
            Some(names) => {
                let names = given(list(names));
                conditions.push(format!(
                    "m.project IN (SELECT value FROM json_each({names}))"
                ));
            }
            None => {}
        }
        if !self.tags.is_empty() {
            let wanted = given(list(&self.tags));
            conditions.push(format!(
                "EXISTS (SELECT 1 FROM json_each(m.tags) t WHERE t.value IN (SELECT value FROM json_each({wanted})))"
            ));
        }
        if let Some(after) = self.after {
            let after = given(Box::new(after.as_millisecond()));
            conditions.push(format!("m.created_at >= {after}"));
        }
        if let Some(before) = self.before {
            let before = given(Box::new(before.as_millisecond()));
            conditions.push(format!("m.created_at < {before}"));
        }
        if let Some(source) = self.source.as_deref().filter(|source| !source.is_empty()) {
            let source = given(Box::new(source));
            conditions.push(format!("substr(m.source, 1, length({source})) = {source}"));
        }
        conditions.push(match self.conversation.as_deref() {
            Some(conversation) => {
                let conversation = given(Box::new(conversation));
                format!("(m.conversation IS NULL OR m.conversation = {conversation})")
            }
            None => "m.conversation IS NULL".to_owned(),
        });
        if !self.include_superseded {
            conditions.push("m.superseded_by IS NULL".to_owned());
        }
        conditions.join(" AND ")
    }
}

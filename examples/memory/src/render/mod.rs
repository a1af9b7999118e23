//! The words of the answers, for agents to read and for programs to parse.

mod mcpl;

use std::fmt::Write as _;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::{
    args::{Mode, Output, SearchMemories},
    store::{Expanded, Found, Hit, Record, Similar, Stored, Topics},
};

pub(crate) use mcpl::{
    asked_to_merge, merged, merging, notes, reminder_cancelled, reminder_set, reminders,
    still_merging, unmerged,
};

/// The longest first line that a probe shows, in characters.
const PROBE: usize = 150;
/// The longest preview of a summary, in characters.
const PREVIEW: usize = 200;
/// How much of a query an answer repeats.
const ECHO: usize = 80;

fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

pub(crate) fn stored(project: &str, stored: &Stored) -> CallToolResult {
    text(format!("[{}] {}", project.trim(), one_stored(stored)))
}

pub(crate) fn batch(project: &str, all: &[Stored]) -> CallToolResult {
    let skipped = all.iter().filter(|s| matches!(s, Stored::Skipped(_)));
    let new = all.len() - skipped.count();
    let mut out = format!("[{}] Stored {new} of {}.", project.trim(), all.len());
    for (at, stored) in all.iter().enumerate() {
        let _ = write!(out, "\n{}. {}", at + 1, one_stored(stored));
    }
    text(out)
}

fn one_stored(stored: &Stored) -> String {
    match stored {
        Stored::New {
            id,
            superseded: Some(old),
            ..
        } => format!("Stored, ID: {id}. It replaces {old}."),
        Stored::New {
            id,
            similar: Some(Similar { id: old, likeness }),
            ..
        } => format!(
            "Stored, ID: {id}. A similar memory exists (score {likeness:.2}, ID: {old}): if both \
             say the same, delete one."
        ),
        Stored::New { id, .. } => format!("Stored, ID: {id}."),
        Stored::Skipped(Similar { id, likeness }) => format!(
            "Skipped: a memory already says this (score {likeness:.2}, ID: {id}). If yours \
             corrects it, store it again with `supersedes`: \"{id}\"."
        ),
    }
}

pub(crate) fn found(asked: &SearchMemories, found: &Found) -> CallToolResult {
    let mode = asked.mode.unwrap_or_default();
    if asked.output == Some(Output::Json) {
        let results: Vec<Value> = found.hits.iter().map(|hit| hit_json(hit, mode)).collect();
        return CallToolResult::structured(json!({
            "project": asked.project.trim(),
            "query": asked.query,
            "mode": format!("{mode:?}").to_lowercase(),
            "matched": found.is_matched,
            "ranked": found.is_ranked,
            "has_more": found.has_more,
            "results": results,
        }));
    }
    let project = asked.project.trim();
    let query = clip(&one_line(&asked.query), ECHO);
    let heading = match (found.hits.len(), found.is_matched) {
        (0, true) => {
            "no memories yet. Try fewer filters; `list_topics` shows what there is.".into()
        }
        (0, false) if found.is_ranked => format!(
            "no memory matches `{query}`. Try other words or fewer filters; `list_topics` shows what \
             there is."
        ),
        (0, false) => format!(
            "no memory matches `{query}`, and there are no others. Try fewer filters; `list_topics` \
             shows what there is."
        ),
        (_, false) => format!("no memory matches `{query}`; the newest:"),
        (count, true) => {
            let noun = if count == 1 { "memory" } else { "memories" };
            let about = if found.is_ranked {
                format!("for `{query}`")
            } else {
                "most recent first".to_owned()
            };
            let more = if found.has_more {
                "; there are more, raise `limit`"
            } else {
                ""
            };
            format!("{count} {noun}, {about}{more}")
        }
    };
    let mut out = format!("[{project}] {heading}");
    for (at, hit) in found.hits.iter().enumerate() {
        let shown = match mode {
            Mode::Probe => probe(&hit.record.content),
            Mode::Summary => clip(&one_line(&hit.record.content), PREVIEW),
            Mode::Full => hit.record.content.clone(),
        };
        let _ = write!(
            out,
            "\n\n{}. {shown}\n   {}",
            at + 1,
            facts(hit, project, mode)
        );
    }
    text(out)
}

fn facts(hit: &Hit, project: &str, mode: Mode) -> String {
    let record = &hit.record;
    let source = match record.source.as_str() {
        "" => "-",
        source => source,
    };
    let mut facts = format!(
        "Source: {source} | {} | ID: {}",
        record.created_at.strftime("%Y-%m-%d"),
        record.id
    );
    if mode != Mode::Probe && !record.tags.is_empty() {
        let _ = write!(facts, " | Tags: {}", record.tags.join(", "));
    }
    if let Some(score) = hit.score {
        let _ = write!(facts, " | Score: {score:.2}");
    }
    if record.project != project {
        let _ = write!(facts, " | Project: {}", record.project);
    }
    if let Some(newer) = &record.superseded_by {
        let _ = write!(facts, " | Superseded by: {newer}");
    }
    facts
}

fn hit_json(hit: &Hit, mode: Mode) -> Value {
    let mut value = record_json(&hit.record);
    let content = &hit.record.content;
    let (key, shown) = match mode {
        Mode::Probe => ("content_preview", probe(content)),
        Mode::Summary => ("content_preview", clip(&one_line(content), PREVIEW)),
        Mode::Full => ("content", content.clone()),
    };
    value[key] = shown.into();
    if let Some(score) = hit.score {
        value["score"] = json!(score);
    }
    value
}

fn record_json(record: &Record) -> Value {
    let mut value = json!({
        "id": record.id,
        "project": record.project,
        "tags": record.tags,
        "source": record.source,
        "created_at": record.created_at.to_string(),
        "updated_at": record.updated_at.to_string(),
    });
    if let Some(newer) = &record.superseded_by {
        value["superseded_by"] = newer.as_str().into();
    }
    value
}

pub(crate) fn expanded(project: &str, expanded: &Expanded, output: Output) -> CallToolResult {
    let project = project.trim();
    if output == Output::Json {
        let results: Vec<Value> = expanded
            .records
            .iter()
            .map(|record| {
                let mut value = record_json(record);
                value["content"] = record.content.as_str().into();
                value
            })
            .collect();
        return CallToolResult::structured(json!({
            "project": project,
            "results": results,
            "unknown": expanded.unknown,
        }));
    }
    let mut out = format!("[{project}]");
    for record in &expanded.records {
        let hit = Hit {
            record: record.clone(),
            score: None,
        };
        let facts = facts(&hit, project, Mode::Full);
        let _ = write!(out, "\n\n{}\n   {facts}", record.content);
    }
    if !expanded.unknown.is_empty() {
        let _ = write!(
            out,
            "\n\nNot in this project: {}",
            expanded.unknown.join(", ")
        );
    }
    text(out)
}

pub(crate) fn changed(what: &str, record: &Record) -> CallToolResult {
    let tags = match record.tags.as_slice() {
        [] => "none".to_owned(),
        tags => tags.join(", "),
    };
    let Record { project, id, .. } = record;
    text(format!("[{project}] {what}, ID: {id}. Tags: {tags}."))
}

pub(crate) fn deleted(record: &Record) -> CallToolResult {
    let Record { project, id, .. } = record;
    text(format!(
        "[{project}] Deleted, ID: {id}. It said: {}",
        probe(&record.content)
    ))
}

pub(crate) fn topics(project: &str, topics: &Topics) -> CallToolResult {
    let project = project.trim();
    if topics.memories == 0 {
        let others = match topics.projects.as_slice() {
            [] => "no project has any yet".to_owned(),
            names => format!("projects that have some: {}", names.join(", ")),
        };
        return text(format!("[{project}] No memories; {others}."));
    }
    let mut out = format!(
        "[{project}] Memories: {}. Topics: {}.",
        topics.memories,
        topics.topics.len()
    );
    for topic in &topics.topics {
        let _ = write!(out, "\n- {} ({})", topic.tag, topic.memories);
    }
    text(out)
}

pub(crate) fn projects(names: &[String]) -> CallToolResult {
    text(match names {
        [] => "No project has any memories yet.".to_owned(),
        names => format!("Projects that have memories: {}.", names.join(", ")),
    })
}

fn probe(content: &str) -> String {
    let first = content.lines().find(|line| !line.trim().is_empty());
    clip(first.unwrap_or_default().trim(), PROBE)
}

pub(crate) fn one_line(content: &str) -> String {
    content.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most so many characters, the mark of the cut included.
pub(crate) fn clip(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

//! Before an inference: the memories that have words of what the user said.

use hooks_sdk::prelude::*;
use serde_json::{Map, json};

use crate::{
    Memory,
    mcpl::sets::Retrieval,
    render::{clip, one_line},
    store::{Error, Found, Hit, Query, Scope, check::MAX_QUERY},
};

/// The most memories that are injected.
const MOST: i64 = 5;
/// The longest of each, in characters.
const LONGEST: usize = 300;
/// The share of the best one's score that the others have, at least.
const LEAST: f64 = 0.4;

#[hooks_sdk::hooks]
impl Memory {
    /// Searches all projects: the host names a conversation, which says nothing of a project.
    ///
    /// At `system`, as the document's own example has it. A host whose prompts are cached by their beginning pays for
    /// that when the memories change; when nothing is found, nothing is injected, and nothing changes.
    #[mcpl::hook(before_inference, feature_set = Retrieval, inject(system))]
    async fn recall(&self, turn: &BeforeInference) -> Result<Option<Injection>, Error> {
        let Some(said) = &turn.user_message else {
            return Ok(None);
        };
        let found = self.store().search(query(said)).await?;
        Ok(injection(&found))
    }
}

fn query(said: &str) -> Query {
    let mut query = Query::new("", said.chars().take(MAX_QUERY).collect::<String>());
    query.scope = Scope::All;
    query.limit = MOST;
    // With it nothing stands in for memories that match.
    query.min_score = Some(LEAST);
    query
}

fn injection(found: &Found) -> Option<Injection> {
    if !found.is_ranked || found.hits.is_empty() {
        return None;
    }
    let ids: Vec<&str> = found.hits.iter().map(|hit| &*hit.record.id).collect();
    let metadata = Map::from_iter([("memoryIds".to_owned(), json!(ids))]);
    let text = mcpl::wrapped("memories", found.hits.iter().map(line));
    let content = vec![mcpl::ContentBlock::text(text)];
    Some(Injection::new("memory", Position::System, content).metadata(metadata))
}

/// What is remembered, and where and when it was stored.
fn line(hit: &Hit) -> String {
    let record = &hit.record;
    let content = clip(&one_line(&record.content), LONGEST);
    let day = record.created_at.strftime("%Y-%m-%d");
    format!("{content} ({}, {day})", record.project)
}

//! Before an inference: the memories that what the user said is about.

use hooks_sdk::prelude::*;
use serde_json::{Map, json};

use crate::{
    Memory,
    mcpl::{OfConnection, asked::About, conversations::named, sets::Retrieval},
    render::{clip, one_line},
    store::{Error, Record, check::MAX_QUERY},
};

/// The most memories that are injected.
const MOST: usize = 3;
/// The longest of each, in characters.
const LONGEST: usize = 200;

#[hooks_sdk::hooks]
impl Memory {
    /// Looks in all projects and in this conversation; never in another one. Where nothing was said, it looks for what
    /// the agent last asked for, in that project only.
    ///
    /// Before the user's message, which is where hosts allow it: those of 0.5 deny `system` by
    /// default, and disable a feature set that needs it. It also leaves the beginning of the
    /// prompt alone, which hosts cache.
    #[mcpl::hook(before_inference, feature_set = Retrieval, inject(before_user))]
    async fn recall(
        &self,
        turn: &BeforeInference,
        cx: &mcpl::Context,
    ) -> Result<Option<Injection>, Error> {
        let conversation = named(cx, self.user(), &turn.conversation_id);
        let conversation = conversation.as_deref();
        let found = if let Some(said) = self.said(turn, conversation) {
            self.store().recall(conversation, &said, MOST).await?
        } else if let Some(About { project, words }) =
            cx.connection_data::<OfConnection>().asked.last()
        {
            self.store().recall_in(&project, &words, MOST).await?
        } else {
            return Ok(None);
        };
        Ok(injection(&found))
    }
}

impl Memory {
    /// What the user says, or what was said last in a conversation whose host does not tell it.
    fn said(&self, turn: &BeforeInference, conversation: Option<&str>) -> Option<String> {
        let conversations = &self.kept().conversations;
        let told = turn
            .user_message
            .as_deref()
            .filter(|said| !said.trim().is_empty());
        let Some(said) = told else {
            return conversations.last(conversation?);
        };
        if let Some(conversation) = conversation {
            conversations.hear(conversation, said);
        }
        Some(said.chars().take(MAX_QUERY).collect())
    }
}

fn injection(found: &[Record]) -> Option<Injection> {
    if found.is_empty() {
        return None;
    }
    let ids: Vec<&str> = found.iter().map(|record| &*record.id).collect();
    let metadata = Map::from_iter([("memoryIds".to_owned(), json!(ids))]);
    let text = mcpl::wrapped("memories", found.iter().map(line));
    let content = vec![mcpl::ContentBlock::text(text)];
    Some(Injection::new("memory", Position::BeforeUser, content).metadata(metadata))
}

/// What is remembered, and where and when it was stored.
fn line(record: &Record) -> String {
    let content = clip(&one_line(&record.content), LONGEST);
    let day = record.created_at.strftime("%Y-%m-%d");
    let place = match &record.conversation {
        Some(_) => "this conversation",
        None => &*record.project,
    };
    format!("{content} ({place}, {day})")
}

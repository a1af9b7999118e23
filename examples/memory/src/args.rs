//! The arguments of the tools; their documentation is the schema that agents read.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use crate::{extract::OneOrMany, store::check};

/// Arguments of `session_init`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionInit {
    /// The project that the session is about; when left out, the answer names the projects there are.
    pub(crate) project: Option<String>,
}

/// Arguments of `store_memory`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoreMemory {
    /// The project the memory belongs to, such as the name of the repository.
    pub(crate) project: String,
    /// What to remember: one finding, understandable without this conversation.
    pub(crate) content: String,
    /// Words to find it by later; [] for none.
    pub(crate) tags: OneOrMany,
    /// Where it comes from, such as a file, a link or a person.
    pub(crate) source: Option<String>,
    /// The ID of a memory that this one replaces.
    pub(crate) supersedes: Option<String>,
}

/// Arguments of `store_batch`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoreBatch {
    /// The project the memories belong to.
    pub(crate) project: String,
    /// The memories, all stored or none.
    #[schemars(length(min = 1, max = check::MAX_BATCH))]
    pub(crate) memories: Vec<NewMemory>,
}

/// One entry of `store_batch`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct NewMemory {
    /// What to remember.
    pub(crate) content: String,
    /// Words to find it by later; [] for none.
    pub(crate) tags: OneOrMany,
    /// Where it comes from.
    pub(crate) source: Option<String>,
    /// The ID of a memory that this one replaces.
    pub(crate) supersedes: Option<String>,
}

/// How much of each memory an answer shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Mode {
    /// The first line.
    Probe,
    /// The first 200 characters and the tags.
    #[default]
    Summary,
    /// Everything.
    Full,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Output {
    /// Text to read.
    #[default]
    Text,
    /// JSON to process.
    Json,
}

/// Arguments of `search_memories`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchMemories {
    /// The project to search.
    pub(crate) project: String,
    /// Words to look for, in any order; without words the answer lists the newest memories.
    pub(crate) query: String,
    /// Only memories with at least one of these tags.
    pub(crate) tags: Option<OneOrMany>,
    /// The most memories to return; 5 when left out.
    #[schemars(range(min = 1, max = check::MAX_LIMIT))]
    pub(crate) limit: Option<i64>,
    /// How much of each memory to show; `summary` when left out.
    pub(crate) mode: Option<Mode>,
    /// Only memories that score at least this share of the best one, 0 to 1; none when no memory
    /// matches.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) min_score: Option<f64>,
    /// Only memories stored at this ISO 8601 date or time, or later.
    pub(crate) after: Option<String>,
    /// Only memories stored before this ISO 8601 date or time.
    pub(crate) before: Option<String>,
    /// The form of the answer; `text` when left out.
    pub(crate) output: Option<Output>,
    /// Further projects to search, or "*" for all.
    pub(crate) projects: Option<OneOrMany>,
    /// Whether to show memories that were replaced, too.
    pub(crate) include_superseded: Option<bool>,
    /// Only memories whose source begins with this.
    pub(crate) source: Option<String>,
}

/// Arguments of `expand_memories`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpandMemories {
    /// The project of the memories.
    pub(crate) project: String,
    /// The IDs, as an answer of `search_memories` shows them.
    pub(crate) memory_ids: OneOrMany,
    /// The form of the answer; `text` when left out.
    pub(crate) output: Option<Output>,
}

/// Arguments of `update_memory`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateMemory {
    /// The project of the memory.
    pub(crate) project: String,
    /// Its ID.
    pub(crate) memory_id: String,
    /// The new content.
    pub(crate) content: Option<String>,
    /// The new tags, in place of the old ones.
    pub(crate) tags: Option<OneOrMany>,
    /// The new source.
    pub(crate) source: Option<String>,
}

/// Arguments of `retag_memory`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetagMemory {
    /// The project of the memory.
    pub(crate) project: String,
    /// Its ID.
    pub(crate) memory_id: String,
    /// Tags to add.
    pub(crate) add_tags: Option<OneOrMany>,
    /// Tags to remove.
    pub(crate) remove_tags: Option<OneOrMany>,
    /// The tags to have from now on; not together with the other two.
    pub(crate) set_tags: Option<OneOrMany>,
}

/// Arguments of `delete_memory`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteMemory {
    /// The project of the memory.
    pub(crate) project: String,
    /// Its ID.
    pub(crate) memory_id: String,
}

/// Arguments of `list_topics`, `consolidate_memories` and `list_reminders`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfProject {
    /// The project.
    pub(crate) project: String,
}

/// Arguments of `remind_me`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemindMe {
    /// The project that the reminder belongs to.
    pub(crate) project: String,
    /// What is to be said then, understandable without this conversation.
    pub(crate) text: String,
    /// When it is due: an RFC 3339 time with its offset, such as 2026-11-20T15:30:00+01:00.
    pub(crate) at: String,
}

/// Arguments of `cancel_reminder`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelReminder {
    /// The project of the reminder.
    pub(crate) project: String,
    /// Its ID, as an answer of `remind_me` or `list_reminders` shows it.
    pub(crate) reminder_id: String,
}

/// Arguments of `note_add`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteAdd {
    /// The note, one line.
    pub(crate) text: String,
}

/// Arguments of `note_list`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// Some clients want the member even where there is nothing in it.
#[schemars(extend("properties" = {}))]
pub(crate) struct NoteList {}

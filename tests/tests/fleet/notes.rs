//! A small memory server for the simulation: its tools answer as those of the real one, over a map in memory.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use hooks_sdk::{
    Hooked, Policy, collect,
    plugin::{Instance, ready::Confirm},
    server::{Guidance, Sessions},
    session::SessionState,
};
use rmcp::{
    ServerHandler,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ContentBlock},
    schemars, tool, tool_handler, tool_router,
};

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    /// Work.
    #[stage(allow(any))]
    Ready,
}

/// The memories of all replicas, and how often each was deleted.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    memories: HashMap<String, String>,
    last: usize,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct StoreMemory {
    content: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct DeleteMemory {
    memory_id: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct ExpandMemories {
    memory_ids: Vec<String>,
}

fn said(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

#[tool_router]
impl Notes {
    #[tool]
    async fn session_init(&self) -> CallToolResult {
        said("opened")
    }

    #[tool]
    async fn store_memory(&self, Parameters(given): Parameters<StoreMemory>) -> CallToolResult {
        let mut kept = self.0.lock().unwrap();
        let known = kept
            .memories
            .iter()
            .find(|(_, content)| **content == given.content);
        let id = match known {
            Some((id, _)) => id.clone(),
            None => {
                kept.last += 1;
                format!("memory-{}", kept.last)
            }
        };
        kept.memories.insert(id.clone(), given.content);
        said(format!("Stored, ID: {id}."))
    }

    #[tool]
    async fn delete_memory(&self, Parameters(given): Parameters<DeleteMemory>) -> CallToolResult {
        match self.0.lock().unwrap().memories.remove(&given.memory_id) {
            Some(_) => said("Deleted."),
            None => {
                CallToolResult::error(vec![ContentBlock::text("There is no memory with this ID.")])
            }
        }
    }

    #[tool]
    async fn expand_memories(
        &self,
        Parameters(given): Parameters<ExpandMemories>,
    ) -> CallToolResult {
        let kept = self.0.lock().unwrap();
        let found = given
            .memory_ids
            .iter()
            .filter_map(|id| kept.memories.get(id));
        said(found.cloned().collect::<Vec<_>>().join("\n"))
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

/// One replica, as its process makes it.
pub(crate) fn replica(notes: Notes) -> Hooked<Notes> {
    let confirm = Instance::of(Confirm::new().tool("delete_memory"));
    let collected = collect::<Notes>()
        .expect("sound hooks")
        .sessions(Sessions::of::<Stage>())
        .guidance(Guidance::new().app("notes").register_tool())
        .policy(Policy::new().with(confirm));
    collected.wrap(notes).expect("settings that fit")
}

//! Notes that a host may take back.

use hooks_sdk::{
    mcpl::{Call, Checkpoints, RollbackError, RollbackRequest, checkpoints::Json},
    prelude::*,
};
use rmcp::{
    ErrorData, ServerHandler,
    handler::server::{common::Extension, wrapper::Parameters},
    schemars, tool, tool_handler, tool_router,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NewNote {
    text: String,
}

// ANCHOR: server
pub(crate) struct Notes {
    notes: Checkpoints<Json<Vec<String>>>,
}

/// Manage notes
#[mcpl::feature_set("notes.edit", rollback)]
struct Edit;

#[hooks_sdk::hooks]
#[tool_router]
impl Notes {
    /// Adds a note.
    #[tool]
    #[mcpl::tool(feature_set = Edit)]
    async fn add_note(
        &self,
        Extension(call): Extension<Call>,
        Parameters(note): Parameters<NewNote>,
    ) -> Result<String, ErrorData> {
        let mut notes = self.notes.at(call.given()).await?;
        notes.push(note.text);
        call.answer_state(notes.commit().await?);
        Ok("added".to_owned())
    }

    #[mcpl::hook(rollback, feature_set = Edit)]
    async fn back(&self, request: &RollbackRequest) -> Result<(), RollbackError> {
        self.notes.rollback(request).await
    }
}
// ANCHOR_END: server

impl Notes {
    pub(crate) fn new() -> Notes {
        let notes = Checkpoints::in_memory(Json(Vec::new()));
        Notes { notes }
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

//! Working notes: a state in checkpoints, which the host rolls back together with the conversation.

use hooks_sdk::{
    mcpl::{
        Call, Checkpoints, RollbackError, RollbackRequest,
        checkpoints::{CheckpointError, Json},
    },
    prelude::*,
};
use rmcp::{
    ErrorData,
    handler::server::common::Extension,
    model::{CallToolResult, IntoContents},
    tool, tool_router,
};
use serde::{Deserialize, Serialize};

use crate::{
    Memory,
    args::{NoteAdd, NoteList},
    extract::{Arguments, schema},
    mcpl::{OfConnection, asks, conversations::user_named, sets::NoteKeeping},
    render,
    store::{Error, check::MAX_NOTES},
};

/// The most checkpoints that are kept, of all conversations together.
const KEPT: usize = 10_000;

/// All notes. They belong to a conversation and no project: the host, which keeps them, knows only the former.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Notes {
    pub(crate) notes: Vec<Note>,
}

/// One note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) id: u64,
    pub(crate) text: String,
}

#[hooks_sdk::hooks]
#[tool_router(router = note_tools, vis = "pub(crate)")]
impl Memory {
    #[mcpl::hook(rollback, feature_set = NoteKeeping)]
    async fn roll_back(
        &self,
        request: &RollbackRequest,
        cx: &mcpl::Context,
    ) -> Result<(), RollbackError> {
        let notes = self
            .notes_of_connection(&cx.connection_data())
            .await
            .map_err(|error| RollbackError::Store(error.into()))?;
        notes.rollback(request).await
    }

    /// Add a working note: something to keep in view in this conversation. Findings that a later session
    /// needs go to `store_memory`.
    #[mcpl::tool(feature_set = NoteKeeping)]
    #[tool(
        input_schema = schema::<NoteAdd>(),
        annotations(title = "Add a note", destructive_hint = false, open_world_hint = false)
    )]
    async fn note_add(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<NoteAdd>,
    ) -> Result<CallToolResult, ErrorData> {
        let checked = given.and_then(|NoteAdd { text }| crate::store::check::note(&text));
        let (text, kept) = match (checked, self.notes(&call).await) {
            (Ok(text), Ok(kept)) => (text, kept),
            (Err(error), _) | (_, Err(error)) => return Ok(failed(error)),
        };
        let mut working = kept.at(call.given()).await?;
        if working.notes.len() >= MAX_NOTES {
            return Ok(failed(Error::refused(
                format!("there are {MAX_NOTES} notes already"),
                "go on without; what a later session needs goes to `store_memory`",
            )));
        }
        asks(&call, |asked| asked.note(&text));
        let last = working.notes.iter().map(|note| note.id).max().unwrap_or(0);
        working.notes.push(Note {
            id: last.saturating_add(1),
            text,
        });
        let answer = render::notes(&working.notes);
        call.answer_state(working.commit().await?);
        Ok(answer)
    }

    /// List the working notes.
    #[mcpl::tool(feature_set = NoteKeeping)]
    #[tool(
        input_schema = schema::<NoteList>(),
        annotations(title = "List the notes", read_only_hint = true, open_world_hint = false)
    )]
    async fn note_list(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<NoteList>,
    ) -> Result<CallToolResult, ErrorData> {
        let kept = match (given, self.notes(&call).await) {
            (Ok(NoteList {}), Ok(kept)) => kept,
            (Err(error), _) | (_, Err(error)) => return Ok(failed(error)),
        };
        let notes = kept.at(call.given()).await?;
        Ok(render::notes(&notes.notes))
    }
}

impl Memory {
    /// The notes that this call means.
    async fn notes(&self, call: &Call) -> Result<Checkpoints<Json<Notes>>, Error> {
        match call.host().connection_data::<OfConnection>() {
            Some(connection) => self.notes_of_connection(&connection).await,
            None => self.plain_notes(call).await,
        }
    }

    /// The checkpoints of all conversations, where each connection has a head of its own.
    async fn notes_of_connection(
        &self,
        connection: &OfConnection,
    ) -> Result<Checkpoints<Json<Notes>>, Error> {
        let open = async || self.tree("notes").await;
        let all = self.kept().notes.get_or_try_init(open).await?;
        let own = connection
            .notes
            .get_or_init(|| all.for_connection().keep(KEPT));
        Ok(own.clone())
    }

    /// The list of a user whose client does not speak MCPL: nothing but the file keeps these notes over a restart. All
    /// clients without a user have one list.
    async fn plain_notes(&self, call: &Call) -> Result<Checkpoints<Json<Notes>>, Error> {
        match user_named(call.principal(), self.user()) {
            Some(user) => self.tree(&format!("notes of {user}")).await,
            None => {
                let open = async || self.tree("shared notes").await;
                let shared = self.kept().shared_notes.get_or_try_init(open).await?;
                Ok(shared.clone())
            }
        }
    }

    /// A tree in the file beside the memories' database.
    async fn tree(&self, name: &str) -> Result<Checkpoints<Json<Notes>>, Error> {
        // The store says whose database it is: into a stranger's nothing is written.
        self.store().status().await?;
        let mut path = self.store().path().to_owned().into_os_string();
        path.push("-notes");
        let tree = name.to_owned();
        let open = move || Checkpoints::sqlite(path, tree, Json(Notes::default()));
        let opened = tokio::task::spawn_blocking(open).await;
        let opened = opened.map_err(|lost| CheckpointError::Store(lost.into()));
        opened
            .and_then(|opened| opened)
            .map_err(|error| unusable(&error))
    }
}

fn unusable(error: &CheckpointError) -> Error {
    Error::refused(
        format!("the notes cannot be used: {error}"),
        "nothing was changed; call again, and restart memory-server if it stays",
    )
}

fn failed(error: Error) -> CallToolResult {
    CallToolResult::error(error.into_contents())
}

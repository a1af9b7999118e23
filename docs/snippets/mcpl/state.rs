//! A server's notes and ledger, kept in checkpoints.

use std::path::Path;

use hooks_sdk::{
    core::HookError,
    mcpl::{
        Checkpoints, Given, RollbackError, RollbackRequest,
        checkpoints::{CheckpointError, CheckpointState, Json},
        wire::StateUpdate,
        wrapped,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

// ANCHOR: state
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Notes {
    notes: Vec<Note>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Note {
    id: u64,
    text: String,
}

struct Desk {
    notes: Checkpoints<Json<Notes>>,
}
// ANCHOR_END: state

// ANCHOR: own
#[derive(Clone, Debug)]
struct Lines(Vec<String>);

impl CheckpointState for Lines {
    fn save(&self) -> Result<Value, HookError> {
        Ok(json!(self.0.join("\n")))
    }

    fn load(saved: &Value) -> Result<Lines, HookError> {
        let text = saved
            .as_str()
            .ok_or_else(|| HookError::new("it is no text"))?;
        Ok(Lines(text.lines().map(str::to_owned).collect()))
    }
}
// ANCHOR_END: own

// ANCHOR: open
impl Desk {
    fn open(file: &Path) -> Result<Desk, CheckpointError> {
        let notes = Checkpoints::sqlite(file, "notes", Json(Notes::default()))?;
        Ok(Desk {
            notes: notes.keep(200),
        })
    }
}
// ANCHOR_END: open

impl Desk {
    // ANCHOR: connection
    fn for_connection(&self) -> Desk {
        Desk {
            notes: self.notes.for_connection(),
        }
    }
    // ANCHOR_END: connection

    // ANCHOR: add
    async fn add(&self, given: &Given, text: &str) -> Result<StateUpdate, CheckpointError> {
        let mut state = self.notes.at(given).await?;
        let id = state.notes.last().map_or(1, |note| note.id + 1);
        let text = text.to_owned();
        state.notes.push(Note { id, text });
        state.commit().await
    }
    // ANCHOR_END: add

    // ANCHOR: list
    async fn list(&self, given: &Given) -> Result<String, CheckpointError> {
        let state = self.notes.at(given).await?;
        Ok(wrapped("notes", state.notes.iter().map(|note| &note.text)))
    }
    // ANCHOR_END: list

    // ANCHOR: ledger
    async fn send(&self, given: &Given) -> Result<StateUpdate, CheckpointError> {
        let mut state = self.notes.at(given).await?;
        self.mail(&state.notes).await;
        state.irreversible("the notes were sent by mail");
        state.commit_opaque().await
    }
    // ANCHOR_END: ledger

    // ANCHOR: rollback
    async fn back(&self, request: &RollbackRequest) -> Result<(), RollbackError> {
        self.notes.rollback(request).await
    }
    // ANCHOR_END: rollback

    /// Stands for what leaves the server.
    async fn mail(&self, _: &[Note]) {}
}

#[tokio::test]
async fn the_page_says_what_happens() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::open(&folder.path().join("desk.db")).unwrap();
    desk.add(&Given::nothing(), "Of another").await.unwrap();
    let desk = desk.for_connection();
    let first = desk.add(&Given::nothing(), "Buy milk").await.unwrap();
    let second = desk.add(&Given::nothing(), "</notes>").await.unwrap();
    let second = serde_json::to_value(second).unwrap();
    let patch = json!([{"op": "add", "path": "/notes/1", "value": {"id": 2, "text": "</notes>"}}]);
    assert_eq!(second["patch"], patch);
    assert_eq!(
        desk.list(&Given::nothing()).await.unwrap(),
        "<notes>\nBuy milk\n&lt;/notes>\n</notes>"
    );
    let back = RollbackRequest::new("desk.notes", &*first.checkpoint);
    desk.back(&back).await.unwrap();
    let given = Given::checkpoint(&*first.checkpoint);
    let sent = desk.send(&given).await.unwrap();
    assert_eq!(sent.parent, Some(first.checkpoint));
    let error = desk.back(&back).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "it cannot be undone: the notes were sent by mail"
    );
}

#[tokio::test]
async fn a_state_of_another_form_is_kept_as_it_says() {
    let lines = Checkpoints::in_memory(Lines(Vec::new()));
    let given = Given::state(json!("one"));
    let mut state = lines.at(&given).await.unwrap();
    state.0.push("two".to_owned());
    let update = serde_json::to_value(state.commit_data().await.unwrap()).unwrap();
    assert_eq!(update["data"], "one\ntwo");
    let strict = lines.refuse_unknown();
    let error = strict.at(&Given::state(json!(1))).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`state` is not what this server keeps: it is no text"
    );
}

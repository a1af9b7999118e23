//! Guidance hooks of every kind, and what an agent is told by them.

use std::path::Path;

use hooks_sdk::{
    core::BuildErrors,
    guidance::{self, Composer, Firing, Folder, HookInput, HookType, Lifecycle, RequirementLevel},
    prelude::*,
    server::Route,
};
use rmcp::{
    RoleServer, ServerHandler, handler::server::wrapper::Parameters, schemars,
    service::RequestContext, tool, tool_handler, tool_router,
};
use serde_json::{Map, Value};

pub(crate) struct Desk {
    drafts: Vec<String>,
}

// ANCHOR: text
/// The words are in `call-first.md`, beside this file.
#[guidance::hook(
    session, start,
    requirement = MUST,
    name = "Call This First",
    weight = 100,
    server = Desk
)]
struct CallFirst;
// ANCHOR_END: text

// ANCHOR: inline
/// The words are here; it is about one tool.
#[guidance::hook(
    action, end,
    requirement = SHOULD,
    name = "After Deleting",
    tool = "delete_*",
    text = "Tell the user which note is gone. `restore_note` brings it back for a day.",
    server = Desk
)]
struct AfterDeleting;
// ANCHOR_END: inline

// ANCHOR: conditions
/// Included only with SQLite, for clients that can ask their users, and with this configuration.
#[guidance::hook(
    session, start,
    requirement = MAY,
    name = "Merging",
    storage("sqlite"),
    features(elicitation),
    config(merge = true),
    text = "Call `merge_notes` when `search_notes` shows two notes that say the same.",
    server = Desk
)]
struct Merging;
// ANCHOR_END: conditions

// ANCHOR: computed
/// The words are made when the hook fires; `None` leaves it out.
#[guidance::hook(session, start, requirement = SHOULD, name = "Open Drafts")]
async fn open_drafts(desk: &Desk, _firing: &Firing) -> Option<String> {
    let newest = desk.drafts.last()?;
    Some(format!(
        "{} drafts are open, the newest is \"{newest}\". Call `finish_draft` on those you need.",
        desk.drafts.len()
    ))
}
// ANCHOR_END: computed

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

#[tool_router]
impl Desk {
    /// Deletes a note.
    #[tool]
    async fn delete_note(&self, Parameters(note): Parameters<Name>) -> String {
        format!("{} is deleted", note.name)
    }

    // ANCHOR: run_time
    /// Imports notes, and has the agent check them at the end of this session.
    #[tool]
    async fn import_notes(
        &self,
        Parameters(file): Parameters<Name>,
        cx: RequestContext<RoleServer>,
    ) -> String {
        let check = HookInput::new(
            HookType::Session,
            Lifecycle::End,
            "imported",
            "Imported Notes",
            RequirementLevel::Should,
        );
        let mut check = check.text(format!("Check what was imported from {}.", file.name));
        if let Some(session) = cx.session_id() {
            check = check.session_id(session.to_owned());
        }
        match cx.register_hook(check) {
            Ok(_id) => "imported".to_owned(),
            Err(problem) => format!("imported, without a reminder: {problem}"),
        }
    }
    // ANCHOR_END: run_time

    // ANCHOR: guide
    /// Says what there is to know about the storage.
    #[tool]
    async fn storage_help(&self, cx: RequestContext<RoleServer>) -> String {
        let composed = cx.guide(HookType::Storage, Lifecycle::Running).await;
        composed.content
    }
    // ANCHOR_END: guide
}

#[tool_handler]
impl ServerHandler for Desk {}

// ANCHOR: settings
fn settings(config: Map<String, Value>, folder: &Path) -> Result<Guidance, BuildErrors> {
    Ok(Guidance::new()
        .app("desk")
        .storage("sqlite")
        .config(config)
        .folder(Folder::read(folder)?)
        .composer(Composer::new().max_hooks(20).max_characters(8_000))
        .without(Route::Prompts)
        .trigger_tool()
        .register_tool())
}
// ANCHOR_END: settings

#[cfg(test)]
mod tests {
    use hooks_sdk::testing::TestHost;
    use serde_json::json;

    use super::*;

    fn desk() -> Desk {
        let drafts = vec!["Parser".to_owned()];
        Desk { drafts }
    }

    /// A client that knows nothing of hooks.
    async fn plain(server: impl ServerHandler) -> TestHost {
        let host = TestHost::builder().capabilities(json!({}));
        host.connect(server).await.unwrap()
    }

    #[tokio::test]
    async fn the_instructions_begin_the_session() {
        let host = plain(desk().with_hooks().unwrap()).await;
        let instructions = host.handshake()["instructions"].as_str().unwrap();
        assert!(instructions.starts_with("MUST:"), "{instructions}");
        let should = "\n\nSHOULD: 1 drafts are open, the newest is \"Parser\".";
        assert!(instructions.contains(should), "{instructions}");
        assert!(!instructions.contains("merge_notes"), "{instructions}");
    }

    #[tokio::test]
    async fn the_result_of_a_tool_brings_what_is_about_it() {
        let host = plain(desk().with_hooks().unwrap()).await;
        let deleted = host.call_tool("delete_note", json!({"name": "a"})).await;
        let deleted = deleted.unwrap().text();
        assert!(deleted.starts_with("a is deleted"), "{deleted}");
        assert!(deleted.contains("SHOULD: Tell the user which"), "{deleted}");
        let help = host.call_tool("storage_help", json!({})).await.unwrap();
        assert!(!help.text().contains("Tell the user"), "{help:?}");
        let imported = host.call_tool("import_notes", json!({"name": "b"})).await;
        assert_eq!(imported.unwrap().text(), "imported");
    }

    #[tokio::test]
    async fn settings_change_the_defaults() {
        let config = json!({"merge": true, "debug": true});
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/snippets/guidance/folder");
        let Value::Object(config) = config else {
            panic!("an object");
        };
        let settings = settings(config, &folder).unwrap();
        let host = plain(desk().with_hooks().unwrap().guidance(settings)).await;
        let instructions = host.handshake()["instructions"].as_str().unwrap();
        assert!(instructions.contains("### Debugging"), "{instructions}");
        assert!(host.handshake()["capabilities"].get("prompts").is_none());
        let tools = host.list_tools().await.unwrap();
        assert!(tools.iter().any(|tool| tool["name"] == "hooks_trigger"));
        assert!(tools.iter().any(|tool| tool["name"] == "hooks_register"));
    }
}

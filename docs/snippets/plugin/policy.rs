//! Policy around a server for notes: a rule, a check, a redaction and a question, and a test of each.

use std::{collections::BTreeMap, convert::Infallible, sync::Mutex};

use hooks_sdk::{
    Hooked, Policy,
    core::{BuildErrors, Verdict, Violation},
    plugin::{
        Instance, finder,
        ready::{RateLimit, Redact},
    },
    prelude::*,
    testing::TestHost,
};
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};
use serde_json::{Value, json};

// ANCHOR: server
struct Note {
    author: &'static str,
    text: &'static str,
}

pub(crate) struct Notes {
    notes: Mutex<BTreeMap<u64, Note>>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Which {
    id: u64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Export {
    path: String,
}

impl Notes {
    fn new() -> Notes {
        let note = Note {
            author: "kim",
            text: "Kim's IBAN is DE89 3704 0044 0532 0130 00",
        };
        Notes {
            notes: Mutex::new(BTreeMap::from([(1, note)])),
        }
    }

    fn author(&self, id: u64) -> Option<&'static str> {
        self.notes.lock().unwrap().get(&id).map(|note| note.author)
    }
}

#[tool_router]
impl Notes {
    #[tool]
    async fn read_note(&self, Parameters(note): Parameters<Which>) -> String {
        let notes = self.notes.lock().unwrap();
        let note = notes.get(&note.id);
        note.map_or("there is no such note", |note| note.text)
            .to_owned()
    }

    #[tool]
    async fn delete_note(&self, Parameters(note): Parameters<Which>) -> String {
        self.notes.lock().unwrap().remove(&note.id);
        "deleted".to_owned()
    }

    #[tool]
    async fn export_notes(&self, Parameters(to): Parameters<Export>) -> String {
        format!("exported to {}", to.path)
    }
}

#[tool_handler]
impl ServerHandler for Notes {}
// ANCHOR_END: server

// ANCHOR: rule
/// Notes leave the server in one folder only.
#[plugin::hook(
    tool_pre_invoke,
    tool = "export_notes",
    unless(args.path = inside("/srv/exports")),
    deny = "notes are exported to /srv/exports only",
    description = "pass a path in that folder",
    code = "OUTSIDE_EXPORTS",
    server = Notes
)]
struct OnlyExports;
// ANCHOR_END: rule

// ANCHOR: hooks
#[hooks_sdk::hooks]
impl Notes {
    /// Only its author deletes a note.
    #[plugin::hook(tool_pre_invoke, tool = "delete_note", priority = 10)]
    async fn only_author(&self, call: &ToolCall, cx: &mut PluginContext) -> Verdict<Infallible> {
        let id = call.args.get("id").and_then(Value::as_u64);
        let author = id.and_then(|id| self.author(id));
        if author.is_some() && author == cx.global.user.as_deref() {
            return Verdict::Allow;
        }
        Verdict::Deny(Violation::new("only its author deletes a note"))
    }
    // ANCHOR_END: hooks

    // ANCHOR: redaction
    /// Nobody reads secrets out of a note.
    #[plugin::hook(tool_post_invoke, tool = "read_note")]
    async fn no_secrets(&self, read: &ToolResult) -> Verdict<ToolResult> {
        let mut redacted = read.clone();
        let blocks = redacted.result.get_mut("content");
        for block in blocks.and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(Value::String(text)) = block.get_mut("text") {
                *text = finder::redact(text, &finder::find(text));
            }
        }
        Verdict::Modify(redacted)
    }
    // ANCHOR_END: redaction

    // ANCHOR: question
    /// The user decides whether a note is deleted.
    #[plugin::hook(tool_pre_invoke, tool = "delete_note", priority = 90)]
    async fn confirm(
        &self,
        call: &ToolCall,
        cx: &mut PluginContext,
    ) -> Verdict<Infallible, Question> {
        match cx.elicitation_responses.first() {
            None => {
                let id = call.args.get("id").unwrap_or(&Value::Null);
                Verdict::Ask(Question::confirm(format!("Delete note {id}?")))
            }
            Some(answer) if answer.confirmed("confirm") => Verdict::Allow,
            Some(_) => Verdict::Deny(Violation::new("the user keeps the note")),
        }
    }
}
// ANCHOR_END: question

// ANCHOR: policy
fn policy() -> Policy {
    Policy::new()
        .with(Instance::of(RateLimit::new().per_minute(60)).priority(1))
        .with(Instance::of(Redact::new()))
}

fn hooked(notes: Notes) -> Result<Hooked<Notes>, BuildErrors> {
    Ok(notes.with_hooks()?.policy(policy()))
}
// ANCHOR_END: policy

#[test]
fn the_policy_fits_the_server() {
    _ = hooked(Notes::new()).unwrap();
}

// ANCHOR: tests
fn of(user: &'static str) -> Hooked<Notes> {
    let policy = Policy::new().user(move |_| Some(user.to_owned()));
    Notes::new().with_hooks().unwrap().policy(policy)
}

#[tokio::test]
async fn no_path_leads_out_of_the_folder() {
    let host = TestHost::connect(of("kim")).await.unwrap();
    let out = json!({"path": "/srv/exports/../../etc/cron.d/notes"});
    let answer = host.call_tool("export_notes", out).await.unwrap();
    assert_eq!(
        answer.text(),
        "notes are exported to /srv/exports only: pass a path in that folder [OUTSIDE_EXPORTS]"
    );
}
// ANCHOR_END: tests

#[tokio::test]
async fn nobody_deletes_the_notes_of_others() {
    let host = TestHost::connect(of("alex")).await.unwrap();
    let answer = host.call_tool("delete_note", json!({"id": 1})).await;
    assert_eq!(
        answer.unwrap().text(),
        "only its author deletes a note [plugin_deny]"
    );
}

#[tokio::test]
async fn the_user_decides() {
    for version in ["2025-11-25", "2026-07-28"] {
        for (yes, expected) in [
            (true, "deleted"),
            (false, "the user keeps the note [plugin_deny]"),
        ] {
            let host = TestHost::builder()
                .version(version)
                .user(move |_| json!({"action": "accept", "content": {"confirm": yes}}));
            let host = host.connect(of("kim")).await.unwrap();
            let answer = host.call_tool("delete_note", json!({"id": 1})).await;
            assert_eq!(answer.unwrap().text(), expected, "{version}");
        }
    }
}

#[tokio::test]
async fn secrets_stay_in_the_server() {
    let host = TestHost::connect(of("alex")).await.unwrap();
    let answer = host.call_tool("read_note", json!({"id": 1})).await;
    assert_eq!(answer.unwrap().text(), "Kim's IBAN is [REDACTED]");
}

//! The recipes: the smallest code for each task.

use hooks_sdk::{
    Hooked,
    core::BuildErrors,
    lifecycle::{Event, Occasion, Variables},
    mcpl::{Enabled, EventId, Push, Pushed, SendError, wrapped},
    prelude::*,
    rmcp::ServerHandler,
    testing::TestHost,
};

struct Notes;

impl ServerHandler for Notes {}

// ANCHOR: commit
#[lifecycle::hook(
    post_tool_use,
    matcher(tool_name = "Bash", input_contains = "git commit"),
    strength = suggestion,
    text = "You just committed to {project_name}. Is there something worth a note?",
    server = Notes
)]
struct CommitReminder;
// ANCHOR_END: commit

// ANCHOR: start
#[hooks_sdk::hooks]
impl Notes {
    #[lifecycle::hook(session_start, strength = important, deadline = "2s", posture = proceed)]
    async fn open_notes(&self, start: &SessionStart) -> Option<String> {
        let project = start.project_name.as_deref()?;
        let notes = self.about(project);
        (!notes.is_empty()).then(|| format!("Open notes:\n{}", notes.join("\n")))
    }
}
// ANCHOR_END: start

impl Notes {
    fn about(&self, _project: &str) -> Vec<String> {
        Vec::new()
    }
}

// ANCHOR: first
#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, allow(search_notes), next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

fn with_sessions(notes: Notes) -> Result<Hooked<Notes>, BuildErrors> {
    Ok(notes.with_hooks()?.session::<Stage>())
}
// ANCHOR_END: first

// ANCHOR: inside
#[plugin::hook(
    tool_pre_invoke,
    tool = "export_notes",
    unless(args.path = inside("/srv/exports")),
    deny = "notes are exported to /srv/exports only",
    server = Notes
)]
struct OnlyExports;
// ANCHOR_END: inside

// ANCHOR: push
/// Reminds of notes that are due
#[mcpl::feature_set("notes.reminders", sends(push), server = Notes)]
struct Reminders;

#[hooks_sdk::hooks]
impl Notes {
    #[mcpl::hook(enabled, feature_set = Reminders)]
    async fn remind(&self, now: &Enabled) -> Result<(), SendError> {
        let reminder = Push::new(EventId::of("note 3", "due"), "Call Alice today.");
        if let Pushed::Refused(why) = now.host().push::<Reminders>(&reminder).await? {
            tracing::warn!(?why, "the host refused the reminder");
        }
        Ok(())
    }
}
// ANCHOR_END: push

// ANCHOR: inference
/// Finds notes about the user's message
#[mcpl::feature_set("notes.recall", server = Notes)]
struct Recall;

#[hooks_sdk::hooks]
impl Notes {
    #[mcpl::hook(before_inference, feature_set = Recall, inject(before_user))]
    async fn recall(&self, turn: &BeforeInference) -> Option<Injection> {
        let notes = self.about(turn.user_message.as_deref()?);
        let text = wrapped("notes", notes);
        Some(Injection::new("notes", Position::BeforeUser, text))
    }
}
// ANCHOR_END: inference

// ANCHOR: test
#[tokio::test]
async fn a_commit_brings_the_reminder() {
    let host = TestHost::connect(Notes.with_hooks().unwrap())
        .await
        .unwrap();
    let commit = Variables::new()
        .tool_name("Bash")
        .tool_input(r#"{"command":"git commit -m x"}"#);
    let report = host.fire(Occasion::new(Event::PostToolUse, commit)).await;
    assert!(report.injected[0].text.starts_with("You just committed"));
}
// ANCHOR_END: test

// ANCHOR: wrap
async fn main_of_an_existing_server() -> Result<(), Box<dyn std::error::Error>> {
    // Before: Notes.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Notes.with_hooks()?.serve(stdio()).await?.waiting().await?;
    Ok(())
}
// ANCHOR_END: wrap

//! A desk that recalls, redacts and learns.

use std::sync::{Arc, Mutex};

use hooks_sdk::{
    mcpl::{ContentBlock, Inference, Modified, wrapped},
    prelude::*,
};
use rmcp::ServerHandler;
use serde_json::{Map, json};

#[derive(Default)]
pub(crate) struct Desk {
    learned: Arc<Mutex<Vec<String>>>,
}

/// Recall what is known
#[mcpl::feature_set("desk.recall")]
struct Recall;

/// Look at answers: take secrets out of them, and learn from them
#[mcpl::feature_set("desk.answers", sends(inference))]
struct Answers;

#[hooks_sdk::hooks]
impl Desk {
    // ANCHOR: before
    #[mcpl::hook(before_inference, feature_set = Recall, inject(before_user), optional(after_user))]
    async fn recall(&self, turn: &BeforeInference) -> Result<Vec<Injection>, std::io::Error> {
        let Some(asked) = &turn.user_message else {
            return Ok(Vec::new());
        };
        let known = self.search(asked)?;
        let metadata = Map::from_iter([("memoryIds".to_owned(), json!(["mem_a1"]))]);
        let memories = Injection::new("desk", Position::BeforeUser, wrapped("memories", known));
        Ok(vec![memories.metadata(metadata)])
    }
    // ANCHOR_END: before

    // ANCHOR: blocking
    #[mcpl::hook(after_inference, feature_set = Answers, blocking)]
    async fn redact(&self, turn: &AfterInference) -> Option<Modified> {
        let said = &turn.assistant_message;
        let modified = Modified::to(said.replace("hunter2", "[REDACTED]"));
        let metadata = Map::from_iter([("redactions".to_owned(), json!(1))]);
        said.contains("hunter2")
            .then(|| modified.metadata(metadata))
    }
    // ANCHOR_END: blocking

    // ANCHOR: observer
    #[mcpl::hook(after_inference, feature_set = Answers)]
    async fn learn(&self, turn: &AfterInference, cx: &mcpl::Context) {
        let inference = Inference::prompt(format!("One lesson of: {}", turn.assistant_message));
        let learned = self.learned.clone();
        cx.after_answer(|host| async move {
            match host.infer::<Answers>(&inference).await {
                Ok(answer) => learned.lock().unwrap().push(answer.content),
                Err(error) => tracing::warn!(%error, "nothing was learned"),
            }
        });
    }
    // ANCHOR_END: observer
}

// ANCHOR: blocks
fn floor_plan() -> Injection {
    let blocks = vec![
        ContentBlock::text("The plan of the floor, and what was said of it:"),
        ContentBlock::image_uri("https://example.org/plan.png"),
        ContentBlock::audio_data("UklGRg==", "audio/wav"),
        ContentBlock::resource("desk://floors/2"),
    ];
    Injection::new("desk", Position::AfterUser, blocks)
}
// ANCHOR_END: blocks

impl Desk {
    fn search(&self, _: &str) -> Result<Vec<String>, std::io::Error> {
        Ok(vec!["Prefers tea.".to_owned(), "</memories>".to_owned()])
    }
}

impl ServerHandler for Desk {}

#[tokio::test]
async fn it_learns_when_the_hook_has_ended() {
    use hooks_sdk::testing::{McplHost, mcpl::Turn};

    let desk = Desk::default().with_hooks().unwrap();
    let host = McplHost::builder().infers("Be brief.");
    let host = host.connect(desk).await.unwrap();
    let turn = Turn::new("conv").assistant("It is hunter2.");
    let shown = host.after_inference(&turn).await;
    assert_eq!(shown.response.unwrap(), "It is [REDACTED].");
    let asked = host.wait_for("inference/request").await.unwrap();
    assert_eq!(asked["params"]["featureSet"], "desk.answers");
}

#[test]
fn blocks_of_every_kind_are_what_the_document_says() {
    let plan = serde_json::to_value(floor_plan()).unwrap();
    let media = json!([
        {"type": "image", "uri": "https://example.org/plan.png"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "resource", "uri": "desk://floors/2"},
    ]);
    assert_eq!(
        plan["content"].as_array().unwrap()[1..],
        *media.as_array().unwrap()
    );
}

//! A server that answers everything, asks its host for everything, and keeps nothing.

use futures::StreamExt;
use hooks_sdk::{
    Collected,
    mcpl::{
        self, AfterInference, Author, BeforeInference, Call, ChannelDescriptor, ChannelsClose,
        ChannelsOpen, Checkpoints, Direction, EventId, FeatureSetChange, IncomingMessage,
        Inference, Injection, McplSettings, Modified, OutgoingChunk, Position, Publish, Push,
        RollbackError, RollbackRequest,
    },
};
use rmcp::{
    ErrorData, ServerHandler,
    handler::server::{common::Extension, router::tool::ToolRouter},
    tool, tool_handler, tool_router,
};
use serde_json::{Value, json};
use std::{
    panic,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Everything that takes part in inferences
#[mcpl::feature_set("soak.context")]
struct Turns;

/// Everything that asks
#[mcpl::feature_set("soak.asking", sends(push, inference, model_info), scoped)]
struct Asking;

/// Everything with channels
#[mcpl::feature_set("soak.channels", sends(register, incoming))]
struct Talking;

/// A state
#[mcpl::feature_set("soak.state", rollback)]
struct Keeping;

/// What comes and goes
#[mcpl::feature_set("soak.later", sends(push), later)]
struct Later;

/// What the hook says that panics.
pub(crate) const ON_PURPOSE: &str = "a hook may panic";

pub(crate) struct Soaked {
    router: ToolRouter<Soaked>,
    state: Checkpoints<Value>,
    events: AtomicU64,
}

impl Soaked {
    pub(crate) fn new() -> Soaked {
        Soaked {
            router: Soaked::tool_router(),
            state: Checkpoints::in_memory(json!({ "n": [] })).keep(16),
            events: AtomicU64::new(0),
        }
    }

    /// The hooks, collected once.
    pub(crate) fn collected() -> &'static Collected<Soaked> {
        static COLLECTED: OnceLock<Collected<Soaked>> = OnceLock::new();
        COLLECTED.get_or_init(|| {
            let collected = hooks_sdk::collect::<Soaked>().expect("sound hooks");
            collected.mcpl(McplSettings::new().timeout(Duration::from_millis(300)))
        })
    }

    fn event(&self) -> Push {
        let number = self.events.fetch_add(1, Ordering::Relaxed);
        Push::new(EventId::of("soak", number), "Something happened.").attempts(2)
    }
}

fn room() -> ChannelDescriptor {
    ChannelDescriptor::new("soak:room", "soak", "Room", Direction::Bidirectional)
}

#[hooks_sdk::hooks]
#[tool_router]
impl Soaked {
    #[mcpl::hook(before_inference, feature_set = Turns)]
    async fn recall(&self, turn: &BeforeInference, cx: &mcpl::Context) -> Option<Injection> {
        if turn.turn_index.is_multiple_of(7) {
            tokio::time::sleep(Duration::from_millis(turn.turn_index % 50)).await;
        }
        cx.after_answer(|host| async move {
            _ = host.model_info::<Asking>().await;
        });
        let text = turn.user_message.clone()?;
        Some(Injection::new("soak", Position::BeforeUser, text))
    }

    #[mcpl::hook(after_inference, feature_set = Turns, blocking)]
    async fn change(&self, turn: &AfterInference) -> Modified {
        if turn.turn_index.is_multiple_of(11) {
            panic::panic_any(ON_PURPOSE);
        }
        Modified::to(turn.assistant_message.to_uppercase())
    }

    #[mcpl::hook(enabled, feature_set = Asking)]
    async fn begin(&self, enabled: &mcpl::Enabled) {
        for _ in 0..3 {
            _ = enabled.host().push::<Asking>(&self.event()).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    #[mcpl::hook(rollback, feature_set = Keeping)]
    async fn roll_back(&self, request: &RollbackRequest) -> Result<(), RollbackError> {
        self.state.rollback(request).await
    }

    #[mcpl::hook(channels_open, feature_set = Talking)]
    async fn open(&self, _wanted: &ChannelsOpen) -> ChannelDescriptor {
        room()
    }

    #[mcpl::hook(channels_close, feature_set = Talking)]
    async fn close(&self, _room: &ChannelsClose) {}

    #[mcpl::hook(channels_publish, feature_set = Talking)]
    async fn deliver(&self, _message: &Publish) {}

    #[mcpl::hook(channels_outgoing_chunk, feature_set = Talking)]
    async fn hear(&self, _chunk: &OutgoingChunk) {}

    /// Adds to the state
    #[mcpl::tool(feature_set = Keeping)]
    #[tool]
    async fn add(&self, Extension(call): Extension<Call>) -> Result<String, ErrorData> {
        let mut state = self.state.at(call.given()).await?;
        if let Some(list) = state["n"].as_array_mut() {
            list.truncate(20);
            list.push(json!(list.len()));
        }
        call.answer_state(state.commit().await?);
        Ok("added".to_owned())
    }

    /// Asks the host for everything
    #[tool]
    async fn ask(&self, Extension(call): Extension<Call>) -> String {
        let host = call.host();
        let inference = Inference::prompt("Say something.");
        _ = host.push::<Asking>(&self.event()).await;
        _ = host.infer::<Asking>(&inference).await;
        if let Ok(mut stream) = host.infer_streaming::<Asking>(&inference) {
            while stream.next().await.is_some() {}
            _ = stream.finish().await;
        }
        _ = host.elevate::<Asking>(mcpl::Scope::new("/somewhere")).await;
        _ = host.register_channels::<Talking>(vec![room()]).await;
        let author = Author::new("soak", "Soak");
        let message = IncomingMessage::new("soak:room", "m1", author, "hello");
        _ = host.incoming::<Talking>(vec![message]).await;
        let change = FeatureSetChange::new().add::<Later>();
        _ = host.change_feature_sets(change).await;
        _ = host.push::<Later>(&self.event()).await;
        let change = FeatureSetChange::new().remove::<Later>();
        _ = host.change_feature_sets(change).await;
        "asked".to_owned()
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Soaked {}

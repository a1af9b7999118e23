//! News of a build, pushed.

use std::{
    sync::Mutex,
    time::{Duration, UNIX_EPOCH},
};

use hooks_sdk::{
    mcpl::{Enabled, EventId, Push, Pushed, SendError, tag::chat},
    prelude::*,
};
use rmcp::ServerHandler;
use serde_json::{Map, json};

pub(crate) struct Builds(Mutex<Vec<(u32, &'static str)>>);

/// Tell of builds that fail
#[mcpl::feature_set("builds.failed", sends(push))]
struct Failed;

#[hooks_sdk::hooks]
impl Builds {
    // ANCHOR: push
    #[mcpl::hook(enabled, feature_set = Failed)]
    async fn watch(&self, now: &Enabled) -> Result<(), SendError> {
        while let Some((build, state)) = self.next().await {
            let origin = Map::from_iter([("server".to_owned(), json!("builds"))]);
            let event = Push::new(EventId::of(build, state), format!("Build {build}: {state}"))
                .at(UNIX_EPOCH + Duration::from_secs(1_769_164_200))
                .origin(origin)
                .tag(chat::FROM_BOT)
                .attempts(3);
            match now.host().push::<Failed>(&event).await? {
                Pushed::Accepted(answer) => tracing::info!(?answer.inference_id, "told"),
                Pushed::Duplicate(_) => {}
                Pushed::Refused(why) => tracing::warn!(?why, "not told"),
                _ => {}
            }
        }
        Ok(())
    }
    // ANCHOR_END: push
}

impl Builds {
    pub(crate) fn new() -> Builds {
        Builds(Mutex::new(vec![(17, "failed")]))
    }

    async fn next(&self) -> Option<(u32, &'static str)> {
        self.0.lock().unwrap().pop()
    }
}

impl ServerHandler for Builds {}

//! A search whose second half is ready later.

use hooks_sdk::{
    mcpl::{Enabled, FeatureSetChange, SendError},
    prelude::*,
};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};

// ANCHOR: sets
/// Search by words
#[mcpl::feature_set("search.words")]
struct Words;

/// Search by meaning, once the index is ready
#[mcpl::feature_set("search.meaning", later)]
struct Meaning;
// ANCHOR_END: sets

pub(crate) struct Search;

#[hooks_sdk::hooks]
#[tool_router]
impl Search {
    // ANCHOR: tool
    /// Finds notes that have these words.
    #[tool]
    #[mcpl::tool(feature_set = Words)]
    async fn find(&self) -> String {
        "nothing".to_owned()
    }
    // ANCHOR_END: tool

    #[mcpl::hook(before_inference, feature_set = Meaning, inject(before_user))]
    async fn recall(&self, _turn: &BeforeInference) -> Option<Injection> {
        Some(Injection::new(
            "search",
            Position::BeforeUser,
            "Note 3 is near.",
        ))
    }

    // ANCHOR: later
    #[mcpl::hook(enabled, feature_set = Words)]
    async fn index(&self, now: &Enabled) -> Result<(), SendError> {
        self.build().await;
        let change = FeatureSetChange::new().add::<Meaning>();
        now.host().change_feature_sets(change).await
    }
    // ANCHOR_END: later
}

impl Search {
    async fn build(&self) {}
}

#[tool_handler]
impl ServerHandler for Search {}

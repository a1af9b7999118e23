use hooks_sdk::{mcpl::{EventId, Push}, prelude::*};

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::hook(enabled, feature_set = Recall)]
    async fn remind(&self, now: &mcpl::Enabled) -> Result<(), mcpl::SendError> {
        let reminder = Push::new(EventId::of("note 3", "due"), "You wanted to call Alice today.");
        now.host().push::<Recall>(&reminder).await?;
        Ok(())
    }
}

fn main() {}

use hooks_sdk::{
    mcpl::{Call, Enabled, EventId, Push, Pushed, Scope, SendError},
    prelude::*,
};

struct Memory;

#[mcpl::feature_set("memory.recall", sends("push"), scoped = true)]
struct Recall;

#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::hook(before_inference, feature_set = Recall)]
    async fn recall(&self) -> Option<Injection> {
        None
    }

    #[mcpl::hook(enabled, feature_set = Recall)]
    async fn remind(&self, now: &Enabled) -> Result<(), SendError> {
        let push = Push::new(EventId::of("reminder", 1), "It is due.");
        let _: Pushed = now.host().push::<Recall>(&push).await?;
        Ok(())
    }
}

async fn edit(call: &Call) -> Result<(), SendError> {
    call.leave::<Recall>(Scope::new("/project")).await?;
    Ok(())
}

fn main() {}

use hooks_sdk::prelude::*;

struct Memory<S>(S);

#[hooks_sdk::hooks]
impl<S> Memory<S> {
    #[guidance::hook(session, start, requirement = MAY, name = "Words")]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}

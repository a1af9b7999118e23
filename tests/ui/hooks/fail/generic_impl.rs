use hooks_sdk::prelude::*;

struct Memory<S>(S);

#[hooks_sdk::hooks]
impl<S> Memory<S> {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}

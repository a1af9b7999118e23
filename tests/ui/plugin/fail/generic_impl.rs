use hooks_sdk::prelude::*;

struct Memory<T>(T);

#[hooks_sdk::hooks]
impl<T> Memory<T> {
    #[plugin::hook(tool_pre_invoke)]
    async fn check(&self) {}
}

fn main() {}

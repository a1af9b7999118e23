use hooks_sdk::prelude::*;

struct Memory<'m>(&'m str);

#[hooks_sdk::hooks]
impl<'m> Memory<'m> {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}

use hooks_sdk::prelude::*;

struct Greylist;

#[plugin(kind = "greylist")]
impl Clone for Greylist {
    fn clone(&self) -> Greylist {
        Greylist
    }
}

fn main() {}

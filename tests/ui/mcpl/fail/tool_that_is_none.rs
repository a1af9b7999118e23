use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::tool(feature_set = Recall)]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}

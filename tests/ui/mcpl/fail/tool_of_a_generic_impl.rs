use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory<T>(T);

#[hooks_sdk::hooks]
impl<T> Memory<T> {
    #[mcpl::tool(feature_set = Recall)]
    #[rmcp::tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}

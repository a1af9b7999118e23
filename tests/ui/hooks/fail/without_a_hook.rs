struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}

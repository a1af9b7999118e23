//! The same server with one text hook.

use hooks_sdk::prelude::*;
use rmcp::{ServerHandler, tool, tool_handler, tool_router};

struct Server;

#[tool_router]
impl Server {
    /// Says hello.
    #[tool]
    async fn hello(&self) -> String {
        "hello".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Server {}

#[lifecycle::hook(session_end, strength = suggestion, text = "Is there something worth a note?")]
struct LastCall;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server.with_hooks()?;
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}

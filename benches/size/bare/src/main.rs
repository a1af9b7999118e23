//! A server with one tool, on bare rmcp.

use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router, transport::stdio_pipes};

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

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server.serve(stdio_pipes()).await?.waiting().await?;
    Ok(())
}

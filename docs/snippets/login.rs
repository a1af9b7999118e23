//! A server with a login, a rule with scopes, and a server card.

// ANCHOR: use
use std::error::Error;

use hooks_sdk::{
    http::{self, OAuth, ServerCard},
    prelude::*,
};
use rmcp::ServerHandler;
// ANCHOR_END: use

struct Notes;

impl ServerHandler for Notes {}

#[expect(dead_code, reason = "it listens")]
// ANCHOR: oauth
async fn serve_with_login() -> Result<(), Box<dyn Error>> {
    let login = OAuth::new("https://mcp.example.com/mcp")
        .issuer("https://login.example.com")
        .scopes(["notes:read"]);
    http::Server::new(Notes.with_hooks()?)
        .hosts(["mcp.example.com"])
        .oauth(login)
        .serve("127.0.0.1:8080")
        .await?;
    Ok(())
}
// ANCHOR_END: oauth

// ANCHOR: scopes
#[plugin::hook(
    tool_pre_invoke,
    tool = "delete_*",
    scopes = ["notes:write"],
    deny = "deleting needs the scope notes:write",
    server = Notes
)]
struct Writers;
// ANCHOR_END: scopes

#[expect(dead_code, reason = "it listens")]
// ANCHOR: card
async fn serve_with_card() -> Result<(), Box<dyn Error>> {
    let card = ServerCard::new("com.example/notes", "1.2.3", "Keeps notes.")
        .title("Notes")
        .remote("https://mcp.example.com/mcp");
    http::Server::new(Notes.with_hooks()?)
        .hosts(["mcp.example.com"])
        .card(card)
        .serve("127.0.0.1:8080")
        .await?;
    Ok(())
}
// ANCHOR_END: card

//! A server over HTTP: hooks collected once, and a server of its own for each session.

// ANCHOR: server
use std::{convert::Infallible, io, sync::Arc};

use hooks_sdk::{Hooked, core::BuildErrors, prelude::*};
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rmcp::{
    ServerHandler, tool, tool_handler, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use tokio::net::TcpListener;

type Service = StreamableHttpService<Hooked<Notes>, LocalSessionManager>;

#[derive(Default)]
struct Notes;

#[hooks_sdk::hooks]
#[tool_router]
impl Notes {
    #[tool]
    async fn list_notes(&self) -> String {
        "none yet".to_owned()
    }

    /// What there is to know when a session begins.
    #[lifecycle::hook(session_start, strength = important)]
    async fn open_notes(&self) -> String {
        "There are 3 open notes.".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

/// One for the process; its clones serve the connections.
fn service() -> Result<Service, BuildErrors> {
    let hooks = collect::<Notes>()?;
    // Makes the errors of `wrap` errors of the start, and not of the first request.
    hooks.wrap(Notes)?;
    let factory = move || hooks.wrap(Notes).map_err(io::Error::other);
    let sessions = Arc::<LocalSessionManager>::default();
    let config = StreamableHttpServerConfig::default();
    Ok(StreamableHttpService::new(factory, sessions, config))
}

async fn serve(listener: TcpListener, service: Service) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let service = service.clone();
        let answer = service_fn(move |request| {
            let service = service.clone();
            async move { Ok::<_, Infallible>(service.handle(request).await) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}
// ANCHOR_END: server

#[tokio::test]
async fn the_hooks_are_declared_over_http() {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, service().unwrap()));
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"hooks":{"supported_events":["session_start"]}}},"clientInfo":{"name":"a client","version":"1.0.0"}}}"#;
    let mut client = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{hello}",
        hello.len()
    );
    client.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(
        answer.contains(r#""context_tool":"open_notes""#),
        "{answer}"
    );
}

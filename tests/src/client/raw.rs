//! Connections that send the bytes of a test, for requests that no library sends.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::PATIENCE;

/// A connection that sends what a test writes.
#[derive(Debug)]
pub struct Raw(pub TcpStream);

impl Raw {
    /// Opens a connection.
    pub async fn connect(address: SocketAddr) -> Raw {
        Raw(TcpStream::connect(address).await.expect("a server"))
    }

    /// Writes. A server that has closed the connection is no failure.
    pub async fn write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Reads until the server closes the connection.
    pub async fn read(&mut self) -> String {
        let mut all = Vec::new();
        let mut some = [0; 4096];
        let reading = async {
            while let Ok(count @ 1..) = self.0.read(&mut some).await {
                all.extend_from_slice(&some[..count]);
            }
        };
        timeout(PATIENCE, reading).await.expect("the server closes");
        String::from_utf8_lossy(&all).into_owned()
    }
}

/// Sends raw bytes, and returns all that the server answers.
pub async fn raw(address: SocketAddr, bytes: impl AsRef<[u8]>) -> String {
    let mut raw = Raw::connect(address).await;
    raw.write(bytes).await;
    raw.read().await
}

/// The head of a raw POST of JSON, without an end.
pub fn head(path: &str, more: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n{more}"
    )
}

/// The head of a raw POST to the path of MCP, without an end.
pub fn mcp_head(more: &str) -> String {
    head(
        "/mcp",
        &format!("Accept: application/json, text/event-stream\r\n{more}"),
    )
}

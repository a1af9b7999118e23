//! A client on a stream of lines, written by hand.

use hooks_sdk::{Hooked, WireTransport, rmcp::ServiceExt, server::HookedService};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, WriteHalf, duplex, split},
    task::JoinHandle,
};

use crate::{author::Author, seen::Seen};

pub(crate) struct Stream {
    write: Option<WriteHalf<DuplexStream>>,
    reading: JoinHandle<()>,
    serving: JoinHandle<()>,
}

impl Stream {
    /// Opens a stream. `is_shown` is whether its transport shows messages to a guardian, as that of the SDK does.
    pub(crate) fn open(hooked: Hooked<Author>, seen: Seen, is_shown: bool) -> Stream {
        let (ours, theirs) = duplex(256 * 1024);
        let (read, write) = split(theirs);
        let serving = tokio::spawn(async move {
            let running = match is_shown {
                true => hooked.serve(WireTransport::new(read, write)).await.ok(),
                false => ServiceExt::serve(HookedService::from(hooked), (read, write))
                    .await
                    .ok(),
            };
            if let Some(running) = running {
                _ = running.waiting().await;
            }
        });
        let (read, write) = split(ours);
        let reading = tokio::spawn(async move {
            let mut read = BufReader::new(read);
            loop {
                let mut line = Vec::new();
                match read.read_until(b'\n', &mut line).await {
                    Ok(length) if length > 0 => seen.add(&line, None),
                    _ => return,
                }
            }
        });
        let write = Some(write);
        Stream {
            write,
            reading,
            serving,
        }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        if let Some(write) = &mut self.write {
            let line = format!("{message}\n");
            // A server that has gone is found by the answers that are missing.
            _ = write.write_all(line.as_bytes()).await;
        }
    }

    /// Ends the client's side.
    pub(crate) async fn end(&mut self) {
        if let Some(mut write) = self.write.take() {
            _ = write.shutdown().await;
        }
    }

    /// Waits for the end of the server's side. Returns whether it came.
    pub(crate) async fn ended(&mut self) -> bool {
        self.end().await;
        let ended = tokio::time::timeout(crate::PATIENCE, &mut self.reading).await;
        self.serving.abort();
        ended.is_ok()
    }
}

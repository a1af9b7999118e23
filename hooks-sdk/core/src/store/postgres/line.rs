//! The connection on which PostgreSQL reports new entries.

use std::future::poll_fn;

use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::store::{
    StoreError, StoreFuture,
    digest::{Digest, hex},
    shared,
    waits::{Line, OpenConnection},
};

/// The largest number of reports that wait to be passed on. With more, the connection ends and all waits return.
const MOST_REPORTS: usize = 4096;

/// Listens on one channel for each stream.
struct PostgresLine {
    client: Client,
    reports: mpsc::Receiver<String>,
}

pub(super) fn open(config: Config, tls: MakeRustlsConnect) -> OpenConnection {
    Box::new(move || {
        let (config, tls) = (config.clone(), tls.clone());
        Box::pin(async move {
            let opened = config.connect(tls).await;
            let (client, mut connection) = opened.map_err(|error| shared::unreachable(&error))?;
            let (report, reports) = mpsc::channel(MOST_REPORTS);
            tokio::spawn(async move {
                // An error, or the end of the connection, drops the sender.
                while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                    if let AsyncMessage::Notification(notice) = message
                        && report.try_send(notice.channel().to_owned()).is_err()
                    {
                        return;
                    }
                }
            });
            Ok(Box::new(PostgresLine { client, reports }) as Box<dyn Line>)
        })
    })
}

/// Returns the name of a stream's channel. PostgreSQL takes names of at most 63 bytes, so it has half of the digest: a
/// stream with the same half only makes a wait return early.
pub(super) fn channel(stream: &Digest) -> String {
    format!("hooks_sdk_{}", hex(&stream[..16]))
}

impl PostgresLine {
    async fn run(&self, sql: &str) -> Result<(), StoreError> {
        let done = self.client.batch_execute(sql).await;
        done.map_err(|error| shared::unreachable(&error))
    }
}

impl Line for PostgresLine {
    fn join<'a>(&'a mut self, stream: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.run(&format!("LISTEN {stream}")).await })
    }

    fn leave<'a>(&'a mut self, stream: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.run(&format!("UNLISTEN {stream}")).await })
    }

    fn next(&mut self) -> BoxFuture<'_, Option<String>> {
        Box::pin(self.reports.recv())
    }

    fn check(&mut self) -> StoreFuture<'_, ()> {
        Box::pin(async move { self.run("").await })
    }
}

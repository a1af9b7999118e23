//! Everything that leaves on a stream: what rmcp sends, and the answers of the requests that the SDK runs.

use std::{future::ready, io, sync::Arc};

use futures::future::Either;
use rmcp::{RoleServer, model::JsonRpcMessage, service::TxJsonRpcMessage};
use tokio::sync::Mutex;

use super::{
    lift,
    load::Load,
    sending::{Replacement, SendingOrder},
    writer::{MessageWriter, QueuedBytes},
};
use crate::server::connection::Connection;

/// The sending side of a stream.
pub(super) struct Outbox {
    pub(super) connection: Arc<Connection>,
    pub(super) load: Arc<Load>,
    pub(super) order: SendingOrder,
    pub(super) queued: Arc<QueuedBytes>,
    pub(super) write: Mutex<MessageWriter>,
}

impl Outbox {
    /// Sends a message. What this function itself does happens in the order of its calls.
    pub(super) fn send(
        self: &Arc<Outbox>,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let Some(leaving) = self.connection.leaves(&mut item) else {
            return Either::Left(ready(Ok(())));
        };
        let sending = self.order.sends(&item, &self.connection);
        let line = lift::text(&mut item);
        let line = line.map(|line| self.queued.line(cleaned(&self.connection, &item, line)));
        let outbox = self.clone();
        Either::Right(async move {
            let mut line = line?;
            if let Some(sending) = &sending {
                match sending.decide(line.text()).await {
                    Replacement::AsItIs => {}
                    Replacement::As(text) => line = outbox.queued.line(text),
                    Replacement::Nothing => {
                        leaving.ended();
                        return Ok(());
                    }
                }
            }
            let mut write = outbox.write.lock().await;
            leaving.begins();
            write.write(line).await?;
            leaving.ended();
            Ok(())
        })
    }

    /// Sends a text that no middleware sees, in a task of its own.
    pub(super) fn send_text(self: &Arc<Outbox>, text: Vec<u8>) {
        let (line, outbox) = (self.queued.line(text), self.clone());
        tokio::spawn(async move {
            if let Err(error) = outbox.write.lock().await.write(line).await {
                tracing::debug!(
                    target: "hooks_sdk::server",
                    %error, "an answer could not be written"
                );
            }
        });
    }
}

/// Returns the text of a message as it leaves. The pipeline has cleaned answers.
pub(super) fn cleaned(
    connection: &Connection,
    message: &TxJsonRpcMessage<RoleServer>,
    text: Vec<u8>,
) -> Vec<u8> {
    let is_of_server = matches!(
        message,
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_)
    );
    let cleaner = || connection.cleaner();
    let cleaner = is_of_server.then(cleaner).flatten();
    let changed = cleaner.and_then(|cleaner| cleaner.text(&text));
    changed.unwrap_or(text)
}

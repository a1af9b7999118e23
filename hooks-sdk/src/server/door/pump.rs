//! The three functions of the transport that rmcp calls: receive a message, send a message, close.

use std::{io, pin::pin};

use futures::future::{Either, select};
use rmcp::{
    RoleServer,
    model::{JsonRpcError, JsonRpcMessage, ProtocolVersion, ServerNotification, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};

use super::{WireTransport, lift, lines::Line, writer::LAST_WORDS};

impl<R, W> Transport<RoleServer> for WireTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &item
            && let ServerResult::InitializeResult(result) = &response.result
        {
            let since = ProtocolVersion::V_2025_11_25;
            self.id_is_due = result.protocol_version.as_str() < since.as_str();
        }
        match &item {
            JsonRpcMessage::Response(response) => self.flight.answered(&response.id),
            JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => self.flight.answered(id),
            JsonRpcMessage::Request(request) => self.flight.asks(request.id.clone()),
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ServerNotification::CancelledNotification(cancelled) => {
                    if let Some(id) = &cancelled.params.request_id {
                        self.flight.told(id);
                    }
                }
                ServerNotification::ProgressNotification(progress) => {
                    let token = &progress.params.progress_token;
                    self.connection.progressed(token);
                }
                _ => {}
            },
            JsonRpcMessage::Error(_) => {}
        }
        let mut leaving = Vec::new();
        for station in self.connection.listeners() {
            leaving.extend(station.outbound(&mut item, &self.connection));
        }
        let line = lift::text(&mut item).map(|line| self.waiting.line(line));
        let write = self.write.clone();
        async move {
            let line = line?;
            let mut write = write.lock().await;
            leaving.iter().for_each(|leaving| leaving.begins());
            write.write(line).await?;
            leaving.into_iter().for_each(|leaving| leaving.ended());
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.next_held() {
                return Some(message);
            }
            if let Some(by) = self.drained_by {
                return self.drained(by).await;
            }
            if !self.waiting.is_short().await {
                tracing::error!("the peer sends requests and reads no answers; it is given up");
                self.end();
                return None;
            }
            self.flight.room_to_read().await;
            let (line, room) = (self.lines.next(), self.flight.room_to_run());
            let line = match select(pin!(line), pin!(room)).await {
                Either::Left((line, _)) => line,
                Either::Right(_) => continue,
            };
            match line {
                Ok(Line::Whole) => {}
                Ok(Line::TooLong) => match self.too_long() {
                    Some(message) => return Some(message),
                    None => continue,
                },
                Ok(Line::End) => {
                    self.end_input();
                    continue;
                }
                Err(error) => {
                    tracing::error!(%error, "the stream cannot be read");
                    self.end_input();
                    continue;
                }
            }
            let line = self.lines.line();
            let length = line.len();
            let read = if line.trim_ascii().is_empty() {
                Ok(None)
            } else {
                self.read(line)
            };
            self.lines.clear();
            match read {
                Ok(Some(message)) => {
                    if let Some(message) = self.admit(message, length) {
                        return Some(message);
                    }
                }
                Ok(None) => {}
                Err(malformed) => self.refuse(malformed.error, malformed.id),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.end();
        _ = timeout(LAST_WORDS, self.waiting.none()).await;
        self.write.lock().await.close().await
    }
}

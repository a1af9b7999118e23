//! The three functions of the transport that rmcp calls: receive a message, send a message, close.

use std::{
    future::{pending, ready},
    io,
    pin::pin,
};

use futures::future::{Either, select};
use rmcp::{
    RoleServer,
    model::{JsonRpcError, JsonRpcMessage, ProtocolVersion, ServerNotification, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{timeout, timeout_at},
};

use super::{
    WireTransport,
    decided::seen,
    lift,
    lines::ReadLine,
    pending_messages::{Event, Intake},
    sending::Replacement,
    writer::LAST_WORDS,
};

/// What `receive` waited for.
enum Received {
    Line(io::Result<ReadLine>),
    Event(Event),
}

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
            JsonRpcMessage::Notification(notification) => {
                if let ServerNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.flight.told(id);
                }
            }
            JsonRpcMessage::Error(_) => {}
        }
        let Some(leaving) = self.connection.leaves(&mut item) else {
            return Either::Left(ready(Ok(())));
        };
        let sending = self.asking.sends(&item, &self.connection);
        let waiting = self.waiting.clone();
        let line = lift::text(&mut item).map(|line| waiting.line(self.cleaned(&item, line)));
        let write = self.write.clone();
        Either::Right(async move {
            let mut line = line?;
            if let Some(sending) = &sending {
                match sending.decide(line.text()).await {
                    Replacement::AsItIs => {}
                    Replacement::As(text) => line = waiting.line(text),
                    Replacement::Nothing => {
                        leaving.ended();
                        return Ok(());
                    }
                }
            }
            let mut write = write.lock().await;
            leaving.begins();
            write.write(line).await?;
            leaving.ended();
            Ok(())
        })
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.connection.hears_first();
            if let Some(message) = self.next_held() {
                return Some(message);
            }
            if let Some(by) = self.drained_by {
                if self.asking.is_idle() {
                    return self.drained(by).await;
                }
                match timeout_at(by, self.asking.next()).await {
                    Ok(event) => {
                        if let Some(message) = self.happened(event) {
                            return Some(message);
                        }
                    }
                    Err(_) => self.give_up_asking(),
                }
                continue;
            }
            if !self.waiting.is_short().await {
                tracing::error!("the peer sends requests and reads no answers; it is given up");
                self.end();
                return None;
            }
            self.flight.room_to_read().await;
            let may_read = !self.asking.is_full(self.flight.bounds);
            let line = async {
                match may_read {
                    true => self.lines.next().await,
                    false => pending().await,
                }
            };
            let (room, event) = (self.flight.room_to_run(), self.asking.next());
            let next = match select(pin!(line), select(pin!(room), pin!(event))).await {
                Either::Left((line, _)) => Received::Line(line),
                Either::Right((Either::Left(_), _)) => continue,
                Either::Right((Either::Right((event, _)), _)) => Received::Event(event),
            };
            let line = match next {
                Received::Line(line) => line,
                Received::Event(event) => match self.happened(event) {
                    Some(message) => return Some(message),
                    None => continue,
                },
            };
            match line {
                Ok(ReadLine::Whole) => {}
                Ok(ReadLine::TooLong) => match self.too_long() {
                    Some(message) => return Some(message),
                    None => continue,
                },
                Ok(ReadLine::End) => {
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
                match self.asking.begin(line, &self.connection) {
                    Intake::Free => self.read(line),
                    Intake::Now(line) => self.read(&line).map(|message| message.map(seen)),
                    Intake::Waits => Ok(None),
                    Intake::Unreadable => Err(self.unreadable(line)),
                }
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
        // After this, the process may end.
        self.connection.finished().await;
        _ = timeout(LAST_WORDS, self.waiting.none()).await;
        self.write.lock().await.close().await
    }
}

impl<R, W> WireTransport<R, W> {
    /// Returns the text of a message as it leaves. The way has cleaned answers.
    fn cleaned(&self, message: &TxJsonRpcMessage<RoleServer>, text: Vec<u8>) -> Vec<u8> {
        let is_of_server = matches!(
            message,
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_)
        );
        let cleaner = self.connection.cleaner().filter(|_| is_of_server);
        let changed = cleaner.and_then(|cleaner| cleaner.text(&text));
        changed.unwrap_or(text)
    }
}

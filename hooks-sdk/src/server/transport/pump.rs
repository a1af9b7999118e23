//! The three functions of the transport that rmcp calls: receive a message, send a message, close.

use std::{future::pending, io, pin::pin};

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
    asking::{Begun, Event},
    decided::seen,
    lift,
    lines::Line,
    marks,
    sending::Sent,
    writer::LAST_WORDS,
};

/// What `receive` waited for.
enum Next {
    Line(io::Result<Line>),
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
        self.connection.clocks.sends(&item);
        marks::of_notification(&mut item, self.connection.withholds_tasks());
        let is_withheld = !self.connection.may_leave(&item);
        let mut leaving = Vec::new();
        for station in self.connection.listeners() {
            leaving.extend(station.outbound(&mut item, &self.connection));
        }
        let sending = self.asking.sends(&item, &self.connection);
        let waiting = self.waiting.clone();
        let line = lift::text(&mut item).map(|line| waiting.line(line));
        let write = self.write.clone();
        async move {
            let mut line = line?;
            if is_withheld {
                return Ok(());
            }
            if let Some(sending) = &sending {
                match sending.decide(line.text()).await {
                    Sent::AsItIs => {}
                    Sent::As(text) => line = waiting.line(text),
                    Sent::Nothing => {
                        leaving.into_iter().for_each(|leaving| leaving.ended());
                        return Ok(());
                    }
                }
            }
            let mut write = write.lock().await;
            leaving.iter().for_each(|leaving| leaving.begins());
            write.write(line).await?;
            leaving.into_iter().for_each(|leaving| leaving.ended());
            Ok(())
        }
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
                Either::Left((line, _)) => Next::Line(line),
                Either::Right((Either::Left(_), _)) => continue,
                Either::Right((Either::Right((event, _)), _)) => Next::Event(event),
            };
            let line = match next {
                Next::Line(line) => line,
                Next::Event(event) => match self.happened(event) {
                    Some(message) => return Some(message),
                    None => continue,
                },
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
                match self.asking.begin(line, &self.connection) {
                    Begun::Free => self.read(line),
                    Begun::Now(line) => self.read(&line).map(|message| message.map(seen)),
                    Begun::Waits => Ok(None),
                    Begun::Unreadable => Err(self.unreadable(line)),
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
        _ = timeout(LAST_WORDS, self.waiting.none()).await;
        self.write.lock().await.close().await
    }
}

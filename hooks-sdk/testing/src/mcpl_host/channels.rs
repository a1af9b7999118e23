//! Channels, opened, closed, written to and shown to be alive by the host.

use std::io;

use crate::connection::object;
use serde_json::{Map, Value, json};

use super::{CallError, McplHost, Turn};
use hooks_mcpl::{
    Acknowledged, ChannelDescriptor, Content, ContentBlock, Published, Version,
    wire::{ChannelClosed, ChannelOpened, ChannelsList, TypingOp, method},
};

impl<C> McplHost<C> {
    /// Asks the server which channels there are.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn list_channels(&self) -> Result<Vec<ChannelDescriptor>, CallError> {
        let list: ChannelsList = self.call(method::CHANNELS_LIST, Map::new()).await?;
        Ok(list.channels)
    }

    /// Opens a channel; a host of 0.5 adds the id of the registered one with that type and address.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn open_channel(
        &self,
        kind: &str,
        address: Value,
    ) -> Result<ChannelDescriptor, CallError> {
        let mut params = Map::from_iter([
            ("type".to_owned(), json!(kind)),
            ("address".to_owned(), address),
        ]);
        if self.version() != Version::V04 {
            let registered = self.registered_channels();
            let known = registered.iter().find(|channel| {
                channel.kind == kind && json!(channel.address) == params["address"]
            });
            let id = known.map(|channel| ("channelId".to_owned(), json!(channel.id)));
            params.extend(id);
        }
        let opened: ChannelOpened = self.call(method::CHANNELS_OPEN, params).await?;
        Ok(opened.channel)
    }

    /// Closes a channel, and says whether the server did.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn close_channel(&self, id: &str) -> Result<bool, CallError> {
        let params = object(json!({"channelId": id}));
        let closed: ChannelClosed = self.call(method::CHANNELS_CLOSE, params).await?;
        Ok(closed.closed)
    }

    /// Has something delivered to a channel, and waits for it.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn publish(
        &self,
        conversation: &str,
        channel: &str,
        content: impl Into<Content>,
    ) -> Result<Published, CallError> {
        let content = self.moderated(content.into());
        let params = published(conversation, channel, content);
        self.call(method::CHANNELS_PUBLISH, params).await
    }

    /// Has something delivered to a channel without waiting for it.
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn notify_publish(
        &self,
        conversation: &str,
        channel: &str,
        content: impl Into<Content>,
    ) -> io::Result<()> {
        let content = self.moderated(content.into());
        let params = published(conversation, channel, content);
        self.tell(method::CHANNELS_PUBLISH, params).await
    }

    /// Shows the server a part of what is said on a channel, to look at.
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn outgoing_chunk(
        &self,
        turn: &Turn,
        channel: &str,
        index: u64,
        delta: &str,
    ) -> io::Result<()> {
        let delta = self.moderated_text(delta);
        let own = json!({"channelId": channel, "index": index, "delta": delta});
        let params = turn.outgoing(own);
        self.tell(method::CHANNELS_OUTGOING_CHUNK, params).await
    }

    /// Shows the server all of what was said on a channel, to look at.
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn outgoing_complete(
        &self,
        turn: &Turn,
        channel: &str,
        content: impl Into<Content>,
    ) -> io::Result<()> {
        let content = self.moderated(content.into());
        let params = turn.outgoing(json!({"channelId": channel, "content": content}));
        self.tell(method::CHANNELS_OUTGOING_COMPLETE, params).await
    }

    /// Shows on a channel that the host is writing, or no longer (MCPL 0.5).
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn typing(&self, channel: &str, op: TypingOp) -> io::Result<()> {
        let params = object(json!({"channelId": channel, "op": op}));
        self.tell(method::CHANNELS_TYPING, params).await
    }

    /// Shows on a channel that a message was seen (MCPL 0.5); `value` says how, such as an emoji.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn acknowledge(
        &self,
        channel: &str,
        message: &str,
        value: Option<Value>,
    ) -> Result<Acknowledged, CallError> {
        let mut params = object(json!({"channelId": channel, "messageId": message}));
        params.extend(value.map(|value| ("value".to_owned(), value)));
        self.call(method::CHANNELS_ACKNOWLEDGE, params).await
    }

    fn moderated(&self, content: Content) -> Vec<ContentBlock> {
        let blocks = content.into_blocks().into_iter();
        let moderated = blocks.map(|mut block| {
            if let ContentBlock::Text { text, .. } = &mut block {
                *text = self.moderated_text(text);
            }
            block
        });
        moderated.collect()
    }

    fn moderated_text(&self, text: &str) -> String {
        match &self.shared.config.moderate {
            Some(moderate) => moderate(text),
            None => text.to_owned(),
        }
    }
}

fn published(conversation: &str, channel: &str, content: Vec<ContentBlock>) -> Map<String, Value> {
    object(json!({
        "conversationId": conversation,
        "channelId": channel,
        "content": content,
    }))
}

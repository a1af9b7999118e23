//! `channels/*` from the host: list, open, close, publish, acknowledge (MCPL 0.4.1 §14.3).

use std::{collections::BTreeMap, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{Unserved, failed, observed::weight, read, written};
use crate::{
    ChannelDescriptor, ChannelsClose, ChannelsOpen, ErrorObject, Link, McplHook, McplPoint,
    Publish, Scope, Version,
    link::cx::DeferredWork,
    point,
    wire::{ChannelClosed, ChannelOpened, ChannelsList, error, method, path},
};

/// The most channels that a host may have open at a time.
const MAX_OPEN: usize = 65_536;

/// The most bytes that the descriptors of open channels may have.
const MAX_OPEN_BYTES: usize = 16 * 1024 * 1024;

/// The channels that the host has open, by their ids.
#[derive(Debug, Default)]
pub(in crate::link) struct OpenChannels {
    pub(in crate::link) by_id: BTreeMap<String, ChannelDescriptor>,
    bytes: usize,
}

impl OpenChannels {
    fn has_room(&self, bytes: usize) -> bool {
        self.by_id.len() < MAX_OPEN && bytes <= MAX_OPEN_BYTES.saturating_sub(self.bytes)
    }

    fn insert(&mut self, channel: ChannelDescriptor) {
        self.remove(&channel.id);
        self.bytes += size(&channel);
        self.by_id.insert(channel.id.clone(), channel);
    }

    pub(in crate::link) fn remove(&mut self, id: &str) {
        if let Some(channel) = self.by_id.remove(id) {
            self.bytes -= size(&channel);
        }
    }
}

fn size(channel: &ChannelDescriptor) -> usize {
    serde_json::to_value(channel).map_or(0, |value| weight(&value))
}

impl Link {
    /// Returns the channels that this connection knows. There is no such method if no feature set uses channels.
    pub(super) fn list_channels(&self) -> Result<Value, Unserved> {
        if !self.has_channels() {
            return Err(Unserved::NoMethod);
        }
        let live = self.live();
        let opened = live
            .open
            .by_id
            .iter()
            .filter(|(id, _)| !live.registered.contains_key(*id));
        let channels: Vec<ChannelDescriptor> = live
            .registered
            .iter()
            .chain(opened)
            .map(|(_, channel)| channel.clone())
            .collect();
        Ok(written(&ChannelsList::new(channels))?)
    }

    pub(super) async fn open_channel(
        self: &Arc<Link>,
        params: Value,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Value, Unserved> {
        let hook = self.channel_hook::<point::channels_open>()?;
        let bytes = weight(&params);
        let open: ChannelsOpen = read(method::CHANNELS_OPEN, params)?;
        self.may(hook, path::CHANNELS_LIFECYCLE)?;
        if !self.live().open.has_room(bytes) {
            let message = format!(
                "{MAX_OPEN} channels are open, or their descriptors have {MAX_OPEN_BYTES} bytes; close one first"
            );
            return Err(ErrorObject::channel_open_failed(message).into());
        }
        let run = self.run::<point::channels_open>(hook, &open, after);
        let opened = run.await.map_err(|failure| {
            let error = failed(hook, &failure);
            match error.code {
                error::INTERNAL_ERROR => ErrorObject::channel_open_failed(error.message),
                _ => error,
            }
        })?;
        let channel = opened.ok_or_else(|| {
            ErrorObject::channel_open_failed(
                "the channel could not be opened; the server's log says why",
            )
        })?;
        self.live().open.insert(channel.clone());
        Ok(written(&ChannelOpened::new(channel))?)
    }

    pub(super) async fn close_channel(
        self: &Arc<Link>,
        params: Value,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Value, Unserved> {
        let hook = self.channel_hook::<point::channels_close>()?;
        let close: ChannelsClose = read(method::CHANNELS_CLOSE, params)?;
        self.may(hook, path::CHANNELS_LIFECYCLE)?;
        let id = &close.channel_id;
        self.channel(id)?;
        let run = self.run::<point::channels_close>(hook, &close, after);
        let closed = run.await.map_err(|failure| failed(hook, &failure))?;
        self.live().open.remove(id);
        Ok(written(&ChannelClosed::new(closed.is_some()))?)
    }

    /// Delivers a message and answers the request.
    pub(super) async fn publish(
        self: &Arc<Link>,
        params: Value,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Value, Unserved> {
        let hook = self.channel_hook::<point::channels_publish>()?;
        let publish: Publish = read(method::CHANNELS_PUBLISH, params)?;
        self.may(hook, path::CHANNELS_PUBLISH)?;
        Ok(self.deliver(hook, &publish, true, after).await?)
    }

    /// Delivers a message of a notification, which has no answer.
    pub(super) fn publish_told(self: &Arc<Link>, params: Value) -> Result<(), ErrorObject> {
        let Ok(hook) = self.channel_hook::<point::channels_publish>() else {
            return Ok(());
        };
        let weight = weight(&params);
        let publish: Publish = read(method::CHANNELS_PUBLISH, params)?;
        self.may(hook, path::CHANNELS_PUBLISH)?;
        let link = self.clone();
        let job = Box::pin(async move {
            let Ok(hook) = link.channel_hook::<point::channels_publish>() else {
                return;
            };
            let mut after = Vec::new();
            // The host may have revoked the capability while the message waited.
            let delivered = match link.may(hook, path::CHANNELS_PUBLISH) {
                Ok(()) => link.deliver(hook, &publish, false, &mut after).await,
                Err(error) => Err(error),
            };
            if let Err(error) = delivered {
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    channel = publish.channel_id, %error, "a message was not delivered"
                );
            }
            link.after(after);
        });
        if !self.channels.push(weight, job) {
            return Err(ErrorObject::internal("too many messages wait for delivery"));
        }
        Ok(())
    }

    async fn deliver(
        self: &Arc<Link>,
        hook: &McplHook,
        publish: &Publish,
        awaited: bool,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Value, ErrorObject> {
        let id = &publish.channel_id;
        if id == "thinking" || self.channel(id)?.is_thinking() {
            return Err(ErrorObject::channel_not_permitted(id));
        }
        if !self.in_scope(hook, id).await {
            return Err(ErrorObject::channel_not_permitted(id));
        }
        match self
            .run_as::<point::channels_publish>(hook, publish, awaited, after)
            .await
        {
            Ok(Some(published)) => written(&published),
            Ok(None) => Ok(json!({ "delivered": false })),
            Err(failure) => Err(failed(hook, &failure)),
        }
    }

    /// Whether a channel is within the scopes of the hook's set. The SDK asks the host unless its whitelist contains
    /// exactly this label.
    async fn in_scope(self: &Arc<Link>, hook: &McplHook, label: &str) -> bool {
        let set = hook.definition();
        if !set.scoped || self.version != Version::V04 || self.is_whitelisted(set.name, label) {
            return true;
        }
        match self.elevate(set.name, Scope::new(label)).await {
            Ok(elevation) => elevation.approved,
            Err(error) => {
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    channel = label, %error, "the host could not be asked for its leave"
                );
                false
            }
        }
    }

    /// Answers a request about a channel that the connection knows with what the point's hook returns.
    pub(super) async fn on_channel<P>(
        self: &Arc<Link>,
        capability: &str,
        params: Value,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Value, Unserved>
    where
        P: McplPoint<In: DeserializeOwned, Out: Serialize + Default>,
    {
        let hook = self.channel_hook::<P>()?;
        let id = params["channelId"].as_str().unwrap_or_default().to_owned();
        let event: P::In = read(P::METHOD, params)?;
        self.may(hook, capability)?;
        self.channel(&id)?;
        let run = self.run::<P>(hook, &event, after);
        let answer = run.await.map_err(|failure| failed(hook, &failure))?;
        Ok(written(&answer.unwrap_or_default())?)
    }

    /// Returns the hook that answers at a point: the first whose set is enabled. If no set is enabled, it returns the
    /// first hook, so that the error can name its set.
    fn channel_hook<P: McplPoint>(&self) -> Result<&McplHook, Unserved> {
        let enabled = |hook: &&McplHook| self.is_enabled(hook.definition().name);
        let first = self.derived.hooks_at::<P>().next();
        let first = first.ok_or(Unserved::NoMethod)?;
        Ok(self.derived.hooks_at::<P>().find(enabled).unwrap_or(first))
    }

    /// Whether a feature set of the server uses channels.
    fn has_channels(&self) -> bool {
        let mut uses = self
            .derived
            .sets()
            .flat_map(|set| set.capabilities(self.version));
        uses.any(|path| path.starts_with("channels."))
    }

    /// Checks that the hook may run.
    fn may(&self, hook: &McplHook, capability: &str) -> Result<(), ErrorObject> {
        // The grant is checked first: before its first policy a 0.5 host has granted nothing, and its sets do not
        // matter yet.
        if !self.grants(capability) {
            return Err(ErrorObject::capability_denied(capability));
        }
        let set = hook.definition().name;
        if !self.is_enabled(set) {
            return Err(ErrorObject::feature_set_not_enabled(set, None));
        }
        Ok(())
    }

    /// Returns a channel that was registered or opened.
    fn channel(&self, id: &str) -> Result<ChannelDescriptor, ErrorObject> {
        let live = self.live();
        let channel = live.registered.get(id).or(live.open.by_id.get(id)).cloned();
        channel.ok_or_else(|| ErrorObject::unknown_channel(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;

    #[test]
    fn open_channels_are_bounded_in_bytes_and_a_closed_one_leaves_its_room() {
        let channel = |id: &str, label: usize| {
            ChannelDescriptor::new(id, "b", "x".repeat(label), Direction::Bidirectional)
        };
        let mut open = OpenChannels::default();
        open.insert(channel("a", MAX_OPEN_BYTES / 2));
        assert!(open.has_room(MAX_OPEN_BYTES / 3));
        open.insert(channel("b", MAX_OPEN_BYTES / 3));
        assert!(!open.has_room(MAX_OPEN_BYTES / 3));
        // A channel that is opened again has its new size.
        open.insert(channel("a", 1));
        assert!(open.has_room(MAX_OPEN_BYTES / 3));
        for id in ["a", "b", "b"] {
            open.remove(id);
        }
        assert_eq!((open.bytes, open.by_id.len()), (0, 0));
    }
}

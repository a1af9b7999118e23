//! `channels/*` towards the host (MCPL 0.4.1 §14.3).

use std::collections::BTreeSet;

use futures::{FutureExt, future::BoxFuture};
use serde_json::json;

use super::Host;
use crate::{
    ChannelDescriptor, IncomingMessage, Link, SendError, Sends, Version, sender,
    wire::{
        ChannelsChanged, ChannelsIncoming, ChannelsList, ChannelsRegister, IncomingResults,
        Registered, method,
    },
};

impl Host {
    /// Registers channels. From then on the connection knows those that the host accepts, and no others.
    ///
    /// # Errors
    ///
    /// A [`SendError`], as for every request.
    pub fn register_channels<F: Sends<sender::register>>(
        &self,
        channels: Vec<ChannelDescriptor>,
    ) -> BoxFuture<'_, Result<Registered, SendError>> {
        const { F::DECLARED };
        async move {
            let link = self.sender::<F>(method::CHANNELS_REGISTER)?;
            each_once(&channels)?;
            let params = ChannelsRegister::new(channels);
            let registered = link.ask(method::CHANNELS_REGISTER, &params).await?;
            link.register(params.channels, &registered);
            Ok(registered)
        }
        .boxed()
    }

    /// Reports which channels are new, gone or different: a notification on 0.4, a request on 0.5.
    ///
    /// # Errors
    ///
    /// A [`SendError`], as for every request.
    pub fn channels_changed<F: Sends<sender::register>>(
        &self,
        changed: ChannelsChanged,
    ) -> BoxFuture<'_, Result<Registered, SendError>> {
        const { F::DECLARED };
        async move {
            let link = self.sender::<F>(method::CHANNELS_CHANGED)?;
            each_once(changed.added.iter().chain(&changed.updated).flatten())?;
            let registered = if link.version == Version::V04 {
                link.tell(method::CHANNELS_CHANGED, &changed).await?;
                Registered::default()
            } else {
                link.ask(method::CHANNELS_CHANGED, &changed).await?
            };
            let channels = [changed.added, changed.updated].into_iter().flatten();
            link.register(channels.flatten(), &registered);
            let mut live = link.live();
            for id in changed.removed.into_iter().flatten() {
                live.registered.remove(&id);
                live.open.remove(&id);
            }
            drop(live);
            Ok(registered)
        }
        .boxed()
    }

    /// Requests the channels that the host knows of this connection.
    ///
    /// # Errors
    ///
    /// A [`SendError`], as for every request.
    pub fn list_channels<F: Sends<sender::register>>(
        &self,
    ) -> BoxFuture<'_, Result<ChannelsList, SendError>> {
        const { F::DECLARED };
        async move {
            let link = self.sender::<F>(method::CHANNELS_LIST)?;
            link.ask(method::CHANNELS_LIST, &json!({})).await
        }
        .boxed()
    }

    /// Passes incoming messages of channels to the host. Each message has its own result.
    ///
    /// # Errors
    ///
    /// A [`SendError`], as for every request.
    pub fn incoming<F: Sends<sender::incoming>>(
        &self,
        messages: Vec<IncomingMessage>,
    ) -> BoxFuture<'_, Result<IncomingResults, SendError>> {
        const { F::DECLARED };
        async move {
            let link = self.sender::<F>(method::CHANNELS_INCOMING)?;
            let params = ChannelsIncoming::new(messages);
            link.ask(method::CHANNELS_INCOMING, &params).await
        }
        .boxed()
    }

    /// Returns the ids of the channels that the host has opened, in order.
    pub fn open_channels(&self) -> Vec<String> {
        self.link().map_or_else(Vec::new, |link| {
            link.live().open.by_id.keys().cloned().collect()
        })
    }
}

impl Link {
    /// Keeps the channels that the host accepted.
    fn register(
        &self,
        channels: impl IntoIterator<Item = ChannelDescriptor>,
        registered: &Registered,
    ) {
        let accepted = channels
            .into_iter()
            .filter(|channel| registered.accepts(&channel.id));
        let accepted = accepted.map(|channel| (channel.id.clone(), channel));
        self.live().registered.extend(accepted);
    }
}

/// Checks that no two channels have the same id.
fn each_once<'c>(
    channels: impl IntoIterator<Item = &'c ChannelDescriptor>,
) -> Result<(), SendError> {
    let mut ids = BTreeSet::new();
    match channels
        .into_iter()
        .find(|channel| !ids.insert(&channel.id))
    {
        Some(twice) => Err(SendError::DuplicateChannel {
            id: twice.id.clone(),
        }),
        None => Ok(()),
    }
}

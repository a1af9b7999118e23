//! Rooms in which people talk.

use std::{
    sync::Mutex,
    time::{Duration, UNIX_EPOCH},
};

use hooks_sdk::{
    mcpl::{
        Author, ChannelDescriptor, ChannelsClose, ChannelsOpen, Direction, Enabled, ErrorObject,
        IncomingMessage, OutgoingComplete, Publish, Published, SendError,
    },
    prelude::*,
};
use rmcp::ServerHandler;
use serde_json::{Map, json};

pub(crate) struct Rooms(Mutex<Vec<IncomingMessage>>);

// ANCHOR: set
/// Talk in the rooms of this server
#[mcpl::feature_set("rooms.talk", sends(register, incoming))]
struct Talk;
// ANCHOR_END: set

fn room(name: &str) -> ChannelDescriptor {
    let address = Map::from_iter([("room".to_owned(), json!(name))]);
    ChannelDescriptor::new(
        format!("rooms:{name}"),
        "rooms",
        name,
        Direction::Bidirectional,
    )
    .address(address)
}

#[hooks_sdk::hooks]
impl Rooms {
    // ANCHOR: register
    #[mcpl::hook(enabled, feature_set = Talk)]
    async fn register(&self, now: &Enabled) -> Result<(), SendError> {
        let host = now.host();
        let registered = host.register_channels::<Talk>(vec![room("lobby")]).await?;
        if !registered.accepts("rooms:lobby") {
            return Ok(());
        }
        while let Some(message) = self.next().await {
            let id = message.message_id.clone();
            let results = host.incoming::<Talk>(vec![message]).await?;
            if !results.accepts(&id) {
                tracing::warn!(id, "the host did not take a message");
            }
        }
        Ok(())
    }
    // ANCHOR_END: register

    // ANCHOR: open
    #[mcpl::hook(channels_open, feature_set = Talk)]
    async fn open(&self, wanted: &ChannelsOpen) -> Result<ChannelDescriptor, ErrorObject> {
        match wanted.address.get("room").and_then(|room| room.as_str()) {
            Some(name) if wanted.kind == "rooms" => Ok(room(name)),
            _ => Err(ErrorObject::channel_open_failed("there is no such room")),
        }
    }

    #[mcpl::hook(channels_close, feature_set = Talk)]
    async fn close(&self, _closed: &ChannelsClose) {}
    // ANCHOR_END: open

    // ANCHOR: publish
    #[mcpl::hook(channels_publish, feature_set = Talk)]
    async fn deliver(&self, message: &Publish) -> Result<Published, std::io::Error> {
        let id = self.say(&message.channel_id, &message.content)?;
        Ok(Published::delivered().message_id(id))
    }
    // ANCHOR_END: publish

    // ANCHOR: observe
    #[mcpl::hook(channels_outgoing_complete, feature_set = Talk)]
    async fn heard(&self, complete: &OutgoingComplete) {
        tracing::info!(complete.channel_id, "the model spoke");
    }
    // ANCHOR_END: observe
}

impl Rooms {
    pub(crate) fn new() -> Rooms {
        let said = UNIX_EPOCH + Duration::from_secs(1_772_706_600);
        let alice = Author::new("u_777", "Alice");
        let message = IncomingMessage::new("rooms:lobby", "m-0", alice, "What's the status?");
        Rooms(Mutex::new(vec![message.at(said)]))
    }

    fn say(&self, _: &str, _: &[mcpl::ContentBlock]) -> Result<String, std::io::Error> {
        Ok("m-1".to_owned())
    }

    async fn next(&self) -> Option<IncomingMessage> {
        self.0.lock().unwrap().pop()
    }
}

impl ServerHandler for Rooms {}

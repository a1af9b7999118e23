//! The channels: two rooms, and one that comes later.

use std::sync::{Mutex, PoisonError};

use hooks_sdk::{
    mcpl::{
        ChannelDescriptor, ChannelsClose, ChannelsOpen, ContentBlock, Direction, ErrorObject,
        OutgoingChunk, OutgoingComplete, Publish, Published,
    },
    prelude::*,
};
use serde_json::{Map, json};

use crate::{
    Fixture,
    seen::{as_value, form},
    sets::Chan,
};

/// The room that nobody may enter, whatever channel the host names besides.
const FORBIDDEN: &str = "forbidden";

/// The room in which people talk.
pub(crate) fn lobby() -> ChannelDescriptor {
    room("lobby", "Lobby", Direction::Bidirectional)
}

/// The room in which the server only speaks.
pub(crate) fn news() -> ChannelDescriptor {
    room("news", "News", Direction::Outbound)
}

/// The room that is not there from the start.
pub(crate) fn extra() -> ChannelDescriptor {
    room("extra", "Extra", Direction::Bidirectional)
}

fn room(name: &str, label: &str, direction: Direction) -> ChannelDescriptor {
    let address = Map::from_iter([("room".to_owned(), json!(name))]);
    ChannelDescriptor::new(format!("acc:{name}"), "acc", label, direction).address(address)
}

/// The rooms as the host was last told of them.
#[derive(Debug)]
pub(crate) struct Rooms(Mutex<[ChannelDescriptor; 3]>);

impl Default for Rooms {
    fn default() -> Rooms {
        Rooms(Mutex::new([lobby(), news(), extra()]))
    }
}

impl Rooms {
    /// The host was told of these.
    pub(crate) fn told(&self, rooms: impl IntoIterator<Item = ChannelDescriptor>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for room in rooms {
            if let Some(known) = known.iter_mut().find(|known| known.id == room.id) {
                *known = room;
            }
        }
    }

    fn find(&self, wanted: &ChannelsOpen) -> Option<ChannelDescriptor> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|room| is_wanted(room, wanted)).cloned()
    }
}

fn is_wanted(room: &ChannelDescriptor, wanted: &ChannelsOpen) -> bool {
    if wanted.channel_id.as_ref() == Some(&room.id) {
        return true;
    }
    let address = room.address.as_ref();
    let name = address.and_then(|address| address.get("room"));
    room.kind == wanted.kind && name == wanted.address.get("room")
}

#[hooks_sdk::hooks]
impl Fixture {
    #[mcpl::hook(channels_open, feature_set = Chan)]
    async fn open(&self, wanted: &ChannelsOpen) -> Result<ChannelDescriptor, ErrorObject> {
        if wanted.address.get("room") == Some(&json!(FORBIDDEN)) {
            return Err(ErrorObject::channel_open_failed("nobody may enter"));
        }
        let room = self.rooms.find(wanted);
        room.ok_or_else(|| ErrorObject::channel_open_failed("there is no such room"))
    }

    #[mcpl::hook(channels_close, feature_set = Chan)]
    async fn close(&self, _room: &ChannelsClose) {}

    #[mcpl::hook(channels_publish, feature_set = Chan)]
    async fn deliver(&self, message: &Publish, cx: &mcpl::Context) -> Published {
        let blocks = message.content.iter();
        let text: String = blocks.filter_map(ContentBlock::as_text).collect();
        let mut seen = self.seen.lock();
        seen.published.push(json!({
            "form": form(cx.is_awaited()),
            "channelId": message.channel_id,
            "text": text,
        }));
        Published::delivered().message_id(format!("acc-{}", seen.published.len()))
    }

    #[mcpl::hook(channels_outgoing_chunk, feature_set = Chan)]
    async fn hear(&self, chunk: &OutgoingChunk) {
        let seen = json!({ "kind": "chunk", "params": as_value(chunk) });
        self.seen.lock().outgoing.push(seen);
    }

    #[mcpl::hook(channels_outgoing_complete, feature_set = Chan)]
    async fn hear_all(&self, complete: &OutgoingComplete) {
        let seen = json!({ "kind": "complete", "params": as_value(complete) });
        self.seen.lock().outgoing.push(seen);
    }
}

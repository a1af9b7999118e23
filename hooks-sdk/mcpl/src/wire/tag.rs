//! Tags: words for the kind of an event, for which any host can have rules.

use std::{borrow::Cow, collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};

/// A word for the kind of an event or message: `namespace:value` or `namespace:key=value`.
///
/// Implements the tags of MCPL 0.5. Each part is one or more ASCII letters, digits and `.`, `_`, `*`, `-`; the value
/// may contain further colons. The tags of [`chat`] mean the same to every host. A server's own tags are in a namespace
/// of its own name. `mcpl:` is reserved for the protocol.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tag(Cow<'static, str>);

/// What is wrong with a tag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "`{0}` is no tag: it has to be `namespace:value`, of ASCII letters, digits and `._:*-`, and `mcpl:` is the protocol's"
)]
pub struct NoTag(pub String);

impl Tag {
    /// Reads a tag.
    ///
    /// # Errors
    ///
    /// The text does not have the form `namespace:value`, or is in the protocol's own namespace, `mcpl`.
    pub fn new(tag: impl Into<String>) -> Result<Tag, NoTag> {
        let tag = tag.into();
        if is_tag(&tag) {
            Ok(Tag(tag.into()))
        } else {
            Err(NoTag(tag))
        }
    }

    /// Returns the tag as it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_tag(tag: &str) -> bool {
    let word = |part: &str, more: &[u8]| {
        let known = |byte: &u8| {
            byte.is_ascii_alphanumeric() || b"._*-".contains(byte) || more.contains(byte)
        };
        !part.is_empty() && part.as_bytes().iter().all(known)
    };
    let Some((namespace, value)) = tag.split_once(':') else {
        return false;
    };
    if namespace == "mcpl" {
        return false;
    }
    let value = match value.split_once('=') {
        Some((key, value)) => word(key, b":") && word(value, b":"),
        None => word(value, b":"),
    };
    word(namespace, b"") && value
}

impl TryFrom<String> for Tag {
    type Error = NoTag;

    fn try_from(tag: String) -> Result<Tag, NoTag> {
        Tag::new(tag)
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> String {
        tag.0.into_owned()
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The tags that tags of [`chat`] imply (MCPL 0.5).
const IMPLIED: [(Tag, &[Tag]); 3] = [
    (chat::MENTION, &[chat::ADDRESSED]),
    (chat::REPLY, &[chat::ADDRESSED]),
    (chat::DM, &[chat::ADDRESSED, chat::PRIVATE]),
];

/// Adds the tags that tags of [`chat`] imply, and drops repetitions. Drops `chat:ambient` if another tag says that the
/// message is meant for the agent.
///
/// Hosts do the same (MCPL 0.5). With the added tags, a host that does not yet do so can still have rules for the wider
/// words.
pub fn close(tags: &mut Vec<String>) {
    for (tag, implied) in IMPLIED {
        if tags.iter().any(|it| it == tag.as_str()) {
            tags.extend(implied.iter().map(Tag::to_string));
        }
    }
    let addressed = tags.iter().any(|tag| tag == chat::ADDRESSED.as_str());
    let mut seen = BTreeSet::new();
    tags.retain(|tag| {
        let ambient = addressed && tag == chat::AMBIENT.as_str();
        !ambient && seen.insert(tag.clone())
    });
}

/// The tags that mean the same on every messaging platform (MCPL 0.5).
pub mod chat {
    use std::borrow::Cow;

    use super::Tag;

    macro_rules! tags {
        ($($(#[$doc:meta])+ $name:ident = $tag:literal;)+) => {
            $($(#[$doc])+ pub const $name: Tag = Tag(Cow::Borrowed($tag));)+

            /// All tags of this module.
            pub const ALL: &[Tag] = &[$($name),+];
        };
    }

    tags! {
        /// The message is meant for the agent, in any way.
        ADDRESSED = "chat:addressed";
        /// The message names the agent.
        MENTION = "chat:mention";
        /// The message answers one of the agent.
        REPLY = "chat:reply";
        /// The message is for the agent alone.
        DM = "chat:dm";
        /// The message is overheard: it is not meant for the agent.
        AMBIENT = "chat:ambient";
        /// The message is for everybody on the channel.
        BROADCAST = "chat:broadcast";
        /// The event affects a message of the agent.
        TO_SELF = "chat:to-self";
        /// The message comes from a person.
        FROM_HUMAN = "chat:from-human";
        /// The message comes from a program.
        FROM_BOT = "chat:from-bot";
        /// The message comes from the agent itself.
        FROM_SELF = "chat:from-self";
        /// The message comes from another agent.
        FROM_AGENT = "chat:from-agent";
        /// A message was changed.
        EDITED = "chat:edited";
        /// A message was deleted.
        DELETED = "chat:deleted";
        /// Somebody reacted to a message.
        REACTION = "chat:reaction";
        /// Somebody removed a reaction.
        REACTION_REMOVE = "chat:reaction-remove";
        /// The message has an image.
        HAS_IMAGE = "chat:has-image";
        /// The message has an audio recording.
        HAS_AUDIO = "chat:has-audio";
        /// The message has a file.
        HAS_FILE = "chat:has-file";
        /// The message has a link.
        HAS_LINK = "chat:has-link";
        /// The message calls a command.
        COMMAND = "chat:command";
        /// The conversation has two members.
        PRIVATE = "chat:private";
        /// The conversation has several members.
        GROUP = "chat:group";
        /// The message is in a thread.
        THREAD = "chat:thread";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_a_namespace() {
        for good in [
            "chat:mention",
            "a:b",
            "a.b:c-d_e",
            "x:y:z",
            "build:state=red",
            "robotics:*",
        ] {
            assert_eq!(Tag::new(good).unwrap().as_str(), good);
        }
        for bad in [
            "", "mention", ":x", "x:", "a b:c", "a:b c", "a:é", "a=b:c", "a:=b", "a:b=", "a:b=c=d",
            "mcpl:x",
        ] {
            assert_eq!(Tag::new(bad), Err(NoTag(bad.to_owned())));
        }
        assert!(
            chat::ALL
                .iter()
                .all(|tag| is_tag(tag.as_str()) && tag.as_str().starts_with("chat:"))
        );
    }
}

//! What a feature set uses and can do, computed from its definition and the entries that name it.

use super::super::{Definition, Version, hook::Part, point::At, sender::Sender, wire::path};

/// The values of `uses` and the capability paths, in the order of the declaration.
const ORDER: &[&str] = &[
    "pushEvents",
    "contextHooks.beforeInference",
    "contextHooks.beforeInference.observe",
    "contextHooks.beforeInference.inject.system",
    "contextHooks.beforeInference.inject.beforeUser",
    "contextHooks.beforeInference.inject.afterUser",
    "contextHooks.afterInference",
    "contextHooks.afterInference.blocking",
    "inferenceLifecycle",
    "inferenceRequest",
    "inferenceRequest.streaming",
    "modelInfo",
    "tools",
    "channels.register",
    "channels.lifecycle",
    "channels.publish",
    "channels.observe",
    "channels.incoming",
    "channels.streaming",
    "channels.acknowledge",
    "channels.typing",
];

/// What one entry or setting adds to its feature set: values of `uses`, and capability paths.
struct Row {
    uses_04: &'static [&'static str],
    can_04: &'static [&'static str],
    uses_05: &'static [&'static str],
    can_05: &'static [&'static str],
}

const NOTHING: Row = Row {
    uses_04: &[],
    can_04: &[],
    uses_05: &[],
    can_05: &[],
};

/// Makes a row of words that only 0.4 has, the same as uses and as capabilities.
const fn only_04(words: &'static [&'static str]) -> Row {
    Row {
        uses_04: words,
        can_04: words,
        ..NOTHING
    }
}

/// Makes a row of words that only 0.5 has, the same as uses and as capabilities.
const fn only_05(words: &'static [&'static str]) -> Row {
    Row {
        uses_05: words,
        can_05: words,
        ..NOTHING
    }
}

/// Makes a row whose words are the same in both versions, as uses and as capabilities.
const fn same(word: &'static [&'static str]) -> Row {
    Row {
        uses_04: word,
        can_04: word,
        uses_05: word,
        can_05: word,
    }
}

const fn of_sender(sender: Sender) -> Row {
    match sender {
        Sender::Push => same(&["pushEvents"]),
        Sender::Inference => Row {
            can_04: &["inferenceRequest", "inferenceRequest.streaming"],
            can_05: &["inferenceRequest", "inferenceRequest.streaming"],
            ..same(&["inferenceRequest"])
        },
        Sender::ModelInfo => Row {
            uses_04: &[],
            ..same(&["modelInfo"])
        },
        Sender::Register => Row {
            uses_04: &[],
            ..same(&["channels.register"])
        },
        Sender::Incoming => only_05(&["channels.incoming"]),
    }
}

const fn of_point(at: At) -> Row {
    match at {
        At::BeforeInference => only_04(&["contextHooks.beforeInference"]),
        At::AfterInference => only_04(&["contextHooks.afterInference"]),
        At::Lifecycle => only_05(&["inferenceLifecycle"]),
        At::ChannelsOpen | At::ChannelsClose => Row {
            uses_04: &[],
            ..same(&["channels.lifecycle"])
        },
        At::ChannelsPublish => same(&["channels.publish"]),
        At::ChannelsOutgoingChunk => Row {
            uses_04: &["channels.observe"],
            can_04: &["channels.observe", "channels.streaming"],
            can_05: &["channels.streaming"],
            ..NOTHING
        },
        At::ChannelsOutgoingComplete => Row {
            uses_04: &["channels.observe"],
            can_04: &["channels.observe"],
            can_05: &["channels.streaming"],
            ..NOTHING
        },
        At::ChannelsTyping => only_05(&["channels.typing"]),
        At::ChannelsAcknowledge => only_05(&["channels.acknowledge"]),
        At::Enabled | At::Rollback => NOTHING,
    }
}

const TOOL: Row = Row {
    uses_04: &["tools"],
    uses_05: &["tools"],
    ..NOTHING
};

/// The capability paths for which a server sends requests to its host.
pub(super) const ASKING: &[&str] = &[
    "pushEvents",
    "inferenceRequest",
    "inferenceRequest.streaming",
    "modelInfo",
    "channels.register",
    "channels.incoming",
];

/// What a feature set needs and everything that it can do, in both versions.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    uses_04: Vec<&'static str>,
    can_04: Vec<&'static str>,
    uses_05: Vec<&'static str>,
    can_05: Vec<&'static str>,
}

impl Uses {
    /// Computes the uses of a set from its definition and the entries that belong to it.
    pub(super) fn of<'h>(
        definition: &Definition,
        parts: impl Iterator<Item = &'h Part> + Clone,
    ) -> Uses {
        let mut uses = Uses::default();
        for &sender in definition.sends {
            uses.row(&of_sender(sender), true);
        }
        for &sender in definition.optional {
            uses.row(&of_sender(sender), false);
        }
        for part in parts.clone() {
            uses.part(part);
        }
        uses.channels_of_04(definition, parts);
        for list in [
            &mut uses.uses_04,
            &mut uses.can_04,
            &mut uses.uses_05,
            &mut uses.can_05,
        ] {
            list.sort_by_key(|word| ORDER.iter().position(|other| other == word));
            list.dedup();
        }
        uses
    }

    /// Returns what the set needs. A 0.5 host that does not grant all of it disables the set.
    pub(super) fn needed(&self, version: Version) -> &[&'static str] {
        match version {
            Version::V04 => &self.uses_04,
            Version::V05 => &self.uses_05,
        }
    }

    /// Returns what the set can do: what it needs, and what is optional.
    pub(super) fn possible(&self, version: Version) -> &[&'static str] {
        match version {
            Version::V04 => &self.can_04,
            Version::V05 => &self.can_05,
        }
    }

    fn row(&mut self, row: &Row, needed: bool) {
        if needed {
            self.uses_04.extend(row.uses_04);
            self.uses_05.extend(row.uses_05);
        }
        self.can_04.extend(row.can_04);
        self.can_05.extend(row.can_05);
    }

    fn part(&mut self, part: &Part) {
        let answering = match part {
            Part::Set => return,
            Part::Tool(_) => return self.row(&TOOL, true),
            Part::Answer(answering) => answering,
        };
        self.row(&of_point(answering.at), true);
        if answering.blocking {
            self.can_04.push("contextHooks.afterInference.blocking");
        }
        if answering.at == At::BeforeInference {
            if answering.needs_words() {
                self.uses_05.push(path::OBSERVE);
            }
            if answering.observe != Some(false) {
                self.can_05.push(path::OBSERVE);
            }
            self.uses_05.extend(answering.needs().map(path::inject));
            self.can_05.extend(
                self.uses_05
                    .iter()
                    .filter(|word| word.starts_with("contextHooks")),
            );
            self.can_05.extend(answering.wants().map(path::inject));
        }
    }

    /// MCPL 0.4 has only two words for channels in `uses`. One of them stands for all that have no word of their own.
    fn channels_of_04<'h>(
        &mut self,
        definition: &Definition,
        mut parts: impl Iterator<Item = &'h Part>,
    ) {
        if self
            .uses_04
            .iter()
            .any(|word| word.starts_with("channels."))
        {
            return;
        }
        let opens = |part: &Part| {
            matches!(part, Part::Answer(answering)
                if matches!(answering.at, At::ChannelsOpen | At::ChannelsClose))
        };
        let registers = |sender: &Sender| matches!(sender, Sender::Register | Sender::Incoming);
        if parts.any(opens) {
            self.uses_04.push("channels.publish");
        } else if definition.sends.iter().any(registers) {
            self.uses_04.push("channels.observe");
        }
    }
}

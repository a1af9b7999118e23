//! What a feature set uses and can do, computed from its definition and the entries that name it.

use super::super::{Definition, hook::Part, point::At, sender::Sender, wire::path};

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
pub(crate) struct Row {
    pub(crate) uses_04: &'static [&'static str],
    pub(crate) can_04: &'static [&'static str],
    pub(crate) uses_05: &'static [&'static str],
    pub(crate) can_05: &'static [&'static str],
}

const TOOL: Row = Row {
    uses_04: &["tools"],
    can_04: &[],
    uses_05: &["tools"],
    can_05: &[],
};

/// Whether a server sends requests to its host for a capability.
pub(super) fn is_asking(path: &str) -> bool {
    let mut senders = Sender::ALL.iter();
    senders.any(|sender| sender.row().can_05.contains(&path))
}

/// What a feature set needs and everything that it can do, in both versions.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) uses_04: Vec<&'static str>,
    pub(super) can_04: Vec<&'static str>,
    pub(super) uses_05: Vec<&'static str>,
    pub(super) can_05: Vec<&'static str>,
}

impl Uses {
    /// Computes the uses of a set from its definition and the entries that belong to it.
    pub(super) fn of<'h>(
        definition: &Definition,
        parts: impl Iterator<Item = &'h Part> + Clone,
    ) -> Uses {
        let mut uses = Uses::default();
        for &sender in definition.sends {
            uses.row(&sender.row(), true);
        }
        for &sender in definition.optional {
            uses.row(&sender.row(), false);
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
        self.row(&answering.at.row(), true);
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

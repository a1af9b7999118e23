//! Hook entries in a client's file: the server's own are added, updated and removed; others stay. Here in JSON, and beside
//! this in TOML.

use std::path::Path;

use jsonc_parser::cst::{CstArray, CstNode};
use serde_json::Value;

use super::{
    command::{self, EntryOwner, Kinship},
    error::ConfigError,
    json::{self, Json},
    servers::Format,
    toml_hooks,
};

/// The member with a list for each event or, in TOML, with one list.
pub(super) const HOOKS: &str = "hooks";

/// A text after an edit.
pub(super) struct Edited {
    pub(super) text: String,
    /// Whether the text had entries of the server before.
    pub(super) had_ours: bool,
    /// The number of entries without an id that were taken over.
    pub(super) taken_over: usize,
}

/// An own command in the list of an event.
struct OwnCommand {
    entry: CstNode,
    /// The element of the entry's own list, if the client groups commands.
    inner: Option<CstNode>,
    /// Whether the entry also has a command of another server.
    joined: bool,
    /// Whether the command has no id.
    earlier: bool,
}

/// The list of an event, with the server's own commands in it.
struct EventList {
    event: String,
    list: CstArray,
    own: Vec<OwnCommand>,
    /// The number of own commands inside other commands.
    wrapped: usize,
}

/// Updates each event's list, so that it has each planned entry once, and no other own entry is in the file.
pub(super) fn install(
    file: &Path,
    text: &str,
    wanted: &[(&str, Vec<&Value>)],
    owner: &EntryOwner,
) -> Result<Edited, ConfigError> {
    if Format::of(file) == Format::Toml {
        return toml_hooks::install(file, text, wanted, owner);
    }
    let json = Json::parse(file, text)?;
    let mut edited = Edited {
        text: String::new(),
        had_ours: false,
        taken_over: 0,
    };
    if let Some(hooks) = json.object(&[HOOKS])? {
        for (event, _) in wanted {
            let value = json.member(&hooks, event)?.and_then(|it| it.value());
            if let Some(value) = value.filter(|value| value.as_array().is_none()) {
                return Err(json.no_list(event, &value));
            }
        }
    }
    let mut lists = lists(&json, owner)?;
    for list in &mut lists {
        edited.had_ours |= !list.own.is_empty();
        edited.taken_over += list.own.iter().filter(|own| own.earlier).count();
        let entries = wanted.iter().find(|(event, _)| *event == list.event);
        let kept = entries.map_or(0, |(_, entries)| entries.len().saturating_sub(list.wrapped));
        let mut at = 0;
        // In an entry of another server, ours would have its matcher.
        list.own.retain(|own| {
            at += 1;
            let stays = at <= kept && !own.joined;
            if !stays {
                own.remove();
            }
            stays
        });
    }
    for (event, entries) in wanted {
        let found = lists.iter().find(|list| list.event == *event);
        for (at, entry) in entries
            .iter()
            .skip(found.map_or(0, |it| it.wrapped))
            .enumerate()
        {
            match found.and_then(|list| list.own.get(at)) {
                Some(own) => own.conform(entry),
                None => {
                    let hooks = json.made_object(&[HOOKS])?;
                    hooks.array_value_or_set(event).append(json::input(entry));
                }
            }
        }
    }
    edited.text = json.edited();
    Ok(edited)
}

/// Removes the own entries from every list, and each list that has nothing left and that the text before had not.
pub(super) fn uninstall(
    file: &Path,
    text: &str,
    before: Option<&Value>,
    owner: &EntryOwner,
) -> Result<String, ConfigError> {
    if Format::of(file) == Format::Toml {
        return toml_hooks::uninstall(file, text, owner);
    }
    let json = Json::parse(file, text)?;
    for list in lists(&json, owner)? {
        list.own.iter().for_each(OwnCommand::remove);
        let was_there = before.is_some_and(|it| it[HOOKS].get(&list.event).is_some());
        let hooks = json.object(&[HOOKS])?;
        if !was_there && json::is_bare(&list.list.children()) {
            let member = hooks.and_then(|hooks| hooks.get(&list.event));
            member
                .into_iter()
                .for_each(|member| json::remove(member.into()));
        }
    }
    json.remove_bare(&[HOOKS], before);
    Ok(json.edited())
}

/// Returns the own commands, each with its event.
pub(super) fn commands(
    file: &Path,
    text: &str,
    owner: &EntryOwner,
) -> Result<Vec<(String, String)>, ConfigError> {
    if Format::of(file) == Format::Toml {
        return toml_hooks::commands(file, text, owner);
    }
    let json = Json::parse(file, text)?;
    let mut found = Vec::new();
    for EventList { event, own, .. } in lists(&json, owner)? {
        let commands = own.iter().filter_map(OwnCommand::command);
        found.extend(commands.map(|command| (event.clone(), command)));
    }
    Ok(found)
}

/// Returns the list of each event.
fn lists(json: &Json<'_>, owner: &EntryOwner) -> Result<Vec<EventList>, ConfigError> {
    let members = json.object(&[HOOKS])?.map(|hooks| hooks.properties());
    let lists = members.into_iter().flatten().filter_map(|member| {
        let list = member.array_value()?;
        let mut wrapped = 0;
        let elements = list.elements().into_iter();
        let own = elements.flat_map(|entry| own_commands(&entry, owner, &mut wrapped));
        Some(EventList {
            event: member.decoded_name()?,
            own: own.collect(),
            wrapped,
            list,
        })
    });
    Ok(lists.collect())
}

/// Returns the own commands of an entry, and counts those inside other commands.
fn own_commands(entry: &CstNode, owner: &EntryOwner, wrapped: &mut usize) -> Vec<OwnCommand> {
    let group = entry.as_object().and_then(|entry| entry.array_value(HOOKS));
    let group = group.map(|group| group.elements());
    let holders = group.into_iter().flatten().map(Some);
    let (mut own, mut joined) = (Vec::new(), false);
    for inner in [None].into_iter().chain(holders) {
        let Some(command) = command_of(inner.as_ref().unwrap_or(entry)) else {
            continue;
        };
        let kinship = owner.kinship(&command);
        match kinship {
            Kinship::Ours | Kinship::Earlier => own.push(OwnCommand {
                entry: entry.clone(),
                inner,
                joined: false,
                earlier: kinship == Kinship::Earlier,
            }),
            Kinship::Wrapped => *wrapped += 1,
            Kinship::Foreign => joined |= command::is_of_a_server(&command),
        }
    }
    own.iter_mut().for_each(|own| own.joined = joined);
    own
}

/// Returns the command in the object of a hook.
fn command_of(holder: &CstNode) -> Option<String> {
    let command = holder.as_object()?.get("command")?.value()?;
    command.as_string_lit()?.decoded_value().ok()
}

impl OwnCommand {
    fn command(&self) -> Option<String> {
        command_of(self.inner.as_ref().unwrap_or(&self.entry))
    }

    /// Returns whether the entry has other commands.
    fn has_others(&self) -> bool {
        let group = self.entry.as_object().and_then(|it| it.array_value(HOOKS));
        group.is_some_and(|group| group.elements().len() != 1)
    }

    /// Removes the command, and the entry if it has no other one.
    fn remove(&self) {
        match &self.inner {
            Some(inner) if self.has_others() => json::remove(inner.clone()),
            _ => json::remove(self.entry.clone()),
        }
    }

    /// Sets the planned members. Members that somebody added stay, and so do the other commands of a shared entry.
    fn conform(&self, wanted: &Value) {
        let members = wanted.as_object().into_iter().flatten();
        let command = wanted[HOOKS].get(0).and_then(Value::as_object);
        let (entry, inner) = (self.entry.as_object(), self.inner.as_ref());
        if let Some(entry) = entry.filter(|_| !self.has_others()) {
            if inner.is_some() != command.is_some() {
                // The client's form of an entry has changed since.
                entry.replace_with(json::input(wanted));
                return;
            }
            let members = members.filter(|(name, _)| command.is_none() || *name != HOOKS);
            json::set_members(&entry, members);
            // An earlier program had gates of fewer kinds.
            if is_of_gate(wanted) && wanted.get("matcher").is_none() {
                let matcher = entry.get("matcher").into_iter();
                matcher.for_each(|matcher| json::remove(matcher.into()));
            }
        }
        if let Some(inner) = inner.and_then(CstNode::as_object) {
            json::set_members(&inner, command.into_iter().flatten());
        }
    }
}

/// Returns whether an entry is a gate's, whose matcher the program writes.
pub(super) fn is_of_gate(entry: &Value) -> bool {
    let command = entry[HOOKS][0].get("command").or(entry.get("command"));
    command.is_some_and(|it| it.to_string().contains("--event agent_tool_"))
}

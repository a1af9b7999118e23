//! Hook entries in a client's JSON file: the server's own are added, updated and removed; others stay.

use std::path::Path;

use serde_json::Value;

use super::{
    command::{self, EntryOwner, Kinship},
    error::ConfigError,
    json::{self, Item, Json, Reach, Step, steps},
};

/// The planned entries in the lists of one object.
pub(super) struct Wanted<'p> {
    /// The members that lead to the object with a list for each event.
    pub(super) path: &'p [String],
    /// Each event's name in that file, with its entries.
    pub(super) events: Vec<(&'p str, Vec<&'p Value>)>,
}

/// A text after an edit.
pub(super) struct Edited {
    pub(super) text: String,
    /// The created objects and lists.
    pub(super) made: Vec<Vec<String>>,
    /// Whether the text had entries of the server before.
    pub(super) had_ours: bool,
    /// The number of entries without an id that were taken over.
    pub(super) taken_over: usize,
}

impl Edited {
    /// Begins with a text.
    pub(super) fn of(text: &str) -> Edited {
        Edited {
            text: text.to_owned(),
            made: Vec::new(),
            had_ours: false,
            taken_over: 0,
        }
    }

    /// Continues from another edit, which began with this text.
    pub(super) fn follow(&mut self, edited: Edited) {
        self.text = edited.text;
        self.made.extend(edited.made);
        self.had_ours |= edited.had_ours;
        self.taken_over += edited.taken_over;
    }
}

/// The position of an own command in the list of an event.
#[derive(Clone, Copy)]
struct CommandPosition {
    entry: usize,
    /// Its index in the entry's own list, if the client groups commands.
    inner: Option<usize>,
    /// Whether the entry has nothing else.
    alone: bool,
    /// Whether the entry also has a command of another server.
    joined: bool,
    /// Whether the command has no id.
    earlier: bool,
}

/// Updates each event's list, so that it has each planned entry once, and no other own entry is below the path.
pub(super) fn install(
    file: &Path,
    text: &str,
    wanted: &Wanted<'_>,
    owner: &EntryOwner,
) -> Result<Edited, ConfigError> {
    let mut edited = Edited::of(text);
    for event in events(file, text, wanted.path)? {
        let list = [wanted.path, &[event]].concat();
        let (places, wrapped) = ours(file, &edited.text, &list, owner)?;
        edited.had_ours |= !places.is_empty();
        edited.taken_over += places.iter().filter(|place| place.earlier).count();
        let event = list.last().expect("the event's name");
        let entries = wanted.events.iter().find(|(name, _)| name == event);
        let kept = entries.map_or(0, |(_, entries)| entries.len().saturating_sub(wrapped));
        // From the last to the first, so that earlier positions stay valid. In an entry of another server, ours would have
        // its matcher.
        for (at, place) in places.iter().enumerate().rev() {
            if at >= kept || place.joined {
                edited.text = remove(file, &edited.text, &list, *place)?;
            }
        }
    }
    for (event, entries) in &wanted.events {
        let list = [wanted.path, &[(*event).to_owned()]].concat();
        let (places, wrapped) = ours(file, &edited.text, &list, owner)?;
        let entries = entries.iter().skip(wrapped);
        for (at, entry) in entries.enumerate() {
            match places.get(at) {
                Some(place) => edited.text = conform(file, &edited.text, &list, *place, entry)?,
                None => append(file, &mut edited, &list, entry)?,
            }
        }
    }
    Ok(edited)
}

/// Removes the own entries from every list of the object at a path.
pub(super) fn uninstall(
    file: &Path,
    text: &str,
    path: &[String],
    owner: &EntryOwner,
) -> Result<String, ConfigError> {
    let mut text = text.to_owned();
    for event in events(file, &text, path)? {
        let list = [path, &[event]].concat();
        let (places, _) = ours(file, &text, &list, owner)?;
        for place in places.iter().rev() {
            text = remove(file, &text, &list, *place)?;
        }
    }
    Ok(text)
}

/// Returns the own commands below a path, each with its event.
pub(super) fn commands(
    file: &Path,
    text: &str,
    path: &[String],
    owner: &EntryOwner,
) -> Result<Vec<(String, String)>, ConfigError> {
    let json = Json::parse(file, text)?;
    let Reach::Whole(object) = json.reach(path)? else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for member in &object.properties {
        let elements = member.value.as_array().map(|list| &list.elements);
        for element in elements.into_iter().flatten() {
            let value = json::value(element);
            let ours = commands_of(&value)
                .filter(|(_, command)| owner.is_own(command))
                .map(|(_, command)| (member.name.as_str().to_owned(), command.to_owned()));
            found.extend(ours);
        }
    }
    Ok(found)
}

/// Returns the commands of an entry, each with its index in the entry's own list, if the client groups commands.
fn commands_of(entry: &Value) -> impl Iterator<Item = (Option<usize>, &str)> {
    let grouped = entry.get("hooks").and_then(Value::as_array);
    let grouped = grouped.into_iter().flatten().enumerate();
    let grouped = grouped.map(|(at, holder)| (Some(at), holder));
    let holders = [(None, entry)].into_iter().chain(grouped);
    holders.filter_map(|(at, holder)| Some((at, holder.get("command")?.as_str()?)))
}

/// Returns the events that have a list in the object at a path.
fn events(file: &Path, text: &str, path: &[String]) -> Result<Vec<String>, ConfigError> {
    let json = Json::parse(file, text)?;
    let Reach::Whole(object) = json.reach(path)? else {
        return Ok(Vec::new());
    };
    let lists = object
        .properties
        .iter()
        .filter(|member| member.value.as_array().is_some());
    let mut names: Vec<String> = lists.map(|list| list.name.as_str().to_owned()).collect();
    names.dedup();
    Ok(names)
}

/// Returns the positions of own commands in a list, and the number of wrapped ones.
fn ours(
    file: &Path,
    text: &str,
    list: &[String],
    owner: &EntryOwner,
) -> Result<(Vec<CommandPosition>, usize), ConfigError> {
    let json = Json::parse(file, text)?;
    let (event, path) = list.split_last().expect("the event's name");
    let Reach::Whole(object) = json.reach(path)? else {
        return Ok((Vec::new(), 0));
    };
    let Some(member) = json.member(object, event)? else {
        return Ok((Vec::new(), 0));
    };
    let mut places = Vec::new();
    let mut wrapped = 0;
    for (entry, element) in json.list(member)?.elements.iter().enumerate() {
        let value = json::value(element);
        let grouped = value.get("hooks").and_then(Value::as_array);
        let start = places.len();
        let alone = grouped.is_none_or(|commands| commands.len() == 1);
        let mut joined = false;
        for (inner, command) in commands_of(&value) {
            let kinship = owner.kinship(command);
            match kinship {
                Kinship::Ours | Kinship::Earlier => places.push(CommandPosition {
                    entry,
                    inner,
                    alone,
                    joined: false,
                    earlier: kinship == Kinship::Earlier,
                }),
                Kinship::Wrapped => wrapped += 1,
                Kinship::Foreign => joined |= command::is_of_a_server(command),
            }
        }
        for place in &mut places[start..] {
            place.joined = joined;
        }
    }
    Ok((places, wrapped))
}

fn remove(
    file: &Path,
    text: &str,
    list: &[String],
    place: CommandPosition,
) -> Result<String, ConfigError> {
    let json = Json::parse(file, text)?;
    let mut steps = steps(list);
    // Other commands of the entry may have been removed since the position was computed.
    let inner = place.inner.filter(|_| {
        steps.extend([Step::Element(place.entry), Step::Member("hooks")]);
        let group = json.find(&steps).and_then(|(value, _)| value.as_array());
        let grouped = group.is_some_and(|group| group.elements.len() > 1);
        if !grouped {
            steps.truncate(list.len());
        }
        grouped
    });
    let removed = json.remove(&steps, inner.unwrap_or(place.entry));
    Ok(removed.unwrap_or_else(|| text.to_owned()))
}

fn append(
    file: &Path,
    edited: &mut Edited,
    list: &[String],
    entry: &Value,
) -> Result<(), ConfigError> {
    let json = Json::parse(file, &edited.text)?;
    let item = Item {
        name: None,
        value: entry,
    };
    if json.find(&steps(list)).is_some() {
        if let Some(text) = json.insert(&steps(list), &item) {
            edited.text = text;
        }
    } else {
        let added = json.add(list, &Value::from(vec![entry.clone()]))?;
        edited.text = added.text;
        edited.made.extend(added.made);
    }
    Ok(())
}

/// Sets the planned members of an own entry. Members that somebody added stay, and so do the other commands of a shared
/// entry.
fn conform(
    file: &Path,
    text: &str,
    list: &[String],
    place: CommandPosition,
    wanted: &Value,
) -> Result<String, ConfigError> {
    let mut at = steps(list);
    at.push(Step::Element(place.entry));
    let mut text = text.to_owned();
    let commands = wanted.get("hooks").and_then(Value::as_array);
    if place.alone {
        let own = commands.map(|_| "hooks");
        text = set_members(file, text, &at, wanted, own)?;
        if is_of_gate(wanted) && wanted.get("matcher").is_none() {
            text = without_matcher(file, text, &at)?;
        }
    }
    match (place.inner, commands.and_then(|commands| commands.first())) {
        (Some(inner), Some(command)) => {
            at.extend([Step::Member("hooks"), Step::Element(inner)]);
            set_members(file, text, &at, command, None)
        }
        // The client's form of an entry has changed since.
        (Some(_), None) | (None, Some(_)) if place.alone => {
            let json = Json::parse(file, &text)?;
            let replaced = json.replace(&at, wanted);
            Ok(replaced.unwrap_or(text))
        }
        _ => Ok(text),
    }
}

/// Returns whether an entry is a gate's, whose matcher the program writes.
fn is_of_gate(entry: &Value) -> bool {
    commands_of(entry).any(|(_, command)| command.contains("--event agent_tool_"))
}

/// Removes the matcher of an entry: an earlier program had gates of fewer kinds.
fn without_matcher(file: &Path, text: String, at: &[Step<'_>]) -> Result<String, ConfigError> {
    let json = Json::parse(file, &text)?;
    let entry = json.find(at).and_then(|(value, _)| value.as_object());
    let mut members = entry.into_iter().flat_map(|entry| &entry.properties);
    let at_matcher = members.position(|member| member.name.as_str() == "matcher");
    let removed = at_matcher.and_then(|index| json.remove(at, index));
    Ok(removed.unwrap_or(text))
}

fn set_members(
    file: &Path,
    mut text: String,
    at: &[Step<'_>],
    wanted: &Value,
    but: Option<&str>,
) -> Result<String, ConfigError> {
    let members = wanted.as_object().into_iter().flatten();
    for (name, value) in members.filter(|(name, _)| Some(name.as_str()) != but) {
        let json = Json::parse(file, &text)?;
        let path = [at, &[Step::Member(name)]].concat();
        let edited = match json.find(&path) {
            Some((found, _)) if json::value(found) == *value => None,
            Some(_) => json.replace(&path, value),
            None => json.insert(
                at,
                &Item {
                    name: Some(name),
                    value,
                },
            ),
        };
        text = edited.unwrap_or(text);
    }
    Ok(text)
}

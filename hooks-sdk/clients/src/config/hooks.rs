//! Hook entries in a client's file: the server's own are added, updated and removed; others stay.

use serde_json::{Value, json};

use super::{
    command::{self, EntryOwner, Kinship},
    document::{Document, children, named},
    error::ConfigError,
    plan::Installed,
};

/// The member with a list for each event, or with one list in which each entry has an `event`.
pub(super) const HOOKS: &str = "hooks";

/// A hook in a client's file: an entry, or an element of an entry's own list.
pub(crate) struct Hook<'v> {
    /// The name of its event; `None` if an entry of one list has none.
    pub(crate) event: Option<&'v str>,
    /// The object with the command.
    pub(crate) value: &'v Value,
    entry: &'v Value,
    /// The path of the entry.
    path: Vec<String>,
    /// The path in the entry to an element of its own list; empty for the entry itself.
    inner: Vec<String>,
}

/// Returns the hooks of a file.
pub(crate) fn hooks(settings: &Value) -> Vec<Hook<'_>> {
    let mut all = Vec::new();
    for (name, hooks) in named(settings, HOOKS) {
        let one = hooks.as_array().into_iter().flatten().enumerate();
        let one = one.map(|(at, entry)| (entry["event"].as_str(), vec![at.to_string()], entry));
        let by_event = hooks.as_object().into_iter().flatten();
        let by_event = by_event.flat_map(|(event, list)| {
            let list = list.as_array().into_iter().flatten().enumerate();
            list.map(move |(at, entry)| {
                (Some(&**event), vec![event.clone(), at.to_string()], entry)
            })
        });
        for (event, mut path, entry) in one.chain(by_event) {
            path.insert(0, name.clone());
            let holders = [(Vec::new(), entry)].into_iter().chain(inner(entry));
            all.extend(holders.map(|(inner, value)| Hook {
                event,
                value,
                entry,
                path: path.clone(),
                inner,
            }));
        }
    }
    all
}

/// Returns the elements of an entry's own list, with their paths in the entry.
fn inner(entry: &Value) -> impl Iterator<Item = (Vec<String>, &Value)> {
    named(entry, HOOKS).flat_map(|(name, list)| {
        let elements = children(list).into_iter();
        elements.map(move |(at, value)| (vec![name.clone(), at], value))
    })
}

impl<'v> Hook<'v> {
    pub(super) fn command(&self) -> Option<&'v str> {
        self.value["command"].as_str()
    }

    fn kinship(&self, owner: &EntryOwner) -> Kinship {
        let command = self.command();
        command.map_or(Kinship::Foreign, |command| owner.kinship(command))
    }

    fn is_own(&self, owner: &EntryOwner) -> bool {
        matches!(self.kinship(owner), Kinship::Ours | Kinship::Earlier)
    }

    /// Returns whether the entry has other commands.
    fn has_others(&self) -> bool {
        !self.inner.is_empty() && inner(self.entry).count() != 1
    }

    /// Returns the path of the object with the command.
    fn place(&self) -> Vec<String> {
        [&*self.path, &*self.inner].concat()
    }

    /// Sets the planned members. Members that somebody added stay, and so do the other commands of a shared entry.
    fn conform(&self, document: &mut dyn Document, wanted: &Value) -> Result<(), ConfigError> {
        let command = wanted[HOOKS].get(0);
        if !self.has_others() {
            let mut members = wanted.clone();
            if self.inner.is_empty() == command.is_some() {
                // The client's form of an entry has changed since.
                for (name, _) in children(self.entry) {
                    members[&name] = wanted[&name].clone();
                }
                return document.merge(&self.path, &members);
            }
            if command.is_some() {
                members.as_object_mut().and_then(|it| it.remove(HOOKS));
            }
            // An earlier program had gates of fewer kinds.
            if is_of_gate(wanted) && wanted.get("matcher").is_none() {
                members["matcher"] = Value::Null;
            }
            document.merge(&self.path, &members)?;
        }
        match command.filter(|_| !self.inner.is_empty()) {
            Some(command) => document.merge(&self.place(), command),
            None => Ok(()),
        }
    }
}

/// Returns the server's own hooks.
fn own<'v>(settings: &'v Value, owner: &EntryOwner) -> Vec<Hook<'v>> {
    let mut all = hooks(settings);
    all.retain(|hook| hook.is_own(owner));
    all
}

/// Removes the last own hook that is meant, with its entry if that has no other command, and then the others.
fn remove(
    document: &mut dyn Document,
    owner: &EntryOwner,
    is_meant: impl Fn(&Value, &Hook<'_>) -> bool,
) -> Result<(), ConfigError> {
    loop {
        let settings = document.every();
        let mut own = own(&settings, owner).into_iter().rev();
        match own.find(|hook| is_meant(&settings, hook)) {
            Some(hook) if hook.has_others() => document.remove(&hook.place())?,
            Some(hook) => document.remove(&hook.path)?,
            None => return Ok(()),
        }
    }
}

/// Updates the hooks, so that each event has each planned entry once, and no other own hook is in the file. Returns whether
/// there were own ones, and how many had no id.
pub(super) fn install(
    document: &mut dyn Document,
    wanted: &[(&str, Vec<&Value>)],
    owner: &EntryOwner,
) -> Result<(bool, usize), ConfigError> {
    for (event, _) in wanted {
        document.list(&document.hooks(event))?;
    }
    let before = document.every();
    let before = hooks(&before);
    let count = |kinship| {
        before
            .iter()
            .filter(|it| it.kinship(owner) == kinship)
            .count()
    };
    let earlier = count(Kinship::Earlier);
    let had_ours = count(Kinship::Ours) + earlier > 0;
    // The user's own commands around ours count.
    let missing = |event: Option<&str>| {
        let entries = wanted.iter().find(|(name, _)| Some(*name) == event);
        let wrapped = before
            .iter()
            .filter(|it| it.event == event && it.kinship(owner) == Kinship::Wrapped);
        let entries = entries.map_or(&[][..], |(_, entries)| entries.as_slice());
        &entries[wrapped.count().min(entries.len())..]
    };
    // In an entry of another server, ours would have its matcher.
    let is_joined = |settings: &Value, own: &Hook<'_>| {
        let mut beside = hooks(settings).into_iter().filter(|it| it.path == own.path);
        beside.any(|it| !it.is_own(owner) && it.command().is_some_and(command::is_of_a_server))
    };
    remove(document, owner, |settings, hook| {
        let same = own(settings, owner)
            .into_iter()
            .filter(|it| it.event == hook.event);
        let earlier = same.take_while(|it| it.place() != hook.place());
        earlier.count() >= missing(hook.event).len() || is_joined(settings, hook)
    })?;
    let after = document.every();
    let own = own(&after, owner);
    for (event, _) in wanted {
        let mut there = own.iter().filter(|hook| hook.event == Some(event));
        for entry in missing(Some(event)) {
            let path = document.hooks(event);
            let mut entry = (*entry).clone();
            if path.len() == 1 {
                entry["event"] = json!(event);
            }
            match there.next() {
                Some(own) => own.conform(document, &entry)?,
                None => document.append(&path, &entry)?,
            }
        }
    }
    Ok((had_ours, earlier))
}

/// Removes the own hooks, and each list that has nothing left and that the value before had not.
pub(super) fn uninstall(
    document: &mut dyn Document,
    before: Option<&Value>,
    owner: &EntryOwner,
) -> Result<(), ConfigError> {
    remove(document, owner, |_, _| true)?;
    // The last one first, so that the numbers of the others stay.
    for (name, hooks) in named(&document.every(), HOOKS).rev() {
        let events = hooks.as_object().into_iter().flatten().rev();
        for (event, _) in events {
            document.remove_bare(&[name.clone(), event.clone()], before)?;
        }
        document.remove_bare(std::slice::from_ref(name), before)?;
    }
    Ok(())
}

/// Returns the own hooks that have an event and start a program.
pub(super) fn installed(settings: &Value, owner: &EntryOwner) -> Vec<Installed> {
    let own = own(settings, owner).into_iter().filter_map(|hook| {
        let command = hook.command()?;
        Some(Installed {
            event: hook.event?.to_owned(),
            command: command.to_owned(),
            program: command::program(command)?,
        })
    });
    own.collect()
}

/// Returns whether an entry is a gate's, whose matcher the program writes.
fn is_of_gate(entry: &Value) -> bool {
    let command = entry[HOOKS][0].get("command").or(entry.get("command"));
    command.is_some_and(|it| it.to_string().contains("--event agent_tool_"))
}

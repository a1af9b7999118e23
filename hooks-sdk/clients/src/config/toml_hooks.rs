//! Hook entries in a client's TOML file: one list of all entries, each of which names its event.

use std::path::Path;

use serde_json::Value;

use super::{
    command::{EntryOwner, Kinship},
    error::ConfigError,
    hooks::{Edited, HOOKS, is_of_gate},
    toml::Toml,
};

/// The member of an entry with the name of its event.
const EVENT: &str = "event";

/// Updates the list, so that it has each planned entry once, and no other own entry.
pub(super) fn install(
    file: &Path,
    text: &str,
    wanted: &[(&str, Vec<&Value>)],
    owner: &EntryOwner,
) -> Result<Edited, ConfigError> {
    let toml = Toml::parse(file, text)?;
    let mut missing: Vec<Value> = wanted
        .iter()
        .flat_map(|(event, entries)| entries.iter().map(|entry| named(event, entry)))
        .collect();
    let (mut had_ours, mut taken_over) = (false, 0);
    let mut changes = Vec::new();
    for (at, entry) in toml.list(HOOKS)?.iter().enumerate() {
        let kinship = kinship(entry, owner);
        if kinship == Kinship::Foreign {
            continue;
        }
        let planned = missing.iter().position(|it| it[EVENT] == entry[EVENT]);
        let planned = planned.map(|at| missing.remove(at));
        if kinship != Kinship::Wrapped {
            had_ours = true;
            taken_over += usize::from(kinship == Kinship::Earlier);
            changes.push((at, planned));
        }
    }
    Ok(Edited {
        text: toml.with_list(HOOKS, &changes, &missing)?,
        had_ours,
        taken_over,
    })
}

/// Removes the own entries.
pub(super) fn uninstall(
    file: &Path,
    text: &str,
    owner: &EntryOwner,
) -> Result<String, ConfigError> {
    let toml = Toml::parse(file, text)?;
    let list = toml.list(HOOKS)?;
    let own = list.iter().enumerate().filter(|(_, it)| is_own(it, owner));
    let changes: Vec<_> = own.map(|(at, _)| (at, None)).collect();
    toml.with_list(HOOKS, &changes, &[])
}

/// Returns the own commands, each with its event.
pub(super) fn commands(
    file: &Path,
    text: &str,
    owner: &EntryOwner,
) -> Result<Vec<(String, String)>, ConfigError> {
    let list = Toml::parse(file, text)?.list(HOOKS)?;
    let own = list.iter().filter(|entry| is_own(entry, owner));
    let member = |entry: &Value, name: &str| Some(entry[name].as_str()?.to_owned());
    Ok(own
        .filter_map(|entry| Some((member(entry, EVENT)?, member(entry, "command")?)))
        .collect())
}

fn kinship(entry: &Value, owner: &EntryOwner) -> Kinship {
    let command = entry["command"].as_str();
    command.map_or(Kinship::Foreign, |command| owner.kinship(command))
}

fn is_own(entry: &Value, owner: &EntryOwner) -> bool {
    matches!(kinship(entry, owner), Kinship::Ours | Kinship::Earlier)
}

/// Returns an entry with the name of its event.
fn named(event: &str, entry: &Value) -> Value {
    let mut named = entry.clone();
    named[EVENT] = event.into();
    // An earlier program had gates of fewer kinds.
    if is_of_gate(entry) && entry.get("matcher").is_none() {
        named["matcher"] = Value::Null;
    }
    named
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FILE: &str = "config.toml";
    const OURS: &str = "notes hooks fire --id notes";

    fn owner() -> EntryOwner {
        EntryOwner::new("notes")
    }

    fn installed(text: &str, command: &str) -> Result<Edited, ConfigError> {
        let entry = json!({ "command": command, "timeout": 10 });
        install(Path::new(FILE), text, &[("Stop", vec![&entry])], &owner())
    }

    fn uninstalled(text: &str) -> String {
        uninstall(Path::new(FILE), text, &owner()).unwrap()
    }

    #[test]
    fn other_entries_and_comments_stay() {
        let other = "# mine\n[[hooks]]\nevent = \"Stop\"\ncommand = \"date\" # always\n";
        let ours = format!("[[hooks]]\ncommand = \"{OURS}\"\nevent = \"Stop\"\ntimeout = 10\n");
        for (before, after) in [
            ("", ours.clone()),
            ("a = 1\n", format!("a = 1\n\n{ours}")),
            (other, format!("{other}\n{ours}")),
            (
                &*format!("{other}[other]\n# the end\n"),
                format!("{other}[other]\n# the end\n\n{ours}"),
            ),
        ] {
            let first = installed(before, OURS).unwrap();
            assert_eq!((first.text.as_str(), first.had_ours), (&*after, false));
            let again = installed(&after, OURS).unwrap();
            assert_eq!((again.text.as_str(), again.had_ours), (&*after, true));
            assert_eq!(uninstalled(&after).trim_end(), before.trim_end());
        }
    }

    #[test]
    fn a_list_in_one_line_is_edited_too() {
        let before = "hooks = [{ event = \"Stop\", command = \"date\" }]\n";
        let first = installed(before, OURS).unwrap().text;
        assert!(first.starts_with("hooks = [{ event = \"Stop\", command = \"date\" }, {"));
        assert_eq!(installed(&first, OURS).unwrap().text, first);
        assert_eq!(uninstalled(&first), before);
    }

    #[test]
    fn an_own_entry_gets_the_planned_members_and_keeps_others() {
        let other = "notes hooks fire --event Stop --id notes";
        let before = format!(
            "[[hooks]]\nevent = \"Stop\"\ncommand = \"{other}\"\nmine = 1\n\n[[hooks]]\nevent = \"Start\"\n\
             command = \"{other}\"\n"
        );
        let after = installed(&before, OURS).unwrap();
        assert!(after.had_ours);
        assert_eq!(
            Toml::parse(Path::new(FILE), &after.text)
                .unwrap()
                .list(HOOKS)
                .unwrap(),
            [json!({ "event": "Stop", "command": OURS, "mine": 1, "timeout": 10 })]
        );
    }

    #[test]
    fn what_a_user_has_put_around_ours_counts_as_ours() {
        let wrapped = format!("[[hooks]]\nevent = \"Stop\"\ncommand = \"timeout 3 {OURS}\"\n");
        let after = installed(&wrapped, OURS).unwrap();
        assert_eq!((after.text.as_str(), after.had_ours), (&*wrapped, false));
        assert_eq!(uninstalled(&wrapped), wrapped);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["hooks = 3\n", "[hooks]\nStop = []\n"] {
            let error = installed(text, OURS).err().unwrap().to_string();
            assert!(error.contains("not a list"), "{error}");
        }
    }
}

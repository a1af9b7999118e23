//! The hooks before a tool in a client's files: those of other programs, and the time-outs in the entries.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;

use super::{
    Client, Place,
    config::{self, EntryOwner},
};
use hooks_core::lifecycle::Event;

/// The most bytes of a script that are searched for an approval.
const SCRIPT: u64 = 256 * 1024;

/// A hook before a tool, in a client's file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookBeforeTools {
    /// The file.
    pub file: PathBuf,
    /// The command line.
    pub command: String,
    /// The time-out in the entry.
    pub timeout: Option<Duration>,
    /// Whether it is a gate of this server.
    pub is_own: bool,
    /// Whether the command, or a script that it names, has the word `allow` in quotes: it may approve calls.
    pub may_approve: bool,
}

/// Returns the hooks before a tool in all files of a client whose hooks are commands.
pub fn hooks_before_tools(
    client: &Client,
    place: &Place,
    server: &str,
    owner: &EntryOwner,
) -> Vec<HookBeforeTools> {
    let gates = client.gates.as_ref();
    if gates.is_none_or(|gates| gates.plugin.is_some()) {
        return Vec::new();
    }
    let native = client.mapping(Event::PreToolUse).native;
    let scopes = client.scopes.iter();
    let mut files: Vec<PathBuf> = scopes
        .flat_map(|scope| beside(&client.hooks_file(*scope, place, server)))
        .collect();
    files.dedup();
    let mut found = Vec::new();
    for file in files {
        let settings = config::settings(&file).unwrap_or_default();
        let mut hooks = config::hooks(&settings);
        hooks.retain(|hook| hook.event.is_none_or(|event| event == native));
        found.extend(hooks.into_iter().filter_map(|hook| {
            let command = hook.value["command"].as_str();
            let command = command.or_else(|| hook.value["bash"].as_str())?;
            Some(HookBeforeTools {
                file: file.clone(),
                command: command.to_owned(),
                timeout: timeout(client, hook.value),
                is_own: owner.is_own(command),
                may_approve: may_approve(command, place),
            })
        }));
    }
    found
}

/// Returns the file, and where a client reads a folder of files, those beside it.
fn beside(file: &Path) -> Vec<PathBuf> {
    let folder = file.parent().filter(|folder| folder.ends_with("hooks"));
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    if files.is_empty() {
        files.push(file.to_owned());
    }
    files.sort();
    files
}

fn timeout(client: &Client, hook: &Value) -> Option<Duration> {
    let number = hook.get("timeout").or_else(|| hook.get("timeoutSec"))?;
    let number = u32::try_from(number.as_u64()?).unwrap_or(u32::MAX);
    Some(client.entries.unit.saturating_mul(number))
}

/// Returns whether a command, or a script that it names, writes `allow` as a JSON text.
fn may_approve(command: &str, place: &Place) -> bool {
    let says = |text: &str| text.contains("\"allow\"") || text.contains("'allow'");
    let words = command.split([' ', '\'', '"', ';', '(', ')']);
    let script = |word: &str| {
        let path = match word.strip_prefix("~/") {
            Some(rest) => place.home.join(rest),
            None => place.project.join(word),
        };
        let small = fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() <= SCRIPT);
        small.then(|| fs::read_to_string(path).unwrap_or_default())
    };
    says(&command.replace('\\', ""))
        || words
            .filter(|word| word.contains(['/', '.']))
            .filter_map(script)
            .any(|text| says(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GateEntries, InstallScope, Installation, by_name, config::closed_command_line};

    #[test]
    fn foreign_hooks_are_found_and_those_that_may_approve() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path().join("home"), folder.path().join("project"));
        let program = Path::new("/opt/notes");
        let own = closed_command_line(program, &["hooks", "fire", "--id", "notes"]);
        fs::create_dir_all(place.home.join(".qwen")).unwrap();
        fs::create_dir_all(&place.project).unwrap();
        fs::write(
            place.project.join("yes.py"),
            "print({'permissionDecision': 'allow'})",
        )
        .unwrap();
        let hook = |command: &str| serde_json::json!({ "hooks": [{ "command": command, "timeout": 1_000 }] });
        let settings = serde_json::json!({ "hooks": { "PreToolUse": [
            hook(&own), hook("python3 yes.py"), hook(r#"echo '{"decision":"allow"}'"#), hook("date"),
        ] } });
        fs::write(place.home.join(".qwen/settings.json"), settings.to_string()).unwrap();
        let owner = EntryOwner::new("notes");
        let found = hooks_before_tools(by_name("qwen").unwrap(), &place, "notes", &owner);
        let found: Vec<_> = found
            .iter()
            .map(|hook| (hook.is_own, hook.may_approve))
            .collect();
        assert_eq!(
            found,
            [(true, false), (false, true), (false, true), (false, false)]
        );
        let none = hooks_before_tools(by_name("cline").unwrap(), &place, "notes", &owner);
        assert_eq!(none, []);
        // One list of all entries.
        let list = "[[hooks]]\nevent = 'Stop'\ncommand = 'date'\n[[hooks]]\nevent = 'PreToolUse'\ncommand = 'python3 yes.py'\n";
        fs::create_dir_all(place.home.join(".kimi-code")).unwrap();
        fs::write(place.home.join(".kimi-code/config.toml"), list).unwrap();
        let found = hooks_before_tools(by_name("kimi").unwrap(), &place, "notes", &owner);
        assert_eq!((found.len(), found[0].may_approve), (1, true));
    }

    #[test]
    fn a_gate_for_more_tools_is_asked_about_them_after_the_next_installation() {
        for client in crate::ALL {
            let gates = client.gates.as_ref();
            if gates.is_none_or(|gates| gates.plugin.is_some()) {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let place = Place::new(folder.path().join("home"), folder.path().join("project"));
            let install = |kinds: &[&'static str]| {
                let mut gates = GateEntries::closed();
                gates.kinds = kinds.to_vec();
                let program = Path::new("/opt/notes");
                let to = Installation::new("notes", InstallScope::User, &place, "notes", program);
                let gates = Some(&gates);
                let plan = Installation { gates, ..to }.plan(client, false);
                let data = folder.path().join("data");
                let changes = plan.preview(&data).unwrap().iter().any(|it| it.changes());
                plan.apply(&data).unwrap();
                let file = client.hooks_file(InstallScope::User, &place, "notes");
                (changes, fs::read_to_string(file).unwrap())
            };
            let name = client.name;
            let (_, first) = install(&["shell"]);
            assert!(first.contains("matcher"), "{name}: {first}");
            let (changes, second) = install(&[]);
            assert!(changes && !second.contains("matcher"), "{name}: {second}");
            assert!(second.contains("agent_tool_pre_invoke"), "{name}: {second}");
            assert!(!install(&[]).0, "{name}");
            let (changes, third) = install(&["shell", "edit"]);
            assert!(changes && third.contains("matcher"), "{name}: {third}");
        }
    }

    #[test]
    fn each_switch_in_a_file_is_reported() {
        let off = r#"{"disableAllHooks": true}"#;
        for (client, file, content) in [
            ("claude-code", "home/.claude/settings.json", off),
            ("claude-code", "project/.claude/settings.json", off),
            ("claude-code", "project/.claude/settings.local.json", off),
            (
                "codex",
                "home/.codex/config.toml",
                "[features]\nhooks = false\n",
            ),
            (
                "gemini",
                "home/.gemini/settings.json",
                r#"{"hooksConfig": {"enabled": false}}"#,
            ),
            (
                "gemini",
                "project/.gemini/settings.json",
                r#"{"hooksConfig": {"enabled": false}}"#,
            ),
            (
                "gemini",
                "home/.gemini/settings.json",
                r#"{"hooksConfig": {"disabled": ["notes pre_tool_use"]}}"#,
            ),
            ("copilot", "home/.copilot/hooks/other.json", off),
            ("copilot", "project/.claude/settings.json", off),
            ("copilot", "project/.github/copilot/settings.json", off),
            ("qwen", "home/.qwen/settings.json", off),
            ("qwen", "project/.qwen/settings.json", off),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let place = Place::new(folder.path().join("home"), folder.path().join("project"));
            let client = by_name(client).unwrap();
            assert_eq!(client.looked(InstallScope::User, &place).wrong, [""; 0]);
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, content).unwrap();
            let wrong = client.looked(InstallScope::User, &place).wrong;
            assert_eq!(wrong.len(), 1, "{}: {wrong:?}", file.display());
            assert!(wrong[0].contains(&*file.to_string_lossy()), "{wrong:?}");
        }
    }
}

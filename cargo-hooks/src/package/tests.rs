//! The files of a package, for a program with two hooks.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use hooks_clients::{
    self as clients,
    dump::{Dump, DumpedClient, DumpedHook, DumpedSkill, FileBytes},
};
use hooks_core::lifecycle::Event;

use super::{
    Package, PackageFormat,
    format::{Format, PackageFacts},
    parts::PackageParts,
};
use crate::server::Server;

/// A server with these hooks, each at its event.
fn dump(name: &str, hooks: &[(&str, Event)]) -> Dump {
    let mut dump = Dump::default();
    (dump.name, dump.id) = (name.to_owned(), name.to_owned());
    let declared = |(id, event): &(&str, Event)| {
        let mut hook = DumpedHook::default();
        (hook.event, hook.hooks) = (Some(*event), vec![(*id).to_owned()]);
        hook
    };
    dump.hooks = hooks.iter().map(declared).collect();
    let known = |client: &&'static clients::Client| {
        let mut known = DumpedClient::default();
        client.name.clone_into(&mut known.name);
        known.events = hooks.iter().map(|(_, event)| *event).collect();
        known
    };
    dump.clients = clients::ALL.iter().map(known).collect();
    dump.about.description = format!("The MCP server `{name}`");
    dump
}

pub(super) fn program() -> Dump {
    let hooks = [("begin", Event::SessionStart), ("end", Event::SessionEnd)];
    let mut program = dump("my_notes", &hooks);
    let text = |text: &str| Some(text.to_owned());
    "Notes for agents.".clone_into(&mut program.about.description);
    program.about.version = text("1.2.3");
    program.about.authors = text("Ann <ann@example.com>:Ben");
    program.about.license = text("MIT");
    program
}

/// The formats whose clients are all known here.
fn formats() -> impl Iterator<Item = &'static Format> {
    let is_known = |format: &&'static Format| clients::by_name(format.client).is_some();
    super::formats::ALL.into_iter().filter(is_known)
}

fn written(format: &'static Format, program: &Dump) -> BTreeMap<String, String> {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("package");
    let package = Package {
        format: PackageFormat::Plugin(format),
        server: Server::default(),
        programs: Vec::new(),
        name: None,
        folder: folder.clone(),
        json: true,
    };
    let done = package.write(program, BINARY).unwrap();
    assert!(done.page().starts_with("The package `"));
    read(&folder)
}

/// Reads everything below a folder.
pub(super) fn read(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                files.insert(name.to_owned(), fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

fn json(files: &BTreeMap<String, String>, name: &str) -> Value {
    serde_json::from_str(&files[name]).unwrap()
}

/// The file name of the server's program.
const BINARY: &str = "notes-server";

#[test]
fn each_format_has_the_manifest_the_server_and_the_hooks() {
    for format in formats() {
        let files = written(format, &program());
        let manifest = json(&files, format.manifest);
        assert_eq!(manifest["name"], "my-notes", "{}", format.name);
        assert_eq!(manifest["version"], "1.2.3");
        assert_eq!(manifest["license"], "MIT");
        assert_eq!(
            manifest["author"],
            json!({ "name": "Ann", "email": "ann@example.com" })
        );
        assert_eq!(manifest.get("$schema").is_some(), format.schema.is_some());
        let servers = json(&files, format.servers);
        let server = &servers["mcpServers"]["my_notes"];
        assert_eq!(server["command"], BINARY);
        assert_eq!(server["args"], json!(["serve"]));
        let hooked = server["env"]["HOOKS_INSTALLED"].as_str().unwrap();
        assert_eq!(hooked, format.client);
        let file = json(&files, format.hooks);
        let version = (format.client == "copilot").then(|| Value::from(1));
        assert_eq!(file.get("version"), version.as_ref());
        let events = file["hooks"].as_object().unwrap();
        assert!(!events.is_empty(), "{}", format.name);
        // No text reaches an agent at the end of a session.
        assert!(
            !events.keys().any(|event| event.ends_with("nd")),
            "{events:?}"
        );
        let text = file["hooks"].to_string();
        let guard = format!("command -v {} >/dev/null || {{ printf '%s\\\\n' ", BINARY);
        assert!(text.contains(&guard), "{text}");
        let run = format!("; exec {} hooks fire", BINARY);
        assert!(text.contains(&run), "{text}");
        assert!(text.contains(&format!("--client {}", format.client)));
        // No file of this computer is named.
        let here = std::env::current_dir().unwrap();
        for (name, text) in &files {
            assert!(!text.contains(here.to_str().unwrap()), "{name}: {text}");
        }
        let page = &files["README.md"];
        assert!(page.split_whitespace().count() > 40, "{page}");
        assert!(page.contains("`session_start`: `begin`"), "{page}");
        assert!(!page.contains("session_end"), "{page}");
    }
}

#[test]
fn a_catalog_offers_the_plugin_in_its_own_folder() {
    for (format, source) in [
        (&super::formats::CLAUDE, json!("./")),
        (
            &super::formats::CODEX,
            json!({ "source": "local", "path": "./" }),
        ),
    ] {
        let files = written(format, &program());
        let catalog = json(&files, format.catalog.as_ref().unwrap().file);
        assert_eq!(catalog["name"], "my-notes");
        assert_eq!(catalog["owner"]["name"], "Ann");
        assert_eq!(catalog["plugins"][0]["name"], "my-notes");
        assert_eq!(catalog["plugins"][0]["source"], source);
    }
}

#[test]
fn what_a_program_does_not_say_is_left_out() {
    let mut plain = dump("notes", &[]);
    plain.arguments = ["--database", "/home/me/notes.db"]
        .map(str::to_owned)
        .into();
    let files = written(&super::formats::CLAUDE, &plain);
    let manifest = json(&files, ".claude-plugin/plugin.json");
    let described = json!({ "name": "notes", "description": "The MCP server `notes`" });
    assert_eq!(manifest, described);
    assert_eq!(json(&files, "hooks/hooks.json"), json!({ "hooks": {} }));
    let about = about(&plain);
    let parts = parts(&super::formats::CLAUDE, &about);
    let notes = parts.notes().unwrap().join("\n");
    assert!(
        notes.contains("`/home/me/notes.db`, which another computer"),
        "{notes}"
    );
    assert!(notes.contains("has no version"), "{notes}");
}

pub(super) fn about(program: &Dump) -> PackageFacts<'_> {
    PackageFacts {
        name: "notes",
        program: "notes",
        dump: program,
    }
}

fn parts<'a>(format: &'static Format, about: &'a PackageFacts<'a>) -> PackageParts<'a> {
    PackageParts {
        format,
        about,
        inside: None,
    }
}

#[test]
fn skills_have_folders_of_their_own() {
    let mut skilled = program();
    let skill = |files: &[(&'static str, &'static str)]| {
        let files = files.iter();
        let files = files.map(|(path, text)| ((*path).to_owned(), FileBytes::of(text.as_bytes())));
        DumpedSkill::new("write-hooks", "How to write hooks.", files)
    };
    let manifest = "---\nname: write-hooks\ndescription: How to write hooks.\n---\n\nWrite them.\n";
    skilled.skills = vec![skill(&[("SKILL.md", manifest), ("references/a.md", "A")])];
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("package");
    let files = parts(&super::formats::CLAUDE, &about(&skilled)).files();
    let written = files.unwrap().write(&folder, "notes", "claude-plugin");
    written.unwrap();
    let read = |path: &str| fs::read_to_string(folder.join(Path::new(path))).unwrap();
    assert_eq!(read("skills/write-hooks/SKILL.md"), manifest);
    assert_eq!(read("skills/write-hooks/references/a.md"), "A");
    assert!(read("README.md").contains("The skill `write-hooks`: How to write hooks."));

    for path in ["../../x", "/etc/x", "a/../../../x"] {
        skilled.skills = vec![skill(&[("SKILL.md", manifest), (path, "")])];
        let files = parts(&super::formats::CLAUDE, &about(&skilled)).files();
        let error = files.unwrap_err().to_string();
        assert!(error.contains("inside the package"), "{error}");
    }
}

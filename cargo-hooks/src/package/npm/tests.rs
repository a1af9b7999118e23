//! The archives of npm: what npm, Claude Code, OpenCode and Cline CLI read in them.

use std::{collections::BTreeMap, io::Read as _};

use super::*;
use crate::package::{
    programs::tests::programs,
    tests::{about, program},
};

/// Returns the files of each archive, by its name.
fn made(name: &str, triples: &[&str]) -> BTreeMap<String, BTreeMap<String, String>> {
    let (mut program, programs) = (program(), programs(triples));
    program.about.repository = Some("https://github.com/acme/notes".to_owned());
    program.about.registry_name = Some("io.github.acme/notes".to_owned());
    let packages = NpmPackages {
        about: &about(&program),
        name,
        programs: &programs,
    };
    let contents = packages.contents("/dist").unwrap();
    let archives = contents
        .files
        .iter()
        .filter(|(path, _)| path.ends_with(".tgz"));
    archives
        .map(|(path, file)| {
            let mut archive =
                tar::Archive::new(flate2::read::GzDecoder::new(file.bytes.as_slice()));
            let files = archive.entries().unwrap().map(|entry| {
                let mut entry = entry.unwrap();
                let path = entry.path().unwrap().to_str().unwrap().to_owned();
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).unwrap();
                let path = path.strip_prefix("package/").unwrap().to_owned();
                (path, String::from_utf8_lossy(&bytes).into_owned())
            });
            (path.to_owned(), files.collect())
        })
        .collect()
}

fn json_of(files: &BTreeMap<String, String>, name: &str) -> Value {
    serde_json::from_str(&files[name]).unwrap()
}

#[test]
fn one_package_is_named_and_the_others_hold_a_program_each() {
    let made = made(
        "@acme/notes",
        &[
            "x86_64-unknown-linux-gnu",
            "x86_64-unknown-linux-musl",
            "aarch64-apple-darwin",
        ],
    );
    let names: Vec<&str> = made.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "acme-notes-1.2.3.tgz",
            "acme-notes-darwin-arm64-1.2.3.tgz",
            "acme-notes-linux-x64-1.2.3.tgz",
            "acme-notes-linux-x64-musl-1.2.3.tgz"
        ]
    );
    let manifest = json_of(&made[names[0]], "package.json");
    assert_eq!(manifest["mcpName"], "io.github.acme/notes");
    assert_eq!(manifest["bin"], json!({ "notes": "bin/notes.js" }));
    assert_eq!(
        manifest["optionalDependencies"],
        json!({ "@acme/notes-darwin-arm64": "1.2.3", "@acme/notes-linux-x64": "1.2.3", "@acme/notes-linux-x64-musl": "1.2.3" })
    );
    for files in made.values() {
        // Claude Code and OpenCode run no scripts, and many people forbid them.
        assert!(json_of(files, "package.json").get("scripts").is_none());
    }
    let musl = json_of(&made[names[3]], "package.json");
    assert_eq!(
        (&musl["os"], &musl["cpu"], &musl["libc"]),
        (&json!(["linux"]), &json!(["x64"]), &json!(["musl"]))
    );
    assert!(made[names[3]].contains_key("bin/notes"));

    // The lock file names what is published, by the hash of the archive.
    let lock = json_of(&made[names[0]], "package-lock.json");
    let entry = &lock["packages"]["node_modules/@acme/notes-linux-x64"];
    assert_eq!(
        entry["resolved"],
        "https://registry.npmjs.org/@acme/notes-linux-x64/-/notes-linux-x64-1.2.3.tgz"
    );
    assert!(entry["integrity"].as_str().unwrap().starts_with("sha512-"));
    // npm would obey it, and fetch the programs of all platforms.
    assert!(!made[names[0]].contains_key("npm-shrinkwrap.json"));
}

#[test]
fn a_program_for_musl_alone_is_for_every_linux() {
    let made = made("notes", &["x86_64-unknown-linux-musl"]);
    let manifest = json_of(&made["notes-linux-x64-musl-1.2.3.tgz"], "package.json");
    assert!(manifest.get("libc").is_none());
}

#[test]
fn the_hooks_start_the_program_without_node() {
    let made = made("@acme/notes", &["x86_64-unknown-linux-gnu"]);
    let files = &made["acme-notes-1.2.3.tgz"];
    let hooks = &files["hooks/hooks.json"];
    assert!(!hooks.contains("node "), "{hooks}");
    assert!(
        hooks.contains(
            r#"for p in \"${CLAUDE_PLUGIN_ROOT}\"/node_modules/@acme/notes-*/bin/notes; do"#
        ),
        "{hooks}"
    );
    let server = json_of(files, ".mcp.json");
    assert_eq!(server["mcpServers"]["my_notes"]["command"], "sh");
    // The plugins that are JavaScript ask where the program is.
    for (file, client) in [
        ("lib/hooks.js", "opencode"),
        ("lib/cline-hooks.js", "cline"),
    ] {
        let command = format!(
            r#"const COMMAND = [find(),"hooks","fire","--client","{client}","--id","my_notes"]"#
        );
        assert!(files[file].contains(&command), "{}", files[file]);
    }
    assert!(files["opencode.js"].contains("servers[\"my_notes\"]"));
    assert!(files["cline.js"].contains("const server = { name: \"my_notes\""));
    let manifest = json_of(files, "package.json");
    assert_eq!(manifest["cline"], json!({ "plugins": ["./cline.js"] }));
    let every: String = files.values().map(String::as_str).collect();
    for placeholder in [
        "__SERVER__",
        "__PACKAGES__",
        "__NAME__",
        "__ARGUMENTS__",
        "__ENVIRONMENT__",
    ] {
        assert!(!every.contains(placeholder), "{placeholder}");
    }
}

#[test]
fn windows_has_no_shell_for_the_servers_entry() {
    let made = made("notes", &["x86_64-pc-windows-msvc"]);
    let server = json_of(&made["notes-1.2.3.tgz"], ".mcp.json");
    let entry = &server["mcpServers"]["my_notes"];
    assert_eq!(
        (&entry["command"], &entry["args"]),
        (
            &json!("node"),
            &json!(["${CLAUDE_PLUGIN_ROOT}/bin/notes.js", "serve"])
        )
    );
    assert!(made["notes-win32-x64-1.2.3.tgz"].contains_key("bin/notes.exe"));
}

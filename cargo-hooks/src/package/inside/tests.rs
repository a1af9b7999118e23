//! A plugin with programs starts its own, on each platform, and the one of the PATH where it has none.

use std::{fs, path::Path};

use hooks_clients::dump::FileBytes;

use super::*;
use crate::package::{
    checks::tests::png,
    programs::tests::programs,
    tests::{about, program},
};

/// Writes a plugin with these programs.
fn plugin(format: &'static Format, programs: &[PlatformProgram], folder: &Path) {
    let program = program();
    let about = about(&program);
    let parts = PackageParts {
        format,
        about: &about,
        inside: Some(format.inside(&about, programs)),
    };
    let mut files = parts.files().unwrap();
    add(&mut files, &about, programs).unwrap();
    files.write(folder, "my_notes", format.name).unwrap();
}

#[test]
fn each_client_starts_the_program_of_the_plugin() {
    let home = tempfile::tempdir().unwrap();
    let programs = programs(&["x86_64-unknown-linux-gnu"]);
    for (format, root, command) in [
        (
            &formats::CLAUDE,
            "CLAUDE_PLUGIN_ROOT",
            "${CLAUDE_PLUGIN_ROOT}/bin/notes",
        ),
        (&formats::CODEX, "CLAUDE_PLUGIN_ROOT", "./bin/notes"),
        (&formats::AGENT, "PLUGIN_ROOT", "./bin/notes"),
        (
            &formats::GEMINI,
            "extensionPath",
            "${extensionPath}/bin/notes",
        ),
        (
            &formats::QWEN,
            "CLAUDE_PLUGIN_ROOT",
            "${extensionPath}/bin/notes",
        ),
    ] {
        let folder = home.path().join(format.name);
        plugin(format, &programs, &folder);
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
        let hooks = read(format.hooks);
        assert!(
            hooks.contains(&format!("for p in \\\"${{{root}}}/bin/notes\\\"; do")),
            "{hooks}"
        );
        assert!(!hooks.contains(">/dev/null || exit 0"), "{hooks}");
        let servers: serde_json::Value = serde_json::from_str(&read(format.servers)).unwrap();
        assert_eq!(servers["mcpServers"]["my_notes"]["command"], command);
        assert!(read("README.md").contains("contains the program"));
        assert_eq!(
            fs::read(folder.join("bin/notes")).unwrap(),
            programs[0].bytes
        );
    }
}

#[cfg(unix)]
#[test]
fn the_launcher_starts_the_program_of_this_computer() {
    use std::{os::unix::fs::PermissionsExt as _, process::Command};

    use crate::print::tests::put_script;
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("Zo\u{eb}'s plugin");
    let triples = [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "universal2-apple-darwin",
    ];
    let written = home.path().join("written");
    plugin(&formats::CODEX, &programs(&triples), &written);
    // A child writes the programs that are started: see `put_script`.
    let mut copy = Command::new("cp");
    let copied = copy.arg("-pR").args([&written, &folder]).status();
    assert!(copied.unwrap().success());
    let launcher = folder.join("bin/notes");
    for each in ["linux-x64", "linux-arm64", "darwin"] {
        let file = folder.join(format!("bin/notes-{each}"));
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o755
        );
        put_script(&file, &format!("#!/bin/sh\necho \"{each}|$1|$2\"\n"));
    }
    // Each system's answer to `uname -sm`.
    let bin = home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let uname = bin.join("uname");
    let run = |answer: &str, words: &[&str]| {
        put_script(&uname, &format!("#!/bin/sh\necho '{answer}'\n"));
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let output = Command::new(&launcher)
            .args(words)
            .env("PATH", path)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    for (answer, chosen) in [
        ("Linux x86_64", "linux-x64"),
        ("Linux aarch64", "linux-arm64"),
        ("Darwin arm64", "darwin"),
        ("Darwin x86_64", "darwin"),
    ] {
        let (code, out, _) = run(answer, &["a b", "$(c)"]);
        assert_eq!((code, out), (Some(0), format!("{chosen}|a b|$(c)\n")));
    }
    // A hook that cannot run does not stop the agent's work.
    assert_eq!(
        run("FreeBSD amd64", &["hooks", "fire", "--client", "codex"]),
        (Some(0), String::new(), String::new())
    );
    let (code, _, said) = run("FreeBSD amd64", &["serve"]);
    assert_eq!(
        (code, said.as_str()),
        (Some(1), "notes: no program for this computer\n")
    );
}

#[test]
fn a_launcher_needs_a_shell() {
    let program = program();
    let error = add(
        &mut Files::default(),
        &about(&program),
        &programs(&["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"]),
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("a plugin of its own for Windows"), "{error}");
    let mut files = Files::default();
    add(
        &mut files,
        &about(&program),
        &programs(&["x86_64-pc-windows-msvc"]),
    )
    .unwrap();
    assert!(files.iter().any(|(path, _)| path == "bin/notes.exe"));
}

#[test]
fn an_extension_of_gemini_is_one_archive_for_each_platform() {
    let program = program();
    let both = programs(&["x86_64-unknown-linux-musl", "aarch64-apple-darwin"]);
    let made = gemini(&about(&program), &both, "/dist").unwrap();
    let names: Vec<&str> = made.files.iter().map(|(path, _)| path).collect();
    assert_eq!(
        names,
        ["darwin.arm64.notes.tar.gz", "linux.x64.notes.tar.gz"]
    );
    let bytes = &made.files.iter().next().unwrap().1.bytes;
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
    let paths: Vec<String> = archive
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        paths,
        [
            "README.md",
            "bin/notes",
            "gemini-extension.json",
            "hooks/hooks.json"
        ]
    );
}

#[test]
fn an_icon_is_where_the_directory_of_plugins_looks_for_it() {
    let icon = png(512, 512);
    let files = |icon| {
        let mut program = program();
        program.about.icon = Some(FileBytes::of(icon));
        let parts = PackageParts {
            format: &formats::CLAUDE,
            about: &about(&program),
            inside: None,
        };
        parts.files()
    };
    let made = files(&icon).unwrap();
    assert!(
        made.iter()
            .any(|(path, file)| path == "icon.png" && file.bytes == icon)
    );
    let error = files(b"<svg>").unwrap_err().to_string();
    assert!(error.contains("not a PNG"), "{error}");
}

//! A bundle has what applications read, and what their own judge does not check is checked here.

use std::io::{Cursor, Read as _};

use super::*;
use crate::package::{checks::tests::png, format::PackageAuthor, programs::tests::programs};

fn author() -> PackageAuthor {
    PackageAuthor::first("Ann <ann@example.com>").unwrap()
}

fn about<'a>(author: Option<&'a PackageAuthor>, arguments: &'a [String]) -> PackageFacts<'a> {
    PackageFacts {
        name: "my-notes",
        server: "my_notes",
        program: "notes-server",
        arguments,
        description: "Notes for agents.",
        version: Some("1.2.3"),
        author,
        license: Some("MIT"),
        repository: Some("https://github.com/acme/notes"),
        homepage: None,
        registry_name: Some("io.github.acme/notes"),
        icon: None,
    }
}

fn unpacked(contents: &Contents, name: &str) -> Vec<(String, Vec<u8>, Option<u32>)> {
    let (_, bundle) = contents
        .files
        .iter()
        .find(|(path, _)| *path == name)
        .unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(&bundle.bytes)).unwrap();
    (0..archive.len())
        .map(|at| {
            let mut file = archive.by_index(at).unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (file.name().unwrap().into_owned(), bytes, file.unix_mode())
        })
        .collect()
}

#[test]
fn there_is_one_bundle_for_each_program() {
    let (author, arguments) = (author(), ["--fast".to_owned()]);
    let about = about(Some(&author), &arguments);
    let programs = programs(&["x86_64-unknown-linux-musl", "x86_64-pc-windows-msvc"]);
    let made = contents(&about, &programs, "/dist").unwrap();
    let names: Vec<&str> = made.files.iter().map(|(path, _)| path).collect();
    assert_eq!(
        names,
        [
            "my-notes-1.2.3-linux-x64-musl.mcpb",
            "my-notes-1.2.3-win32-x64.mcpb"
        ]
    );

    let files = unpacked(&made, names[1]);
    let paths: Vec<&str> = files.iter().map(|(path, ..)| path.as_str()).collect();
    assert_eq!(
        paths,
        ["README.md", "manifest.json", "server/notes-server.exe"]
    );
    assert_eq!(files[2].1, programs[1].bytes);
    assert_eq!(files[2].2.unwrap() & 0o777, 0o755);
    let page = String::from_utf8(files[0].1.clone()).unwrap();
    assert!(
        page.ends_with("\nmcp-name: io.github.acme/notes\n"),
        "{page}"
    );
    let manifest: Value = serde_json::from_slice(&files[1].1).unwrap();
    let server = &manifest["server"];
    assert_eq!(server["entry_point"], "server/notes-server.exe");
    assert_eq!(
        server["mcp_config"]["command"],
        "${__dirname}/server/notes-server.exe"
    );
    assert_eq!(server["mcp_config"]["args"], json!(["serve", "--fast"]));
    assert_eq!(manifest["compatibility"]["platforms"], json!(["win32"]));
    // A bundle installs no hooks.
    assert!(server["mcp_config"].get("env").is_none() && manifest.get("user_config").is_none());
    assert_eq!(
        contents(&about, &programs, "/dist")
            .unwrap()
            .files
            .iter()
            .map(|(_, file)| &file.bytes)
            .collect::<Vec<_>>(),
        made.files
            .iter()
            .map(|(_, file)| &file.bytes)
            .collect::<Vec<_>>()
    );
}

#[test]
fn an_icon_is_in_the_bundle_and_in_its_manifest() {
    let (author, icon) = (author(), png(512, 512));
    let with = PackageFacts {
        icon: Some(&icon),
        ..about(Some(&author), &[])
    };
    let made = contents(&with, &programs(&["x86_64-apple-darwin"]), "/dist").unwrap();
    let files = unpacked(&made, "my-notes-1.2.3-darwin-x64.mcpb");
    assert!(
        files
            .iter()
            .any(|(path, bytes, _)| path == "icon.png" && *bytes == icon)
    );
}

#[test]
fn what_would_fail_on_a_users_computer_is_refused() {
    let author = author();
    let refused = |about: PackageFacts<'_>, triples: &[&str], why: &str| {
        let error = contents(&about, &programs(triples), "/dist")
            .unwrap_err()
            .to_string();
        assert!(error.contains(why), "{error}");
    };
    let one = ["x86_64-apple-darwin"];
    let wrong = ["--path=${user_config.nope}".to_owned()];
    refused(about(None, &[]), &one, "has no author");
    refused(about(Some(&author), &wrong), &one, "`${user_config.nope}`");
    refused(
        PackageFacts {
            version: Some("banana"),
            ..about(Some(&author), &[])
        },
        &one,
        "`banana` is not a version",
    );
    refused(
        PackageFacts {
            repository: Some("git@github.com:a/b"),
            ..about(Some(&author), &[])
        },
        &one,
        "`Program::repository`",
    );
    refused(
        PackageFacts {
            icon: Some(b"x"),
            ..about(Some(&author), &[])
        },
        &one,
        "not a PNG",
    );
    refused(
        about(Some(&author), &[]),
        &["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"],
        "cannot tell them apart",
    );
}

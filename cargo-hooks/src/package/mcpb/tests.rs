//! A bundle has what applications read, and what their own judge does not check is checked here.

use std::io::{Cursor, Read as _};

use hooks_clients::dump::{Dump, FileBytes};

use super::*;
use crate::package::{checks::tests::png, programs::tests::programs};

/// A program with all that a bundle needs.
fn program() -> Dump {
    let text = |text: &str| Some(text.to_owned());
    let mut program = Dump::default();
    "my_notes".clone_into(&mut program.name);
    let about = &mut program.about;
    "Notes for agents.".clone_into(&mut about.description);
    about.version = text("1.2.3");
    about.authors = text("Ann <ann@example.com>");
    about.license = text("MIT");
    about.repository = text("https://github.com/acme/notes");
    about.registry_name = text("io.github.acme/notes");
    program
}

fn about(dump: &Dump) -> PackageFacts<'_> {
    PackageFacts {
        name: "my-notes",
        program: "notes-server",
        dump,
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
    let mut program = program();
    program.arguments = vec!["--fast".to_owned()];
    let about = about(&program);
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
    let (mut program, icon) = (program(), png(512, 512));
    program.about.icon = Some(FileBytes::of(&icon));
    let made = contents(
        &about(&program),
        &programs(&["x86_64-apple-darwin"]),
        "/dist",
    )
    .unwrap();
    let files = unpacked(&made, "my-notes-1.2.3-darwin-x64.mcpb");
    assert!(
        files
            .iter()
            .any(|(path, bytes, _)| path == "icon.png" && *bytes == icon)
    );
}

#[test]
fn what_would_fail_on_a_users_computer_is_refused() {
    let refused = |change: &dyn Fn(&mut Dump), triples: &[&str], why: &str| {
        let mut program = program();
        change(&mut program);
        let made = contents(&about(&program), &programs(triples), "/dist");
        let error = made.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    };
    let one = ["x86_64-apple-darwin"];
    let text = |text: &str| Some(text.to_owned());
    refused(&|it| it.about.authors = None, &one, "has no author");
    let wrong = "--path=${user_config.nope}";
    refused(
        &|it| it.arguments = vec![wrong.to_owned()],
        &one,
        "`${user_config.nope}`",
    );
    refused(
        &|it| it.about.version = text("banana"),
        &one,
        "`banana` is not a version",
    );
    refused(
        &|it| it.about.repository = text("git@github.com:a/b"),
        &one,
        "`Program::repository`",
    );
    refused(
        &|it| it.about.icon = Some(FileBytes::of(b"x")),
        &one,
        "not a PNG",
    );
    refused(
        &|_| {},
        &["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"],
        "cannot tell them apart",
    );
}

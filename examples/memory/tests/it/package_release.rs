//! `memory-server hooks package` for registries and applications: what the files hold, and that the program in them serves.

use std::{
    fs,
    io::{BufRead, BufReader, Write as _},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use super::user::User;

/// The target of this test's own programs.
pub(crate) const TRIPLE: &str = match (cfg!(target_os = "macos"), cfg!(target_arch = "aarch64")) {
    (true, true) => "aarch64-apple-darwin",
    (true, false) => "x86_64-apple-darwin",
    (false, true) => "aarch64-unknown-linux-gnu",
    (false, false) => "x86_64-unknown-linux-gnu",
};

/// The argument that packs the real program.
pub(crate) fn own_program() -> String {
    format!("{TRIPLE}={}", env!("CARGO_BIN_EXE_memory-server"))
}

/// Writes a package, and returns its folder and the report.
pub(crate) fn package(user: &User, arguments: &[&str]) -> (PathBuf, Value) {
    let folder = user.home().join("dist").join(arguments[0]);
    let shown = folder.to_str().unwrap().to_owned();
    let mut all = vec!["hooks", "package", "--format"];
    all.extend(arguments);
    all.extend([shown.as_str(), "--json"]);
    (folder, user.json(&all))
}

pub(crate) fn refused(user: &User, arguments: &[&str], code: i32, why: &str) {
    let folder = user.home().join("refused");
    let mut all = vec!["hooks", "package", "--format"];
    all.extend(arguments);
    all.push(folder.to_str().unwrap());
    let output = user.run(&all, b"");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(why) && said.contains("help"), "{said}");
    assert!(!folder.exists(), "{arguments:?}");
}

/// Asks a server for its tools, as a client does that starts this program.
fn tools(user: &User, program: &Path, arguments: &[&str]) -> Vec<String> {
    let mut child = user.process(program, arguments).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |message: Value| writeln!(input, "{message}").unwrap();
    ask(super::peer::initialize());
    let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(
        answer["result"]["serverInfo"]["name"], "memory-server",
        "{answer}"
    );
    ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

fn unpack(bundle: &Path, folder: &Path) {
    let file = fs::File::open(bundle).unwrap();
    let written = folder.with_extension("written");
    zip::ZipArchive::new(file)
        .unwrap()
        .extract(&written)
        .unwrap();
    // A child writes the program that is started: see `put_program`.
    let mut copy = Command::new("cp");
    let copied = copy.arg("-pR").args([&*written, folder]).status();
    assert!(copied.unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_bundle_serves_once_it_is_unpacked() {
    let user = User::new();
    let program = own_program();
    let (folder, report) = package(&user, &["mcpb", "--program", &program]);
    let name = report["files"][0]["file"].as_str().unwrap();
    let bundle = folder.join(name);
    let unpacked = user.home().join("an unpacked bundle");
    unpack(&bundle, &unpacked);
    let manifest = fs::read(unpacked.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let config = &manifest["server"]["mcp_config"];
    let command = config["command"].as_str().unwrap();
    let command = command.replace("${__dirname}", unpacked.to_str().unwrap());
    let arguments: Vec<&str> = config["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    assert!(tools(&user, Path::new(&command), &arguments).contains(&"store_memory".to_owned()));

    // The same bytes twice. Packing all of the program takes seconds.
    let (other, part) = (User::new(), user.home().join("part"));
    let whole = fs::read(env!("CARGO_BIN_EXE_memory-server")).unwrap();
    fs::write(&part, &whole[..1 << 20]).unwrap();
    let part = format!("{TRIPLE}={}", part.display());
    for state in ["created", "unchanged"] {
        let (_, report) = package(&other, &["mcpb", "--program", &part]);
        assert_eq!(report["files"], json!([{ "file": name, "state": state }]));
    }
}

#[test]
fn a_wrong_command_line_writes_nothing_and_says_what_to_change() {
    let user = User::new();
    refused(&user, &["mcpb"], 1, "`mcpb` needs a program");
    refused(
        &user,
        &["mcpb", "--program", "linux=x"],
        2,
        "the targets are",
    );
    refused(
        &user,
        &["mcpb", "--program", &format!("{TRIPLE}=/missing/file")],
        1,
        "cannot read the program",
    );
    for format in ["mcpb", "claude-plugin"] {
        refused(
            &user,
            &[format, "--name", "@acme/memory"],
            1,
            "does not use `--name`",
        );
    }
}

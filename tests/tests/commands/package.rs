//! `notebook hooks package`: the folders that clients load as plugins, and what their entries do.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::user::{PROGRAM, User, finished, initialize, recorded};

/// The target of this test's own programs.
const TRIPLE: &str = match (cfg!(target_os = "macos"), cfg!(target_arch = "aarch64")) {
    (true, true) => "aarch64-apple-darwin",
    (true, false) => "x86_64-apple-darwin",
    (false, true) => "aarch64-unknown-linux-gnu",
    (false, false) => "x86_64-unknown-linux-gnu",
};

fn package(user: &User, format: &str) -> PathBuf {
    let folder = user.home().join("plugins").join(format);
    let shown = folder.to_str().unwrap();
    let done = user.json(&["hooks", "package", "--format", format, shown, "--json"]);
    assert_eq!(done["format"], format);
    assert_eq!(done["plugin"], "notes");
    folder
}

fn json_of(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// The commands of a file of hooks.
fn commands(hooks: &Value, found: &mut Vec<String>) {
    match hooks {
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_str().filter(|_| name == "command") {
                    Some(command) => found.push(command.to_owned()),
                    None => commands(value, found),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|each| commands(each, found)),
        _ => {}
    }
}

/// Runs an entry as a client does, in a folder that is not the plugin's.
fn run(user: &User, command: &str, input: &[u8]) -> Value {
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(user.project())
        .env_clear()
        .env("HOME", user.home())
        .env("PATH", user.programs())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // An entry without its program reads nothing.
    _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    match output.stdout.is_empty() {
        true => Value::Null,
        false => serde_json::from_slice(&output.stdout).unwrap(),
    }
}

#[test]
fn the_entries_of_a_package_work_wherever_the_program_is_on_the_path() {
    let user = User::new();
    for (format, hooks, client, name) in [
        (
            "claude-plugin",
            "hooks/hooks.json",
            "claude-code",
            "PostToolUse.shell",
        ),
        (
            "codex-plugin",
            "hooks/hooks.json",
            "codex",
            "PostToolUse.shell",
        ),
        (
            "agent-plugins",
            "com.github.copilot/hooks/hooks.json",
            "copilot",
            "PostToolUse.shell",
        ),
        (
            "qwen-extension",
            "hooks/hooks.json",
            "qwen",
            "PostToolUse.shell",
        ),
    ] {
        let folder = package(&user, format);
        let moved = user.home().join("elsewhere").join(format);
        fs::create_dir_all(moved.parent().unwrap()).unwrap();
        fs::rename(&folder, &moved).unwrap();
        let mut found = Vec::new();
        commands(&json_of(&moved.join(hooks))["hooks"], &mut found);
        let after = "--event post_tool_use --id notebook";
        let command = found
            .iter()
            .find(|command| command.ends_with(after))
            .unwrap();
        let input = recorded(client, name);
        // Without the program nothing happens, and nothing fails.
        assert_eq!(run(&user, command, &input), Value::Null, "{format}");
        let program = user.programs().join("notebook");
        std::os::unix::fs::symlink(PROGRAM, &program).unwrap();
        let answer = run(&user, command, &input).to_string();
        assert!(
            answer.contains("You just committed work"),
            "{format}: {answer}"
        );
        fs::remove_file(program).unwrap();
    }
}

#[test]
fn the_manifest_of_a_bundle_starts_the_program_in_it() {
    let user = User::new();
    let (folder, unpacked) = (
        user.home().join("dist"),
        user.home().join("an unpacked bundle"),
    );
    let program = format!("{TRIPLE}={PROGRAM}");
    let shown = folder.to_str().unwrap();
    let package = [
        "hooks",
        "package",
        "--format",
        "mcpb",
        "--program",
        &program,
        shown,
        "--json",
    ];
    let bundle = user.json(&package)["files"][0]["file"].take();
    let bundle = fs::File::open(folder.join(bundle.as_str().unwrap())).unwrap();
    let written = user.home().join("written");
    zip::ZipArchive::new(bundle)
        .unwrap()
        .extract(&written)
        .unwrap();
    // A child writes the program that is started: see `put_program`.
    let copied = Command::new("cp")
        .arg("-pR")
        .args([&written, &unpacked])
        .status();
    assert!(copied.unwrap().success());
    let manifest = json_of(&unpacked.join("manifest.json"));
    assert_eq!(manifest["version"], "1.2.3");
    let config = &manifest["server"]["mcp_config"];
    let command = config["command"].as_str().unwrap();
    let command = command.replace("${__dirname}", unpacked.to_str().unwrap());
    let arguments = config["args"].as_array().unwrap().iter();
    let arguments: Vec<&str> = arguments.map(|word| word.as_str().unwrap()).collect();
    let input = format!("{}\n", initialize());
    let output = finished(
        &mut user.process(Path::new(&command), &arguments),
        input.as_bytes(),
    );
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["result"]["serverInfo"].is_object(), "{answer}");
}

fn refused(user: &User, arguments: &[&str], code: i32, why: &str) {
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
            &[format, "--name", "@acme/notes"],
            1,
            "does not use `--name`",
        );
    }
}

//! A client of a generated plugin, played by node.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use hooks_sdk::{
    clients::{Client, GateEntries, InstallScope, Installation, Place},
    lifecycle::Event,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::recorded::{client, read};

const HOST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/host.mjs");

/// Answers with a text that names the event.
pub(crate) const ANSWERS: &str = r#"event=$(printf '%s' "$input" | sed 's/.*"hook_event_name":"\([^"]*\)".*/\1/')
printf '{"hookSpecificOutput":{"additionalContext":"text of %s"}}' "$event""#;

/// A folder with a program and the plugin that starts it.
pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    pub(crate) client: &'static Client,
    plugin: PathBuf,
}

impl Stage {
    /// One whose program logs its input, and then does this. `None` if there is no node here.
    pub(crate) fn new(name: &str, does: &str) -> Option<Stage> {
        if Command::new("node").arg("--version").output().is_err() {
            hooks_tests::skipped("`node` is not on the PATH (apt-get install nodejs)");
            return None;
        }
        let (folder, client) = (tempfile::tempdir().expect("a folder"), client(name));
        let place = Place::new(folder.path().join("home"), folder.path());
        let stage = Stage {
            plugin: client.hooks_file(InstallScope::User, &place, "memory"),
            folder,
            client,
        };
        let script =
            format!("#!/bin/sh\ninput=$(cat)\nprintf '%s\\n' \"$input\" >> \"$0.log\"\n{does}\n");
        hooks_tests::process::put_script(&stage.program(), &script);
        stage.install(&Event::ALL, None);
        Some(stage)
    }

    /// One with the plugin of gates in place of that of texts.
    pub(crate) fn gate(name: &str, does: &str, gates: &GateEntries) -> Option<Stage> {
        let mut stage = Stage::new(name, does)?;
        stage.install(&[], Some(gates));
        stage.plugin = stage.plugin.with_file_name("memory-gate.js");
        Some(stage)
    }

    fn install(&self, events: &[Event], gates: Option<&GateEntries>) {
        let (place, program) = (self.place(), self.program());
        let to = Installation::new("memory", InstallScope::User, &place, "memory", &program);
        let plan = Installation {
            events,
            gates,
            ..to
        }
        .plan(self.client, false);
        plan.apply(&self.folder.path().join("data"))
            .expect("installed");
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.folder.path().join("it's a program")
    }

    pub(crate) fn plugin(&self) -> PathBuf {
        self.plugin.clone()
    }

    fn place(&self) -> Place {
        Place::new(self.folder.path().join("home"), self.folder.path())
    }

    /// Has the client call its hooks, and returns what each did.
    pub(crate) fn plays(&self, script: &Value) -> Vec<Value> {
        let mut node = Command::new("node")
            .args([HOST, self.client.name])
            .arg(self.plugin())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut stdin = node.stdin.take().expect("piped");
        let written = stdin.write_all(script.to_string().as_bytes());
        written.expect("written");
        drop(stdin);
        let output = node.wait_with_output().expect("ended");
        assert!(output.status.success(), "{}", output.status);
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// What the program was given, in the order of the events' names.
    pub(crate) fn log(&self) -> Vec<Value> {
        let log = self.folder.path().join("it's a program.log");
        let log = fs::read_to_string(log).unwrap_or_default();
        let mut inputs: Vec<Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        inputs.sort_by_key(|input| input["hook_event_name"].to_string());
        inputs
    }
}

pub(crate) fn host(name: &str) -> Value {
    serde_json::from_slice(&read(name)).expect("JSON")
}

/// One call of a hook, as the client makes it.
pub(crate) fn call(client: &str, hook: &str, file: &str) -> Value {
    let mut call = host(&format!("{client}/host/{file}.json"));
    call["hook"] = hook.into();
    call
}

pub(crate) fn one(call: Value) -> Value {
    json!({"calls": [call]})
}

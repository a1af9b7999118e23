//! The conversations that the book shows are what the server of the book's second page says.

use std::{fs, path::Path};

use hooks_sdk::{Hooked, WireTransport, prelude::*};
use rmcp::ServerHandler;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

use crate::{
    mcpl_channels::Rooms, mcpl_context::Desk, mcpl_feature_sets::Search, mcpl_inference::Library,
    mcpl_notes, mcpl_overview::Memory, mcpl_push::Builds, mcpl_scopes::Editor,
    mcpl_versions::Watch, start::Notes,
};

/// One message of a conversation: to the server as it is sent, from the server as its value.
#[derive(Debug)]
enum Line {
    ToServer(String),
    FromServer(Value),
}

/// The names of checkpoints, which are made anew each time: the book calls them `chk_1`, `chk_2`.
#[derive(Default)]
struct Checkpoints(Vec<String>);

impl Checkpoints {
    const LENGTH: usize = "chk_".len() + 32;

    fn shown(&mut self, mut line: String) -> String {
        let is_name = |name: &str| name[4..].bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut from = 0;
        while let Some(at) = line[from..].find("chk_").map(|at| from + at) {
            from = at + 4;
            let name = line.get(at..at + Checkpoints::LENGTH).map(str::to_owned);
            if let Some(name) = name.filter(|name| is_name(name)) {
                if !self.0.contains(&name) {
                    self.0.push(name.clone());
                }
                let place = self.0.iter().position(|known| *known == name).unwrap();
                line = line.replace(&name, &format!("chk_{}", place + 1));
            }
        }
        line
    }

    fn real(&self, mut line: String) -> String {
        for (place, name) in self.0.iter().enumerate() {
            line = line.replace(&format!("\"chk_{}\"", place + 1), &format!("\"{name}\""));
        }
        line
    }
}

/// Reads a conversation: `→` opens a message to the server, `←` one from it, each over any number of lines; `#` opens
/// a line for mdBook.
fn conversation(name: &str) -> Vec<Line> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/frames")
        .join(name);
    let text = fs::read_to_string(file).expect(name);
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match parts.last_mut() {
            Some(last) if !line.starts_with(['→', '←']) => last.push_str(line),
            _ => parts.push(line.to_owned()),
        }
    }
    let mut lines = Vec::new();
    for part in parts {
        let (arrow, message) = part.split_once(' ').expect("an arrow and a message");
        let value = serde_json::from_str::<Value>(message);
        lines.push(match (arrow, value) {
            ("→", Ok(value)) => Line::ToServer(value.to_string()),
            ("→", Err(_)) => Line::ToServer(message.trim_end().to_owned()),
            ("←", Ok(value)) => Line::FromServer(value),
            _ => panic!("{name}: {part}"),
        });
    }
    lines
}

async fn holds(name: &str, with_shim: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes");
    holds_of(name, Notes { file }.with_hooks().unwrap(), with_shim).await;
}

async fn holds_of<H: ServerHandler>(name: &str, server: Hooked<H>, with_shim: bool) {
    let (ours, theirs) = duplex(1 << 20);
    tokio::spawn(async move {
        let (read, write) = split(theirs);
        let running = if with_shim {
            server.serve(WireTransport::new(read, write)).await
        } else {
            server.serve((read, write)).await
        };
        if let Ok(running) = running {
            _ = running.waiting().await;
        }
    });
    let (read, mut write) = split(ours);
    let mut answers = BufReader::new(read).lines();
    let mut checkpoints = Checkpoints::default();
    for line in conversation(name) {
        match line {
            Line::ToServer(line) => write
                .write_all(format!("{}\n", checkpoints.real(line)).as_bytes())
                .await
                .unwrap(),
            Line::FromServer(shown) => {
                let line = answers.next_line().await.unwrap().expect("an answer");
                let said: Value = serde_json::from_str(&checkpoints.shown(line)).unwrap();
                assert_eq!(said, shown, "{name}: the server says\n← {said:#}");
            }
        }
    }
    write.shutdown().await.unwrap();
    assert_eq!(
        answers.next_line().await.unwrap(),
        None,
        "{name}: one answer too many"
    );
}

#[tokio::test]
async fn initialize() {
    holds("initialize.txt", true).await;
}

#[tokio::test]
async fn discover() {
    holds("discover.txt", true).await;
}

#[tokio::test]
async fn hook_tool() {
    holds("hook_tool.txt", true).await;
}

#[tokio::test]
async fn malformed() {
    holds("malformed.txt", true).await;
}

#[tokio::test]
async fn without_the_shim() {
    for name in [
        "without_shim.txt",
        "without_shim_initialize.txt",
        "without_shim_discover.txt",
        "without_shim_wrong.txt",
        "without_shim_not_json.txt",
    ] {
        holds(name, false).await;
    }
}

#[tokio::test]
async fn mcpl() {
    for name in ["initialize", "initialize_05", "initialize_plain"] {
        let memory = Memory::new().with_hooks().unwrap();
        holds_of(&format!("mcpl/{name}.txt"), memory, true).await;
    }
    let builds = Builds::new().with_hooks().unwrap();
    holds_of("mcpl/push.txt", builds, true).await;
    holds_of("mcpl/feature_sets.txt", Search.with_hooks().unwrap(), true).await;
    holds_of("mcpl/scopes.txt", Editor.with_hooks().unwrap(), true).await;
    let desk = Desk::default().with_hooks().unwrap();
    holds_of("mcpl/context.txt", desk, true).await;
    holds_of("mcpl/inference.txt", Library.with_hooks().unwrap(), true).await;
    let protocols = Rooms::new().with_hooks().unwrap();
    holds_of("mcpl/channels.txt", protocols, true).await;
    let notes = mcpl_notes::Notes::new().with_hooks().unwrap();
    holds_of("mcpl/notes.txt", notes, true).await;
    holds_of("mcpl/versions.txt", Watch.with_hooks().unwrap(), true).await;
}

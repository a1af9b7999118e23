//! The program itself: its options, what it says, and how it stops.

use std::{fs, net::SocketAddr, process::Stdio};

use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
    time::timeout,
};

use crate::asks::{PATIENCE, ask, get, said, send, whole};

fn guardian(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guardian"));
    command
        .args(arguments)
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    command
}

#[tokio::test]
async fn it_listens_decides_and_stops() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = concat!(env!("CARGO_MANIFEST_DIR"), "/policy.yaml");
    let audit = folder.path().join("audit.jsonl");
    let audit_file = audit.to_str().expect("UTF-8");
    let options = [
        "--listen",
        "127.0.0.1:0",
        "--policy",
        policy,
        "--audit",
        audit_file,
        "--page",
    ];
    let mut child = guardian(&options).spawn().expect("a program");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let url = loop {
        let line = timeout(PATIENCE, lines.next_line()).await.expect("in time");
        let line = line.expect("text").expect("a line");
        if let Some(url) = line.strip_prefix("listening on http://") {
            break url.to_owned();
        }
    };
    let address: SocketAddr = url
        .strip_suffix("/aos")
        .expect("a path")
        .parse()
        .expect("an address");
    let call =
        json!({"toolCallRequest": {"executionId": "e", "toolId": "delete_all", "inputs": []}});
    let denied = ask(address, "steps/toolCallRequest", call).await;
    assert_eq!(said(&denied), ("deny", "nothing is deleted here"));
    assert!(
        whole(send(address, get("/")).await)
            .await
            .contains("<title>guardian</title>")
    );
    // An open page does not hold it.
    let open = send(address, get("/steps")).await;
    let id = child.id().expect("it runs").to_string();
    let told = Command::new("kill").args(["-TERM", &id]).status().await;
    assert!(told.expect("kill").success());
    let ended = timeout(PATIENCE, child.wait()).await.expect("in time");
    assert!(ended.expect("an end").success());
    drop(open);
    let audit = fs::read_to_string(audit).expect("a file");
    assert_eq!(audit.lines().count(), 1);
}

#[tokio::test]
async fn what_is_wrong_is_told_before_it_listens() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = folder.path().join("policy.yaml");
    fs::write(&policy, "default: allow\nrulez: []\n").expect("a file");
    let empty = folder.path().join("tokens");
    fs::write(&empty, "\n").expect("a file");
    let (policy, empty) = (
        policy.to_str().expect("UTF-8"),
        empty.to_str().expect("UTF-8"),
    );
    for (options, expected) in [
        (
            vec!["--policy", policy],
            "`rulez` is no key of a policy here\n    help: did you mean `rules`?",
        ),
        (
            vec!["--policy", "nowhere.yaml"],
            "nowhere.yaml: it cannot be opened: ",
        ),
        (
            vec!["--bearer-file", empty],
            "has no token: write one a line",
        ),
        (vec!["--path", "aos"], "`aos` is no path of a server"),
        (
            vec!["--page", "--allow-host", "guardian.example.com"],
            "everybody could read the page: add `--bearer-file`",
        ),
        (
            vec!["--audit", "/nowhere/audit.jsonl"],
            "`/nowhere/audit.jsonl` cannot be opened: ",
        ),
    ] {
        let options = [vec!["--listen", "127.0.0.1:0"], options].concat();
        let ended = timeout(PATIENCE, guardian(&options).output())
            .await
            .expect("in time");
        let ended = ended.expect("an end");
        let said = String::from_utf8(ended.stderr).expect("text");
        assert!(!ended.status.success() && said.contains(expected), "{said}");
    }
}

#[tokio::test]
async fn a_policy_is_checked_without_serving() {
    let policy = concat!(env!("CARGO_MANIFEST_DIR"), "/policy.yaml");
    let ended = timeout(
        PATIENCE,
        guardian(&["--check", "--policy", policy]).output(),
    )
    .await;
    let ended = ended.expect("in time").expect("an end");
    let said = String::from_utf8(ended.stdout).expect("text");
    assert!(
        ended.status.success() && said.ends_with("policy.yaml: 4 rules\n"),
        "{said}"
    );
}

//! The program itself, over its standard streams: what it writes, and that it ends.

use std::{
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use hooks_sdk::testing::{
    McplHost, McplHostBuilder, Side,
    mcpl::{McplGrants, Reaction, Turn},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// How long the program may take to end.
const END: Duration = Duration::from_secs(30);

fn program(milliseconds: &str) -> Child {
    program_on(Stdio::piped(), Stdio::piped(), milliseconds)
}

fn program_on(read: Stdio, write: Stdio, milliseconds: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_mcpl-fixture"))
        .env("ACC_TIMEOUT_MS", milliseconds)
        .stdin(read)
        .stdout(write)
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

async fn started(builder: McplHostBuilder) -> (Child, McplHost) {
    let mut child = program("60000");
    let (read, write) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let host = builder.over(read, write).await.unwrap();
    (child, host)
}

async fn tool(host: &McplHost, name: &str, arguments: Value) -> Value {
    let answer = host.call_tool(name, arguments).await.unwrap();
    serde_json::from_str(&answer.text()).unwrap()
}

async fn ends(mut child: Child) -> ExitStatus {
    let ended = tokio::time::timeout(END, child.wait()).await;
    ended.expect("it ends").unwrap()
}

#[tokio::test]
async fn a_whole_session_writes_nothing_but_messages() {
    for version in ["0.4", "0.5"] {
        let (child, host) = started(McplHost::builder().version(version)).await;
        assert_eq!(host.declared()["version"], version);
        host.send_line(b"not json").await.unwrap();
        for (name, arguments) in [
            ("acc_push", json!({"text": "a"})),
            ("acc_infer", json!({"prompt": "p", "stream": true})),
            ("acc_model_info", json!({})),
            ("acc_note_add", json!({"text": "a"})),
            ("acc_chan_register", json!({})),
            ("acc_incoming", json!({"n": 3})),
            ("acc_fs_changed", json!({})),
        ] {
            let answer = tool(&host, name, arguments).await;
            assert_eq!(answer["ok"], true, "{name}: {answer}");
        }
        let contribution = host.before_inference(&Turn::new("c").user("hello")).await;
        assert_eq!(contribution.injections.len(), 3);
        for index in 0..300 {
            let turn = Turn::new("c");
            host.outgoing_chunk(&turn, "acc:lobby", index, "d")
                .await
                .unwrap();
        }
        let mut seen = Value::Null;
        while !seen["outgoing"][299].is_object() {
            seen = tool(&host, "acc_state", json!({})).await;
        }
        let order = seen["outgoing"].as_array().unwrap().iter();
        assert!(
            order
                .map(|one| one["params"]["index"].as_u64())
                .eq((0..300).map(Some))
        );
        let frames = host.frames().into_iter();
        let mut theirs = frames.filter(|frame| frame.from == Side::Server);
        assert!(theirs.all(|frame| frame.message["jsonrpc"] == "2.0"));
        host.close().await.unwrap();
        assert!(ends(child).await.success());
    }
}

#[tokio::test]
async fn it_ends_with_its_input_also_while_the_host_owes_an_answer() {
    for name in [
        None,
        Some("acc_push"),
        Some("acc_infer"),
        Some("acc_file_edit"),
        Some("acc_incoming"),
    ] {
        let (child, host) = started(McplHost::builder().behaviour(|_, _| Reaction::never())).await;
        let arguments = json!({"text": "a", "prompt": "p", "stream": true, "path": "/a", "n": 1});
        if let Some(name) = name {
            let params = json!({"name": name, "arguments": arguments});
            let call =
                json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": params});
            host.send_line(call.to_string().as_bytes()).await.unwrap();
            let asks = |host: &McplHost| {
                let frames = host.frames().into_iter();
                let mut theirs = frames.filter(|frame| frame.from == Side::Server);
                theirs.any(|frame| frame.message["method"].is_string())
            };
            host.wait_until(asks).await.unwrap();
        }
        host.close().await.unwrap();
        ends(child).await;
    }
}

#[tokio::test]
async fn it_ends_when_nothing_or_half_a_message_came() {
    for input in [
        "",
        "\n",
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initi",
        "not json\n",
        "{}\n",
    ] {
        let mut child = program("3000");
        let mut write = child.stdin.take().unwrap();
        write.write_all(input.as_bytes()).await.unwrap();
        drop(write);
        ends(child).await;
    }
}

/// Asked for so much that the stream is full and more is to be written, by a host that reads only the beginning.
async fn fill(write: &mut (impl AsyncWrite + Unpin), read: &mut (impl AsyncRead + Unpin)) {
    let client = json!({"name": "h", "version": "1"});
    let capabilities = json!({"experimental": {"mcpl": {"version": "0.4"}}});
    let params = json!({"protocolVersion": "2024-11-05", "capabilities": capabilities, "clientInfo": client});
    let shake = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    write
        .write_all(format!("{shake}\n{ready}\n").as_bytes())
        .await
        .unwrap();
    for at in 1..2000 {
        let list = json!({"jsonrpc": "2.0", "id": at, "method": "tools/list"});
        let writing = write.write_all(format!("{list}\n").as_bytes()).await;
        writing.unwrap();
    }
    let mut begun = [0; 17];
    read.read_exact(&mut begun).await.unwrap();
    assert_eq!(begun, *br#"{"jsonrpc":"2.0","#);
}

async fn full() -> (Child, ChildStdin, ChildStdout) {
    let mut child = program("3000");
    let mut write = child.stdin.take().unwrap();
    let mut read = child.stdout.take().unwrap();
    fill(&mut write, &mut read).await;
    (child, write, read)
}

#[tokio::test]
async fn it_ends_with_a_host_that_is_gone_before_it_read_everything() {
    let (child, write, read) = full().await;
    drop((read, write));
    ends(child).await;
}

#[tokio::test]
async fn it_ends_with_its_input_also_when_the_host_never_reads_on() {
    let (child, write, _read) = full().await;
    drop(write);
    ends(child).await;
}

/// Hosts on Node give their servers sockets, others pipes.
#[tokio::test]
async fn it_ends_also_on_sockets_that_nobody_reads() {
    let pair = || UnixStream::pair().unwrap();
    let ((write, stdin), (read, stdout)) = (pair(), pair());
    let theirs = |end: UnixStream| Stdio::from(OwnedFd::from(end));
    let child = program_on(theirs(stdin), theirs(stdout), "3000");
    let ours = |end: UnixStream| {
        end.set_nonblocking(true).unwrap();
        tokio::net::UnixStream::from_std(end).unwrap()
    };
    let (mut write, mut read) = (ours(write), ours(read));
    fill(&mut write, &mut read).await;
    drop(write);
    ends(child).await;
}

#[tokio::test]
async fn a_handshake_with_the_id_0_and_no_params_behind_it() {
    let (child, host) = started(McplHost::builder().silent()).await;
    for message in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "featureSets/update", "params": {"enabled": ["acc.*"]}}),
    ] {
        host.send_line(message.to_string().as_bytes())
            .await
            .unwrap();
    }
    let enabled = tool(&host, "acc_state", json!({})).await["enabled"].clone();
    assert_eq!(enabled.as_array().unwrap().len(), 7);
    host.update_feature_sets(&McplGrants::new().disable(["*"]))
        .await
        .unwrap();
    assert_eq!(
        tool(&host, "acc_state", json!({})).await["enabled"],
        json!([])
    );
    host.close().await.unwrap();
    ends(child).await;
}

#[tokio::test]
async fn the_environment_says_how_long_the_host_is_waited_for() {
    let mut child = program("50");
    let (read, write) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let builder = McplHost::builder().behaviour(|_, _| Reaction::never());
    let host = builder.over(read, write).await.unwrap();
    let answer = tool(&host, "acc_model_info", json!({})).await;
    assert_eq!(
        (&answer["ok"], &answer["local"]),
        (&json!(false), &json!(true))
    );
    let late = host.received("model/info")[0]["id"].clone();
    let late = json!({"jsonrpc": "2.0", "id": late, "result": {"id": "m"}});
    host.send_line(late.to_string().as_bytes()).await.unwrap();
    assert_eq!(tool(&host, "acc_state", json!({})).await["mcpl"], true);
    assert!(!ends(program("soon")).await.success());
}

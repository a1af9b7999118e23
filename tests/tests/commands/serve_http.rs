//! `serve --http`: the server as a process that many clients share.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    thread,
};

use hooks_tests::client::{self, Client, text};
use serde_json::{Value, json};

use crate::user::{PROGRAM, User};

/// A process that ends with the test.
pub(crate) struct Served {
    process: Child,
    pub(crate) address: SocketAddr,
    _user: User,
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn command(user: &User, options: &[&str]) -> Command {
    let mut command = user.process(PROGRAM.as_ref(), &[&["serve"], options].concat());
    command.stdin(Stdio::null());
    command
}

pub(crate) fn serve(options: &[&str]) -> Served {
    let user = User::new();
    let options = [&["--http", "127.0.0.1:0"], options].concat();
    let mut process = command(&user, &options).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next().expect("an address").unwrap();
        if let Some(rest) = line.strip_prefix("listening on http://") {
            break rest.strip_suffix("/mcp").unwrap().parse().unwrap();
        }
    };
    // Somebody has to read what else it says.
    thread::spawn(move || lines.for_each(drop));
    Served {
        process,
        address,
        _user: user,
    }
}

/// Whether it is ready, and why.
pub(crate) async fn ready(served: &Served) -> String {
    let host = served.address.to_string();
    let reply = client::ask(served.address, client::get("/readyz", &host)).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.body
}

/// Calls a tool in the session `one`. Returns its text, or that of its error.
pub(crate) async fn call(client: &Client, tool: &str) -> Result<String, String> {
    let result = client
        .call_with(tool, json!({"_meta": {"sessionId": "one"}}))
        .await;
    let said = text(&result);
    match result["isError"] == true {
        true => Err(said),
        false => Ok(said),
    }
}

#[tokio::test]
async fn a_token_opens_a_session_in_the_store_and_sigterm_ends_the_server() {
    let user = User::new();
    let tokens = user.home().join("tokens");
    fs::write(&tokens, "first-token\nsecond-token\n").unwrap();
    let store = format!("sqlite:{}", user.home().join("s.db").display());
    let options = ["--bearer-file", tokens.to_str().unwrap(), "--store", &store];
    let mut served = serve(&options);
    let ready = ready(&served).await;
    assert!(ready.contains(r#""checks":{"store":"ok"}"#), "{ready}");

    let stranger = Client::stateless(served.address);
    let refused = stranger.request("tools/list", json!({})).await;
    assert_eq!(refused.status, 401);
    let client = stranger.with("authorization", "Bearer second-token");
    call(&client, "session_init").await.unwrap();
    // The session is the store's, so another process goes on with it.
    let other = serve(&options);
    let listed = call(&client.at(other.address), "list_notes").await;
    assert_eq!(listed.as_deref(), Ok("1. buy milk"));

    let pid = served.process.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(killed.unwrap().success());
    assert!(served.process.wait().unwrap().success());
    let mut output = String::new();
    let mut stdout = served.process.stdout.take().unwrap();
    stdout.read_to_string(&mut output).unwrap();
    assert_eq!(output, "");
}

/// Deletes a note, which the user is asked about. `question` is the one that the user answers.
async fn delete(served: &Served, question: Option<&Value>) -> Value {
    let client = Client::stateless(served.address).capable(json!({"elicitation": {"form": {}}}));
    let mut more = json!({"_meta": {"sessionId": "one"}});
    if let Some(question) = question {
        more["requestState"] = question["requestState"].clone();
        for name in question["inputRequests"].as_object().unwrap().keys() {
            let answer = json!({"action": "accept", "content": {"confirm": true}});
            more["inputResponses"][name] = answer;
        }
    }
    client.call_with("delete_note", more).await
}

/// The store is shared, so that the keys alone decide.
#[tokio::test]
async fn a_question_is_answered_at_a_process_with_the_key_that_sealed_it() {
    let user = User::new();
    let file = |name: &str, keys: &[&str]| {
        let path = user.home().join(name);
        fs::write(&path, keys.join("\n")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (old, new) = ("01".repeat(32), "02".repeat(32));
    let store = format!("sqlite:{}", user.home().join("s.db").display());
    let start = |keys: &str| serve(&["--keys-file", keys, "--store", &store]);
    let asks = start(&file("old", &[&old]));
    let rotated = start(&file("both", &[&new, &old]));
    let foreign = start(&file("new", &[&new]));
    let client = Client::stateless(asks.address);
    call(&client, "session_init").await.unwrap();

    let asked = async |at: &Served| {
        let question = delete(at, None).await;
        assert_eq!(question["resultType"], "input_required", "{question}");
        question
    };
    let refused = delete(&foreign, Some(&asked(&asks).await))
        .await
        .to_string();
    assert!(refused.contains("elicitation"), "{refused}");
    let taken = delete(&rotated, Some(&asked(&asks).await))
        .await
        .to_string();
    assert!(taken.contains("The note is gone."), "{taken}");
    let taken = delete(&foreign, Some(&asked(&rotated).await))
        .await
        .to_string();
    assert!(taken.contains("The note is gone."), "{taken}");
}

#[test]
fn what_cannot_be_served_over_http_is_said_before_it_listens() {
    let user = User::new();
    let complaint = |options: &[&str]| {
        let output = command(&user, options).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let http = ["--http", "127.0.0.1:0"];
    let with = |options: &[&str]| complaint(&[&http, options].concat());
    let short = user.home().join("short");
    fs::write(&short, "5e".repeat(16)).unwrap();
    for (options, wrong, secret) in [
        (
            ["--store", "mongodb://user:secret@host"],
            "`--store` begins with no known scheme",
            "secret",
        ),
        (
            ["--bearer-file", "/nowhere"],
            "cannot open `/nowhere`",
            "\0",
        ),
        (["--keys-file", "/nowhere"], "cannot open `/nowhere`", "\0"),
        (
            ["--keys-file", short.to_str().unwrap()],
            "fewer than 64 hexadecimal digits in line 1",
            "5e5e",
        ),
        (["--allow-host", "http://x"], "`http://x` is no host", "\0"),
    ] {
        let said = with(&options);
        assert!(said.contains(wrong) && !said.contains(secret), "{said}");
    }
    assert!(complaint(&["--store", "redis://x"]).contains("--http <ADDRESS>"));
}

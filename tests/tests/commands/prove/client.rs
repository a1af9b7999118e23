//! A client in the place of Claude Code: it speaks to a model service and runs its hooks, well or badly.

use std::{
    env, fs,
    io::{Read, Write, stdout},
    net::TcpStream,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, Stdio, exit},
    thread::sleep,
    time::Duration,
};

use serde_json::{Value, json};

/// The variable with what the client does wrong, and the one with its arguments.
pub(super) const DOES: &str = "FAKE_CLIENT_DOES";
pub(super) const ARGUMENTS: &str = "FAKE_CLIENT_ARGUMENTS";

/// Not a test: the script of a test runs it, in a process of its own.
#[test]
#[ignore = "it is the client that `hooks prove` starts"]
fn acts() {
    let Ok(does) = env::var(DOES) else { return };
    let client = Client {
        arguments: env::var(ARGUMENTS).unwrap_or_default(),
        home: env::var("HOME").unwrap().into(),
        does,
    };
    let code = client.run();
    // Without the words of the test program at its end.
    exit(code);
}

struct Client {
    does: String,
    arguments: String,
    home: PathBuf,
}

impl Client {
    fn run(&self) -> i32 {
        if self.arguments.contains("--version") {
            let version = if self.does == "is newer" {
                "9.9.9"
            } else {
                "2.1.329"
            };
            // The test program writes lines of its own before.
            let mut out = stdout();
            writeln!(out, "\n{version} (Claude Code)").unwrap();
            return 0;
        }
        match &*self.does {
            "asks for a login" => {
                eprintln!("Not logged in. Please run /login");
                return 1;
            }
            "hangs" => {
                let mut child = Command::new("sleep").arg("600").spawn().unwrap();
                fs::write(self.home.join("../../child"), child.id().to_string()).unwrap();
                child.wait().unwrap();
            }
            "leaves a daemon" => {
                // In a group of its own, and in no folder of the trial.
                let mut daemon = Command::new("sleep");
                let daemon = daemon.arg("600").current_dir("/").process_group(0);
                let daemon = daemon
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null());
                let id = daemon.spawn().unwrap().id();
                fs::write(self.home.join("../../child"), id.to_string()).unwrap();
            }
            "builds the program again" => {
                let program = fs::read_to_string(self.home.join("../../program")).unwrap();
                fs::write(format!("{program}.new"), "#!/bin/sh\nexit 1\n").unwrap();
                fs::rename(format!("{program}.new"), program).unwrap();
            }
            "breaks an entry" => {
                let mut settings = self.settings();
                let command = &mut settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"];
                let broken = command
                    .as_str()
                    .unwrap()
                    .replace("/bin/notebook", "/gone/notebook");
                *command = broken.into();
                fs::write(
                    self.home.join(".claude/settings.json"),
                    settings.to_string(),
                )
                .unwrap();
            }
            _ => {}
        }
        if self.arguments.contains("-p /compact") {
            return self.compact();
        }
        assert!(
            self.arguments.contains("-p Please do the planned steps."),
            "{}",
            self.arguments
        );
        self.talk()
    }

    /// Tells the test that it came so far, and hangs.
    fn hangs(&self) {
        fs::write(
            self.home.join("../../child"),
            std::process::id().to_string(),
        )
        .unwrap();
        sleep(Duration::from_secs(600));
    }

    fn settings(&self) -> Value {
        let settings = fs::read(self.home.join(".claude/settings.json")).unwrap();
        serde_json::from_slice(&settings).unwrap()
    }

    /// Puts a summary in the place of the last session.
    fn compact(&self) -> i32 {
        if !self.does.contains("does not compact") {
            let mut told = vec![json!({ "role": "user", "content": "This is a summary." })];
            if !self.does.contains("forgets at a compaction") {
                told.extend(self.context("SessionStart", json!({ "source": "compact" })));
            }
            fs::write(self.home.join("session.json"), json!(told).to_string()).unwrap();
        }
        0
    }

    /// Runs a subagent to its end. Its requests are its own.
    fn subagent(&self, task: &Value) {
        let mut told = vec![json!({ "role": "user", "content": task })];
        loop {
            let block = self.ask(&told)["content"][0].take();
            if block["type"] != "tool_use" {
                return;
            }
            let call = json!({ "tool_name": block["name"], "tool_input": block["input"], "agent_id": "a" });
            told.push(
                json!({ "role": "user", "content": [{ "type": "tool_result", "content": "ok" }] }),
            );
            let after = self.context("PostToolUse", call.clone());
            if !self.does.contains("says nothing to its subagent") {
                told.extend(self.context("PreToolUse", call));
                told.extend(after);
            }
        }
    }

    fn talk(&self) -> i32 {
        let session = self.home.join("session.json");
        let resumes = self.arguments.contains("--continue");
        let earlier = fs::read(&session).unwrap_or_default();
        let mut told: Vec<Value> = match resumes {
            true => serde_json::from_slice(&earlier).unwrap(),
            false => Vec::new(),
        };
        let source = if resumes { "resume" } else { "startup" };
        told.push(json!({ "role": "user", "content": "Please do the planned steps." }));
        told.extend(self.context("SessionStart", json!({ "source": source })));
        told.extend(self.context("UserPromptSubmit", json!({ "prompt": "Please" })));
        let mut stopped = false;
        loop {
            let answer = self.ask(&told);
            if self.does == "crashes" {
                eprintln!("fatal: key sk-fake-0123456789abcdefghij refused");
                return 3;
            }
            let block = &answer["content"][0];
            told.push(json!({ "role": "assistant", "content": [block] }));
            if block["type"] == "tool_use" {
                let call = json!({ "tool_name": block["name"], "tool_input": block["input"], "tool_use_id": block["id"] });
                let before = self.context("PreToolUse", call.clone());
                if block["name"] == "Agent" && !self.does.contains("starts no subagent") {
                    self.subagent(&block["input"]["prompt"]);
                }
                told.push(json!({ "role": "user", "content": [{ "type": "tool_result", "content": "ok" }] }));
                told.extend(before);
                told.extend(self.context("PostToolUse", call));
                if self.does == "hangs within its work" {
                    self.hangs();
                }
                if self.does == "asks again and again" {
                    told.truncate(1);
                }
                continue;
            }
            let reason = self.fire("Stop", json!({ "stop_hook_active": stopped }))["reason"].take();
            let Some(reason) = reason.as_str().filter(|_| !stopped) else {
                self.fire("SessionEnd", json!({ "reason": "other" }));
                fs::write(&session, json!(told).to_string()).unwrap();
                if self.does.ends_with("does not end") {
                    self.hangs();
                }
                return 0;
            };
            stopped = true;
            told.push(json!({ "role": "user", "content": reason }));
        }
    }

    fn context(&self, event: &str, more: Value) -> Vec<Value> {
        if self.does == "does not fire" && event == "PreToolUse" {
            return Vec::new();
        }
        let answer = self.fire(event, more);
        let context = answer["hookSpecificOutput"]["additionalContext"].as_str();
        let mut text = context.unwrap_or_default().to_owned();
        match &*self.does {
            "drops the text" | "drops the text and does not end" if event == "PostToolUse" => {
                return Vec::new();
            }
            "cuts the middle" if event == "SessionStart" => {
                let last = text.split_off(text.len() - 20);
                text = format!("{}… 12 tokens truncated …{last}", &text[..text.len() - 10]);
            }
            "says it twice" if event == "SessionStart" => text = format!("{text}\n{text}"),
            "cuts the text" if event == "SessionStart" => text.truncate(text.len() - 20),
            _ => {}
        }
        let role = if self.does == "has another role" {
            "user"
        } else {
            "system"
        };
        vec![json!({ "role": role, "content": text })]
    }

    /// Runs the hooks of an event as the client does, and returns the answer of the last one.
    fn fire(&self, event: &str, mut input: Value) -> Value {
        input["hook_event_name"] = event.into();
        input["session_id"] = "s".into();
        input["cwd"] = env::current_dir().unwrap().to_string_lossy().into();
        let settings = self.settings();
        let groups = settings["hooks"][event]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let mut answer = Value::Null;
        for group in groups {
            let command = group["hooks"][0]["command"].as_str().unwrap().to_owned();
            let mut shell = Command::new("sh");
            let shell = shell
                .args(["-c", &command])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped());
            let mut child = shell.spawn().unwrap();
            // A command that is broken on purpose reads nothing.
            let mut stdin = child.stdin.take().unwrap();
            _ = stdin.write_all(input.to_string().as_bytes());
            drop(stdin);
            let output = child.wait_with_output().unwrap();
            answer = serde_json::from_slice(&output.stdout).unwrap_or_default();
        }
        answer
    }

    fn ask(&self, told: &[Value]) -> Value {
        let url = env::var("ANTHROPIC_BASE_URL").unwrap();
        let tools = [
            json!({ "name": "Bash" }),
            json!({ "name": "Agent" }),
            json!({ "name": "mcp__notes__session_init" }),
        ];
        let system = match self.does == "shows the instructions" {
            true => "You are. Look the notes up before you answer.",
            false => "You are.",
        };
        let body =
            json!({ "model": "m", "system": system, "tools": tools, "messages": told }).to_string();
        let mut stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
        let length = body.len();
        write!(stream, "POST /v1/messages HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }
}

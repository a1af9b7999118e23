//! `hooks prove` with a client that behaves well, and with clients that do not.

mod client;
mod deep;
mod ends;

use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

use crate::user::{PROGRAM, User, put_program};

/// A user with a client in the place of Claude Code, which does something wrong, or nothing.
struct Proving {
    user: User,
}

impl Proving {
    fn with(does: &str) -> Proving {
        let user = User::new();
        for program in ["git", "sleep"] {
            let mut folders = env::split_paths(&env::var_os("PATH").unwrap())
                .collect::<Vec<_>>()
                .into_iter();
            let found = folders
                .find_map(|folder| folder.join(program).canonicalize().ok())
                .unwrap();
            symlink(found, user.programs().join(program)).unwrap();
        }
        let client = user.programs().join("claude");
        let this = env::current_exe().unwrap();
        let script = format!(
            "#!/bin/sh\nexport {}='{does}'\nexport {}=\"$*\"\nexec '{}' --ignored --exact prove::client::acts --nocapture -q\n",
            client::DOES,
            client::ARGUMENTS,
            this.display(),
        );
        put_program(&client, "/dev/null", &script);
        let proving = Proving { user };
        fs::create_dir(proving.temporary()).unwrap();
        proving
    }

    fn temporary(&self) -> PathBuf {
        self.user.home().parent().unwrap().join("temporary")
    }

    fn prove(&self, arguments: &[&str]) -> Output {
        self.prove_with(Path::new(PROGRAM), arguments)
    }

    fn prove_with(&self, program: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(["hooks", "prove", "--client", "claude-code"]);
        if !arguments.contains(&"--timeout") {
            // The longest, since nobody knows how slow a machine is.
            command.args(["--timeout", "300"]);
        }
        self.run(command.args(arguments))
    }

    /// Runs a program that starts the client, and sees that it leaves nothing behind.
    fn run(&self, command: &mut Command) -> Output {
        let before = [files(&self.user.home()), files(&self.user.project())];
        let output = command
            .current_dir(self.user.project())
            .env("HOME", self.user.home())
            .env("PATH", self.user.programs())
            .env("TMPDIR", self.temporary())
            .env_remove("XDG_DATA_HOME")
            .env("ANTHROPIC_API_KEY", "the user's own")
            .output()
            .unwrap();
        // The client is another process, and the throw-away folders are gone with it.
        assert_eq!(
            [files(&self.user.home()), files(&self.user.project())],
            before
        );
        let mut left = files(&self.temporary());
        left.remove(Path::new("child"));
        left.remove(Path::new("program"));
        assert!(left.is_empty(), "{left:?}");
        output
    }

    /// Ends a client that hangs by a time-out: the first that lets it come so far.
    fn hanging(does: &str, arguments: &[&str]) -> (Proving, Output) {
        for timeout in ["2", "10", "60"] {
            let proving = Proving::with(does);
            let output = proving.prove(&[&["--timeout", timeout], arguments].concat());
            if proving.temporary().join("child").exists() {
                return (proving, output);
            }
        }
        panic!("the client does not come so far: {does}");
    }

    fn json(&self, arguments: &[&str], code: i32) -> Value {
        proof(&self.prove(&[arguments, &["--json"]].concat()), code)
    }
}

/// Reads the only proof of an output.
fn proof(output: &Output, code: i32) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(code), "{said}\n{errors}");
    let proofs: Value = serde_json::from_slice(&output.stdout).unwrap();
    proofs[0].clone()
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(folder).unwrap().to_owned();
        if path.is_dir() {
            all.extend(
                files(&path)
                    .into_iter()
                    .map(|(below, bytes)| (name.join(below), bytes)),
            );
            all.insert(name, Vec::new());
        } else {
            all.insert(name, fs::read(&path).unwrap_or_default());
        }
    }
    all
}

fn at<'p>(proof: &'p Value, event: &str) -> &'p Value {
    let events = proof["events"].as_array().unwrap();
    events.iter().find(|at| at["event"] == event).unwrap()
}

fn hook<'p>(proof: &'p Value, id: &str) -> &'p Value {
    let hooks = proof["hooks"].as_array().unwrap();
    hooks.iter().find(|hook| hook["hook"] == id).unwrap()
}

#[test]
fn a_client_that_is_as_the_table_says() {
    let proving = Proving::with("nothing wrong");
    let proof = proving.json(&[], 0);
    assert_eq!(proof["outcome"], "as_the_table_says");
    assert_eq!(
        (&proof["version"], &proof["is_recorded"]),
        (&"2.1.329".into(), &true.into())
    );
    assert_eq!(
        (&proof["requests"], &proof["problem"]),
        (&4.into(), &Value::Null)
    );
    for (event, request, role) in [
        ("session_start", 1, "system"),
        ("pre_request", 1, "system"),
        ("pre_tool_use", 2, "system"),
        ("post_tool_use", 2, "system"),
        ("post_request", 4, "user"),
    ] {
        let at = at(&proof, event);
        assert_eq!(
            (&at["fate"], &at["request"], &at["role"]),
            (&"reached".into(), &request.into(), &role.into()),
            "{at}"
        );
        assert_eq!(
            (&at["expected"], &at["finding"]),
            (&true.into(), &Value::Null)
        );
    }
    let end = at(&proof, "session_end");
    assert_eq!(
        (&end["fate"], &end["expected"], &end["finding"]),
        (&"dropped".into(), &false.into(), &Value::Null)
    );
    // Both calls: of the shell, and of a tool of the server.
    assert_eq!(at(&proof, "post_tool_use")["fired"], 2);
    assert_eq!(hook(&proof, "after_commit")["fate"], "reached");
    assert_eq!(hook(&proof, "session_ending")["finding"], Value::Null);

    let page = proving.prove(&[]);
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(
        page.starts_with("Claude Code 2.1.329, the version of the table: 4 requests, "),
        "{page}"
    );
    assert!(
        page.contains("\n  session_start  reached the model: request 1, system\n"),
        "{page}"
    );
    assert!(
        page.contains("\n  session_end    fired and was dropped, as the table says\n"),
        "{page}"
    );
    assert!(page.ends_with("\n  as the table says\n"), "{page}");
}

#[test]
fn what_differs_is_found_and_named() {
    for (does, event, fate, finding) in [
        (
            "drops the text",
            "post_tool_use",
            "dropped",
            "its text was dropped: ",
        ),
        (
            "does not fire",
            "pre_tool_use",
            "did_not_fire",
            "its hook did not fire",
        ),
        (
            "says it twice",
            "session_start",
            "reached",
            "one request has the text 2 times",
        ),
        (
            "cuts the text",
            "session_start",
            "reached",
            "the client cut the text in request 1, its end: the first ",
        ),
        (
            "cuts the middle",
            "session_start",
            "reached",
            "the client cut the text in request 1, its middle: the first ",
        ),
        (
            "has another role",
            "pre_request",
            "reached",
            "the text is in the role `user`, and the table says `system`",
        ),
        (
            "breaks an entry",
            "post_tool_use",
            "did_not_fire",
            "its hook did not fire: its command returns nothing, because its program does not exist: `",
        ),
    ] {
        let proof = Proving::with(does).json(&[], 1);
        assert_eq!(
            (&proof["outcome"], &proof["problem"]),
            (&"differs".into(), &Value::Null),
            "{does}"
        );
        let at = at(&proof, event);
        assert_eq!(at["fate"], fate, "{does}: {at}");
        let found = at["finding"].as_str().unwrap_or_default();
        assert!(found.starts_with(finding), "{does}: {found}");
        if does == "drops the text" {
            let hook = hook(&proof, "after_commit");
            assert!(
                hook["finding"].as_str().unwrap().starts_with(finding),
                "{hook}"
            );
        }
    }
    let page = Proving::with("drops the text").prove(&[]);
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(
        page.contains("\n  post_tool_use  FOUND: its text was dropped: "),
        "{page}"
    );
    assert!(page.contains("\n    after_commit "), "{page}");
}

#[test]
fn another_version_is_said_and_not_refused() {
    let proving = Proving::with("is newer");
    let proof = proving.json(&[], 0);
    assert_eq!(
        (&proof["version"], &proof["recorded"]),
        (&"9.9.9".into(), &"2.1.329".into())
    );
    assert_eq!(proof["is_recorded"], false);
    let page = String::from_utf8(proving.prove(&[]).stdout).unwrap();
    assert!(
        page.starts_with("Claude Code 9.9.9; the table was recorded with 2.1.329: "),
        "{page}"
    );
}

#[test]
fn a_client_that_cannot_be_run_is_named_with_its_last_words() {
    for (does, problem, line) in [
        (
            "asks for a login",
            "it asks for a login: it ended with exit code 1",
            "Not logged in. Please run /login",
        ),
        (
            "crashes",
            "it ended with exit code 3",
            "fatal: key [not shown] refused",
        ),
        (
            "asks again and again",
            "it was ended after 40 requests: it asks its model again and again",
            "",
        ),
    ] {
        let proof = Proving::with(does).json(&[], 2);
        assert_eq!(
            (&proof["outcome"], &proof["problem"]),
            (&"not_run".into(), &problem.into()),
            "{does}"
        );
        let lines = proof["stderr"].as_array().unwrap();
        assert!(
            line.is_empty() || lines.iter().any(|each| each == line),
            "{lines:?}"
        );
    }
}

#[test]
fn a_client_that_hangs_is_ended_with_its_children() {
    let (proving, output) = Proving::hanging("hangs", &["--json"]);
    let proof = proof(&output, 2);
    let problem = proof["problem"].as_str().unwrap();
    assert!(
        problem.starts_with("it sent no request to its model: it did not end within "),
        "{problem}"
    );
    assert!(!is_running(&proving.temporary().join("child")));
}

fn is_running(child: &Path) -> bool {
    let child = fs::read_to_string(child).unwrap();
    // A process that has ended is a zombie until its parent reads its exit code.
    let state = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn a_client_that_only_does_not_end_is_as_the_table_says() {
    let (_, output) = Proving::hanging("does not end", &["--json"]);
    let proof = proof(&output, 0);
    let note = proof["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("after its last answer, it did not end within "),
        "{note}"
    );
}

#[test]
fn a_client_that_is_not_there_and_one_that_cannot_be_run_here() {
    let proving = Proving::with("nothing wrong");
    for (client, problem) in [
        ("gemini", "`gemini` is not on the PATH"),
        ("cursor", "it cannot be run without its own model service"),
    ] {
        proving.user.has_program("cursor");
        let output = proving
            .user
            .run(&["hooks", "prove", "--client", client, "--json"], b"");
        assert_eq!(output.status.code(), Some(2));
        let proofs: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&proofs[0]["problem"], &proofs[0]["events"]),
            (&problem.into(), &Value::Array(Vec::new()))
        );
    }
    fs::remove_file(proving.user.programs().join("claude")).unwrap();
    fs::remove_file(proving.user.programs().join("cursor")).unwrap();
    let none = proving.user.run(&["hooks", "prove"], b"");
    assert_eq!(none.status.code(), Some(2));
    let error = String::from_utf8_lossy(&none.stderr);
    assert!(
        error.starts_with("error: no client was found on the PATH\n"),
        "{error}"
    );
}

#[test]
fn no_variable_turns_a_users_own_hooks_into_probes() {
    let user = User::new();
    let folder = user.project();
    fs::write(folder.join("trial"), "").unwrap();
    fs::create_dir(folder.join("firings")).unwrap();
    let fire = |home: &Path| {
        let child = Command::new(PROGRAM)
            .args([
                "hooks",
                "fire",
                "--client",
                "codex",
                "--event",
                "session_end",
            ])
            .env("HOME", home)
            .env("HOOKS_TRIAL", &folder)
            .env_remove("XDG_DATA_HOME")
            .stdin(fs::File::open("/dev/null").unwrap())
            .output()
            .unwrap();
        assert!(child.status.success());
        fs::read_dir(folder.join("firings")).unwrap().count()
    };
    assert_eq!(fire(&user.home()), 0);
    assert_eq!(fire(&folder), 1);
    let harmless = user.run(&["hooks", "prove", "--harmless"], b"");
    assert_eq!(harmless.status.code(), Some(2));
}

/// Proves a notebook with one thing more or less.
fn prove_notebook(proving: &Proving, has: &str, code: i32) -> (String, Value) {
    let server = proving.user.notebook_with(has);
    let tool = proving.user.programs().join("cargo-hooks");
    let arguments = ["--server", server.to_str().unwrap()];
    let page = proving.prove_with(&tool, &arguments);
    let page = String::from_utf8(page.stdout).unwrap();
    let json = proving.prove_with(&tool, &[&arguments[..], &["--json"]].concat());
    (page, proof(&json, code))
}

#[test]
fn a_server_that_does_not_start_is_found_with_the_reason() {
    let proving = Proving::with("nothing wrong");
    let (page, proof) = prove_notebook(&proving, "a machine without its tool", 1);
    let reason = "the session moves on with `sign_in`, and `get_tool` of this server knows no tool of the session's";
    let line = format!("\n  FOUND: the server does not start: {reason}\n");
    assert!(page.contains(&line), "{page}");
    let refused = proof["refused"].as_str().unwrap();
    assert!(refused.starts_with(reason), "{refused}");
    assert_eq!(proof["outcome"], "differs");
}

#[test]
fn instructions_are_searched_in_the_requests() {
    let line = "\n  instructions   reached the model: request 1, system\n";
    let found = "no request has them, and the table says that the model receives them";
    for (does, code, line) in [
        ("shows the instructions", 0, line),
        (
            "nothing wrong",
            1,
            &*format!("\n  instructions   FOUND: {found}\n"),
        ),
    ] {
        let proving = Proving::with(does);
        let (page, proof) = prove_notebook(&proving, "instructions", code);
        assert!(page.contains(line), "{page}");
        let seen = &proof["instructions"];
        assert_eq!(seen["expected"], true);
        let has = (&seen["fate"], &seen["finding"]);
        let wanted = match code {
            0 => (&Value::from("reached"), &Value::Null),
            _ => (&Value::from("dropped"), &Value::from(found)),
        };
        assert_eq!(has, wanted);
    }
    let proof = Proving::with("nothing wrong").json(&[], 0);
    assert_eq!(proof["instructions"], Value::Null);
}

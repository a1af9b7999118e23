//! A user of the command line: a home folder, a project, and what a command says to them.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_notebook");

/// A user with a home folder whose name is not a simple one, and a project.
pub(crate) struct User {
    folder: TempDir,
}

impl User {
    pub(crate) fn new() -> User {
        let user = User {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in [user.home(), user.project(), user.programs()] {
            fs::create_dir_all(folder).unwrap();
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("/bin/sh", user.programs().join("sh")).unwrap();
            let tool = user.programs().join("cargo-hooks");
            symlink(env!("CARGO_BIN_EXE_tool"), tool).unwrap();
        }
        user
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("Jürgen's home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("a project")
    }

    /// The only folder on the user's PATH: which clients the machine has is up to the test.
    pub(crate) fn programs(&self) -> PathBuf {
        self.home().join("bin")
    }

    /// Puts a program on the PATH: the notebook, with one thing more or less.
    pub(crate) fn notebook_with(&self, what: &str) -> PathBuf {
        let path = self.programs().join("notebook-with");
        let script = format!("#!/bin/sh\nNOTEBOOK_HAS='{what}' exec '{PROGRAM}' \"$@\"\n");
        put_program(&path, "/dev/null", &script);
        path
    }

    /// Puts a program on the PATH.
    pub(crate) fn has_program(&self, name: &str) {
        fs::write(self.programs().join(name), "").unwrap();
    }

    /// Where the program keeps what it knows of this user.
    pub(crate) fn data(&self) -> PathBuf {
        self.home().join(".local/share/notes")
    }

    pub(crate) fn run(&self, arguments: &[&str], input: &[u8]) -> Output {
        self.run_with(arguments, input, "on")
    }

    /// This user's process of a program, which is not started yet.
    pub(crate) fn process(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut process = Command::new(program);
        process
            .args(arguments)
            .current_dir(self.project())
            .env_remove("CODEX_HOME")
            .env_remove("XDG_DATA_HOME")
            .env("HOOKS_RECEIPTS", "on")
            .env("HOME", self.home())
            .env("PATH", self.programs())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        process
    }

    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8], receipts: &str) -> Output {
        let mut process = self.process(Path::new(PROGRAM), arguments);
        finished(process.env("HOOKS_RECEIPTS", receipts), input)
    }

    pub(crate) fn said(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, b"");
        let errors = String::from_utf8_lossy(&output.stderr);
        let is_doctor = arguments.get(1) == Some(&"doctor");
        let is_answered = output.status.success() || is_doctor && output.status.code() == Some(1);
        assert!(is_answered, "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.said(arguments)).unwrap()
    }

    /// What `fire` answers; the exit code is 0 whatever it is given.
    pub(crate) fn fire(&self, client: &str, arguments: &[&str], input: &[u8]) -> Value {
        let mut all = vec!["hooks", "fire", "--client", client];
        all.extend(arguments);
        let output = self.run(&all, input);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(answer.is_object(), "{answer}");
        answer
    }
}

/// Puts a program at a path: what a file holds, and more after it.
///
/// A child writes it. A file that this process has open for writing is also open in the children that other threads start
/// meanwhile, and no system starts a program that somebody writes.
pub(crate) fn put_program(path: &Path, file: impl AsRef<Path>, more: &str) {
    let script = r#"cat "$1" >"$0" && printf %s "$2" >>"$0" && chmod 755 "$0""#;
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", script]).arg(path).arg(file.as_ref());
    assert!(shell.arg(more).status().unwrap().success());
}

/// Runs a process to its end.
pub(crate) fn finished(process: &mut Command, input: &[u8]) -> Output {
    let mut child = process.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    _ = writer.join();
    output
}

pub(crate) fn recorded(client: &str, event: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/clients");
    fs::read(folder.join(client).join(format!("{event}.json"))).unwrap()
}

/// Runs a command of the program with these variables. Returns its exit code, and both of its outputs.
pub(crate) fn run_with(
    user: &User,
    variables: &[(&str, PathBuf)],
    arguments: &[&str],
) -> (i32, String, String) {
    let mut process = user.process(Path::new(PROGRAM), arguments);
    process.envs(variables.iter().cloned());
    let output = finished(&mut process, b"");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap();
    (code, text(&output.stdout), text(&output.stderr))
}

/// The handshake of a client.
pub(crate) fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}
        }
    })
}

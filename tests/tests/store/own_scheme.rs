//! A store that the author of a program adds to `serve --store URL`.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Output, Stdio},
};

fn serve(options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_own-store"));
    command
        .args(["serve", "--http", "127.0.0.1:0"])
        .args(options)
        .env_remove("HOOKS_STORE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn output(options: &[&str]) -> Output {
    serve(options).output().expect("it starts")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// A program that is killed when the test ends.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[test]
fn an_authors_store_is_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("folder:{}", folder.path().display());
    // By the option, and by the environment.
    for by_option in [true, false] {
        let mut command = match by_option {
            true => serve(&["--store", &url]),
            false => serve(&[]),
        };
        if !by_option {
            command.env("HOOKS_STORE", &url);
        }
        let mut served = Served(command.spawn().expect("it starts"));
        let errors = served.0.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(errors).lines();
        let address = loop {
            let line = lines.next().expect("an address").expect("UTF-8");
            if let Some(rest) = line.strip_prefix("listening on http://") {
                break rest.strip_suffix("/mcp").expect("its path").to_owned();
            }
        };
        let mut stream = TcpStream::connect(address).expect("it listens");
        let request = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request).expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.contains(r#""checks":{"store":"ok"}"#), "{answer}");
        let file = folder.path().join("own.db");
        assert!(file.exists());
        std::fs::remove_file(file).expect("removed");
    }
}

#[test]
fn help_and_errors_name_an_authors_scheme() {
    let help = text(output(&["--help"]).stdout);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains("`postgres://…`, `folder:…`, or `sqlite:FILE` on one computer"),
        "{help}"
    );
    let unknown = output(&["--store", "dynamodb://user:secret@host"]);
    assert!(!unknown.status.success());
    let said = text(unknown.stderr);
    assert!(
        said.contains(
            "error: `--store` begins with no known scheme\nhelp: write `redis://…`, `rediss://…`, `postgres://…`, \
             `folder:…` or `sqlite:FILE`"
        ),
        "{said}"
    );
    assert!(!said.contains("secret"), "{said}");
    let unopened = output(&["--store", "folder:/nowhere"]);
    assert!(!unopened.status.success());
    let said = text(unopened.stderr);
    assert!(
        said.contains("error: ") && !said.contains("listening"),
        "{said}"
    );
}

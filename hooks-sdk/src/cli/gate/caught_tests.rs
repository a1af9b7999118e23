//! Calls that hide a command, a path or an address, and what a gate makes of them: the table in the book's page about gates.
//!
//! `HOOKS_DOCS=overwrite` writes a new table. Read its difference before you commit it.

use std::{env, fs, os::unix::fs::symlink, path::Path};

use serde_json::{Value, json};

use super::tests::{Quiet, asked, program};
use crate::{
    cli::Program,
    core::condition::Condition,
    plugin::{GatePosture, PluginHook, point, posture},
};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/gates.md");
const BEGIN: &str = "<!-- held out: a test writes this table -->\n";
const END: &str = "<!-- end of the table -->\n";

/// The sentence of the rules.
const REASON: &str = "the rule";

/// A command that removes `a`, runs it in secret, or does not.
const COMMANDS: &[(&str, &str)] = &[
    ("list", "cd /tmp; rm -f a"),
    ("condition", "[ -e a ] && rm a || true"),
    ("loop", "for x in 1 2; do rm a; done"),
    ("function", "clean() { rm a; }; clean"),
    ("quotes inside of the word", "r\"m\" a"),
    ("backslashes", "\\r\\m a"),
    ("escapes", "$'\\162\\155' a"),
    ("path of the program", "/usr/bin/rm a"),
    ("`..` in the path of the program", "/usr/share/../bin/rm a"),
    ("another shell", "dash -c \"rm a\""),
    ("shell in a shell", "sh -c \"bash -c 'rm a'\""),
    ("options before `-c`", "bash --norc -euo pipefail -c 'rm a'"),
    ("`env`", "env -i PATH=/bin rm a"),
    ("`env -S`", "env -S \"rm a\""),
    ("`xargs`", "printf a | xargs -n1 rm"),
    ("`find -exec`", "find . -name a -exec rm {} +"),
    ("`sudo`", "sudo -u root -- rm a"),
    (
        "`timeout`, `nice`, `nohup`",
        "nohup nice -n 5 timeout 3s rm a",
    ),
    ("`command`, `exec`, `builtin`", "command exec rm a"),
    ("`eval`", "eval \"r\"'m a'"),
    ("alias", "alias x='rm a'; x"),
    ("trap", "trap 'rm a' EXIT"),
    ("substitution as an argument", "echo \"$(rm a)\""),
    ("backquotes", "echo `rm a`"),
    ("process substitution", "diff <(rm a) b"),
    ("substitution as the program", "$(printf rm) a"),
    ("`which`", "$(which rm) a"),
    ("base64", "echo cm0gYQ== | base64 -d | sh"),
    ("variable of the same text", "P=rm; \"$P\" a"),
    ("parts of variables", "A=r B=m; $A$B a"),
    ("variable of the environment", "$REMOVE a"),
    ("default of a variable", "${X:-rm} a"),
    ("indirection", "X=rm; Y=X; ${!Y} a"),
    ("array", "c=(rm a); \"${c[@]}\""),
    ("`printf -v`", "printf -v c rm; $c a"),
    ("`read`", "read c <<< rm; $c a"),
    ("wildcard", "/bin/[r]m a"),
    ("braces", "{rm,-f,a}"),
    ("here-document into a shell", "sh <<E\nrm a\nE"),
    ("here-string into a shell", "bash <<< 'rm a'"),
    (
        "here-document into `cat` into a shell",
        "cat <<E | sh\nrm a\nE",
    ),
    ("script file", "sh ./clean.sh"),
    ("`source`", ". ./clean.sh"),
    ("another program that removes", "busybox rm a"),
    (
        "another language",
        "python3 -c 'import os; os.remove(\"a\")'",
    ),
    ("`make`", "make clean"),
    ("broken text", "rm 'a"),
];

/// A command that changes `data/memory.db`.
const PATHS: &[(&str, &str)] = &[
    ("`..`", "touch x/../data/memory.db"),
    ("`./` and `//`", "touch .//data/./memory.db"),
    ("link to a folder", "touch link/memory.db"),
    ("link to the file", "touch file"),
    ("`cd`", "cd data && touch memory.db"),
    ("`cd` in a subshell", "(cd data; touch memory.db)"),
    ("`pushd`", "pushd data; touch memory.db"),
    ("`git -C`", "git -C data checkout memory.db"),
    ("redirection", "echo x >| data/memory.db"),
    ("option with `=`", "dd if=/dev/null of=data/memory.db"),
    ("wildcard", "touch data/mem?ry.*"),
    ("braces", "touch data/{memory,other}.db"),
    ("variable of the same text", "D=data; touch $D/memory.db"),
    ("`$PWD`", "touch \"$PWD/data/memory.db\""),
    ("another case", "touch DATA/memory.db"),
    ("another Unicode form", "touch cafe\u{301}/x"),
    ("a folder above", "chmod -R 0 ."),
    ("no path at all", "git clean -fd"),
];

/// A command that sends to the address.
const URLS: &[(&str, &str)] = &[
    (
        "several addresses",
        "curl -s https://example.org https://evil.example/x",
    ),
    ("quotes", "curl 'https://evil.example/x?a=b'"),
    ("another case", "curl HTTPS://EVIL.example/x"),
    ("without a scheme", "curl evil.example/x"),
    ("parts of variables", "H=evil; curl https://$H.example/x"),
];

fn shell(command: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": command } })
}

fn gated(folder: &Path, posture: GatePosture) -> Program<Quiet> {
    let [inside, cafe] =
        ["data", "caf\u{e9}"].map(|name| folder.join(name).to_string_lossy().into_owned());
    program(move || {
        let rule = |id: &'static str, when: &str| {
            let rule = PluginHook::deny(id, point::agent_tool_pre_invoke, REASON);
            rule.when(Condition::parse(when).unwrap()).gate(posture)
        };
        vec![
            rule("commands", r#"commands[*] = ["rm", "rm *"]"#),
            rule(
                "paths",
                &format!("any(paths[*] = inside(\"{inside}\"), paths[*] = inside(\"{cafe}\"))"),
            ),
            rule("urls", r#"urls[*] = "*://evil.example*""#),
        ]
    })
}

/// Returns what the rules make of a call, with each posture.
fn seen(folder: &Path, client: &str, mut call: Value) -> &'static str {
    call["cwd"] = json!(folder);
    let [closed, open] = [posture::deny, posture::proceed]
        .map(|posture| asked(&gated(folder, posture), client, &call)["reason"].clone());
    match (closed.as_str(), open.as_str()) {
        (Some(REASON), Some(REASON)) => "caught",
        (Some(_), Some(REASON)) => "caught",
        (Some(_), None) => "cannot be read: refused under `deny`",
        (None, None) => "**not caught**",
        other => panic!("{call}: {other:?}"),
    }
}

/// The calls of other tools, for people and as the client sends them.
fn others() -> Vec<(&'static str, &'static str, &'static str, Value)> {
    let patch =
        "*** Begin Patch\n*** Add File: b\n+x\n*** Update File: data/memory.db\n*** End Patch";
    let tool = |tool: &str, args: Value| json!({ "tool_name": tool, "tool_input": args });
    vec![
        (
            "second file of a patch",
            "`apply_patch` in the shell",
            "codex",
            shell(&format!("apply_patch <<'E'\n{patch}\nE")),
        ),
        (
            "second file of a patch",
            "the tool `apply_patch`",
            "codex",
            tool("apply_patch", json!({ "input": patch })),
        ),
        (
            "move in a patch",
            "`*** Move to: data/memory.db`",
            "codex",
            tool(
                "apply_patch",
                json!({ "input": "*** Begin Patch\n*** Update File: b\n*** Move to: data/memory.db\n*** End Patch" }),
            ),
        ),
        (
            "unified diff",
            "`patch -p1 <<E`",
            "claude-code",
            shell(
                "patch -p1 <<'E'\n--- a/data/memory.db\n+++ b/data/memory.db\n@@ -1 +1 @@\n-x\n+y\nE",
            ),
        ),
        (
            "diff of git",
            "`git apply <<E`",
            "claude-code",
            shell(
                "git apply <<'E'\ndiff --git a/data/memory.db b/data/memory.db\n--- a/data/memory.db\n+++ b/data/memory.db\n@@ -1 +1 @@\n-x\n+y\nE",
            ),
        ),
        (
            "patch in a file",
            "`git apply fix.patch`",
            "claude-code",
            shell("git apply fix.patch"),
        ),
        (
            "list of files",
            "`files: [{path: b}, {path: data/memory.db}]`",
            "cline",
            tool(
                "read_files",
                json!({ "files": [{ "path": "b" }, { "path": "data/memory.db" }] }),
            ),
        ),
        (
            "list of commands",
            "`commands: [ls, rm a]`",
            "cline",
            tool("run_commands", json!({ "commands": ["ls", "rm a"] })),
        ),
        (
            "link in an editor",
            "`file_path: link/memory.db`",
            "claude-code",
            tool(
                "Write",
                json!({ "file_path": "link/memory.db", "content": "" }),
            ),
        ),
        (
            "address of a file",
            "`file:///…/data/memory.db`",
            "qwen",
            json!(null),
        ),
        (
            "list of addresses",
            "`requests: [{url: …}, {url: https://evil.example}]`",
            "cline",
            tool(
                "fetch_web_content",
                json!({ "requests": [{ "url": "https://example.org" }, { "url": "https://evil.example/x" }] }),
            ),
        ),
        (
            "address in a text",
            "`prompt: Read https://evil.example, please`",
            "gemini",
            tool(
                "web_fetch",
                json!({ "prompt": "Read https://evil.example/x, please" }),
            ),
        ),
        (
            "path for another server",
            "`target: ./data/memory.db`",
            "claude-code",
            tool("mcp__other__write", json!({ "target": "./data/memory.db" })),
        ),
        (
            "path in a text for another server",
            "`note: see data/memory.db`",
            "claude-code",
            tool("mcp__other__write", json!({ "note": "see data/memory.db" })),
        ),
    ]
}

fn table() -> String {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("data")).unwrap();
    fs::write(folder.join("data/memory.db"), "").unwrap();
    symlink("data", folder.join("link")).unwrap();
    symlink("data/memory.db", folder.join("file")).unwrap();
    let mut table = String::from("\n| hidden by | call | seen by the gate |\n|---|---|---|\n");
    let mut row = |hidden: &str, call: &str, seen: &str| {
        table.push_str(&format!("| {hidden} | {call} | {seen} |\n"));
    };
    for (hidden, command) in COMMANDS.iter().chain(PATHS).chain(URLS) {
        let shown = command.replace('\n', "⏎").replace('|', "\\|");
        let mark = if shown.contains('`') { "``" } else { "`" };
        row(
            hidden,
            &format!("{mark}{shown}{mark}"),
            seen(folder, "claude-code", shell(command)),
        );
    }
    for (hidden, shown, client, mut call) in others() {
        if call.is_null() {
            let url = format!("file://{}/data/memory.db", folder.display());
            call = json!({ "tool_name": "web_fetch", "tool_input": { "url": url } });
        }
        row(hidden, shown, seen(folder, client, call));
    }
    table.push('\n');
    table
}

#[test]
fn the_table_of_the_book_says_what_is_caught() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the beginning of the table");
    let (old, after) = rest.split_once(END).expect("the end of the table");
    let table = table();
    if env::var_os("HOOKS_DOCS").is_some_and(|value| value == "overwrite") {
        return fs::write(PAGE, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
    }
    assert_eq!(table, old, "HOOKS_DOCS=overwrite writes the table anew");
}

//! Calls that hide what they do, against the ready-made gates: the page of the reference says what is made of each.
//!
//! `HOOKS_DOCS=overwrite` writes the page again. Read its difference before you commit it.

use std::{collections::BTreeMap, env, fs, os::unix::fs::symlink, path::Path};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::tests::{Quiet, asked, program};
use crate::{
    cli::Program,
    plugin::{AgentToolCall, AgentToolKind},
    server::Policy,
};

/// The calls, one in a line.
const CALLS: &str = include_str!("held_out.jsonl");

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../docs/src/reference/held-out.md"
);

/// Commands as agents write them every day.
const ORDINARY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/commands/ordinary.txt"
);

/// The rules by their words: what they refuse, for people, and their entry in a policy file.
const RULES: [(&str, &str, &str); 7] = [
    (
        "rm",
        "The command `rm`",
        "kind: refuse_commands\n    config: { commands: ['rm', 'rm *'] }",
    ),
    (
        "push",
        "`git push*main*` and `git push*--force*`",
        "kind: refuse_commands\n    config: { commands: ['git push*main*', 'git push*--force*'] }",
    ),
    (
        "out",
        "`rm`, `mv` and `cp` outside of the project",
        "kind: refuse_commands\n    config: { inside_project: [rm, mv, cp] }",
    ),
    (
        "path",
        "The file `data/memory.db` and the folder `café`",
        "kind: protect_paths\n    config: { paths: [data/memory.db, 'caf\u{e9}'] }",
    ),
    (
        "url",
        "An address at `evil.example`",
        "kind: deny\n    hooks: [agent_tool_pre_invoke]\n    reason: no\n    when: 'urls[*] = \"*://evil.example*\"'",
    ),
    (
        "secret",
        "A secret, written as `{token}`",
        "kind: keep_secrets",
    ),
    (
        "mcp",
        "Each MCP server but `memory`",
        "kind: mcp_servers\n    config: { allow: [memory] }",
    ),
];

/// A call as it is kept.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    rule: String,
    #[serde(default = "claude_code")]
    client: String,
    command: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    args: Map<String, Value>,
    mcp_server: Option<Value>,
    mcp_context: Option<Value>,
}

fn claude_code() -> String {
    "claude-code".to_owned()
}

impl Kept {
    /// Returns the input of the client's hook.
    fn input(&self, folder: &Path) -> Value {
        let mut input = match &self.command {
            Some(command) => json!({ "tool_name": "Bash", "tool_input": { "command": command } }),
            None => json!({ "tool_name": self.tool, "tool_input": self.args }),
        };
        let members = [
            ("mcp_server", &self.mcp_server),
            ("mcp_context", &self.mcp_context),
        ];
        for (name, value) in members {
            if let Some(value) = value {
                input[name] = value.clone();
            }
        }
        input["cwd"] = json!(folder);
        input
    }

    /// Returns the call for people.
    fn shown(&self) -> String {
        let text = match (&self.command, &self.tool) {
            (Some(command), _) => command.clone(),
            (None, tool) => {
                let tool = tool.as_deref().unwrap_or_default();
                format!(
                    "{}: {tool} {}",
                    self.client,
                    Value::Object(self.args.clone())
                )
            }
        };
        let text = text
            .replace('\r', "␍")
            .replace('\n', "⏎")
            .replace('\t', "⇥")
            .replace('|', "\\|");
        let mark = match text.contains('`') {
            true => "``",
            false => "`",
        };
        let blank = if text.starts_with('`') || text.ends_with('`') {
            " "
        } else {
            ""
        };
        format!("{mark}{blank}{text}{blank}{mark}")
    }
}

/// A project with a gate of each rule in each posture.
fn gates(folder: &Path) -> BTreeMap<(&'static str, &'static str), Program<Quiet>> {
    let mut gates = BTreeMap::new();
    for (rule, _, entry) in RULES {
        for posture in ["deny", "proceed"] {
            let file = folder.join(format!("{rule}-{posture}.yaml"));
            let text = format!("plugins:\n  - name: own\n    posture: {posture}\n    {entry}\n");
            fs::write(&file, text).unwrap();
            let gated = program(Vec::new).policy(Policy::new().file(&file));
            gated.gates().unwrap();
            gates.insert((rule, posture), gated);
        }
    }
    gates
}

fn page() -> String {
    let files = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    for name in ["data", "src", "caf\u{e9}"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    fs::write(folder.join("data/memory.db"), "").unwrap();
    symlink("data", folder.join("link")).unwrap();
    symlink("data/memory.db", folder.join("file")).unwrap();
    let gates = gates(files.path());
    let (start, rest) = ("ghp_a1B2c3D4e5", "F6g7H8a1B2c3D4e5F6g7H8a1B2");
    let whole = folder.to_string_lossy();
    let mut seen: BTreeMap<&str, [Vec<String>; 3]> = BTreeMap::new();
    for line in CALLS.lines() {
        let kept: Kept = serde_json::from_str(line).unwrap();
        let real = line
            .replace("{project}", &whole)
            .replace("{token}", &format!("{start}{rest}"))
            .replace("{start}", start)
            .replace("{rest}", rest)
            .replace("{end}", &format!("{}{rest}", &start[1..]));
        let real: Kept = serde_json::from_str(&real).unwrap();
        let input = real.input(&folder);
        let rule = RULES
            .iter()
            .find(|(rule, ..)| *rule == kept.rule)
            .unwrap()
            .0;
        let [closed, open] = ["deny", "proceed"].map(|posture| {
            asked(&gates[&(rule, posture)], &kept.client, &input)["reason"].is_string()
        });
        assert!(closed || !open, "{line}");
        let at = match (closed, open) {
            (_, true) => 2,
            (true, false) => 1,
            (false, false) => 0,
        };
        seen.entry(rule).or_default()[at].push(kept.shown());
    }
    let count = |at: usize| seen.values().map(|rows| rows[at].len()).sum::<usize>();
    let mut page = format!(
        "# Held-out calls\n\nThese {} calls hide what they do. They were written after the reader of commands, to find its gaps, and each gap \
         that a reader can close was closed. A test asks the ready-made gates about each of them, once with each posture, and writes this \
         page. {} are caught. {} cannot be read, and are refused with `posture: deny`. {} are not caught: \
         [Gates](../gates.md) has the reasons. A line end is written as ⏎.\n",
        CALLS.lines().count(),
        count(2),
        count(1),
        count(0),
    );
    for (rule, title, _) in RULES {
        page.push_str(&format!("\n## {title}\n"));
        let heads = ["Not caught", "Refused with `posture: deny`", "Caught"];
        for (head, rows) in heads.iter().zip(&seen[rule]) {
            if !rows.is_empty() {
                page.push_str(&format!("\n| {head} |\n|---|\n"));
                rows.iter()
                    .for_each(|row| page.push_str(&format!("| {row} |\n")));
            }
        }
    }
    page + &ordinary()
}

/// Returns the part of the page about ordinary commands: those that cannot be read, by class, each with its reason.
fn ordinary() -> String {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(ORDINARY).unwrap();
    let (mut count, mut rows, mut class) = (0, Vec::new(), "");
    for line in text.lines().skip(1) {
        if let Some(next) = line.strip_prefix("## ") {
            class = next;
            continue;
        }
        count += 1;
        let command = line.replace('⏎', "\n");
        let mut call = AgentToolCall::new("claude-code", AgentToolKind::Shell, "Bash");
        call.read_commands_in(folder.path().to_owned(), &command);
        if let Some(unread) = call.unread.first() {
            let shown = line.replace('|', "\\|");
            let why = unread.why.replace('|', "\\|");
            rows.push(format!("| {class} | `` {shown} `` | {why} |\n"));
        }
    }
    let share = 100.0 * rows.len() as f64 / f64::from(count);
    assert!(
        count >= 500 && share <= 5.0,
        "{share:.1} % are unread: {rows:#?}"
    );
    format!(
        "\n## Ordinary commands\n\nOf {count} commands that agents write every day, {} ({share:.1} %) are unread, and refused with `posture: deny` by a rule that \
         reads commands.\n\n| class | command | why |\n|---|---|---|\n{}",
        rows.len(),
        rows.concat(),
    )
}

#[test]
fn the_reference_says_what_is_made_of_each_call_that_hides() {
    let page = page();
    if env::var_os("HOOKS_DOCS").is_some_and(|value| value == "overwrite") {
        return fs::write(PAGE, page).unwrap();
    }
    let old = fs::read_to_string(PAGE).unwrap();
    assert!(
        page == old,
        "HOOKS_DOCS=overwrite writes the page of held-out calls anew"
    );
}

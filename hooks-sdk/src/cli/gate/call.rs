//! A client's call of a tool in the one form that gates read.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::{
    clients::AskedCall,
    plugin::{AgentToolCall, AgentToolKind},
};

/// The members of arguments that hold commands.
const COMMANDS: [&str; 4] = ["command", "commands", "cmd", "script"];

/// The members of arguments that hold the folder in which a command runs.
const FOLDERS: [&str; 6] = [
    "workdir",
    "cwd",
    "directory",
    "dir_path",
    "dir",
    "working_directory",
];

/// The deepest member of arguments that is read.
const MAX_DEPTH: usize = 16;

/// Returns the call with its commands, paths and URLs. `project` is the folder in which the client's session began, if that
/// is known.
pub(super) fn normalised(
    client: &'static str,
    asked: &AskedCall,
    project: Option<&str>,
) -> AgentToolCall {
    let kind = AgentToolKind::named(asked.kind).unwrap_or_default();
    let mut call = AgentToolCall::new(client, kind, asked.tool.clone());
    let here = || std::env::current_dir().map(|here| here.to_string_lossy().into_owned());
    call.folder = asked
        .folder
        .clone()
        .or_else(|| here().ok())
        .unwrap_or_default();
    call.project = project.unwrap_or(&call.folder).to_owned();
    call.session.clone_from(&asked.session);
    call.subagent.clone_from(&asked.subagent);
    if let Some((server, tool)) = &asked.served {
        call.mcp_server = Some(server.clone());
        call.mcp_tool = Some(tool.clone());
    }
    with_arguments(call, asked.args.clone())
}

/// Returns the call with these arguments, and with what they name.
pub(super) fn with_arguments(mut call: AgentToolCall, args: Map<String, Value>) -> AgentToolCall {
    call.commands.clear();
    call.paths.clear();
    call.urls.clear();
    call.possible.clear();
    call.unread.clear();
    call.unresolved.clear();
    let folder = FOLDERS.iter().find_map(|name| args.get(*name)?.as_str());
    let folder = Path::new(&call.folder).join(folder.unwrap_or_default());
    for (name, value) in &args {
        member(&mut call, &folder, name, value, 0);
    }
    call.args = args;
    call
}

fn member(call: &mut AgentToolCall, folder: &Path, name: &str, value: &Value, depth: usize) {
    match value {
        _ if depth > MAX_DEPTH => {
            call.cannot_read(name, "the arguments are nested too deeply");
        }
        Value::String(text) => text_of(call, folder, name, text),
        Value::Array(items) => {
            // A list of one command's words, as some clients send it.
            let is_command = call.kind == AgentToolKind::Shell && name == "command";
            let words: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            match words.filter(|_| is_command) {
                Some(words) => {
                    let words: Vec<String> = words
                        .into_iter()
                        .map(crate::clients::config::quoted)
                        .collect();
                    call.read_commands_in(folder.to_owned(), &words.join(" "));
                }
                None => items
                    .iter()
                    .for_each(|item| member(call, folder, name, item, depth + 1)),
            }
        }
        Value::Object(members) => {
            for (inner, value) in members {
                // `commands: [{command: …}]` has the name inside.
                member(call, folder, inner, value, depth + 1);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn text_of(call: &mut AgentToolCall, folder: &Path, name: &str, text: &str) {
    if call.kind == AgentToolKind::Shell && COMMANDS.contains(&name) {
        return call.read_commands_in(PathBuf::from(folder), text);
    }
    if text.contains("*** ") || text.starts_with("--- ") || text.starts_with("diff ") {
        call.read_patch(text);
    }
    let is_content = matches!(
        name,
        "content"
            | "contents"
            | "file_text"
            | "text"
            | "old_string"
            | "new_string"
            | "old_str"
            | "new_str"
    );
    if !is_content {
        call.read_urls(text);
    }
    let lower = name.to_ascii_lowercase();
    let is_path = [
        "path",
        "paths",
        "file",
        "files",
        "filename",
        "directory",
        "dir",
        "folder",
        "cwd",
        "workdir",
        "include",
        "glob",
    ]
    .iter()
    .any(|end| lower.ends_with(end))
        || (name == "pattern" && call.tool.eq_ignore_ascii_case("glob"));
    // The tools of other servers have members of any name.
    let is_word = call.kind == AgentToolKind::Mcp
        && text.contains(['/', '.', '~'])
        && !text.contains(char::is_whitespace);
    let is_address = text.contains("://");
    if (is_path || is_word) && !text.is_empty() && text.len() <= 4_096 && !is_address {
        call.read_path(text);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    fn call(kind: AgentToolKind, args: Value) -> AgentToolCall {
        let mut call = AgentToolCall::new("claude-code", kind, "Tool");
        call.folder = "/srv/project".to_owned();
        call.project.clone_from(&call.folder);
        with_arguments(call, from_value(args).unwrap())
    }

    #[test]
    fn each_clients_arguments_become_one_form() {
        for args in [
            json!({"command": "touch a && cat https://example.org/x"}),
            json!({"commands": ["touch a", "cat https://example.org/x"]}),
            json!({"commands": [{"command": "touch a"}, {"command": "cat https://example.org/x"}]}),
        ] {
            let call = call(AgentToolKind::Shell, args);
            assert_eq!(call.commands, ["touch a", "cat https://example.org/x"]);
            assert_eq!(call.paths, ["/srv/project/a"]);
            assert_eq!(call.urls, ["https://example.org/x"]);
        }
        let words = call(
            AgentToolKind::Shell,
            json!({"command": ["bash", "-lc", "touch a"]}),
        );
        assert!(
            words.commands.iter().any(|it| *it == "touch a"),
            "{words:?}"
        );
        for args in [
            json!({"file_path": "a/../b"}),
            json!({"filePath": "/srv/project/b"}),
            json!({"path": "./b", "content": "see /etc/passwd and https://example.org"}),
            json!({"files": [{"path": "b"}]}),
            json!({"patch": "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch"}),
        ] {
            let call = call(AgentToolKind::Write, args);
            assert_eq!(call.paths, ["/srv/project/b"], "{:?}", call.args);
            assert_eq!(call.urls, [""; 0]);
        }
        for args in [
            json!({"url": "https://example.org/x"}),
            json!({"requests": [{"url": "https://example.org/x", "prompt": "why"}]}),
            json!({"prompt": "Read https://example.org/x, please."}),
            json!({"urls": ["https://example.org/x"]}),
        ] {
            let call = call(AgentToolKind::Fetch, args);
            assert_eq!(call.urls, ["https://example.org/x"]);
        }
        let foreign = call(AgentToolKind::Mcp, json!({"target": "../secret"}));
        assert_eq!(foreign.paths, ["/srv/secret"]);
    }
}

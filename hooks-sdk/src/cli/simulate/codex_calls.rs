//! The calls of Codex CLI as hooks receive them: to the model, some tools have other names and inputs.

use serde_json::{Value, json};

use super::moment::text;

/// The names of the shell towards the model.
const SHELLS: [&str; 4] = ["exec_command", "shell", "shell_command", "local_shell"];

/// The line behind which the model reads what a command wrote.
const OUTPUT: &str = "Output:\n";

/// Returns the tool's name and its input, a JSON text, as hooks receive them: the model knows the shell by other names.
pub(super) fn called(payload: &Value) -> (String, String) {
    let name = text(payload, "name").unwrap_or("local_shell");
    let parsed = || match &payload["arguments"] {
        Value::String(input) => serde_json::from_str(input).unwrap_or_default(),
        _ => payload["action"].clone(),
    };
    match text(payload, "namespace") {
        None if SHELLS.contains(&name) => {
            let command = json!({ "command": command(&parsed()) });
            ("Bash".to_owned(), command.to_string())
        }
        server => {
            let input = match (&payload["arguments"], payload.get("input")) {
                // The client's own order of members.
                (Value::String(input), _) if parsed().is_object() => input.clone(),
                (_, Some(input)) => json!({ "command": input }).to_string(),
                _ => "{}".to_owned(),
            };
            let server = server.filter(|server| server.starts_with("mcp__"));
            let name = server.map_or_else(|| name.to_owned(), |it| format!("{it}__{name}"));
            (name, input)
        }
    }
}

/// Returns the command of a shell tool: a text, or the last word of `bash -lc TEXT`.
fn command(input: &Value) -> String {
    let command = input.get("cmd").or_else(|| input.get("command"));
    match command {
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match &words[..] {
                [_, "-lc" | "-c", text] => (*text).to_owned(),
                words => words.join(" "),
            }
        }
        other => other.and_then(Value::as_str).unwrap_or_default().to_owned(),
    }
}

/// Returns what a tool wrote, without what the client put before it for the model.
pub(super) fn output(said: &Value) -> Value {
    match said.as_str().and_then(|said| said.split_once(OUTPUT)) {
        Some((_, output)) => output.into(),
        None => said.clone(),
    }
}

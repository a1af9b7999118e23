//! Whether the user has reviewed the hooks: the client's own program says it, without a login and without a model.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use super::probe::{PATIENCE, ask};
use crate::clients::Client;

/// Asks a client's program about the hooks of a project, with this argument. Returns what keeps these command lines from
/// running.
pub(super) fn untrusted(
    client: &Client,
    program: &Path,
    reviewer: &str,
    project: &Path,
    commands: &[String],
) -> Result<Vec<String>, String> {
    let asked = format!("`{} {reviewer}`", client.program);
    let mut command = Command::new(program);
    command.arg(reviewer).current_dir(project);
    let questions = [
        json!({ "id": 1, "method": "initialize", "params": { "clientInfo": { "name": "hooks-doctor", "version": "1" } } }),
        json!({ "method": "initialized" }),
        json!({ "id": 2, "method": "hooks/list", "params": { "cwds": [project] } }),
    ];
    let answer = ask(command, &questions, PATIENCE);
    let answer =
        answer.map_err(|why| format!("{asked} does not say which hooks are reviewed: {why}"))?;
    Ok(wrong(client, &asked, &answer, commands))
}

/// Returns what is wrong with our entries in the answer.
fn wrong(client: &Client, asked: &str, answer: &Value, commands: &[String]) -> Vec<String> {
    let (title, program) = (client.title, client.program);
    let Some(places) = answer["result"]["data"].as_array() else {
        return vec![format!("{asked} does not list hooks: update {title}")];
    };
    let hooks: Vec<&Value> = places
        .iter()
        .filter_map(|place| place["hooks"].as_array())
        .flatten()
        .collect();
    let mut wrong = Vec::new();
    for command in commands {
        let found = hooks
            .iter()
            .find(|hook| hook["command"] == command.as_str());
        let event = |hook: &Value| hook["eventName"].as_str().unwrap_or("hook").to_owned();
        match found {
            None => wrong.push(format!(
                "{title} does not load the entry `{command}`: trust the project, and start `{program}` in it"
            )),
            Some(hook) if hook["enabled"] == false => wrong.push(format!(
                "the entry at `{}` is disabled in {title}: enable it with `/hooks`",
                event(hook)
            )),
            Some(hook) if hook["trustStatus"] != "trusted" => wrong.push(format!(
                "{title} skips the entry at `{}`, which is {}: start `{program}`, and review it with `/hooks`",
                event(hook),
                hook["trustStatus"].as_str().unwrap_or("not reviewed")
            )),
            Some(_) => {}
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::put_script;

    /// An answer of Codex CLI 0.169.0, shortened.
    const ANSWER: &str = r#"{"id":2,"result":{"data":[{"cwd":"/p","hooks":[{"eventName":"preToolUse","command":"a","enabled":true,"trustStatus":"untrusted"},{"eventName":"stop","command":"b","enabled":true,"trustStatus":"trusted"},{"eventName":"stop","command":"c","enabled":false,"trustStatus":"trusted"},{"eventName":"stop","command":"d","enabled":true,"trustStatus":"modified"}],"warnings":[],"errors":[]}]}}"#;

    fn client() -> &'static Client {
        crate::clients::by_name("codex").unwrap()
    }

    #[test]
    fn each_entry_that_does_not_run_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let codex = folder.path().join("codex");
        let script =
            format!("#!/bin/sh\necho '{{\"id\":1}}'\necho no JSON\necho '{ANSWER}'\nsleep 60\n");
        put_script(&codex, &script);
        let ask = |commands: &[&str]| {
            let commands: Vec<String> = commands.iter().map(|&it| it.to_owned()).collect();
            untrusted(client(), &codex, "app-server", folder.path(), &commands).unwrap()
        };
        assert_eq!(ask(&["b"]), [""; 0]);
        let wrong = ask(&["a", "c", "d", "e"]);
        for (wrong, words) in
            wrong
                .iter()
                .zip(["untrusted", "disabled", "modified", "does not load"])
        {
            assert!(wrong.contains(words), "{wrong}");
        }
        assert_eq!(wrong.len(), 4);
    }

    #[test]
    fn a_program_that_ends_has_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        let untrusted =
            |program: &Path| untrusted(client(), program, "app-server", folder.path(), &[]);
        let ended = untrusted(Path::new("true"));
        assert!(ended.unwrap_err().contains("ended without an answer"));
        let missing = untrusted(&folder.path().join("codex"));
        assert!(missing.unwrap_err().contains("o such file"));
        let answer = json!({ "id": 2, "error": {} });
        assert_eq!(wrong(client(), "it", &answer, &[]).len(), 1);
    }
}

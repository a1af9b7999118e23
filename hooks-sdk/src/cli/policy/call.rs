//! The calls that `hooks policy check` decides about.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    cli::CommandError,
    plugin::{ElicitationResponse, HttpHeaders, HttpRequest},
};

/// The longest line of a file of calls, in bytes (4 MiB).
const MAX_LINE: u64 = 4 << 20;

/// How many calls a file may have.
const MAX_CALLS: usize = 10_000;

/// A call as a person writes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Call {
    pub(super) tool: Option<String>,
    pub(super) prompt: Option<String>,
    pub(super) resource: Option<String>,
    /// An HTTP request, with the response to it.
    pub(super) http: Option<HttpRequest>,
    pub(super) response: Option<HttpHeaders>,
    pub(super) status: Option<u16>,
    pub(super) args: Map<String, Value>,
    pub(super) metadata: Map<String, Value>,
    pub(super) headers: Option<HttpHeaders>,
    /// What the tool or the prompt answers: with it, the hooks behind the call run, too.
    pub(super) result: Option<Value>,
    /// What the resource contains.
    pub(super) content: Option<Value>,
    pub(super) user: Option<String>,
    pub(super) tenant: Option<String>,
    pub(super) server: Option<String>,
    pub(super) session: Option<String>,
    /// What the user answers, in the order of the questions.
    pub(super) answers: Vec<ElicitationResponse>,
}

/// The calls of one command.
#[derive(Debug)]
pub(super) struct Calls(pub(super) Vec<Call>);

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads the call of the command line, or the calls of a file.
pub(super) fn read_calls(call: Option<&str>, file: Option<&Path>) -> Result<Calls, CommandError> {
    if let Some(call) = call {
        let call = read(call).map_err(|wrong| format!("--call: {wrong}"))?;
        return Ok(Calls(vec![call]));
    }
    let Some(file) = file else {
        return Ok(Calls(Vec::new()));
    };
    let at = |line: usize, wrong: &dyn std::fmt::Display| -> CommandError {
        format!("{}:{line}: {wrong}", file.display()).into()
    };
    let mut calls = Vec::new();
    let opened = File::open(file).map_err(|error| at(1, &error))?;
    let mut lines = BufReader::new(opened);
    for number in 1.. {
        let mut line = Vec::new();
        let mut limited = std::io::Read::take(&mut lines, MAX_LINE + 1);
        let length = limited
            .read_until(b'\n', &mut line)
            .map_err(|error| at(number, &error))?;
        if length == 0 {
            break;
        }
        if length as u64 > MAX_LINE {
            return Err(at(number, &"the line is longer than 4 MiB"));
        }
        let line = String::from_utf8(line).map_err(|error| at(number, &error))?;
        if line.trim().is_empty() {
            continue;
        }
        if calls.len() == MAX_CALLS {
            return Err(at(number, &"more than 10000 calls; split the file"));
        }
        calls.push(read(&line).map_err(|wrong| at(number, &wrong))?);
    }
    if calls.is_empty() {
        return Err(at(
            1,
            &"there is no call; write one JSON object on each line",
        ));
    }
    Ok(Calls(calls))
}

fn read(text: &str) -> Result<Call, String> {
    let call: Call = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let named = [&call.tool, &call.prompt, &call.resource];
    let is_http = call.http.is_some();
    if named.into_iter().flatten().count() + usize::from(is_http) != 1 {
        return Err("a call has one of `tool`, `prompt`, `resource` and `http`".to_owned());
    }
    let wrong = |is: bool, what: &str, only: &str| match is {
        true => Err(format!("`{what}` belongs to {only}")),
        false => Ok(()),
    };
    let is_resource = call.resource.is_some();
    wrong(
        call.content.is_some() && !is_resource,
        "content",
        "a resource",
    )?;
    wrong(
        !call.metadata.is_empty() && !is_resource,
        "metadata",
        "a resource",
    )?;
    wrong(
        call.result.is_some() && (is_resource || is_http),
        "result",
        "a tool or a prompt",
    )?;
    wrong(
        !call.args.is_empty() && (is_resource || is_http),
        "args",
        "a tool or a prompt",
    )?;
    wrong(
        call.headers.is_some() && call.tool.is_none(),
        "headers",
        "a tool, or inside `http`",
    )?;
    let has_response = call.response.is_some() || call.status.is_some();
    wrong(has_response && !is_http, "response", "`http`")?;
    wrong(
        call.status.is_some() && call.response.is_none(),
        "status",
        "a `response`",
    )?;
    Ok(call)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_call_says_what_is_wrong() {
        for (text, wrong) in [
            ("{", "EOF"),
            ("{}", "one of `tool`"),
            (r#"{"tool": "a", "prompt": "b"}"#, "one of `tool`"),
            (r#"{"tool": "a", "arg": {}}"#, "unknown field `arg`"),
            (r#"{"tool": "a", "args": []}"#, "invalid type"),
            (
                r#"{"tool": "a", "content": 1}"#,
                "`content` belongs to a resource",
            ),
            (
                r#"{"resource": "a", "args": {"b": 1}}"#,
                "`args` belongs to",
            ),
            (
                r#"{"prompt": "a", "headers": {}}"#,
                "`headers` belongs to a tool",
            ),
            (
                r#"{"tool": "a", "response": {}}"#,
                "`response` belongs to `http`",
            ),
            (
                r#"{"http": {"path": "/mcp", "method": "POST"}, "status": 200}"#,
                "`status` belongs to a `response`",
            ),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.contains(wrong), "{text}: {found}");
        }
        assert!(read(r#"{"tool": "a", "answers": [{"action": "accept"}]}"#).is_ok());
    }

    #[test]
    fn a_file_of_calls_names_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("calls.jsonl");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            read_calls(None, Some(&file))
        };
        assert_eq!(
            read("{\"tool\": \"a\"}\n\n{\"tool\": \"b\"}")
                .unwrap()
                .0
                .len(),
            2
        );
        let wrong = read("{\"tool\": \"a\"}\n\n{\"tol\": \"b\"}")
            .unwrap_err()
            .to_string();
        assert!(
            wrong.contains("calls.jsonl:3: unknown field `tol`"),
            "{wrong}"
        );
        let none = read("\n").unwrap_err().to_string();
        assert!(none.contains("there is no call"), "{none}");
    }
}

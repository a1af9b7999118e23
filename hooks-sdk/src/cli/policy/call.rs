//! The calls that `hooks policy check` decides about.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    cli::{
        CommandError,
        judge::{JudgedArgument, JudgedItem, Judging, UserAnswer},
    },
    plugin::{ElicitationResponse, HttpHeaders, PluginAt},
};
use hooks_server::internal::{DryAnswer, DryCall};

/// The longest line of a file of calls, in bytes (4 MiB).
const MAX_LINE: u64 = 4 << 20;

/// How many calls a file may have.
const MAX_CALLS: usize = 10_000;

/// A call as a person writes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WrittenCall {
    pub(super) tool: Option<String>,
    pub(super) prompt: Option<String>,
    pub(super) resource: Option<String>,
    pub(super) completion: Option<WrittenCompletion>,
    /// The arguments; of a completion, those whose values are known already.
    pub(super) args: Map<String, Value>,
    pub(super) metadata: Map<String, Value>,
    pub(super) headers: Option<HttpHeaders>,
    /// What the tool or the prompt returns, or the values of the completion: with it, the hooks behind the call run, too.
    pub(super) result: Option<Value>,
    /// What the resource contains.
    pub(super) content: Option<Value>,
    pub(super) user: Option<String>,
    pub(super) tenant: Option<String>,
    /// The claims of the sender's token.
    pub(super) claims: Option<Map<String, Value>>,
    pub(super) server: Option<String>,
    pub(super) session: Option<String>,
    /// What the user answers, in the order of the questions.
    pub(super) answers: Vec<ElicitationResponse>,
}

/// An argument to be completed, of a prompt or of a resource.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WrittenCompletion {
    prompt: Option<String>,
    resource: Option<String>,
    argument: String,
    value: String,
}

/// The calls of one command.
#[derive(Debug)]
pub(super) struct WrittenCalls(pub(super) Vec<WrittenCall>);

impl WrittenCalls {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads the calls of the command line, or those of a file.
pub(super) fn read_calls(
    calls: &[String],
    file: Option<&Path>,
) -> Result<WrittenCalls, CommandError> {
    if !calls.is_empty() {
        let calls = calls.iter().map(|call| read(call));
        let calls: Result<Vec<WrittenCall>, String> = calls.collect();
        return Ok(WrittenCalls(
            calls.map_err(|wrong| format!("--call: {wrong}"))?,
        ));
    }
    let Some(file) = file else {
        return Ok(WrittenCalls(Vec::new()));
    };
    let at = |line: usize, wrong: &dyn std::fmt::Display| -> CommandError {
        format!("{}:{line}: {wrong}", file.display()).into()
    };
    let mut calls = Vec::new();
    let opened =
        File::open(file).map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
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
    Ok(WrittenCalls(calls))
}

fn read(text: &str) -> Result<WrittenCall, String> {
    let call: WrittenCall = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let named = [&call.tool, &call.prompt, &call.resource];
    if named.into_iter().flatten().count() + usize::from(call.completion.is_some()) != 1 {
        return Err("a call has one of `tool`, `prompt`, `resource` and `completion`".to_owned());
    }
    if let Some(of) = &call.completion
        && of.prompt.is_some() == of.resource.is_some()
    {
        return Err("a completion has one of `prompt` and `resource`".to_owned());
    }
    if call.completion.is_some()
        && let Some((name, _)) = call.args.iter().find(|(_, value)| !value.is_string())
    {
        return Err(format!("`{name}` in `args` of a completion is a text"));
    }
    let wrong = |is: bool, what: &str, only: &str| match is {
        true => Err(format!("`{what}` belongs to {only}")),
        false => Ok(()),
    };
    let is_resource = call.resource.is_some();
    let content = call.content.is_some() && !is_resource;
    wrong(content, "content", "a resource")?;
    let metadata = !call.metadata.is_empty() && !is_resource;
    wrong(metadata, "metadata", "a resource")?;
    let result = call.result.is_some() && is_resource;
    wrong(result, "result", "a tool or a prompt")?;
    let args = !call.args.is_empty() && is_resource;
    wrong(args, "args", "a tool or a prompt")?;
    let headers = call.headers.is_some() && call.tool.is_none();
    wrong(headers, "headers", "a tool")?;
    if call.answers.iter().any(|answer| answer.message.is_some()) {
        return Err("`message` in `answers` reaches no hook: remove it".to_owned());
    }
    call.answer()?;
    Ok(call)
}

impl WrittenCall {
    /// Returns the item that is called.
    pub(super) fn item(&self) -> JudgedItem<'_> {
        if let Some(of) = &self.completion {
            let name = of.prompt.as_deref().or(of.resource.as_deref());
            return JudgedItem::Completion(JudgedArgument {
                is_of_prompt: of.prompt.is_some(),
                name: name.unwrap_or_default(),
                argument: &of.argument,
                value: &of.value,
            });
        }
        match (&self.tool, &self.prompt, &self.resource) {
            (Some(name), _, _) => JudgedItem::Tool(name),
            (_, Some(name), _) => JudgedItem::Prompt(name),
            (_, _, uri) => JudgedItem::Resource(uri.as_deref().unwrap_or_default()),
        }
    }

    /// Returns the points that the call passes.
    pub(super) fn points(&self) -> &'static [PluginAt] {
        let points: &[PluginAt; 2] = match self.item() {
            JudgedItem::Tool(_) => &[PluginAt::ToolPreInvoke, PluginAt::ToolPostInvoke],
            JudgedItem::Prompt(_) => &[PluginAt::PromptPreFetch, PluginAt::PromptPostFetch],
            JudgedItem::Resource(_) => &[PluginAt::ResourcePreFetch, PluginAt::ResourcePostFetch],
            JudgedItem::Completion(_) => {
                &[PluginAt::CompletionPreFetch, PluginAt::CompletionPostFetch]
            }
        };
        match self.result.is_some() || self.content.is_some() {
            true => points,
            false => &points[..1],
        }
    }

    /// Returns what the author's server answers.
    fn answer(&self) -> Result<DryAnswer, String> {
        let (method, uri, given) = match self.item() {
            JudgedItem::Tool(_) => ("tools/call", "", &self.result),
            JudgedItem::Prompt(_) => ("prompts/get", "", &self.result),
            JudgedItem::Resource(uri) => ("resources/read", uri, &self.content),
            JudgedItem::Completion(_) => ("completion/complete", "", &self.result),
        };
        match given {
            Some(given) => DryAnswer::read(method, uri, given.clone()),
            None => Ok(DryAnswer::Neutral),
        }
    }

    /// Returns the call for the server. `otherwise` is what the user answers where the call does not say it.
    pub(super) fn judging(&self, otherwise: Option<UserAnswer>) -> Judging<'_> {
        let answers = self.answers.iter().map(|answer| {
            json!({ "action": answer.action, "content": answer.data.clone().unwrap_or_default() })
        });
        Judging {
            item: self.item(),
            args: self.args.clone(),
            metadata: self.metadata.clone(),
            session: self.session.as_deref(),
            answers: answers.collect(),
            otherwise,
            call: DryCall {
                user: self.user.clone(),
                tenant: self.tenant.clone(),
                claims: self.claims.clone(),
                server: self.server.clone(),
                headers: self.headers.clone(),
                answer: self.answer().unwrap_or_default(),
            },
        }
    }
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
            (r#"{"http": {"path": "/mcp"}}"#, "unknown field `http`"),
            (
                r#"{"completion": {"argument": "a"}}"#,
                "one of `prompt` and `resource`",
            ),
            (
                r#"{"completion": {"prompt": "a"}, "args": {"b": 1}}"#,
                "`b` in `args` of a completion is a text",
            ),
            (
                r#"{"completion": {"prompt": "a"}, "result": {"values": [1]}}"#,
                "`result` is not the result of a completion",
            ),
            (
                r#"{"tool": "a", "answers": [{"action": "accept", "message": "ok"}]}"#,
                "`message` in `answers` reaches no hook",
            ),
            (
                r#"{"tool": "a", "result": {"content": 1}}"#,
                "`result` is not the result of a tool",
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
            read_calls(&[], Some(&file))
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
        let missing = read_calls(&[], Some(Path::new("missing.jsonl"))).unwrap_err();
        let missing = missing.to_string();
        assert!(
            missing.starts_with("cannot read `missing.jsonl`: "),
            "{missing}"
        );
        let none = read("\n").unwrap_err().to_string();
        assert!(none.contains("there is no call"), "{none}");
    }
}

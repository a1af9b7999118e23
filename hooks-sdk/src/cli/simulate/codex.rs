//! The session files of Codex CLI: `~/.codex/sessions/YEAR/MONTH/DAY/rollout-….jsonl`, recorded with version 0.169.0.

use serde_json::{Map, Value, json};

use super::{
    codex_calls::{called, output},
    moment::{CallEnd, Moment, PendingCall, PendingCalls, text, time},
    transcript::{Entries, TranscriptEntry},
};
use crate::lifecycle::Event;

/// Entries that are no step of the conversation.
const OTHERS: [&str; 5] = [
    "ghost_snapshot",
    "inter_agent_communication_metadata",
    "response_metadata",
    "token_usage_record",
    "world_state",
];

/// The answer to a call of a tool that does not exist: no hook runs.
const NOT_CALLED: &str = "unsupported call";

/// A reader of the entries.
#[derive(Debug, Default)]
pub(super) struct Codex {
    session: Option<String>,
    project: Option<String>,
    /// The id of the subagent whose session this is.
    agent: Option<String>,
    calls: PendingCalls,
    /// The prompt of this turn, of which two entries can tell.
    prompt: Option<String>,
}

impl Codex {
    /// Returns whether Codex CLI writes such entries.
    pub(super) fn wrote(entry: &Value) -> bool {
        let kinds = [
            "session_meta",
            "turn_context",
            "response_item",
            "event_msg",
            "compacted",
        ];
        let kind = entry["type"].as_str();
        kind.is_some_and(|kind| kinds.contains(&kind)) && entry["payload"].is_object()
    }

    fn members(&self) -> Map<String, Value> {
        let mut members = Map::new();
        members.insert("session_id".to_owned(), json!(self.session));
        members.insert("cwd".to_owned(), json!(self.project));
        if let Some(agent) = &self.agent {
            members.insert("agent_id".to_owned(), agent.as_str().into());
        }
        members
    }

    fn moment(&self, event: Event, entry: &Value, line: u64, more: (&str, Value)) -> Moment {
        let mut members = self.members();
        members.insert(more.0.to_owned(), more.1);
        Moment::new(event, entry, line, members)
    }

    fn start(&self, entry: &Value, line: u64, source: &str) -> Moment {
        self.moment(Event::SessionStart, entry, line, ("source", source.into()))
    }

    fn opens(&mut self, entry: &Value, line: u64, moments: &mut Vec<Moment>) {
        // A forked session begins with the entries of its parent.
        if self.session.is_some() {
            return;
        }
        let payload = &entry["payload"];
        let id = text(payload, "id").or_else(|| text(payload, "session_id"));
        self.session = id.map(str::to_owned);
        self.project = text(payload, "cwd").map(str::to_owned);
        if payload["source"].get("subagent").is_some() {
            self.agent.clone_from(&self.session);
        } else {
            moments.push(self.start(entry, line, "startup"));
        }
    }

    fn event(&mut self, entry: &Value, line: u64, moments: &mut Vec<Moment>) {
        let payload = &entry["payload"];
        match payload["type"].as_str().unwrap_or_default() {
            "task_started" | "turn_started" => self.prompt = None,
            "task_complete" | "turn_complete" => {
                let active = ("stop_hook_active", Value::Bool(false));
                moments.push(self.moment(Event::PostRequest, entry, line, active));
            }
            "user_message" => self.asks(text(payload, "message"), entry, line, moments),
            "item_completed" => self.item(entry, line, moments),
            "exec_command_end" | "mcp_tool_call_end" => {
                let result = &payload["result"];
                let failed = result.get("Err").is_some() || result["Ok"]["isError"] == true;
                let output = payload.get("aggregated_output");
                let answer = output.or_else(|| result.get("Ok"));
                self.answered(text(payload, "call_id"), failed, answer);
            }
            _ => {}
        }
    }

    fn item(&mut self, entry: &Value, line: u64, moments: &mut Vec<Moment>) {
        let item = &entry["payload"]["item"];
        match item["type"].as_str().unwrap_or_default() {
            "UserMessage" => {
                let blocks = item["content"].as_array().into_iter().flatten();
                let said = blocks.into_iter().find_map(|block| text(block, "text"));
                self.asks(said, entry, line, moments);
            }
            "McpToolCall" => {
                let failed = item["status"] == "failed";
                self.answered(text(item, "id"), failed, item.get("result"));
            }
            // A command that ends with an error is a call like others.
            "CommandExecution" => {
                self.answered(text(item, "id"), false, item.get("aggregated_output"));
            }
            _ => {}
        }
    }

    fn asks(&mut self, said: Option<&str>, entry: &Value, line: u64, moments: &mut Vec<Moment>) {
        let Some(said) = said.filter(|said| self.prompt.as_deref() != Some(*said)) else {
            return;
        };
        self.prompt = Some(said.to_owned());
        let prompt = ("prompt", said.into());
        moments.push(self.moment(Event::PreRequest, entry, line, prompt));
    }

    /// Keeps what the tool answered until the entry with the call's result comes.
    fn answered(&mut self, call: Option<&str>, failed: bool, answer: Option<&Value>) {
        if let Some(call) = call.and_then(|id| self.calls.find(id)) {
            call.failed |= failed;
            call.answered = answer.cloned();
        }
    }

    fn response(&mut self, entry: &Value, line: u64, moments: &mut Vec<Moment>) {
        let payload = &entry["payload"];
        let id = text(payload, "call_id").unwrap_or_default();
        match payload["type"].as_str().unwrap_or_default() {
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                let (name, input) = called(payload);
                let mut members = self.members();
                members.insert("tool_name".to_owned(), name.into());
                members.insert("tool_use_id".to_owned(), id.into());
                let call = PendingCall {
                    id: id.to_owned(),
                    line,
                    at: time(entry),
                    members,
                    input,
                    failed: false,
                    answered: None,
                };
                self.calls.begin(call, moments);
            }
            "function_call_output" | "custom_tool_call_output" => {
                let Some(call) = self.calls.take(id) else {
                    return;
                };
                let said = &payload["output"];
                if said.as_str().is_some_and(|it| it.starts_with(NOT_CALLED)) {
                    return;
                }
                if call.failed {
                    return call.end(CallEnd::Failed, None, moments);
                }
                let answer = call.answered.clone().unwrap_or_else(|| output(said));
                call.end(CallEnd::Succeeded, Some((line, answer)), moments);
            }
            _ => {}
        }
    }
}

impl Entries for Codex {
    fn client(&self) -> &'static str {
        "codex"
    }

    fn read(&mut self, whole: &TranscriptEntry<'_>, moments: &mut Vec<Moment>) -> bool {
        let TranscriptEntry {
            value: entry, line, ..
        } = *whole;
        match entry["type"].as_str() {
            Some("session_meta") => self.opens(entry, line, moments),
            Some("turn_context") => {
                if let Some(project) = text(&entry["payload"], "cwd") {
                    self.project = Some(project.to_owned());
                }
            }
            Some("event_msg") => self.event(entry, line, moments),
            Some("response_item") => self.response(entry, line, moments),
            Some("compacted") => moments.push(self.start(entry, line, "compact")),
            other => return other.is_some_and(|kind| OTHERS.contains(&kind)),
        }
        true
    }

    fn end(&mut self, moments: &mut Vec<Moment>) {
        self.calls.end(moments);
    }
}

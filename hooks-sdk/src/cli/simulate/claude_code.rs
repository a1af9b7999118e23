//! The session files of Claude Code: `~/.claude/projects/PROJECT/SESSION.jsonl`, recorded with version 2.1.329.

use serde_json::{Map, Value, json};

use super::{
    moment::{CallEnd, Moment, PendingCall, PendingCalls, text, time},
    transcript::{Entries, TranscriptEntry},
    written::written,
};
use crate::lifecycle::Event;

/// Entries that are no step of the conversation.
const OTHERS: &str = "agent-name agent-setting ai-title api-request api-request-blob api-request-shape atis-latch \
    attribution-snapshot content-replacement cost-state custom-title file-history-delta \
    file-history-snapshot last-prompt mode permission-mode pr-link progress queue-operation relocated \
    started summary tag task-summary tools-used worktree-state";

/// Beginnings of user entries that no user has written.
const NOT_PROMPTS: [&str; 4] = [
    "<command-",
    "<local-command-",
    "<bash-",
    "[Request interrupted",
];

/// A result that the client gave in the place of the tool: it ran no hook before the tool either.
const NOT_CALLED: &str = "<tool_use_error>";

/// A reader of the entries.
#[derive(Debug, Default)]
pub(super) struct ClaudeCode {
    session: Option<String>,
    project: Option<String>,
    calls: PendingCalls,
    /// The agent has said its last words of this turn, on this line, and the entries do not say that the turn ended.
    maybe_ended: Option<u64>,
    /// The message that ended the turn.
    ended_by: Option<String>,
    /// Whether a turn has ended since the user's last prompt.
    has_ended: bool,
    /// The source of the session's last start, until something happens.
    just: Option<String>,
}

impl ClaudeCode {
    /// Returns whether Claude Code writes such entries.
    pub(super) fn wrote(entry: &Value) -> bool {
        entry.get("sessionId").is_some_and(Value::is_string) && entry["type"].is_string()
    }

    fn moment(&self, event: Event, entry: &Value, line: u64) -> Moment {
        Moment::new(event, entry, line, self.members(entry))
    }

    /// Returns the members that every event has.
    fn members(&self, entry: &Value) -> Map<String, Value> {
        let mut members = Map::new();
        members.insert("session_id".to_owned(), json!(self.session));
        members.insert("cwd".to_owned(), json!(self.project));
        if entry["isSidechain"] == true {
            let agent = text(entry, "agentId").unwrap_or("subagent");
            members.insert("agent_id".to_owned(), agent.into());
        }
        members
    }

    /// Adds the session's start before its first step, and again where the client says so.
    fn starts(&mut self, entry: &Value, line: u64, source: &str, moments: &mut Vec<Moment>) {
        let mut start = self.moment(Event::SessionStart, entry, line);
        start.members.insert("source".to_owned(), source.into());
        start.members.remove("agent_id");
        moments.push(start);
        self.just = Some(source.to_owned());
    }

    /// Reads which session it is. A file can hold the beginning of another session, from which this one was forked.
    fn enters(&mut self, entry: &Value, line: u64, moments: &mut Vec<Moment>) {
        if let Some(project) = text(entry, "cwd") {
            self.project = Some(project.to_owned());
        }
        if self.session.is_none()
            && let Some(session) = text(entry, "sessionId")
        {
            self.session = Some(session.to_owned());
            // A subagent has a file of its own in newer versions, and no start.
            if entry["isSidechain"] != true {
                let source = started(entry).unwrap_or("startup");
                self.starts(entry, line, source, moments);
            }
        }
    }

    /// Ends the turn, if the agent has said its last words.
    fn turn_ends(&mut self, entry: &Value, line: u64, moments: &mut Vec<Moment>) {
        let mut stop = self.moment(Event::PostRequest, entry, line);
        stop.members
            .insert("stop_hook_active".to_owned(), self.has_ended.into());
        moments.push(stop);
        (self.has_ended, self.maybe_ended) = (true, None);
    }

    fn user(&mut self, entry: &Value, line: u64, moments: &mut Vec<Moment>) {
        let is_own = |name| entry[name] == true;
        if is_own("isMeta") || is_own("isCompactSummary") || is_own("isVisibleInTranscriptOnly") {
            return;
        }
        let content = &entry["message"]["content"];
        let mut prompt = content.as_str().map(str::to_owned);
        for block in content.as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("tool_result") => {
                    self.just = None;
                    self.result(entry, block, line, moments);
                }
                Some("text") => prompt = prompt.or_else(|| text(block, "text").map(str::to_owned)),
                _ => {}
            }
        }
        let Some(prompt) = prompt.filter(|it| !NOT_PROMPTS.iter().any(|no| it.starts_with(no)))
        else {
            return;
        };
        if let Some(line) = self.maybe_ended {
            self.turn_ends(entry, line, moments);
        }
        (self.has_ended, self.just) = (false, None);
        // A subagent's task is no prompt of the user.
        if entry["isSidechain"] != true {
            let mut asked = self.moment(Event::PreRequest, entry, line);
            asked.members.insert("prompt".to_owned(), prompt.into());
            moments.push(asked);
        }
    }

    fn result(&mut self, entry: &Value, block: &Value, line: u64, moments: &mut Vec<Moment>) {
        let Some(call) = text(block, "tool_use_id").and_then(|id| self.calls.take(id)) else {
            return;
        };
        let answer = &block["content"];
        if answer.as_str().is_some_and(|it| it.starts_with(NOT_CALLED)) {
            return;
        }
        if block["is_error"] == true {
            // A failed call is another event, at which no hook fires.
            return call.end(CallEnd::Failed, None, moments);
        }
        let answer = entry.get("toolUseResult").unwrap_or(answer).clone();
        call.end(CallEnd::Succeeded, Some((line, answer)), moments);
    }

    fn assistant(&mut self, whole: &TranscriptEntry<'_>, moments: &mut Vec<Moment>) {
        let TranscriptEntry {
            value: entry, line, ..
        } = *whole;
        if entry["isApiErrorMessage"] == true {
            return;
        }
        self.just = None;
        let message = &entry["message"];
        let mut calls_a_tool = false;
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] != "tool_use" {
                continue;
            }
            calls_a_tool = true;
            let mut members = self.members(entry);
            members.insert("tool_name".to_owned(), block["name"].clone());
            members.insert("tool_use_id".to_owned(), block["id"].clone());
            let id = text(block, "id").unwrap_or_default().to_owned();
            let call = PendingCall {
                line,
                at: time(entry),
                members,
                input: written(whole.text, &id).unwrap_or_else(|| block["input"].to_string()),
                id,
                failed: false,
                answered: None,
            };
            self.calls.begin(call, moments);
        }
        if entry["isSidechain"] == true {
            return;
        }
        match message["stop_reason"].as_str() {
            Some("end_turn" | "stop_sequence") => {
                // One message has an entry for each of its blocks.
                let id = text(message, "id").map(str::to_owned);
                if id.is_none() || id != self.ended_by {
                    self.turn_ends(entry, line, moments);
                    self.ended_by = id;
                }
            }
            Some(_) => self.maybe_ended = None,
            None => self.maybe_ended = (!calls_a_tool).then_some(line),
        }
    }
}

impl Entries for ClaudeCode {
    fn client(&self) -> &'static str {
        "claude-code"
    }

    fn read(&mut self, whole: &TranscriptEntry<'_>, moments: &mut Vec<Moment>) -> bool {
        let TranscriptEntry {
            value: entry, line, ..
        } = *whole;
        let Some(kind) = entry["type"].as_str() else {
            return false;
        };
        match kind {
            "user" | "assistant" | "attachment" | "system" => self.enters(entry, line, moments),
            kind => return OTHERS.split(' ').any(|other| other == kind),
        }
        match kind {
            "user" => self.user(entry, line, moments),
            "assistant" => self.assistant(whole, moments),
            "system" if entry["subtype"] == "compact_boundary" => {
                self.starts(entry, line, "compact", moments);
            }
            // Each hook at a start has an entry of its own.
            "attachment" => {
                if let Some(source) = started(entry).filter(|it| self.just.as_deref() != Some(*it))
                {
                    self.starts(entry, line, source, moments);
                }
            }
            _ => {}
        }
        true
    }

    fn end(&mut self, moments: &mut Vec<Moment>) {
        self.calls.end(moments);
        if let Some(line) = self.maybe_ended {
            self.turn_ends(&Value::Null, line, moments);
        }
    }
}

/// Returns why a session started, if the entry is what a hook answered at the start.
fn started(entry: &Value) -> Option<&str> {
    let attachment = &entry["attachment"];
    let name = attachment["hookName"].as_str()?;
    name.strip_prefix("SessionStart:")
        .filter(|_| entry["type"] == "attachment")
}

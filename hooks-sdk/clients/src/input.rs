//! The members that the clients have in common on a hook's standard input.

use serde_json::Value;

use super::{Seen, output, tool::Tool};
use hooks_core::lifecycle::{Event, Occasion, Variables};

/// A client's input, read leniently.
#[derive(Clone, Copy)]
pub(super) struct Input<'a>(pub(super) &'a Value);

impl<'a> Input<'a> {
    /// Returns a member by its name in snake_case, or in camelCase, which other clients that read Claude Code's files
    /// write.
    pub(super) fn member(self, name: &str) -> Option<&'a Value> {
        let input = self.0;
        input.get(name).or_else(|| input.get(camel_case(name)))
    }

    /// Returns a member that is a text and not empty.
    pub(super) fn text(self, name: &str) -> Option<&'a str> {
        self.member(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    }

    /// Returns the name of the first folder of a list.
    pub(super) fn first_folder(self, name: &str) -> Option<String> {
        let first = self.member(name)?.get(0)?.as_str()?;
        last_segment(first).map(str::to_owned)
    }

    /// Reads everything but the client's own parts: which tool it is, and what the tool answered.
    pub(super) fn seen(
        self,
        event: Event,
        tool: impl FnOnce(&'a str) -> Tool,
        output: impl FnOnce(&Value) -> String,
    ) -> Seen {
        let mut variables = Variables::new();
        variables.project_name = self.text("cwd").and_then(last_segment).map(str::to_owned);
        variables.session_id = self.text("session_id").map(str::to_owned);
        let mut seen = Seen::new(Occasion::new(event, variables));
        seen.subagent = self.text("agent_id").is_some();
        if event.is_tool_event() {
            let variables = &mut seen.occasion.variables;
            variables.tool_input = self.member("tool_input").map(Value::to_string);
            if event == Event::PostToolUse {
                variables.tool_output = self.member("tool_response").map(output);
            }
            if let Some(name) = self.text("tool_name") {
                variables.tool_name = Some(name.to_owned());
                tool(name).enter(&mut seen);
            }
        }
        if event == Event::SessionStart {
            seen.source = self.text("source").map(str::to_owned);
        }
        if event == Event::PostRequest {
            seen.kept_going = self.member("stop_hook_active") != Some(&Value::Bool(false));
        }
        seen
    }

    /// Returns whether the prompt is the reason by which a hook kept the agent going, which some clients send like a
    /// prompt of the user.
    pub(super) fn prompts_with_our_reason(self) -> bool {
        // Only at the start: further down, such a line is the text of another hook at the session's start.
        let prompt = self.text("prompt").unwrap_or_default();
        prompt.trim_start().starts_with(OURS)
    }

    /// Reads the input in Claude Code's format, which Codex CLI writes, too; see [`seen`](Input::seen).
    pub(super) fn seen_as_claude_code(self, event: Event, servers: &[&str]) -> Seen {
        let server = self.member("mcp_server");
        let said = server.and_then(|server| server.get("name")?.as_str());
        self.seen(event, |name| Tool::split(name, said, servers), output::text)
    }
}

/// The beginning of a text of this SDK.
const OURS: &str = "Hook of the MCP server `";

pub(super) fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// Returns the name of the folder, for a path of either kind; `None` for a root.
fn last_segment(path: &str) -> Option<&str> {
    let separator = if path.contains('/') { '/' } else { '\\' };
    path.split(separator).rfind(|segment| !segment.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_ends_in_its_folder() {
        let all = ["/home/user/project", "/a/b/", "/", "C:\\a b\\é", "x", ""];
        let names = [Some("project"), Some("b"), None, Some("é"), Some("x"), None];
        assert_eq!(all.map(last_segment), names);
    }

    #[test]
    fn members_of_other_types_are_passed_over() {
        let input = json!({
            "session_id": 7, "cwd": ["/a"], "tool_name": {}, "tool_input": null, "source": true, "mcp_server": 1,
        });
        for event in Event::ALL {
            let seen = Input(&input).seen_as_claude_code(event, &["memory"]);
            assert_eq!(
                (&seen.session_id, &seen.tool, &seen.source),
                (&None, &None, &None)
            );
            assert_eq!(seen.occasion.variables.tool_name, None);
            assert_eq!(seen.occasion.variables.project_name, None);
        }
    }

    #[test]
    fn camel_case_is_read_too() {
        let input = json!({
            "sessionId": "s", "toolName": "Bash", "toolInput": {"command": "ls"}, "stopHookActive": false
        });
        let seen = Input(&input).seen_as_claude_code(Event::PreToolUse, &[]);
        assert_eq!(seen.session_id.as_deref(), Some("s"));
        let variables = &seen.occasion.variables;
        assert_eq!(variables.tool_name.as_deref(), Some("Bash"));
        assert_eq!(variables.tool_input.as_deref(), Some(r#"{"command":"ls"}"#));
        let stop = Input(&input).seen_as_claude_code(Event::PostRequest, &[]);
        assert!(!stop.kept_going);
    }

    #[test]
    fn only_a_clear_word_lets_the_agent_be_kept_going() {
        let kept = |input: Value| {
            Input(&input)
                .seen_as_claude_code(Event::PostRequest, &[])
                .kept_going
        };
        assert!(!kept(json!({"stop_hook_active": false})));
        for active in [json!(true), json!("false"), json!(null), json!(0)] {
            assert!(kept(json!({"stop_hook_active": active})));
        }
        assert!(kept(json!({})));
    }
}

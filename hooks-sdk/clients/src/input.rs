//! The members that the clients have in common on a hook's standard input.

use serde_json::Value;

use super::{Client, Seen, output, tool::Tool};
use hooks_core::lifecycle::{Event, Occasion, Variables};

/// A client's input, read leniently.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a>(pub(super) &'a Value);

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

    /// Returns the id of the session.
    pub(super) fn session(self, client: &Client) -> Option<&'a str> {
        client.sessions.iter().find_map(|name| self.text(name))
    }

    /// Reads everything but what is only in the client's own input.
    pub(super) fn seen(self, client: &Client, event: Event, servers: &[&str]) -> Seen {
        let mut variables = Variables::new();
        variables.project_name = self.text("cwd").and_then(last_segment).map(str::to_owned);
        variables.session_id = self.session(client).map(str::to_owned);
        let mut seen = Seen::new(Occasion::new(event, variables));
        seen.subagent = self.text("agent_id").is_some();
        if event.is_tool_event() {
            let variables = &mut seen.occasion.variables;
            variables.tool_input = self.member("tool_input").map(Value::to_string);
            if event == Event::PostToolUse {
                variables.tool_output = self.member("tool_response").map(output::text);
            }
            if let Some(name) = self.text("tool_name") {
                variables.tool_name = Some(name.to_owned());
                self.tool(client, name, servers).enter(&mut seen);
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

    fn tool(self, client: &Client, name: &str, servers: &[&str]) -> Tool {
        let of = client.named_server.as_ref();
        let member = of.and_then(|of| self.member(of.member));
        let said = |name: Option<&str>| {
            let said = member?.get(name?)?.as_str();
            said.filter(|text| !text.is_empty())
        };
        let server = said(of.map(|of| of.server));
        match (server, said(of.and_then(|of| of.tool))) {
            (Some(server), Some(tool)) => Tool::served(server, tool),
            _ => client.tools.split(name, server, servers),
        }
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
    use crate::client::LIKE_MOST;

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
            let seen = LIKE_MOST.read(event, &input, &["memory"]);
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
        let seen = LIKE_MOST.read(Event::PreToolUse, &input, &[]);
        assert_eq!(seen.session_id.as_deref(), Some("s"));
        let variables = &seen.occasion.variables;
        assert_eq!(variables.tool_name.as_deref(), Some("Bash"));
        assert_eq!(variables.tool_input.as_deref(), Some(r#"{"command":"ls"}"#));
        let stop = LIKE_MOST.read(Event::PostRequest, &input, &[]);
        assert!(!stop.kept_going);
    }

    #[test]
    fn only_a_clear_word_lets_the_agent_be_kept_going() {
        let kept = |input: Value| LIKE_MOST.read(Event::PostRequest, &input, &[]).kept_going;
        assert!(!kept(json!({"stop_hook_active": false})));
        for active in [json!(true), json!("false"), json!(null), json!(0)] {
            assert!(kept(json!({"stop_hook_active": active})));
        }
        assert!(kept(json!({})));
    }
}

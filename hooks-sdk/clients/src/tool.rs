//! The names of tools: which tool of which MCP server a client's name means.

use super::{ALL, Client, Seen};

/// The name of a shell tool in a matcher, in every client: the name in SEP-2282's examples.
const SHELL: &str = "Bash";

/// How a client names the tool of an MCP server: what is before the server, and what is between it and the tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolNames {
    /// The text before the server's name. Without it, a name can be split only for known servers.
    pub(crate) before: &'static str,
    /// The text between both names.
    pub(crate) gap: &'static str,
    /// What is written for a character of the server's name that is no letter, digit, `_` or `-`.
    pub(crate) other: char,
}

impl ToolNames {
    /// `mcp__SERVER__TOOL`.
    pub(crate) const DOUBLE: ToolNames = ToolNames {
        before: "mcp__",
        gap: "__",
        other: '_',
    };

    /// Returns the name of a tool.
    pub(crate) fn join(&self, server: &str, tool: &str) -> String {
        let ToolNames { before, gap, other } = self;
        format!("{before}{}{gap}{tool}", spelt(server, *other))
    }

    /// Reads a name. `said` is the server that the client names, and `servers` are searched first. Otherwise, the server
    /// ends at the first gap, because clients ask for server names without one.
    pub(crate) fn split(&self, name: &str, said: Option<&str>, servers: &[&str]) -> Tool {
        if !self.before.is_empty() && name.starts_with(ToolNames::DOUBLE.before) {
            return Tool::split(name, said, servers);
        }
        let found = name.strip_prefix(self.before).and_then(|rest| {
            let guess = || divided(rest, self.gap).filter(|_| !self.before.is_empty());
            known(rest, servers, self.gap, self.other).or_else(guess)
        });
        match found {
            Some((server, tool)) => Tool::served(server, tool),
            None => Tool::own(name),
        }
    }

    /// Splits the name of a tool of an unknown server, where the client writes both names as one.
    pub(crate) fn guessed(&self, name: &str) -> Option<(String, String)> {
        let found = divided(name, self.gap).filter(|_| self.before.is_empty());
        found.map(|(server, tool)| (server.to_owned(), tool.to_owned()))
    }
}

/// A tool, with its names besides the client's.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// A client's own tool.
    Own { shell: bool },
    /// A tool of an MCP server.
    Served { server: String, tool: String },
}

impl Tool {
    /// Reads `mcp__SERVER__TOOL`, the form of Claude Code and Codex CLI. `said` is the server that the client names, and
    /// `servers` are searched first.
    ///
    /// Otherwise, the server ends at the first `__`. For a server in a Claude Code plugin, `plugin_PLUGIN_SERVER`, the
    /// plugin ends at the first `_`, because a plugin's name has none.
    pub(super) fn split(name: &str, said: Option<&str>, servers: &[&str]) -> Tool {
        let Some(rest) = name.strip_prefix("mcp__") else {
            return Tool::own(name);
        };
        if let Some(said) = said.filter(|said| !said.is_empty()) {
            let tool = after(rest, said, "__", '_').or_else(|| Some(divided(rest, "__")?.1));
            let server = said
                .strip_prefix("plugin:")
                .and_then(|rest| rest.split_once(':'));
            return Tool::served(
                server.map_or(said, |(_, server)| server),
                tool.unwrap_or(rest),
            );
        }
        if let Some((server, tool)) = known(rest, servers, "__", '_') {
            return Tool::served(server, tool);
        }
        let bundled = rest.strip_prefix("plugin_").and_then(|rest| {
            let ends = rest.match_indices('_').map(|(at, _)| &rest[at + 1..]);
            ends.clone()
                .find_map(|end| known(end, servers, "__", '_'))
                .or_else(|| ends.clone().find_map(|end| divided(end, "__")))
        });
        match bundled.or_else(|| divided(rest, "__")) {
            Some((server, tool)) => Tool::served(server, tool),
            None => Tool::own(name),
        }
    }

    /// Reads a name in the form of any client.
    pub(super) fn said(name: &str, server: Option<&str>, servers: &[&str]) -> Tool {
        let servers = server.as_ref().map_or(servers, std::slice::from_ref);
        let single = ToolNames {
            before: "mcp_",
            gap: "_",
            ..ToolNames::DOUBLE
        };
        match (single.split(name, None, servers), server) {
            (Tool::Served { tool, .. }, Some(server)) => Tool::served(server, &tool),
            (Tool::Own { .. }, Some(server)) => Tool::served(server, name),
            (tool, None) => tool,
        }
    }

    /// Returns the name of a client's own tool in the client of this row.
    pub(super) fn named<'a>(name: &'a str, row: &Client) -> &'a str {
        match row.shells {
            [shell, ..] if name == SHELL || is_shell(name) => shell,
            _ => name,
        }
    }

    /// Makes a tool whose server and name the client sends separately.
    pub(super) fn served(server: &str, tool: &str) -> Tool {
        Tool::Served {
            server: server.to_owned(),
            tool: tool.to_owned(),
        }
    }

    fn own(name: &str) -> Tool {
        Tool::Own {
            // The name in a matcher needs no other one.
            shell: name != SHELL && is_shell(name),
        }
    }

    /// Adds the tool to the client's input.
    pub(super) fn enter(self, seen: &mut Seen) {
        let occasion = &mut seen.occasion;
        match self {
            Tool::Own { shell: true } => occasion.also_named.push(SHELL.to_owned()),
            Tool::Own { shell: false } => {}
            Tool::Served { server, tool } => {
                let full = format!("mcp__{server}__{tool}");
                let said = occasion.variables.tool_name.as_ref();
                let others = [full, tool.clone()].into_iter();
                occasion
                    .also_named
                    .extend(others.filter(|name| Some(name) != said));
                occasion.tool_server = Some(server);
                seen.tool = Some(tool);
            }
        }
    }
}

/// Returns whether a client of the table has a shell tool of this name.
fn is_shell(name: &str) -> bool {
    ALL.iter().any(|row| row.shells.contains(&name))
}

/// Returns the server of this list, the longest that fits, with the tool's own name.
fn known<'a>(
    rest: &'a str,
    servers: &[&'a str],
    gap: &str,
    other: char,
) -> Option<(&'a str, &'a str)> {
    servers
        .iter()
        .filter_map(|server| Some((*server, after(rest, server, gap, other)?)))
        .max_by_key(|(server, _)| server.len())
}

/// Returns the part after the server and the gap.
fn after<'a>(rest: &'a str, server: &str, gap: &str, other: char) -> Option<&'a str> {
    let written = spelt(server, other);
    let end = [server, &written]
        .into_iter()
        .find_map(|server| rest.strip_prefix(server)?.strip_prefix(gap));
    end.filter(|tool| !server.is_empty() && !tool.is_empty())
}

/// Returns a server's name inside a tool's name: clients write only these letters.
pub(super) fn written(server: &str) -> String {
    spelt(server, '_')
}

fn spelt(server: &str, other: char) -> String {
    let letters = server.chars().map(|letter| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => letter,
        _ => other,
    });
    letters.collect()
}

/// Returns the parts before and after the first gap, neither of them empty.
fn divided<'a>(rest: &'a str, gap: &str) -> Option<(&'a str, &'a str)> {
    rest.split_once(gap)
        .filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_underscores_divide() {
        let split = |name| Tool::split(name, None, &["my__server", "my", "b.c"]);
        let cases = [
            ("mcp__memory__echo", "memory", "echo"),
            ("mcp__memory__get__all", "memory", "get__all"),
            ("mcp__my__server__tool", "my__server", "tool"),
            ("mcp__my__tool", "my", "tool"),
            ("mcp__b_c__d", "b.c", "d"),
            ("mcp__plugin_tools_memory__echo", "memory", "echo"),
            ("mcp__plugin_my-tools_my_server__echo", "my_server", "echo"),
            (
                "mcp__plugin_my_tools_my__server__echo",
                "my__server",
                "echo",
            ),
        ];
        for (name, server, tool) in cases {
            assert_eq!(split(name), Tool::served(server, tool), "{name}");
        }
        for own in [
            "Bash", "mcp__", "mcp____", "mcp__a", "mcp__a__", "mcp____b", "mcp_a_b",
        ] {
            assert_eq!(split(own), Tool::Own { shell: false }, "{own}");
        }
    }

    #[test]
    fn the_client_knows_its_servers() {
        let split = |name, said| Tool::split(name, Some(said), &["a"]);
        assert_eq!(split("mcp__a__b__c", "a__b"), Tool::served("a__b", "c"));
        assert_eq!(split("mcp__a__b__c", "a"), Tool::served("a", "b__c"));
        assert_eq!(split("mcp__a_b__c", "a b"), Tool::served("a b", "c"));
        assert_eq!(
            split("mcp__x__c", "otherwise"),
            Tool::served("otherwise", "c")
        );
        let bundled = Tool::split("mcp__plugin_p_q_s__t", Some("plugin:p_q:s"), &[]);
        assert_eq!(bundled, Tool::served("s", "t"));
        assert_eq!(split("mcp__a__b", ""), Tool::served("a", "b"));
        assert_eq!(split("Bash", "a"), Tool::Own { shell: false });
    }

    #[test]
    fn single_underscores_divide() {
        let names = ToolNames {
            before: "mcp_",
            gap: "_",
            ..ToolNames::DOUBLE
        };
        let split = |name| names.split(name, None, &["my_server"]);
        assert_eq!(
            split("mcp_memory_store_all"),
            Tool::served("memory", "store_all")
        );
        assert_eq!(
            split("mcp_my_server_store"),
            Tool::served("my_server", "store")
        );
        assert_eq!(split("mcp__memory__store"), Tool::served("memory", "store"));
        assert_eq!(split("run_shell_command"), Tool::Own { shell: true });
        assert_eq!(split("mcp_x"), Tool::Own { shell: false });
    }
}

//! The agent of every step: the observed server.

use serde_json::json;

use crate::Agent;
use hooks_core::BuildError;

/// Completes the agent with what the server says of itself.
pub(super) fn complete(agent: &mut Agent, instructions: Option<&str>, version: &str) {
    if agent.instructions.is_empty() {
        agent.instructions = instructions.unwrap_or_default().to_owned();
    }
    if agent.version.is_empty() {
        agent.version = version.to_owned();
    }
}

/// Adds the client that called the server to the agent's metadata.
pub(super) fn called_by(agent: &mut Agent, name: &str, version: &str) {
    let metadata = agent.metadata.get_or_insert_default();
    let client = json!({ "name": name, "version": version });
    metadata
        .get_or_insert_default()
        .insert("client".to_owned(), client);
}

pub(super) fn problems(agent: Option<&Agent>) -> Vec<BuildError> {
    let Some(agent) = agent else {
        return vec![BuildError::new(
            None,
            "the guardian is not told which agent it guards: the client has no agent, and the server's information has no `websiteUrl`",
            format!("{AGENT}; in `serve`, with `--guardian-provider-url https://example.com`"),
        )];
    };
    let required = [
        ("id", &agent.id),
        ("name", &agent.name),
        ("provider's name", &agent.provider.name),
        ("provider's URL", &agent.provider.url),
    ];
    let missing = required.iter().filter(|(_, value)| value.is_empty());
    missing
        .map(|(name, _)| {
            problem(format!(
                "the guarded agent has no {name}, which every guardian requires"
            ))
        })
        .collect()
}

const AGENT: &str = "set it with `.agent(Agent::new(\"notes\", \"Notes\").provider(\"Example\", \"https://example.com\"))`";

fn problem(message: impl Into<std::borrow::Cow<'static, str>>) -> BuildError {
    BuildError::new(None, message, AGENT)
}

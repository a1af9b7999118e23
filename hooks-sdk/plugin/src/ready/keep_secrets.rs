//! `keep_secrets`: keeps secrets out of an agent's commands and files.

use std::convert::Infallible;

use serde::Deserialize;

use super::{
    super::{AgentToolCall, PluginContext, finder},
    refusal,
};
use hooks_core::{
    Verdict,
    internal::{JsonPart, json_parts, setters},
};

/// Refuses a call of an agent's own tool whose arguments have a secret that the [finder](super::super::finder) finds: in a
/// command, a file, a URL or an argument of an MCP tool.
///
/// ```yaml
/// - name: no_secrets
///   kind: keep_secrets
///   posture: proceed
///   kinds: [shell, write, edit, fetch]
/// ```
///
/// Addresses and phone numbers are no secrets. The reason names the kind of the secret, and never the secret.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeepSecrets {
    reason: Option<String>,
}

impl KeepSecrets {
    setters! {
        /// Sets the sentence that the agent gets.
        fn reason(mut self, reason: impl Into<String>) { self.reason = Some(reason.into()) }
    }

    fn check(&self, call: &AgentToolCall, _cx: &PluginContext) -> Verdict<Infallible> {
        let names = call.args.keys().map(String::as_str);
        let parts = call.args.values().flat_map(json_parts);
        let texts = parts.filter_map(|(_, part)| match part {
            JsonPart::Name(text) => Some(text),
            JsonPart::Value(value) => value.as_str(),
        });
        // Without its quotes, a secret in parts is whole.
        let commands = call.commands.iter().map(|command| command.text.as_str());
        let found = names.chain(texts).chain(commands).flat_map(finder::find);
        let mut secrets = found.filter(|found| found.kind.is_secret());
        let Some(secret) = secrets.next() else {
            return Verdict::Allow;
        };
        let kind = secret.kind.as_str();
        let own = || format!("the call has a secret ({kind}): name a variable or a file instead");
        Verdict::Deny(refusal(&self.reason, own, "secret_found"))
    }
}

ready!(KeepSecrets = "keep_secrets", "Creates the plugin." { agent_tool_pre_invoke => KeepSecrets::check, again, without_commands; });

//! How each client resumes and compacts its session without a terminal.

use cargo_hooks::prove::{Launch, Trial};
use hooks_sdk::clients::Client;

/// How a client is made to compact its session without a terminal.
pub(crate) enum Compaction {
    /// The client resumes its session with this command in the place of the prompt.
    Command(&'static str),
    /// The client compacts its session by itself when its model reports this many tokens.
    Tokens(u64),
}

/// Returns the words with which a client resumes its last session; `None` if it does so in a terminal only.
fn resume_words(client: &Client) -> Option<&'static [&'static str]> {
    Some(match client.name {
        "codex" => &["resume", "--last"],
        "gemini" => &["--resume", "latest"],
        "cline" => return None,
        _ => &["--continue"],
    })
}

/// Returns how a client is made to compact its session; `None` if that is not known.
pub(crate) fn compaction(client: &Client) -> Option<Compaction> {
    Some(match client.name {
        "claude-code" => Compaction::Command("/compact"),
        "qwen" => Compaction::Tokens(170_000),
        "kimi" => return None,
        _ => Compaction::Tokens(970_000),
    })
}

/// Returns the arguments that resume the last session with a prompt. The words go behind the subcommand, if the arguments begin
/// with one.
pub(crate) fn resumed(client: &Client, launch: &Launch, prompt: &str) -> Option<Vec<String>> {
    let at = usize::from(!launch.arguments[0].starts_with('-'));
    let (before, after) = launch.arguments.split_at(at);
    let words = resume_words(client)?.iter().map(|&word| word.to_owned());
    let after = after.iter().map(|word| match word == Trial::PROMPT {
        true => prompt.to_owned(),
        false => word.clone(),
    });
    Some(before.iter().cloned().chain(words).chain(after).collect())
}

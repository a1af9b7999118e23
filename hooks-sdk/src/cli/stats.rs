//! `hooks stats`: shows how often hooks fired and were followed.

use std::{collections::BTreeMap, time::Duration};

use clap::Args;

use super::{
    CommandError, Program, command::OutputFormat, list::all_features, pipe::Pipe, print,
    program::runtime,
};
use crate::{
    clients::receipts::{HookStats, Retention, now},
    guidance::RequirementLevel,
    lifecycle::HookContent,
    server::ServerHandler,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The arguments of `hooks stats`.
#[derive(Clone, Debug, Args)]
pub(super) struct Stats {
    /// How many days to look back
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    days: u32,
    #[command(flatten)]
    format: OutputFormat,
}

impl Stats {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        let store = program.store();
        let mut asks = asks(program)?;
        for (hook, tools) in store.asks()? {
            asks.entry(hook).or_insert(tools);
        }
        let days = i64::try_from((DAY * self.days).as_millis()).unwrap_or(i64::MAX);
        let stats = store.stats(now().saturating_sub(days), &asks)?;
        if let Err(error) = store.prune(Retention::default()) {
            tracing::warn!(%error, "old receipts are not deleted");
        }
        if self.format.json {
            return print::json(&stats);
        }
        if stats.is_empty() {
            let days = print::counted(self.days.into(), "day");
            return print::text(&format!("No hook fired in the last {days}."));
        }
        let lines: Vec<String> = stats.iter().map(line).collect();
        print::text(&lines.join("\n"))
    }
}

fn line(stats: &HookStats) -> String {
    let mut line = format!(
        "{} in {}: fired {} in {}, {}",
        stats.hook,
        stats.client,
        print::counted(stats.fired, "time"),
        print::counted(stats.sessions, "session"),
        print::counted(stats.characters, "character")
    );
    let waited = stats.fired.saturating_sub(stats.delivered);
    if waited > 0 {
        let waited = print::counted(waited, "text");
        line.push_str(&format!(
            "; {waited} not sent: no event of the client has taken it"
        ));
    }
    if let Some(followed) = &stats.followed {
        let tools: Vec<String> = followed
            .tools
            .iter()
            .map(|tool| format!("`{tool}`"))
            .collect();
        line.push_str(&format!(
            "; followed by a call of {} {} of {} times",
            print::listed(&tools, "or"),
            followed.firings,
            stats.delivered
        ));
    }
    line
}

/// Returns the tools of the server that each hook asks for: those that its own text names in backticks.
///
/// A prohibition names the tools that must not be called, and perhaps others: calls do not show whether it was followed,
/// so it asks for no tool. `fire` reads the text of a context tool when its hook fires.
pub(super) fn asks<H: ServerHandler>(
    program: &Program<H>,
) -> Result<BTreeMap<String, Vec<String>>, CommandError> {
    let hooks = program.hooks()?;
    runtime()?.block_on(async {
        let tools = Pipe::new(program, None).tools().await?;
        let declared = hooks.declared(all_features(), None).await;
        let mut asks = BTreeMap::new();
        for each in &declared {
            for id in &each.hooks {
                let written = hooks.guidance_hook(id).await;
                let text = match (&written, &each.declaration.content) {
                    (Some(hook), _) if forbids(hook.level) => continue,
                    (Some(hook), _) => hook.text.as_deref(),
                    (None, HookContent::Context(text)) => Some(&**text),
                    (None, HookContent::ContextTool { .. }) => None,
                };
                if let Some(text) = text {
                    asks.insert(id.clone(), named_in(text, &tools));
                }
            }
        }
        Ok(asks)
    })
}

fn forbids(level: RequirementLevel) -> bool {
    match level {
        RequirementLevel::MustNot | RequirementLevel::ShouldNot => true,
        RequirementLevel::Must | RequirementLevel::Should | RequirementLevel::May => false,
    }
}

/// Returns the tools that a text names in backticks.
pub(super) fn named_in(text: &str, tools: &[String]) -> Vec<String> {
    let named = tools
        .iter()
        .filter(|tool| text.contains(&format!("`{tool}`")));
    named.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::tests::Notes,
        core::Registry,
        guidance::{GuidanceHook, HookInput, HookType, Lifecycle},
        server::{Collected, Guidance},
    };

    #[test]
    fn a_prohibition_asks_for_no_tool() {
        let hook = |tag: &'static str, level| {
            let input = HookInput::new(HookType::Session, Lifecycle::Start, tag, tag, level);
            GuidanceHook::new(input.text("As for `hooks_trigger`: it asks."))
        };
        let program = Program::new("notes", || Ok(Notes)).guidance(Guidance::new().trigger_tool());
        let program = program.collected(move || {
            let registry = Registry::builder()
                .add(hook("must", RequirementLevel::Must).into())
                .add(hook("may", RequirementLevel::May).into())
                .add(hook("should-not", RequirementLevel::ShouldNot).into())
                .add(hook("must-not", RequirementLevel::MustNot).into());
            Collected::of(registry.build()?)
        });
        let asks = asks(&program).unwrap();
        let asked: Vec<(&str, &[String])> = asks
            .iter()
            .map(|(hook, tools)| (&**hook, &**tools))
            .collect();
        let trigger = ["hooks_trigger".to_owned()];
        assert_eq!(
            asked,
            [
                ("mcp-toolkit:session:start:may", &trigger[..]),
                ("mcp-toolkit:session:start:must", &trigger[..]),
            ]
        );
    }
}

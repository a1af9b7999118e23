//! `hooks stats`

use std::{collections::BTreeMap, time::Duration};

use clap::Args;
use futures::executor::block_on;

use super::{
    Failure, Program, command::Format, list::all_features, pipe::Pipe, print, program::runtime,
};
use crate::{
    clients::receipts::{HookStats, Retention, now},
    lifecycle::Content,
    server::ServerHandler,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The arguments of `hooks stats`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct Stats {
    /// Since so many days
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    days: u32,
    #[command(flatten)]
    format: Format,
}

impl Stats {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), Failure> {
        let store = program.store();
        let asks = asks(program)?;
        let days = i64::try_from((DAY * self.days).as_millis()).unwrap_or(i64::MAX);
        let stats = store.stats(now().saturating_sub(days), &asks)?;
        if let Err(error) = store.prune(Retention::default()) {
            tracing::warn!(%error, "old receipts are kept");
        }
        if self.format.json {
            return print::json(&stats);
        }
        if stats.is_empty() {
            return print::text(&format!("No hook fired in the last {} days.", self.days));
        }
        let lines: Vec<String> = stats.iter().map(line).collect();
        print::text(&lines.join("\n"))
    }
}

fn line(stats: &HookStats) -> String {
    let mut line = format!(
        "{} in {}: fired {} times in {} sessions, {} characters",
        stats.hook, stats.client, stats.fired, stats.sessions, stats.characters
    );
    if let Some(followed) = &stats.followed {
        line.push_str(&format!(
            "; {} was called after {} of them",
            followed.tools.join(" or "),
            followed.firings
        ));
    }
    line
}

/// The tools of the server that each hook's text names in backticks.
fn asks<H: ServerHandler>(program: &Program<H>) -> Result<BTreeMap<String, Vec<String>>, Failure> {
    let hooks = program.hooks()?;
    let declared = block_on(hooks.declared(all_features(), None));
    let runtime = runtime()?;
    let tools = runtime.block_on(Pipe::new(program, None).tools())?;
    let mut asks = BTreeMap::new();
    for each in declared {
        let Content::Context(text) = &each.declaration.content else {
            continue;
        };
        let named = tools
            .iter()
            .filter(|tool| text.contains(&format!("`{tool}`")));
        let named: Vec<String> = named.cloned().collect();
        for hook in each.hooks {
            asks.insert(hook, named.clone());
        }
    }
    Ok(asks)
}

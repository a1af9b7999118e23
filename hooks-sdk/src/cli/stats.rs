//! `hooks stats`: shows how often hooks fired and were followed, or why they did not.

use std::{collections::BTreeMap, time::Duration};

use clap::Args;
use serde::Serialize;

use super::{
    CommandError, Program,
    list::{all_features, elsewhere},
    options::OutputFormat,
    pipe::Pipe,
    print,
    program::runtime,
    unfired::{Clients, Firings},
};
use crate::{
    clients::history::{Followed, HookStats, Retention, now},
    guidance::RequirementLevel,
    lifecycle::HookContent,
    server::ServerHandler,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The arguments of `hooks stats`.
#[derive(Clone, Debug, Args)]
pub(super) struct Stats {
    /// How many days to look back
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    days: u32,
    #[command(flatten)]
    format: OutputFormat,
}

/// A hook in a client.
#[derive(Debug, Serialize)]
struct StatsRow {
    hook: String,
    /// `None` for a hook that the server no longer has.
    event: Option<&'static str>,
    /// `None` for a hook that no client fires.
    client: Option<String>,
    /// The day of the first installation; `None` if there is none, or if its day is not known.
    since: Option<String>,
    fired: u64,
    /// How often its text was sent.
    delivered: u64,
    sessions: u64,
    characters: u64,
    last: Option<i64>,
    /// How often a call of a tool that it asks for followed; `None` for a hook that asks for no tool.
    followed: Option<Followed>,
    /// Why it did not fire, or why the agent did not get its texts.
    why: Option<String>,
    #[serde(skip)]
    is_installed: bool,
}

impl Stats {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        let rows = self.rows(program)?;
        if let Err(error) = program.store().prune(Retention::default()) {
            tracing::warn!(%error, "old receipts are not deleted");
        }
        match self.format.json {
            true => print::json(&rows),
            false => print::text(&self.page(&rows)),
        }
    }

    fn rows<H: ServerHandler>(&self, program: &Program<H>) -> Result<Vec<StatsRow>, CommandError> {
        let store = program.store();
        let mut asks = asks(program)?;
        for (hook, tools) in store.asks()? {
            asks.entry(hook).or_insert(tools);
        }
        let days = i64::try_from((DAY * self.days).as_millis()).unwrap_or(i64::MAX);
        let lately = store.stats(now().saturating_sub(days), &asks)?;
        let ever = store.stats(0, &asks)?.into_iter();
        let ever = ever.map(|stats| ((stats.hook.clone(), stats.client.clone()), stats));
        let ever: Firings = ever.collect();
        let hooks = program.hooks()?;
        let clients = Clients::of(program, &hooks, &ever)?;
        let mut rows: Vec<StatsRow> = Vec::new();
        for stats in lately {
            let event = clients.hooks().iter().find(|(hook, _)| *hook == stats.hook);
            let client = clients
                .iter()
                .find(|known| known.client.name() == stats.client);
            rows.push(StatsRow::fired(
                stats,
                event.map(|(_, event)| event.as_str()),
                client.and_then(|known| known.since.clone()),
            ));
        }
        for (hook, event) in clients.hooks() {
            for known in clients.iter() {
                let client = known.client.name();
                let is_it =
                    |row: &StatsRow| row.hook == *hook && row.client.as_deref() == Some(client);
                if rows.iter().any(is_it) {
                    continue;
                }
                let why = match ever.contains_key(&(hook.clone(), client.to_owned())) {
                    true => format!(
                        "not in the last {}",
                        print::counted(self.days.into(), "day")
                    ),
                    false => known.why_never(program, hook, *event),
                };
                let mut row = StatsRow::silent(hook.clone(), event.as_str(), why);
                row.client = Some(client.to_owned());
                row.since.clone_from(&known.since);
                row.is_installed = known.is_installed;
                rows.push(row);
            }
        }
        for (hook, at, why) in elsewhere(&hooks) {
            if !rows.iter().any(|row| row.hook == hook) {
                rows.push(StatsRow::silent(hook, at, why));
            }
        }
        Ok(rows)
    }

    fn page(&self, rows: &[StatsRow]) -> String {
        let fired = rows.iter().filter(|row| row.fired > 0).filter_map(line);
        let mut lines: Vec<String> = fired.collect();
        if lines.is_empty() {
            let days = print::counted(self.days.into(), "day");
            lines.push(format!("No hook fired in the last {days}."));
        }
        let silent = rows.iter().filter(|row| row.fired == 0);
        let (installed, others): (Vec<&StatsRow>, Vec<&StatsRow>) =
            silent.partition(|row| row.is_installed || row.client.is_none());
        if !installed.is_empty() {
            lines.push("\nnot fired".to_owned());
        }
        for row in installed {
            let client = row.client.as_ref().map(|client| format!(" in {client}"));
            let (hook, why) = (&row.hook, row.why.as_deref().unwrap_or_default());
            lines.push(format!("{hook}{}: {why}", client.unwrap_or_default()));
        }
        let mut names: Vec<&str> = others
            .iter()
            .filter_map(|row| row.client.as_deref())
            .collect();
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            lines.push(format!(
                "\nnot installed in {}: `hooks install --client NAME` installs them there, and --json says more",
                names.join(", ")
            ));
        }
        lines.join("\n")
    }
}

impl StatsRow {
    fn silent(hook: String, event: &'static str, why: String) -> StatsRow {
        StatsRow {
            hook,
            event: Some(event),
            client: None,
            since: None,
            fired: 0,
            delivered: 0,
            sessions: 0,
            characters: 0,
            last: None,
            followed: None,
            why: Some(why),
            is_installed: false,
        }
    }

    fn fired(stats: HookStats, event: Option<&'static str>, since: Option<String>) -> StatsRow {
        let waited = stats.fired.saturating_sub(stats.delivered);
        let texts = print::counted(waited, "text");
        let why = format!("{texts} not sent: no event of the client has taken it");
        StatsRow {
            hook: stats.hook,
            event,
            client: Some(stats.client),
            since,
            fired: stats.fired,
            delivered: stats.delivered,
            sessions: stats.sessions,
            characters: stats.characters,
            last: Some(stats.last),
            followed: stats.followed,
            why: (waited > 0).then_some(why),
            is_installed: true,
        }
    }
}

/// Describes a hook that fired.
fn line(row: &StatsRow) -> Option<String> {
    let mut line = format!(
        "{} in {}: fired {} in {}, {}",
        row.hook,
        row.client.as_deref()?,
        print::counted(row.fired, "time"),
        print::counted(row.sessions, "session"),
        print::counted(row.characters, "character")
    );
    if let Some(why) = &row.why {
        line.push_str(&format!("; {why}"));
    }
    if let Some(followed) = &row.followed {
        let tools = followed.tools.iter().map(|tool| format!("`{tool}`"));
        let tools: Vec<String> = tools.collect();
        line.push_str(&format!(
            "; followed by a call of {} {} of {} times",
            print::listed(&tools, "or"),
            followed.firings,
            row.delivered
        ));
    }
    Some(line)
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
        let tools = Pipe::quiet(program, None).tools().await?;
        let declared = hooks.declared(all_features(), None).await;
        let mut asks = BTreeMap::new();
        for each in &declared {
            for id in &each.hooks {
                let written = hooks.guidance_hook(id).await;
                let text = match (&written, &each.declaration.content) {
                    (Some(hook), _) if forbids(hook.level) => continue,
                    (Some(hook), _) => hook.text.as_deref(),
                    (None, HookContent::Context(text)) => Some(&**text),
                    (None, _) => None,
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

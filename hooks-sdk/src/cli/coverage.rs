//! `hooks coverage`: shows for each hook and client how often it fired, or why it never did.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, UNIX_EPOCH},
};

use clap::Args;
use futures::executor::block_on;
use serde::Serialize;
use serde_json::json;

use super::{
    CommandError, Program,
    command::OutputFormat,
    declared::{condition, too_long},
    list::all_features,
    print,
    stats::asks,
};
use crate::{
    clients::{
        self, Client,
        config::{Record, installed_clients},
        receipts::HookStats,
    },
    guidance::Timestamp,
    lifecycle::{Event, host::LifecycleHost},
    server::{Declared, ServerHandler},
};

/// The arguments of `hooks coverage`.
#[derive(Clone, Debug, Args)]
pub(super) struct Coverage {
    #[command(flatten)]
    format: OutputFormat,
}

/// A hook in a client.
#[derive(Debug, Serialize)]
struct Covered {
    hook: String,
    event: &'static str,
    client: &'static str,
    /// The day of the first installation; `None` if there is none, or if its day is not known.
    since: Option<String>,
    fired: u64,
    /// How often its text was sent.
    delivered: u64,
    /// How often a call of a tool that it asks for followed; `None` for a hook that asks for no tool.
    followed: Option<u64>,
    /// Why it never fired, or why the agent did not get its texts.
    why: Option<String>,
}

/// What is known of a client.
struct Known<'a> {
    client: &'static dyn Client,
    is_installed: bool,
    since: Option<String>,
    declared: Vec<Declared>,
    stats: &'a BTreeMap<(String, String), HookStats>,
}

impl Coverage {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        let covered = covered(program)?;
        if self.format.json {
            return print::json(&covered);
        }
        if covered.is_empty() {
            return print::text("This server has no hooks that a client can fire.");
        }
        print::text(&page(&covered))
    }
}

fn covered<H: ServerHandler>(program: &Program<H>) -> Result<Vec<Covered>, CommandError> {
    let store = program.store();
    let mut asks = asks(program)?;
    for (hook, tools) in store.asks()? {
        asks.entry(hook).or_insert(tools);
    }
    let stats = store.stats(0, &asks)?.into_iter();
    let stats = stats.map(|stats| ((stats.hook.clone(), stats.client.clone()), stats));
    let stats: BTreeMap<_, _> = stats.collect();
    let records = match program.folder() {
        Some(data) => installed_clients(&data)?,
        None => Vec::new(),
    };
    let hooks = program.hooks()?;
    let known: Vec<Known<'_>> = clients::ALL
        .into_iter()
        .map(|client| Known {
            client,
            is_installed: records.iter().any(|record| is_of(record, client)),
            since: since(records.iter().filter(|record| is_of(record, client))),
            declared: block_on(hooks.declared(client.features(), None)),
            stats: &stats,
        })
        .collect();
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    for each in block_on(hooks.declared(all_features(), None)) {
        let Some(event) = each.declaration.event.known().copied() else {
            continue;
        };
        for hook in &each.hooks {
            if seen.insert((hook.clone(), event.as_str())) {
                let rows = known.iter().map(|known| known.row(program, hook, event));
                all.extend(rows);
            }
        }
    }
    Ok(all)
}

fn is_of(record: &Record, client: &dyn Client) -> bool {
    record.client() == client.name()
}

/// Returns the day of the first installation.
fn since<'r>(records: impl Iterator<Item = &'r Record>) -> Option<String> {
    let first = records.map(Record::installed_at).min()?;
    let first = u64::try_from(first).ok().filter(|first| *first > 0)?;
    let time = Timestamp::from(UNIX_EPOCH + Duration::from_millis(first)).to_string();
    time.get(..10).map(str::to_owned)
}

impl Known<'_> {
    fn row<H: ServerHandler>(&self, program: &Program<H>, hook: &str, event: Event) -> Covered {
        let client = self.client.name();
        let stats = self.stats.get(&(hook.to_owned(), client.to_owned()));
        let fired = stats.map_or(0, |stats| stats.fired);
        let delivered = stats.map_or(0, |stats| stats.delivered);
        let why = match fired {
            0 => Some(self.why_never(program, hook, event)),
            _ if delivered < fired => Some(format!(
                "{} never taken by the client",
                print::counted(fired - delivered, "text")
            )),
            _ => None,
        };
        Covered {
            hook: hook.to_owned(),
            event: event.as_str(),
            client,
            since: self.since.clone(),
            fired,
            delivered,
            followed: stats.and_then(|stats| Some(stats.followed.as_ref()?.firings)),
            why,
        }
    }

    /// Returns why a hook has not fired: what keeps it off first, and what has not happened last.
    fn why_never<H: ServerHandler>(
        &self,
        program: &Program<H>,
        hook: &str,
        event: Event,
    ) -> String {
        let (client, title) = (self.client, self.client.title());
        if !client.mapping(event).delivery.reaches_agent() {
            return format!("no text reaches the agent at `{event}` in {title}");
        }
        let is_it = |each: &&Declared| {
            each.hooks.iter().any(|id| id == hook) && each.declaration.event.known() == Some(&event)
        };
        let Some(declared) = self.declared.iter().find(is_it) else {
            return format!("{title} lacks a feature that the hook requires");
        };
        if !self.is_installed {
            let name = client.name();
            return format!("not installed: run `hooks install --client {name}`");
        }
        let only = std::slice::from_ref(declared);
        if let Some(sentence) = too_long(client, event, only, &program.name).next() {
            return sentence;
        }
        let mut host = LifecycleHost::new(program.policy.clone().trusting(&*program.name));
        let declarations = json!({ "declarations": [declared.declaration] });
        let registration = host.register(&program.name, &declarations);
        if let Some(refused) = registration.refused.first() {
            return format!("the policy does not admit it: {}", refused.why);
        }
        if host.pending().next().is_some() {
            return "the policy does not admit it: it is not approved".to_owned();
        }
        let since = match &self.since {
            Some(day) => format!("never since {day}"),
            None => "never".to_owned(),
        };
        let conditions = condition(&declared.declaration);
        let others = self.declared.iter().filter(|each| !is_it(each));
        let mut others = others.filter(|each| each.declaration.event.known() == Some(&event));
        let has_fired = |id: &String| {
            let key = (id.clone(), client.name().to_owned());
            self.stats.contains_key(&key)
        };
        match (
            conditions,
            others.any(|each| each.hooks.iter().any(has_fired)),
        ) {
            (Some(conditions), _) => format!("{since}: no call was seen with {conditions}"),
            (None, true) => {
                format!(
                    "{since}, although the event occurred: its text was empty, or too many hooks fired"
                )
            }
            (None, false) => format!("{since}: the event was not seen"),
        }
    }
}

fn page(covered: &[Covered]) -> String {
    let mut hooks: Vec<(&str, &str, Vec<&Covered>)> = Vec::new();
    for row in covered {
        match hooks.last_mut() {
            Some((hook, event, rows)) if (*hook, *event) == (&*row.hook, row.event) => {
                rows.push(row);
            }
            _ => hooks.push((&row.hook, row.event, vec![row])),
        }
    }
    let pages = hooks.iter().map(|(hook, event, rows)| {
        let lines: Vec<String> = rows.iter().map(|row| format!("  {}", line(row))).collect();
        format!("{hook} ({event})\n{}", lines.join("\n"))
    });
    pages.collect::<Vec<_>>().join("\n\n")
}

fn line(row: &Covered) -> String {
    let mut line = match row.fired {
        0 => format!("{}:", row.client),
        fired => format!("{}: fired {}", row.client, print::counted(fired, "time")),
    };
    if let (Some(followed), 1..) = (row.followed, row.delivered) {
        line.push_str(&format!(", followed {} %", followed * 100 / row.delivered));
    }
    if let Some(why) = &row.why {
        let gap = if row.fired == 0 { " " } else { "; " };
        line.push_str(&format!("{gap}{why}"));
    }
    line
}

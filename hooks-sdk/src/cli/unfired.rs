//! Why hooks did not fire, by hook and client.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, UNIX_EPOCH},
};

use futures::executor::block_on;
use serde_json::json;

use super::{
    CommandError, Program,
    declared::{condition, too_long},
    list::all_features,
};
use crate::{
    clients::{self, Client, config::Record, history::HookStats},
    guidance::Timestamp,
    lifecycle::{Event, host::LifecycleHost},
    server::{Collected, Declared, ServerHandler},
};

/// The firings so far, by hook and client.
pub(super) type Firings = BTreeMap<(String, String), HookStats>;

/// The facts about the hooks in each client.
pub(super) struct Clients<'a> {
    known: Vec<ClientFacts<'a>>,
    /// Every hook that a client can fire, with its event.
    hooks: Vec<(String, Event)>,
}

/// The facts about a client.
pub(super) struct ClientFacts<'a> {
    pub(super) client: &'static dyn Client,
    pub(super) is_installed: bool,
    /// The day of the first installation.
    pub(super) since: Option<String>,
    declared: Vec<Declared>,
    firings: &'a Firings,
}

impl<'a> Clients<'a> {
    pub(super) fn of<H: ServerHandler>(
        program: &Program<H>,
        hooks: &Collected<H>,
        firings: &'a Firings,
    ) -> Result<Clients<'a>, CommandError> {
        let records = match program.folder() {
            Some(_) => Some(program.installations()?),
            None => None,
        };
        let (installed, unreadable) = match &records {
            Some(records) => (&records.installed[..], &records.unreadable[..]),
            None => Default::default(),
        };
        let known = clients::ALL.into_iter().map(|client| ClientFacts {
            client,
            is_installed: installed.iter().any(|record| is_of(record, client))
                || unreadable
                    .iter()
                    .any(|record| record.client() == Some(client.name())),
            since: since(installed.iter().filter(|record| is_of(record, client))),
            declared: block_on(hooks.declared(client.features(), None)),
            firings,
        });
        let mut all = Vec::new();
        let mut seen = BTreeSet::new();
        for each in block_on(hooks.declared(all_features(), None)) {
            let Some(event) = each.declaration.event.known().copied() else {
                continue;
            };
            let ids = each.hooks.into_iter();
            all.extend(
                ids.filter(|id| seen.insert((id.clone(), event.as_str())))
                    .map(|id| (id, event)),
            );
        }
        Ok(Clients {
            known: known.collect(),
            hooks: all,
        })
    }

    /// Returns every hook that a client can fire, with its event.
    pub(super) fn hooks(&self) -> &[(String, Event)] {
        &self.hooks
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ClientFacts<'a>> {
        self.known.iter()
    }
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

impl ClientFacts<'_> {
    /// Returns why a hook has not fired: what keeps it off first, and what has not happened last.
    pub(super) fn why_never<H: ServerHandler>(
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
        let mut host = LifecycleHost::new(program.client_controls.clone());
        let declarations = json!({ "declarations": [declared.declaration] });
        let registration = host.register(&program.name, &declarations);
        if let Some(refused) = registration.refused.first() {
            return format!("the policy does not admit it: {}", refused.why);
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
            self.firings.contains_key(&key)
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

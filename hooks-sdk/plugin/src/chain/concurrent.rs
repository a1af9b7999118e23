//! A run of neighbouring concurrent hooks. They go together, and each may only stop the request.

use std::time::{Duration, Instant};

use futures::{StreamExt, stream::FuturesUnordered};
use serde_json::{Map, Value};

use super::{
    super::{GlobalContext, Payload, PluginContext, PluginPoint, hook::Body},
    ChainEntry, Decision, Denial, End,
    answer::{Broken, answered},
    keep::Wrote,
    run::ChainWalk,
};
use hooks_core::{Posture, Violation};

impl<P: PluginPoint> ChainWalk<'_, P> {
    /// Runs the hooks with these indices together. The first one that stops the request cancels the others.
    ///
    /// What each wrote is merged in the order of the chain after all have ended.
    pub(super) async fn together(&mut self, group: &[usize]) -> Result<(), Denial> {
        let chain = self.chain;
        let (mut calls, mut denied) = (Vec::new(), None);
        for &index in group {
            let hook = &chain.entries[index].hook;
            let violation = match &hook.body {
                _ if self.passes_by(index) => continue,
                _ if hook.cannot_judge(self.payload, &self.cx.global) => {
                    Some(self.payload.unread_refusal())
                }
                _ if !hook.filter.holds(self.payload, &self.cx.global) => continue,
                Body::Deny(violation) => Some(Violation::clone(violation)),
                Body::Call(_) => None,
            };
            match violation {
                Some(violation) if denied.is_none() => denied = Some((index, violation)),
                _ => calls.push(index),
            }
        }
        if let Some((index, violation)) = denied {
            for index in calls {
                let entry = &chain.entries[index];
                self.report(entry, Decision::Cancelled, None, None, Duration::ZERO);
            }
            return Err(self.deny(&chain.entries[index], violation, Duration::ZERO));
        }
        let shared = self.cx.global.clone();
        let (server, payload) = (self.server, &*self.payload);
        let (mut open, mut running) = (Vec::new(), FuturesUnordered::new());
        for (place, index) in calls.into_iter().enumerate() {
            let entry = &chain.entries[index];
            let known = self.contexts.give(entry, &mut self.cx);
            let mut cx = self.cx.clone();
            running.push(async move {
                let began = Instant::now();
                let answered = answered::<P>(&entry.hook, &**server, payload, &mut cx).await;
                (place, answered, cx, began.elapsed())
            });
            open.push((entry, known, None));
        }
        while let Some((place, answered, cx, cost)) = running.next().await {
            let (entry, _, ended) = &mut open[place];
            let stops = match &answered {
                Ok(answered) => answered
                    .as_ref()
                    .is_some_and(|it| !it.continue_processing || it.asks()),
                Err(_) => entry.hook.its_posture() == Posture::Deny,
            };
            *ended = Some((answered, cx, cost));
            if stops {
                break;
            }
        }
        drop(running);
        let (mut blocked, mut cancelled) = (None, Vec::new());
        for (entry, known, ended) in open {
            let Some((answered, cx, cost)) = ended else {
                cancelled.push(entry);
                continue;
            };
            let stop = match answered {
                Err(failure) => self.failed(entry, &failure, cost).err(),
                Ok(answered) => {
                    self.merge(entry, &shared, cx, known);
                    match answered.map(|outcome| self.outcome(entry, *outcome, cost)) {
                        None => {
                            self.note(entry, Decision::Allowed, cost);
                            None
                        }
                        Some(Err(Broken::Ended(end))) => Some(end),
                        Some(_) => None,
                    }
                }
            };
            if let Some(End::Blocked(stop)) = stop.map(|end| *end) {
                blocked.get_or_insert(stop);
            }
        }
        for entry in cancelled {
            self.report(entry, Decision::Cancelled, None, None, Duration::ZERO);
        }
        blocked.map_or(Ok(()), Err)
    }

    /// Merges what a concurrent hook wrote: its differences to what the hooks shared when all of them began.
    fn merge(&mut self, entry: &ChainEntry, began: &GlobalContext, cx: PluginContext, known: bool) {
        let PluginContext {
            state,
            mut global,
            metadata,
            ..
        } = cx;
        for field in global.restore_identity(began) {
            self.dropped(entry, format!("it may not change `global.{field}`"));
        }
        let own = &mut self.cx.global;
        differences(&began.state, global.state.into(), &mut own.state);
        differences(&began.metadata, global.metadata.into(), &mut own.metadata);
        self.settle(entry, Wrote::Taken);
        self.cx.state = state;
        self.cx.metadata = metadata;
        self.keep_own(&entry.hook, known);
        self.cx.state = Map::new();
        self.cx.metadata = Map::new();
    }
}

/// Makes the changes between two states in a third one.
fn differences(from: &Map<String, Value>, to: Map<String, Value>, into: &mut Map<String, Value>) {
    for key in from.keys().filter(|key| !to.contains_key(*key)) {
        into.remove(key);
    }
    for (key, value) in to {
        if from.get(&key) != Some(&value) {
            into.insert(key, value);
        }
    }
}

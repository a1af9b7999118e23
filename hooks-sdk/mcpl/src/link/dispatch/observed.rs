//! Notifications that hooks only observe, handled in order.

use std::{
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    sync::Arc,
};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::read;
use crate::{
    ErrorObject, InferenceLifecycle, Link, McplHook, McplPoint, Phase, Version,
    link::lane::Lane,
    point,
    wire::{method, path},
};
use hooks_core::internal::{JsonPart, json_parts};

/// The number of ended inferences that are remembered, so that an end reported twice counts once.
const MAX_ENDED: usize = 1024;

/// What a host reported, with its size in memory in bytes.
pub(super) struct Told<T> {
    pub(super) event: T,
    pub(super) weight: usize,
}

impl<T: DeserializeOwned> Told<T> {
    pub(super) fn read(method: &str, params: Value) -> Result<Told<T>, ErrorObject> {
        let weight = weight(&params);
        let event = read(method, params)?;
        Ok(Told { event, weight })
    }
}

/// Estimates a value's size in memory, in bytes.
pub(super) fn weight(value: &Value) -> usize {
    const NODE: usize = 64;
    let parts = json_parts(value).map(|(_, part)| match part {
        JsonPart::Name(name) => name.len(),
        JsonPart::Value(value) => NODE + value.as_str().map_or(0, str::len),
    });
    parts.sum()
}

impl Link {
    /// Queues an event for every hook of the point that `which` selects. A hook runs if, when its turn comes, its set
    /// is enabled and the `capability` is granted.
    pub(super) fn queue<P: McplPoint>(
        self: &Arc<Link>,
        lane: &Lane,
        capability: Option<&'static str>,
        Told { event, weight }: Told<P::In>,
        awaited: bool,
        which: fn(&McplHook) -> bool,
    ) {
        let link = self.clone();
        let job = Box::pin(async move {
            for hook in link.derived.hooks_at::<P>().filter(|hook| which(hook)) {
                let granted = capability.is_none_or(|path| link.grants(path));
                if granted && link.is_enabled(hook.definition().name) {
                    let mut after = Vec::new();
                    // The guard has logged any failure, and the host does not wait for an answer.
                    _ = link.run_as::<P>(hook, &event, awaited, &mut after).await;
                    link.after(after);
                }
            }
        });
        if !lane.push(weight, job) {
            tracing::error!(
                target: "hooks_sdk::mcpl",
                method = P::METHOD,
                "a notification is dropped: too many wait for their hooks"
            );
        }
    }

    pub(super) fn lifecycle_told(self: &Arc<Link>, params: Value) -> Result<(), ErrorObject> {
        let told: Told<InferenceLifecycle> = Told::read(method::INFERENCE_LIFECYCLE, params)?;
        if self.version == Version::V04 || !self.grants(path::INFERENCE_LIFECYCLE) {
            return Ok(());
        }
        let phase = told.event.phase.known().copied();
        if phase.is_some_and(Phase::is_terminal) {
            // The id may be long, so its hash is kept.
            let hasher = BuildHasherDefault::<DefaultHasher>::default();
            let id = hasher.hash_one(&told.event.inference_id);
            let mut live = self.live();
            if live.ended.contains(&id) {
                return Ok(());
            }
            if live.ended.len() == MAX_ENDED {
                live.ended.pop_front();
            }
            live.ended.push_back(id);
        }
        let capability = Some(path::INFERENCE_LIFECYCLE);
        self.queue::<point::lifecycle>(&self.turns, capability, told, false, |_| true);
        Ok(())
    }

    /// Queues what the host reports for the hooks of a point. They run in the lane, if the capabilities are granted.
    pub(super) fn observed<P>(
        self: &Arc<Link>,
        lane: &Lane,
        capabilities: &[&'static str],
        params: Value,
    ) -> Result<(), ErrorObject>
    where
        P: McplPoint<In: DeserializeOwned>,
    {
        let told = Told::read(P::METHOD, params)?;
        self.queue::<P>(lane, capabilities.first().copied(), told, false, |_| true);
        Ok(())
    }
}

//! Notifications that hooks only observe, each handled after those before it.

use std::sync::Arc;

use serde_json::Value;

use super::read;
use crate::mcpl::{
    ErrorObject, Hook, InferenceLifecycle, Link, McplPoint, OutgoingChunk, OutgoingComplete, Phase,
    Typing, Version, lane::Lane, method, path, point,
};

/// How many ended inferences are remembered, so that an end told twice counts once.
const MAX_ENDED: usize = 1024;

impl Link {
    /// Queues an event for every hook at a point that `which` chooses and whose set is enabled when its turn comes,
    /// if the `capability` is then granted.
    pub(super) fn queue<P: McplPoint>(
        self: &Arc<Link>,
        lane: &Lane,
        capability: Option<&'static str>,
        event: P::In,
        awaited: bool,
        which: fn(&Hook) -> bool,
    ) {
        let link = self.clone();
        let job = Box::pin(async move {
            for hook in link.derived.hooks_at::<P>().filter(|hook| which(hook)) {
                let granted = capability.is_none_or(|path| link.grants(path));
                if granted && link.is_enabled(hook.definition().name) {
                    let mut after = Vec::new();
                    // The guard has logged a failure, and nobody waits for an answer.
                    _ = link.run_as::<P>(hook, &event, awaited, &mut after).await;
                    link.after(after);
                }
            }
        });
        if !lane.push(job) {
            tracing::error!(
                method = P::METHOD,
                "a notification is dropped: too many wait for their hooks"
            );
        }
    }

    pub(super) fn lifecycle_told(self: &Arc<Link>, params: Value) -> Result<(), ErrorObject> {
        let lifecycle: InferenceLifecycle = read(method::INFERENCE_LIFECYCLE, params)?;
        if self.version == Version::V04 || !self.grants(path::INFERENCE_LIFECYCLE) {
            return Ok(());
        }
        let phase = lifecycle.phase.known().copied();
        if phase.is_some_and(Phase::is_terminal) {
            let mut live = self.live();
            if live.ended.contains(&lifecycle.inference_id) {
                return Ok(());
            }
            if live.ended.len() == MAX_ENDED {
                live.ended.pop_front();
            }
            live.ended.push_back(lifecycle.inference_id.clone());
        }
        let capability = Some(path::INFERENCE_LIFECYCLE);
        self.queue::<point::lifecycle>(&self.turns, capability, lifecycle, false, |_| true);
        Ok(())
    }

    pub(super) fn chunk_told(self: &Arc<Link>, params: Value) -> Result<(), ErrorObject> {
        let chunk: OutgoingChunk = read(method::CHANNELS_OUTGOING_CHUNK, params)?;
        self.queue::<point::channels_outgoing_chunk>(&self.outgoing, None, chunk, false, |_| true);
        Ok(())
    }

    pub(super) fn complete_told(self: &Arc<Link>, params: Value) -> Result<(), ErrorObject> {
        let complete: OutgoingComplete = read(method::CHANNELS_OUTGOING_COMPLETE, params)?;
        self.queue::<point::channels_outgoing_complete>(
            &self.outgoing,
            None,
            complete,
            false,
            |_| true,
        );
        Ok(())
    }

    pub(super) fn typing_told(self: &Arc<Link>, params: Value) -> Result<(), ErrorObject> {
        let typing: Typing = read(method::CHANNELS_TYPING, params)?;
        let capability = Some(path::CHANNELS_TYPING);
        self.queue::<point::channels_typing>(&self.channels, capability, typing, false, |_| true);
        Ok(())
    }
}

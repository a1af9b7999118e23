//! The firing of an event: which texts are injected, in which order, and why others are not.

use std::{
    sync::{Mutex, MutexGuard},
    time::Instant,
};

use futures::future::join_all;

use super::{
    ContextTools, Failed, Held, Injected, LifecycleHost, Reason, Report, Skipped, Trust,
    pace::{Pace, RecordedFiring},
};
use crate::{
    Failure,
    dispatch::within,
    lifecycle::{HookContent, Occasion},
    lock::lock,
};

impl LifecycleHost {
    /// Fires an event: evaluates its hooks, calls context tools, and returns the texts to inject.
    ///
    /// - The strongest hooks come first, then the hooks of earlier servers, then hooks that were declared earlier.
    /// - Context tools run concurrently, so that a hung tool delays its event at most by the policy's deadline.
    /// - A hook counts for the limits once it is admitted, whatever its tool then does. A static text that does
    ///   not fit does not count.
    /// - `now` is the time for cool-down and rate limit.
    ///
    /// A pending context tool needs a tokio timer, like every deadline.
    pub async fn fire<T: ContextTools + ?Sized>(
        &self,
        occasion: &Occasion,
        tools: &T,
        now: Instant,
    ) -> Report {
        let mut report = Report::new(occasion.event);
        let through = self.let_through(occasion, now, &mut report);
        let answers = through
            .iter()
            .map(|(held, _)| self.answer(held, occasion, tools));
        let answers = join_all(answers).await;
        for ((held, entry), answer) in through.into_iter().zip(answers) {
            self.note(held, &entry, answer, &mut report);
        }
        report
    }

    /// Returns the hooks that may fire now, and records each of them.
    fn let_through(
        &self,
        occasion: &Occasion,
        now: Instant,
        report: &mut Report,
    ) -> Vec<(&Held, RecordedFiring)> {
        let mut pace = books(&self.pace);
        let mut through = Vec::new();
        for held in self
            .hooks
            .iter()
            .filter(|held| held.event == occasion.event)
        {
            let entry = match self.objection(held, occasion) {
                Some(reason) => Err(reason),
                None => match pace.cooling(&self.policy, held.key, now) {
                    Some(remaining) => Err(Reason::CoolingDown(remaining)),
                    None if through.len() >= self.policy.max_hooks => Err(Reason::TooManyHooks),
                    None => pace.enter(&self.policy, held.key, now),
                },
            };
            match entry {
                Ok(entry) => through.push((held, entry)),
                Err(reason) => report.skipped.push(Skipped::new(held, reason)),
            }
        }
        through
    }

    /// Returns why this hook may not fire now, apart from cool-down and limits.
    fn objection(&self, held: &Held, occasion: &Occasion) -> Option<Reason> {
        let matcher = held.declaration.matcher.as_ref();
        if matcher.is_some_and(|matcher| !matcher.matches(occasion)) {
            return Some(Reason::NotMatched);
        }
        if self.policy.trust(&held.server) == Trust::Untrusted {
            if self.policy.ignore_untrusted {
                return Some(Reason::Untrusted);
            }
            if matches!(held.declaration.content, HookContent::ContextTool { .. }) {
                return Some(Reason::UntrustedTool);
            }
        }
        (!held.approved).then_some(Reason::AwaitingApproval)
    }

    async fn answer<T: ContextTools + ?Sized>(
        &self,
        held: &Held,
        occasion: &Occasion,
        tools: &T,
    ) -> Result<String, Failure> {
        let Occasion {
            event, variables, ..
        } = occasion;
        match &held.declaration.content {
            HookContent::Context(text) => Ok(variables.substitute(*event, text).into_owned()),
            HookContent::ContextTool { name, args } => {
                let args = args
                    .as_ref()
                    .map(|args| variables.substitute_args(*event, args));
                // Inside the block, so that a panic before the future is caught, too.
                let call = async {
                    tools
                        .call(&held.server, name, args.unwrap_or_default())
                        .await
                };
                within(self.policy.deadline, call)
                    .await?
                    .map_err(Failure::Failed)
            }
        }
    }

    fn note(
        &self,
        held: &Held,
        entry: &RecordedFiring,
        answer: Result<String, Failure>,
        report: &mut Report,
    ) {
        let text = match answer {
            Ok(text) => text,
            Err(failure) => return report.failed.push(Failed::new(held, failure)),
        };
        let characters = text.chars().count();
        let reason = if text.trim().is_empty() {
            Reason::Empty
        } else if report.characters() + characters > self.policy.max_characters {
            Reason::TooLong(characters)
        } else {
            return report.injected.push(Injected::new(held, text, characters));
        };
        if matches!(held.declaration.content, HookContent::Context(_)) {
            books(&self.pace).take_back(entry);
        }
        report.skipped.push(Skipped::new(held, reason));
    }
}

/// Locks the records. A poisoned lock is used: each single record leaves them consistent.
pub(super) fn books(pace: &Mutex<Pace>) -> MutexGuard<'_, Pace> {
    lock(pace)
}

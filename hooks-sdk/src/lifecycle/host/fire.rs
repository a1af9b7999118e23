//! An event fires: what is injected, in which order, and what is not and why.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use futures::future::join_all;

use super::{
    ContextTools, Failed, Held, Injected, LifecycleHost, Reason, Report, Skipped, Trust,
    pace::{Entry, Pace},
};
use crate::{
    core::{Failure, dispatch::within},
    lifecycle::{HookContent, Occasion},
};

impl LifecycleHost {
    /// Fires an event: evaluates the hooks at it, calls context tools, and says what is to be injected.
    ///
    /// The strongest hooks come first, then those of earlier servers, then those declared earlier. Context
    /// tools run side by side, so that a hung one delays its event by no more than the policy's deadline.
    /// A hook counts for the limits as soon as it is let through, whatever its tool then does; a static
    /// text that does not fit is taken off the books again. `now` is the time by which cool-down and rate
    /// are counted.
    ///
    /// A pending context tool needs a tokio timer, as every deadline does.
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

    /// The hooks that may fire now, each entered in the books.
    fn let_through(
        &self,
        occasion: &Occasion,
        now: Instant,
        report: &mut Report,
    ) -> Vec<(&Held, Entry)> {
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

    /// Why this hook may not fire now, as far as that can be said without the books.
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
                // Inside the block, so that a panic before the future is contained as well.
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
        entry: &Entry,
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

/// The books; nothing panics while they are held, and they are sound after any entry.
pub(super) fn books(pace: &Mutex<Pace>) -> MutexGuard<'_, Pace> {
    pace.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The firing of an event: which texts are injected, in which order, and why others are not.

use std::time::Instant;

use futures::future::join_all;

use super::{ContextTools, Failed, Held, Injected, LifecycleHost, Reason, Report, Skipped};
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
    /// - A context tool counts for the limits once its hook is admitted, whatever the tool then does. A static text
    ///   counts once it is injected.
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
            .map(|held| self.answer(held, occasion, tools));
        let answers = join_all(answers).await;
        for (held, answer) in through.into_iter().zip(answers) {
            self.note(held, answer, now, &mut report);
        }
        report
    }

    /// Returns the hooks that may fire now, and records those with a context tool.
    fn let_through(&self, occasion: &Occasion, now: Instant, report: &mut Report) -> Vec<&Held> {
        let mut pace = lock(&self.pace);
        let mut through = Vec::new();
        let mut texts = 0;
        for held in self
            .hooks
            .iter()
            .filter(|held| held.event == occasion.event)
        {
            let matcher = held.declaration.matcher.as_ref();
            let reason = if matcher.is_some_and(|matcher| !matcher.matches(occasion)) {
                Reason::NotMatched
            } else if let Some(remaining) = pace.cooling(&self.policy, held.key, now) {
                Reason::CoolingDown(remaining)
            } else if through.len() >= self.policy.max_hooks {
                Reason::TooManyHooks
            } else if pace.is_full(&self.policy, texts, now) {
                Reason::RateLimited
            } else {
                match held.declaration.content {
                    HookContent::ContextTool { .. } => pace.record(held.key, now),
                    HookContent::Context(_) => texts += 1,
                }
                through.push(held);
                continue;
            };
            report.skipped.push(Skipped::new(held, reason));
        }
        through
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
        answer: Result<String, Failure>,
        now: Instant,
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
            if matches!(held.declaration.content, HookContent::Context(_)) {
                lock(&self.pace).record(held.key, now);
            }
            return report.injected.push(Injected::new(held, text, characters));
        };
        report.skipped.push(Skipped::new(held, reason));
    }
}

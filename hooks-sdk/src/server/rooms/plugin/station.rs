//! The station of the chain.

use std::sync::Arc;

use rmcp::ErrorData;

use super::{
    built::Built,
    item::{Item, Prompts, Resources, Tools, json},
    post::{Page, PassedBy},
    pre::Running,
    state::is_ours,
};
use crate::{
    core::BuildError,
    plugin::{Chain, PluginPoint},
    server::{
        connection::Wants,
        methods::Points,
        way::{Answer, Asked, Author, Call, Flow, Place, Request, Station, Step, Way},
    },
};

/// Runs the chain around calls of tools, prompts and resources.
#[derive(Debug)]
pub(in crate::server) struct PluginStation(pub(in crate::server) Arc<Built>);

impl PluginStation {
    fn concerns<I: Item>(chain: &Chain, params: &mut I::Params) -> bool {
        let name = I::name(params);
        chain.concerns(I::Pre::AT, name)
            || chain.concerns(I::Post::AT, name)
            || is_ours(I::retry(params).1.as_ref())
    }

    fn after_of<'a, I: Item>(
        &'a self,
        call: &'a mut Call,
        answer: &'a mut Result<Answer, ErrorData>,
    ) -> Step<'a, ()> {
        let reached = call.reached;
        let running = call.kept.get::<Running<I>>();
        if reached
            && running.is_some_and(|running| running.sees(answer))
            && let Some(running) = call.kept.take_boxed::<Running<I>>()
        {
            return Step::Later(Box::pin(self.0.after(running, call, answer)));
        }
        Step::Now(())
    }

    fn passes<I: Item>(chain: &Chain, asked: &mut Asked) -> bool {
        I::params(asked).is_some_and(|params| Self::concerns::<I>(chain, params))
    }

    fn names_without_reading(&self, asked: &mut Asked) -> bool {
        Resources::params(asked).is_none() && self.0.concerns_named(asked)
    }

    /// Lets a request go on that no hook is for.
    fn pass_by<'a>(&self, request: &Request, call: &mut Call) -> Step<'a, Flow> {
        let is_call = matches!(request.asked, Asked::CallTool(_));
        if is_call && self.0.sees_answers() {
            call.kept.put(PassedBy);
        }
        if let Asked::ListTools(page) = &request.asked
            && self.0.is_unjudged()
        {
            let is_first = page.as_ref().is_none_or(|page| page.cursor.is_none());
            call.kept.put(Page { is_first });
        }
        Step::Now(Flow::On)
    }
}

impl Station for PluginStation {
    fn place(&self) -> Place {
        Place::Plugin
    }

    fn misfits(&self, author: &dyn Author) -> Vec<BuildError> {
        self.0.misfits(author)
    }

    fn wants(&self) -> Wants {
        if self.0.sees_answers() {
            Wants::CONNECTION | Wants::TASKS
        } else {
            Wants::CONNECTION
        }
    }

    fn before<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        way: &'a Way,
    ) -> Step<'a, Flow> {
        // A request uses one policy, from the first of its points to the last.
        let chain = self.0.chain_of(&request.cx);
        let asked = &mut request.asked;
        match asked.points() {
            Some(Points::Tool) if Self::passes::<Tools>(&chain, asked) => {
                Step::Later(Box::pin(self.0.before::<Tools>(chain, request, call, way)))
            }
            Some(Points::Prompt) if Self::passes::<Prompts>(&chain, asked) => Step::Later(
                Box::pin(self.0.before::<Prompts>(chain, request, call, way)),
            ),
            Some(Points::Resource) if Self::passes::<Resources>(&chain, asked) => Step::Later(
                Box::pin(self.0.before::<Resources>(chain, request, call, way)),
            ),
            Some(Points::Resource) if self.names_without_reading(asked) => {
                Step::Later(Box::pin(self.0.before_named(request, call, way)))
            }
            Some(_) | None => self.pass_by(request, call),
        }
    }

    fn after<'a>(
        &'a self,
        call: &'a mut Call,
        answer: &'a mut Result<Answer, ErrorData>,
        _: &'a Way,
    ) -> Step<'a, ()> {
        if call.kept.get::<Running<Tools>>().is_some() {
            self.after_of::<Tools>(call, answer)
        } else if call.kept.get::<Running<Prompts>>().is_some() {
            self.after_of::<Prompts>(call, answer)
        } else if call.kept.get::<Running<Resources>>().is_some() {
            self.after_of::<Resources>(call, answer)
        } else {
            if let Ok(Answer::ListTools(listed)) = answer
                && let Some(page) = call.kept.take::<Page>()
            {
                self.0.judge(listed, page.is_first);
            }
            Step::Now(())
        }
    }

    fn judges(&self, call: &mut Call) -> bool {
        call.kept.get::<Running<Tools>>().is_some()
            || call.kept.get::<Running<Prompts>>().is_some()
            || call.kept.get::<Running<Resources>>().is_some()
            || self.0.sees_answers() && call.kept.get::<PassedBy>().is_none()
    }

    fn weighs(&self, call: &mut Call) -> usize {
        let Some(running) = call.kept.get::<Running<Tools>>() else {
            return 0;
        };
        // A late result asks nobody.
        running.asker = None;
        json(&running.contexts.carried()).to_string().len()
    }

    fn ended(&self, call: &mut Call, _: &Result<Answer, ErrorData>) {
        tell_outer::<Tools>(call);
        tell_outer::<Prompts>(call);
        tell_outer::<Resources>(call);
    }

    fn late<'a>(
        &'a self,
        call: &'a mut Call,
        answer: &'a mut Result<Answer, ErrorData>,
        _: &'a Way,
    ) -> Step<'a, ()> {
        if !self.0.sees_answers() {
            return Step::Now(());
        }
        Step::Later(Box::pin(self.0.late(call, answer)))
    }
}

/// Gives the hooks at the points of HTTP what the hooks of the call wrote.
fn tell_outer<I: Item>(call: &mut Call) {
    if let Some(running) = call.kept.get::<Running<I>>()
        && let Some(outer) = &running.outer
    {
        outer.keep(&running.contexts);
    }
}

//! Guidance in the handshake: declarations for clients that read them (SEP-2282), and instructions for all others.

use std::{any::Any, collections::BTreeMap, sync::Arc};

use super::{END, Guide, GuidedClient, Route, START, compose::Ask};
use crate::server::Declared;
#[cfg(feature = "cli")]
use crate::server::collect::AuthoredHook;
use hooks_core::{
    guidance::{
        ComposedHooksResult, HookDefinition, HookRegistry, HookType, Lifecycle, McpFeatures,
        Moment, RequirementLevel, ResolvedHook,
    },
    internal::{ComposedText, read_lock},
    lifecycle::{Declaration, Event, HookContent, Matcher, Strength},
};

const ACTION_START: Moment = Moment::new(HookType::Action, Lifecycle::Start);
const ACTION_END: Moment = Moment::new(HookType::Action, Lifecycle::End);

/// The events that can be declared, with the moments that occur there.
const EVENTS: [(Event, &[Moment]); 4] = [
    (Event::SessionStart, &START),
    (Event::SessionEnd, &END),
    (Event::PreToolUse, &[ACTION_START]),
    (Event::PostToolUse, &[ACTION_END]),
];

impl Guide {
    /// Returns whether the hook reaches this client by a declaration, and so by no other route.
    pub(super) fn declares(&self, hook: &HookDefinition, caller: &GuidedClient) -> bool {
        let moment = hook.moment();
        let event = EVENTS.iter().find(|(_, moments)| moments.contains(&moment));
        event.is_some_and(|(event, _)| {
            self.takes(Route::Declarations)
                && caller.reads(*event)
                && self.is_declarable(hook, *event)
        })
    }

    /// Returns whether a hook can be declared at this event. These hooks cannot:
    ///
    /// - a hook with a computed text, except at session start: the text does not exist yet,
    /// - a hook that is bound to a session or a request,
    /// - a hook that was registered while the server ran: it was in no handshake,
    /// - an action hook without `tool`: it would match the tools of every server.
    fn is_declarable(&self, hook: &HookDefinition, event: Event) -> bool {
        let at_once = event == Event::SessionStart || !self.is_computed(hook);
        let bound = hook.session_id.is_some() || hook.request_id.is_some();
        let lasting = read_lock(&self.lasting);
        at_once
            && !bound
            && lasting.contains(hook.id())
            && (!event.is_tool_event() || hook.tool.is_some())
    }

    /// Returns the declarations for a client: one composed text for each event, tool and strength. If the author declares unasked,
    /// also at events that the client does not read.
    pub(super) async fn declarations(
        &self,
        server: &(dyn Any + Send + Sync),
        caller: &GuidedClient,
    ) -> Vec<Declaration> {
        if !self.takes(Route::Declarations) {
            return Vec::new();
        }
        let at = |event| self.places.unasked || caller.reads(event);
        let (declared, left_out) = self.declared(Some(server), caller.features, at).await;
        // If the client does not read the event, the SDK reports left-out hooks when they fire.
        for (_, composed) in left_out.iter().filter(|(event, _)| caller.reads(*event)) {
            caller.notice(composed).await;
        }
        let declared = declared.into_iter();
        declared.map(|declared| declared.declaration).collect()
    }

    /// Returns the declarations at these events for a client with these features, and the notices of hooks that were
    /// left out. Without a server, leaves out texts that a function makes when they fire.
    pub(crate) async fn declared(
        &self,
        server: Option<&(dyn Any + Send + Sync)>,
        features: McpFeatures,
        at: impl Fn(Event) -> bool,
    ) -> (Vec<Declared>, Vec<(Event, ComposedHooksResult)>) {
        let mut declarations = Vec::new();
        let mut left_out = Vec::new();
        for (event, moments) in EVENTS.into_iter().filter(|(event, _)| at(*event)) {
            for ((strength, tool), ids) in self.groups(event, moments) {
                let in_group = |hook: &HookDefinition| {
                    let there = server.is_some() || !self.is_computed(hook);
                    there && ids.iter().any(|id| **id == *hook.id())
                };
                let ask = Ask {
                    only: &in_group,
                    any_tool: true,
                    ..Ask::at(moments, self.features_with(features))
                };
                let server = server.unwrap_or(&());
                let (mut composed, texts) = self.compose_and(server, &ask, texts).await;
                let content = std::mem::take(&mut composed.content);
                let included = composed.included_hooks.iter();
                let hooks: Vec<String> = included.map(|hook| hook.id.to_string()).collect();
                let parts = parts(&composed, texts);
                if !composed.notices.is_empty() {
                    left_out.push((event, composed));
                }
                if content.is_empty() {
                    continue;
                }
                let content = HookContent::Context(content.into());
                let mut declaration = Declaration::new(event, strength, content);
                declaration.matcher = tool.map(|tool| Matcher::new().tool_name(tool));
                let mut declared = Declared::new(hooks, declaration);
                declared.parts = parts;
                declarations.push(declared);
            }
        }
        (declarations, left_out)
    }

    /// Returns whether a function makes one of the declarable texts at this event when it fires.
    pub(crate) fn is_made_at(&self, event: Event) -> bool {
        let mut events = EVENTS.iter().filter(|(each, _)| *each == event);
        let registry = self.registry();
        events.any(|(event, moments)| {
            let mut hooks = self.declarable(&registry, *event, moments);
            hooks.any(|hook| self.is_computed(hook))
        })
    }

    /// Returns the hooks at these moments that can be declared at this event.
    fn declarable<'h>(
        &self,
        registry: &'h HookRegistry,
        event: Event,
        moments: &[Moment],
    ) -> impl Iterator<Item = &'h HookDefinition> {
        registry.all().filter(move |hook| {
            let moment = hook.moment();
            moments.contains(&moment) && self.is_declarable(hook, event)
        })
    }

    /// Returns the hook with this id, as its author wrote it.
    #[cfg(feature = "cli")]
    pub(crate) async fn written(&self, id: &str) -> Option<AuthoredHook> {
        let registry = self.registry();
        let hook = registry.get(id)?;
        let text = match self.is_computed(hook) {
            true => None,
            false => self.texts.load(hook).await.ok(),
        };
        Some(AuthoredHook {
            name: hook.name().to_owned(),
            level: hook.requirement_level(),
            text: text.map(|text| text.content().to_owned()),
        })
    }

    /// Returns the id and the moment of every hook, in the registry's order.
    #[cfg(feature = "cli")]
    pub(crate) fn hooks(&self) -> Vec<(String, Moment)> {
        let registry = self.registry();
        let hooks = registry.all();
        hooks
            .map(|hook| (hook.id().to_owned(), hook.moment()))
            .collect()
    }

    /// Groups the declarable hooks of an event by strength and tool. Each group holds the ids of its hooks.
    fn groups(
        &self,
        event: Event,
        moments: &[Moment],
    ) -> BTreeMap<(Strength, Option<String>), Vec<Box<str>>> {
        let registry = self.registry();
        let mut groups: BTreeMap<_, Vec<Box<str>>> = BTreeMap::new();
        for hook in self.declarable(&registry, event, moments) {
            let tool = hook.tool.as_deref().map(str::to_owned);
            let group = groups.entry((strength(hook), tool)).or_default();
            group.push(hook.id().into());
        }
        groups
    }

    /// Returns the text that follows the author's instructions: the guidance at session start that is not declared to
    /// this client.
    pub(super) async fn instructions(
        &self,
        server: &(dyn Any + Send + Sync),
        caller: &GuidedClient,
    ) -> Option<String> {
        if !self.takes(Route::Instructions) || !self.stands_at(&START) {
            return None;
        }
        let undeclared = |hook: &HookDefinition| !self.declares(hook, caller);
        let ask = Ask {
            only: &undeclared,
            ..Ask::at(&START, self.features_with(caller.features))
        };
        let composed = self.compose(server, &ask).await;
        caller.notice(&composed).await;
        Some(composed.content).filter(|content| !content.is_empty())
    }
}

/// Keeps the texts of a composition.
fn texts(hooks: &[ResolvedHook<'_>]) -> Vec<ComposedText> {
    let part = |hook: &ResolvedHook<'_>| ComposedText {
        summary: Arc::clone(hook.summary()),
        text: hook.content().into(),
    };
    hooks.iter().map(part).collect()
}

/// Returns the texts that are in a composition, in its order; none for a single text.
fn parts(composed: &ComposedHooksResult, mut texts: Vec<ComposedText>) -> Vec<ComposedText> {
    let included = &composed.included_hooks;
    if included.len() < 2 {
        return Vec::new();
    }
    let place = |part: &ComposedText| {
        let mut included = included.iter();
        included.position(|hook| Arc::ptr_eq(hook, &part.summary))
    };
    texts.retain(|part| place(part).is_some());
    texts.sort_by_key(place);
    texts
}

fn strength(hook: &HookDefinition) -> Strength {
    match hook.requirement_level() {
        _ if hook.required => Strength::Required,
        RequirementLevel::Must | RequirementLevel::MustNot => Strength::Important,
        RequirementLevel::Should | RequirementLevel::ShouldNot | RequirementLevel::May => {
            Strength::Suggestion
        }
    }
}

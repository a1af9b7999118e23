//! A request of a server with guidance.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use rmcp::model::{CallToolResult, ContentBlock};

use super::{
    ACTION, CANCEL, END, Guide, OfSessions, PROGRESS, RequestGuidance, START, around::MadeGuidance,
};
use crate::server::{
    McpContext,
    connection::Connection,
    pipeline::{Author, Change},
};
use hooks_core::{
    guidance::{HookRegistry, Moment},
    session::Identity,
    store::Key,
};

/// A request, with the data that cost nothing to keep, and its guidance, which is made at first use. Most calls need none: no
/// hook fires around them, and their tools do not use [`GuidanceContext`](super::GuidanceContext).
pub(super) struct GuidedRequest {
    pub(super) guide: Arc<Guide>,
    pub(super) author: Arc<dyn Author>,
    pub(super) connection: Arc<Connection>,
    /// The tool that the request calls.
    pub(super) tool: Option<Cow<'static, str>>,
    pub(super) key: Option<Key>,
    /// How long a session lives after its last call.
    pub(super) lives: Duration,
    pub(super) made: OnceLock<MadeGuidance>,
}

impl GuidedRequest {
    /// Returns the guidance of the request with this context.
    pub(super) fn of(&self, cx: &McpContext) -> RequestGuidance<'_> {
        let made = self.made.get_or_init(|| MadeGuidance::new(self, cx));
        RequestGuidance { of: self, made }
    }

    /// Returns the guidance, if something needed it.
    pub(super) fn made(&self) -> Option<RequestGuidance<'_>> {
        let made = self.made.get()?;
        Some(RequestGuidance { of: self, made })
    }

    /// Returns the data that includes the request's session, and the session's key.
    pub(super) fn of_session(&self) -> Option<(&OfSessions, &Key)> {
        let key = self.key.as_ref()?;
        // If the transport keeps no sessions, each of its requests has its own connection.
        let ends_with_it = Identity::is_of_connection(key)
            || Identity::is_of_transport(key) && self.connection.guidance.had_handshake.is_set();
        let own = ends_with_it.then(|| &self.connection.guidance.kept);
        Some((own.unwrap_or(&self.guide.kept), key))
    }

    /// Returns the hooks that are bound to the request's session.
    pub(super) fn hooks_of_session(&self) -> Option<Arc<HookRegistry>> {
        let (kept, key) = self.of_session()?;
        kept.hooks(key, self.lives)
    }

    /// Returns whether a hook of everybody or of the session is registered for one of these moments.
    pub(super) fn stands_at(&self, moments: &[Moment]) -> bool {
        let own = self.hooks_of_session();
        self.guide.stands_at(moments) || own.is_some_and(|own| has_one_at(&own, moments))
    }

    /// Returns whether a hook may fire around this call of a tool.
    pub(super) fn may_fire(&self, may_change: bool) -> bool {
        let [start, running, end] = ACTION;
        self.stands_at(&[start, running, end, PROGRESS, CANCEL])
            || may_change && (self.stands_at(&START) || self.stands_at(&END))
    }

    /// Drops the data of the session if the call has ended it.
    pub(super) fn forget(&self, change: Change) {
        if let (Change::Ended, Some((kept, key))) = (change, self.of_session()) {
            kept.forget(key);
        }
    }

    /// Adds to the result of a call the texts that are kept for its session. Returns the moments of the call, or `None`
    /// if no hook is registered for them.
    pub(super) fn finish(
        &self,
        result: &mut CallToolResult,
        change: Change,
    ) -> Option<Vec<Moment>> {
        if let Some((kept, key)) = self.of_session() {
            let texts = kept.take(key).map(ContentBlock::text);
            result.content.extend(texts);
        }
        let was_told = change == Change::Opened && self.connection.guidance.told.take();
        let moments = self.made().and_then(|around| {
            let moments = around.moments(change, was_told, result.is_error == Some(true));
            around.stands_at(&moments).then_some(moments)
        });
        if moments.is_none() {
            self.forget(change);
        }
        moments
    }
}

/// Returns whether a registry has a hook at one of these moments.
pub(super) fn has_one_at(hooks: &HookRegistry, moments: &[Moment]) -> bool {
    moments.iter().any(|moment| hooks.has_at(*moment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::{Guidance, capability::Places, pipeline::Owner};
    use hooks_core::{
        Registry,
        guidance::{HookInput, HookType, Lifecycle, RequirementLevel},
        session::TIME_TO_LIVE,
    };

    struct Nobody;

    impl rmcp::ServerHandler for Nobody {}

    fn request() -> GuidedRequest {
        let no_hooks = Registry::builder().build().expect("no hook");
        let guide = Guide::prepare(Guidance::new(), Places::default(), &no_hooks);
        GuidedRequest {
            guide: Arc::new(guide.expect("settings that fit")),
            author: Arc::new(Nobody),
            connection: Connection::new(None),
            tool: Some("work".into()),
            key: Some(Identity::Client("a").key(None)),
            lives: TIME_TO_LIVE,
            made: OnceLock::new(),
        }
    }

    fn hook(moment: Moment) -> HookInput {
        let (about, when) = (moment.hook_type, moment.lifecycle);
        HookInput::new(about, when, "tag", "Name", RequirementLevel::May).text("A text.")
    }

    #[test]
    fn only_a_hook_that_may_fire_around_the_call_needs_its_guidance() {
        assert!(!request().may_fire(false) && !request().may_fire(true));
        for moment in Moment::all() {
            let is_action = moment.hook_type == HookType::Action;
            let is_change = matches!(moment.lifecycle, Lifecycle::Start | Lifecycle::End);
            for of_session in [false, true] {
                let request = request();
                if of_session {
                    let (kept, key) = request.of_session().expect("a session");
                    let owner = Owner::Connection(1);
                    kept.register(key, &owner, TIME_TO_LIVE, "app", hook(moment))
                        .expect("a hook");
                } else {
                    request.guide.register(hook(moment)).expect("a hook");
                }
                assert_eq!(request.may_fire(false), is_action, "{moment}");
                assert_eq!(request.may_fire(true), is_action || is_change, "{moment}");
            }
        }
    }
}

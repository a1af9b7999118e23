//! The guidance of one request: its own hooks, the moments before, during and after it, and the result that carries the
//! texts.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use rmcp::model::{CallToolResult, ContentBlock};

use super::{
    ACTION, CANCEL, END, GuidedClient, GuidedRequest, PROGRESS, Route, START, bound, compose::Ask,
    request::has_one_at,
};
use crate::server::{
    McpContext,
    clocks::WatchedCall,
    lock,
    pipeline::{Change, Owner},
    request::{client_name, is_http, is_stateless, needs_handle},
};
use hooks_core::{
    guidance::{
        ComposedHooksResult, HookDefinition, HookInput, HookRegistry, Lifecycle, Moment,
        RegisterError,
    },
    lifecycle::Event,
    store::Key,
};

/// A request with its guidance.
#[derive(Clone, Copy)]
pub(super) struct RequestGuidance<'a> {
    pub(super) of: &'a GuidedRequest,
    pub(super) made: &'a MadeGuidance,
}

/// The guidance of a request.
pub(super) struct MadeGuidance {
    pub(super) caller: GuidedClient,
    /// The name by which hooks know the request. It is made at first use.
    id: OnceLock<Box<str>>,
    /// The hooks that are bound to the request. They end with the request, however it ends.
    own: Mutex<Option<Arc<HookRegistry>>>,
    /// The client whose share the session's data take.
    owner: Owner,
    /// The name by which hooks know the session. It is made at first use.
    session: OnceLock<Box<str>>,
    /// The call, if a hook ever stood at the progress of a call.
    watched: Option<WatchedCall>,
    /// Whether the client gets the guidance by its own hooks.
    left: bool,
    /// Whether a handshake on an earlier connection sent the guidance at the session's start.
    told: bool,
}

impl MadeGuidance {
    pub(super) fn new(of: &GuidedRequest, cx: &McpContext) -> MadeGuidance {
        let guide = &of.guide;
        let caller = GuidedClient::of(cx, guide.places.extension.as_deref(), &of.connection);
        // Before 2026-07-28, if the transport keeps no sessions, another handler answered the client's handshake.
        let apart = is_http(&cx.extensions) && needs_handle(cx) && !is_stateless(cx);
        let told = apart && (guide.takes(Route::Instructions) || caller.reads(Event::SessionStart));
        let token = cx.meta.get_progress_token().filter(|_| of.tool.is_some());
        let is_watched = token.is_some() && guide.has_progress.is_set();
        MadeGuidance {
            id: OnceLock::new(),
            own: Mutex::default(),
            owner: Owner::of(cx, &of.connection),
            session: OnceLock::new(),
            watched: is_watched.then(|| of.connection.clocks.watch(cx.id.clone(), token, None)),
            left: guide.leaves(|| client_name(cx)),
            told,
            caller,
        }
    }
}

impl<'a> RequestGuidance<'a> {
    /// Returns the name by which hooks know the request's session.
    pub(super) fn session_id(self) -> Option<&'a str> {
        let key = self.of.key.as_ref()?;
        Some(self.made.session.get_or_init(|| name_of_session(key)))
    }

    /// Returns the name of the request, to which a hook can be bound.
    pub(super) fn request_id(self) -> &'a str {
        let connection = self.of.connection.number;
        self.made.id.get_or_init(|| name_of_request(connection))
    }

    /// Registers a hook for the request, for its session, or for everybody.
    pub(super) fn register(self, input: HookInput) -> Result<String, RegisterError> {
        let to = |id: &Option<_>| id.as_deref().is_some_and(|id: &str| !id.is_empty());
        let (to_session, to_request) = (to(&input.session_id), to(&input.request_id));
        if to_session && input.session_id.as_deref() != self.session_id()
            || to_request && input.request_id.as_deref() != Some(self.request_id())
        {
            return Err(RegisterError::Elsewhere);
        }
        if Moment::new(input.hook_type, input.lifecycle) == PROGRESS {
            self.of.guide.has_progress.set();
        }
        if !to_session && !to_request {
            return self.of.guide.register(input);
        }
        let shared = self.of.guide.registry();
        let app = input.app.as_deref().unwrap_or(shared.app());
        let (about, when) = (input.hook_type, input.lifecycle);
        let id = format!("{app}:{about}:{when}:{}", input.tag);
        if shared.has(&id) {
            return Err(RegisterError::Duplicate(id.into()));
        }
        match self.of.of_session() {
            Some((kept, key)) if !to_request => {
                kept.register(key, &self.made.owner, self.of.lives, shared.app(), input)
            }
            _ => bound::add(&mut lock(&self.made.own), shared.app(), input),
        }
    }

    /// Removes the hook with this id: one of the request, of its session, or of everybody. Returns whether it found
    /// one.
    pub(super) fn unregister(self, id: &str) -> bool {
        let own = &mut *lock(&self.made.own);
        (own.as_mut()).is_some_and(|own| Arc::make_mut(own).unregister(id))
            || (self.of.of_session()).is_some_and(|(kept, key)| kept.unregister(key, id))
            || self.of.guide.unregister(id)
    }

    /// Returns the registries of the hooks that are bound to the request's session and to the request.
    pub(super) fn own_hooks(self) -> [Option<Arc<HookRegistry>>; 2] {
        [self.of.hooks_of_session(), lock(&self.made.own).clone()]
    }

    /// Returns whether a hook that this request may see is registered for one of these moments.
    pub(super) fn stands_at(self, moments: &[Moment]) -> bool {
        let own = || lock(&self.made.own).clone();
        self.of.stands_at(moments) || own().is_some_and(|own| has_one_at(&own, moments))
    }

    /// Adds to the result of a call the texts of the hooks that fire at `moments`, except those that the client gets by
    /// a declaration.
    pub(super) async fn add(self, moments: &[Moment], result: &mut CallToolResult, change: Change) {
        let undeclared = |hook: &HookDefinition| !self.of.guide.declares(hook, &self.made.caller);
        let ask = Ask {
            only: &undeclared,
            ..self.ask(moments)
        };
        let composed = self.compose(&ask).await;
        if !composed.content.is_empty() {
            result.content.push(ContentBlock::text(composed.content));
        }
        self.of.forget(change);
    }

    /// Returns the moments of a call that has ended. `was_told` is whether the handshake of this connection sent the
    /// guidance at the session's start. A call that failed has not ended what it began: no guidance follows its end.
    pub(super) fn moments(self, change: Change, was_told: bool, failed: bool) -> Vec<Moment> {
        let guide = &self.of.guide;
        let mut moments = Vec::new();
        if self.made.left {
            return moments;
        }
        match change {
            _ if !guide.takes(Route::Results) => {}
            Change::Opened if !was_told && !self.made.told => moments.extend(START),
            Change::Ended => moments.extend(END),
            Change::None | Change::Opened => {}
        }
        if guide.takes(Route::Actions) {
            let follows = |moment: &Moment| !failed || moment.lifecycle != Lifecycle::End;
            moments.extend(ACTION.into_iter().filter(follows));
        }
        let watched = self.made.watched.as_ref();
        if guide.takes(Route::Progress) && watched.is_some_and(WatchedCall::has_reported) {
            moments.push(PROGRESS);
        }
        moments
    }

    /// Returns whether the SDK keeps a text for the session's next result when the client cancels the call.
    pub(super) fn tells_of_cancellation(self) -> bool {
        !self.made.left
            && self.of.guide.takes(Route::Cancellation)
            && self.of.of_session().is_some()
            && self.stands_at(&[CANCEL])
    }

    /// Keeps the texts that fire when the call is cancelled, for the session's next result.
    pub(super) async fn cancelled(self) {
        let composed = self.compose(&self.ask(&[CANCEL])).await;
        if let Some((kept, key)) = self.of.of_session()
            && !composed.content.is_empty()
        {
            kept.keep(key, &self.made.owner, composed.content);
        }
    }

    pub(super) fn ask(self, moments: &'a [Moment]) -> Ask<'a> {
        Ask {
            around: Some(self),
            tool: self.of.tool.as_deref(),
            ..Ask::at(
                moments,
                self.of.guide.features_with(self.made.caller.features),
            )
        }
    }

    /// Composes the hooks, and reports which hooks were left out.
    pub(super) async fn compose(self, ask: &Ask<'_>) -> ComposedHooksResult {
        let composed = self.of.guide.compose(&*self.of.author, ask).await;
        self.made.caller.notice(&composed).await;
        composed
    }
}

/// Returns the name of the session under `key`. It stays the same as long as the program runs.
///
/// The key itself is secret, because it gives access to the session. The name is written to logs and passed to authors'
/// functions.
fn name_of_session(key: &Key) -> Box<str> {
    opaque(key.as_slice())
}

/// Returns a name for one request of a connection. No other request has this name.
///
/// Every client counts its requests from 0, and may use an id again. The id of the message is therefore no part of the
/// name.
fn name_of_request(connection: u128) -> Box<str> {
    static NAMED: AtomicU64 = AtomicU64::new(0);
    let mut bytes = connection.to_be_bytes().to_vec();
    bytes.extend(NAMED.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    opaque(&bytes)
}

fn opaque(bytes: &[u8]) -> Box<str> {
    static HASHERS: OnceLock<[RandomState; 2]> = OnceLock::new();
    let [first, second] = HASHERS.get_or_init(|| [RandomState::new(), RandomState::new()]);
    let hash = |hasher: &RandomState| hasher.hash_one(bytes);
    format!("{:016x}{:016x}", hash(first), hash(second)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooks_core::session::Identity;

    #[test]
    fn a_name_tells_sessions_apart_and_stays() {
        let name = |id| name_of_session(&Identity::Client(id).key(None));
        assert_eq!(name("a"), name("a"));
        assert_ne!(name("a"), name("b"));
        assert_eq!(name("a").len(), 32);
    }

    #[test]
    fn no_two_requests_have_one_name() {
        let names = [name_of_request(1), name_of_request(1), name_of_request(2)];
        assert!(names[0] != names[1] && names[0] != names[2] && names[1] != names[2]);
        assert_eq!(names[0].len(), 32);
    }
}

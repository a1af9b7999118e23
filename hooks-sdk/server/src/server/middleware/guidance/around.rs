//! The guidance of one request: its own hooks, the moments before, during and after it, and the result that carries the
//! texts.

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{CallToolResult, ContentBlock, RequestId},
    service::RequestContext,
};

use super::{
    ACTION, CANCEL, ConnectionGuidance, END, Guide, GuidedClient, OfSessions, PROGRESS, Route,
    START, bound, compose::Ask, name,
};
use crate::server::{
    connection::{Arrival, Connection},
    lock,
    pipeline::{Author, Change, MiddlewareId, Owner, RequestState},
    progress::Reported,
};
use hooks_core::{
    guidance::{
        ComposedHooksResult, HookDefinition, HookInput, HookRegistry, Lifecycle, Moment,
        RegisterError,
    },
    session::Identity,
    store::Key,
};

/// A request with its guidance.
pub(super) struct RequestGuidance {
    pub(super) guide: Arc<Guide>,
    pub(super) author: Arc<dyn Author>,
    pub(super) caller: GuidedClient,
    /// The tool that the request calls.
    pub(super) tool: Option<Box<str>>,
    id: RequestId,
    /// The name by which hooks know the request. It is made at first use.
    request: OnceLock<Box<str>>,
    /// The hooks that are bound to the request. They end with the request, however it ends.
    own: Mutex<Option<Arc<HookRegistry>>>,
    key: Option<Key>,
    /// The client whose share the session's data take.
    owner: Owner,
    /// The name by which hooks know the session. It is made at first use.
    session: OnceLock<Box<str>>,
    connection: Arc<Connection>,
    reported: Option<Reported>,
    /// Whether the client gets the guidance by its own hooks.
    left: bool,
    /// Whether a handshake on an earlier connection sent the guidance at the session's start.
    told: bool,
    /// How long a session lives after its last call.
    lives: Duration,
}

impl RequestGuidance {
    /// Prepares the guidance of a request. `left` is whether the client gets the guidance by its own hooks, and `told`
    /// whether an earlier handshake sent the guidance at the session's start.
    pub(super) fn new(
        guide: &Arc<Guide>,
        author: &Arc<dyn Author>,
        caller: GuidedClient,
        (cx, call): (&RequestContext<RoleServer>, &RequestState),
        (left, told): (bool, bool),
    ) -> RequestGuidance {
        let tool = call.tool.as_deref().map(Box::from);
        let arrival = tool.as_ref().and_then(|_| cx.extensions.get::<Arrival>());
        RequestGuidance {
            guide: guide.clone(),
            author: author.clone(),
            caller,
            tool,
            id: cx.id.clone(),
            request: OnceLock::new(),
            own: Mutex::default(),
            key: call.session.clone(),
            owner: Owner::of(cx, &call.connection),
            session: OnceLock::new(),
            connection: call.connection.clone(),
            reported: arrival.and_then(|arrival| arrival.reported.clone()),
            left,
            told,
            lives: call.lives,
        }
    }

    /// Returns the name by which hooks know the request's session.
    pub(super) fn session_id(&self) -> Option<&str> {
        let key = self.key.as_ref()?;
        Some(self.session.get_or_init(|| name::of_session(key)))
    }

    /// Returns the name of the request, to which a hook can be bound.
    pub(super) fn request_id(&self) -> &str {
        let number = self.connection.number();
        self.request
            .get_or_init(|| name::of_request(number, &self.id))
    }

    /// Registers a hook for the request, for its session, or for everybody.
    pub(super) fn register(&self, input: HookInput) -> Result<String, RegisterError> {
        let to = |id: &Option<_>| id.as_deref().is_some_and(|id: &str| !id.is_empty());
        let (to_session, to_request) = (to(&input.session_id), to(&input.request_id));
        if to_session && input.session_id.as_deref() != self.session_id()
            || to_request && input.request_id.as_deref() != Some(self.request_id())
        {
            return Err(RegisterError::Elsewhere);
        }
        if Moment::new(input.hook_type, input.lifecycle) == PROGRESS {
            self.guide.has_progress.set();
        }
        if !to_session && !to_request {
            return self.guide.register(input);
        }
        let shared = self.guide.registry();
        let app = input.app.as_deref().unwrap_or(shared.app());
        let id = format!(
            "{app}:{}:{}:{}",
            input.hook_type, input.lifecycle, input.tag
        );
        if shared.has(&id) {
            return Err(RegisterError::Duplicate(id.into()));
        }
        match self.of_session() {
            Some((kept, key)) if !to_request => {
                kept.register(key, &self.owner, self.lives, shared.app(), input)
            }
            _ => bound::add(&mut lock(&self.own), shared.app(), input),
        }
    }

    /// Removes the hook with this id: one of the request, of its session, or of everybody. Returns whether it found
    /// one.
    pub(super) fn unregister(&self, id: &str) -> bool {
        let mut own = lock(&self.own);
        own.as_mut()
            .is_some_and(|own| Arc::make_mut(own).unregister(id))
            || self
                .of_session()
                .is_some_and(|(kept, key)| kept.unregister(key, id))
            || self.guide.unregister(id)
    }

    /// Returns the guidance data of the connection.
    fn of_connection(&self) -> &ConnectionGuidance {
        self.connection.slot(MiddlewareId::Guidance)
    }

    /// Returns the data that includes the request's session, and the session's key.
    fn of_session(&self) -> Option<(&OfSessions, &Key)> {
        let key = self.key.as_ref()?;
        // If the transport keeps no sessions, each of its requests has its own connection.
        let ends_with_it = Identity::is_of_connection(key)
            || Identity::is_of_transport(key) && self.of_connection().had_handshake.is_set();
        let kept = if ends_with_it {
            &self.of_connection().kept
        } else {
            &self.guide.kept
        };
        Some((kept, key))
    }

    /// Returns the hooks that are bound to the request's session.
    pub(super) fn hooks_of_session(&self) -> Option<Arc<HookRegistry>> {
        let (kept, key) = self.of_session()?;
        kept.hooks(key, self.lives)
    }

    /// Returns the registries of the hooks that are bound to the request's session and to the request.
    pub(super) fn own_hooks(&self) -> [Option<Arc<HookRegistry>>; 2] {
        [self.hooks_of_session(), lock(&self.own).clone()]
    }

    /// Returns whether a hook that this request may see is registered for one of these moments.
    fn stands_at(&self, moments: &[Moment]) -> bool {
        let at = |hooks: &HookRegistry| moments.iter().any(|moment| hooks.has_at(*moment));
        self.guide.stands_at(moments) || self.own_hooks().iter().flatten().any(|hooks| at(hooks))
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
        let moments = self.moments(change, result.is_error == Some(true));
        let fires = self.stands_at(&moments);
        if !fires {
            self.forget(change);
        }
        fires.then_some(moments)
    }

    /// Adds to the result of a call the texts of the hooks that fire at `moments`, except those that the client gets by
    /// a declaration.
    pub(super) async fn add(
        &self,
        moments: &[Moment],
        result: &mut CallToolResult,
        change: Change,
    ) {
        let undeclared = |hook: &HookDefinition| !self.guide.declares(hook, &self.caller);
        let ask = Ask {
            only: &undeclared,
            ..self.ask(moments)
        };
        let composed = self.compose(&ask).await;
        if !composed.content.is_empty() {
            result.content.push(ContentBlock::text(composed.content));
        }
        self.forget(change);
    }

    /// Drops the data of the session if the call has ended it.
    fn forget(&self, change: Change) {
        if let (Change::Ended, Some((kept, key))) = (change, self.of_session()) {
            kept.forget(key);
        }
    }

    /// A call that failed has not ended what it began: no guidance follows its end.
    fn moments(&self, change: Change, failed: bool) -> Vec<Moment> {
        let guide = &self.guide;
        let mut moments = Vec::new();
        if self.left {
            return moments;
        }
        match change {
            Change::None => {}
            Change::Opened if self.of_connection().told.take() || self.told => {}
            Change::Opened if guide.takes(Route::Results) => moments.extend(START),
            Change::Ended if guide.takes(Route::Results) => moments.extend(END),
            Change::Opened | Change::Ended => {}
        }
        if guide.takes(Route::Actions) {
            let ended = |moment: &Moment| moment.lifecycle == Lifecycle::End;
            moments.extend(
                ACTION
                    .into_iter()
                    .filter(|moment| !(failed && ended(moment))),
            );
        }
        if guide.takes(Route::Progress) && self.reported.as_ref().is_some_and(Reported::is_set) {
            moments.push(PROGRESS);
        }
        moments
    }

    /// Returns whether the SDK keeps a text for the session's next result when the client cancels the call.
    pub(super) fn tells_of_cancellation(&self) -> bool {
        !self.left
            && self.guide.takes(Route::Cancellation)
            && self.of_session().is_some()
            && self.stands_at(&[CANCEL])
    }

    /// Keeps the texts that fire when the call is cancelled, for the session's next result.
    pub(super) async fn cancelled(&self) {
        let composed = self.compose(&self.ask(&[CANCEL])).await;
        if let Some((kept, key)) = self.of_session()
            && !composed.content.is_empty()
        {
            kept.keep(key, &self.owner, composed.content);
        }
    }

    pub(super) fn ask<'a>(&'a self, moments: &'a [Moment]) -> Ask<'a> {
        Ask {
            around: Some(self),
            tool: self.tool.as_deref(),
            ..Ask::at(moments, self.guide.features_with(self.caller.features()))
        }
    }

    /// Composes the hooks, and reports which hooks were left out.
    pub(super) async fn compose(&self, ask: &Ask<'_>) -> ComposedHooksResult {
        let composed = self.guide.compose(&*self.author, ask).await;
        self.caller.notice(&composed).await;
        composed
    }
}

//! A call that passes the gate: the gate admits it, and records it when it has ended.

use std::{borrow::Cow, pin::pin};

use futures::future::{Either, select};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject},
    service::RequestContext,
};

use super::{
    MOST_OF_ONE, SessionGate,
    answer::{NewHandle, too_long_behind, too_many_sessions, unrecorded, without_store},
    identity::SessionCaller,
};
use crate::server::{
    order::{Earlier, Ticket},
    pipeline::{Change, McpResponse, Owner, RequestState},
};
use hooks_core::{
    session::{CallOutcome, Handle, Identity, Session},
    store::{Key, StoreError},
};

/// The permission for one call to run.
pub(super) struct Admission {
    tool: Cow<'static, str>,
    /// The call's input, if a guarded edge reads it. Otherwise empty.
    input: JsonObject,
    ticket: Option<Ticket>,
    place: Option<SessionEntry>,
    pub(super) caller: SessionCaller,
}

/// The session in which a call runs.
struct SessionEntry {
    key: Key,
    session: Session,
    /// Whether this call put the session into the store. If the call does not open the session, the gate removes it.
    reserved: bool,
    minted: Option<Handle>,
    /// The name of the session, if its client carries it and the store does not know it.
    carried: Option<Handle>,
}

impl SessionGate {
    /// Returns the caller's session, with its data if a handle names it and it is open. A handle that names no open
    /// session counts as no handle.
    pub(super) async fn find(
        &self,
        caller: &SessionCaller,
    ) -> Result<Option<(Key, Option<Session>)>, StoreError> {
        if let (Some(key), Some(carried)) = (&caller.handle, &caller.carried) {
            return Ok(Some((key.clone(), Some(carried.session))));
        }
        if let Some(key) = &caller.handle {
            let session = self.ledger.find(key).await?;
            if session.is_kept() {
                return Ok(Some((key.clone(), Some(session))));
            }
        }
        Ok(caller.own.clone().map(|key| (key, None)))
    }
}

impl Admission {
    pub(super) fn new(
        gate: &SessionGate,
        request: &CallToolRequestParams,
        ticket: Option<Ticket>,
        caller: SessionCaller,
    ) -> Admission {
        let input = match &request.arguments {
            Some(arguments) if gate.ledger.machine().reads_input(&request.name) => {
                arguments.clone()
            }
            _ => JsonObject::new(),
        };
        Admission {
            tool: request.name.clone(),
            input,
            ticket,
            place: None,
            caller,
        }
    }

    /// Keeps the permission for the call until it ends, and names its session for the middleware behind the gate.
    pub(super) fn keep_in(self: Box<Admission>, call: &mut RequestState) {
        call.session = self.session().cloned();
        call.gate.admission = Some(self);
    }

    /// Takes the permission that the gate has given the call.
    pub(super) fn take_from(call: &mut RequestState) -> Option<Box<Admission>> {
        call.gate.admission.take()
    }

    /// Returns the session in which the call runs.
    fn session(&self) -> Option<&Key> {
        let place = self.place.as_ref().map(|place| &place.key);
        place.or(self.caller.key())
    }

    /// Admits the call if its session's state allows the tool. First waits for earlier calls that may change the state.
    ///
    /// # Errors
    ///
    /// Returns the result that answers the call instead: a directive.
    pub(super) async fn admit(
        &mut self,
        gate: &SessionGate,
        call: &RequestState,
        cx: &RequestContext<RoleServer>,
    ) -> Result<(), CallToolResult> {
        // This line comes before the lookup of the session: a call that ends in between may have changed the session.
        let ticket = self.ticket.as_ref();
        let earlier = ticket.map(|ticket| ticket.earlier(&self.tool, gate.ledger.machine()));
        let earlier = earlier.unwrap_or_default();
        let found = gate.find(&self.caller).await;
        let mut found = found.map_err(|error| without_store(&self.tool, &error))?;
        // What a client carries is what counts, whatever its other calls do to the session.
        if let (Some((key, session)), Some(ticket), None) =
            (&mut found, ticket, &self.caller.carried)
        {
            ticket.belongs_to(key);
            if !earlier.is_empty() {
                self.wait_behind(gate, earlier, key, cx).await?;
                *session = None;
            }
        }
        self.enter(gate, found, call, cx).await?;
        if let Some(place) = self.place.as_ref()
            && self.caller.ends_with_connection
            && Some(&place.key) == self.caller.own.as_ref()
        {
            call.connection.sessions.add(&place.key, &gate.ledger);
        }
        Ok(())
    }

    /// Lets later calls stop waiting for this call.
    pub(super) fn release(&self) {
        if let Some(ticket) = &self.ticket {
            ticket.release();
        }
    }

    /// Makes later calls wait for this call again.
    pub(super) fn retake(&self) {
        if let Some(ticket) = &self.ticket {
            ticket.retake();
        }
    }

    /// Waits for earlier calls that may change the session.
    async fn wait_behind(
        &self,
        gate: &SessionGate,
        earlier: Earlier,
        key: &Key,
        cx: &RequestContext<RoleServer>,
    ) -> Result<(), CallToolResult> {
        let turn = pin!(earlier.let_pass(key, &self.tool, gate.ledger.machine()));
        // A client that cancelled the call does not read this answer. The gate must only stop other calls from waiting
        // for it.
        let cancelled = pin!(cx.ct.cancelled());
        match tokio::time::timeout(gate.wait, select(turn, cancelled)).await {
            Ok(Either::Left(_)) => Ok(()),
            Ok(Either::Right(_)) | Err(_) => Err(too_long_behind(&self.tool, gate.wait)),
        }
    }

    /// Puts the call into its session, if the session's state allows the tool.
    async fn enter(
        &mut self,
        gate: &SessionGate,
        found: Option<(Key, Option<Session>)>,
        call: &RequestState,
        cx: &RequestContext<RoleServer>,
    ) -> Result<(), CallToolResult> {
        let caller = &self.caller;
        let ledger = &gate.ledger;
        let machine = ledger.machine();
        let fail = |error: StoreError| without_store(&self.tool, &error);
        let (mut key, mut session) = match found {
            Some((key, Some(session))) => (Some(key), session),
            Some((key, None)) => {
                let session = ledger.find(&key).await.map_err(fail)?;
                (Some(key), session)
            }
            None => (None, ledger.unopened()),
        };
        let wrong_handle = caller.gave_handle && (key.is_none() || key != caller.handle);
        let mut carried = caller
            .carried
            .as_ref()
            .map(|carried| carried.handle.clone());
        let mut minted = None;
        let mut reserved = false;
        loop {
            if let Err(refusal) = machine.check(session.state, &self.tool) {
                let nameless = key.is_none();
                return Err(gate.refused(&refusal, wrong_handle, nameless));
            }
            let moves = machine.may_move(session.state, &self.tool);
            if !moves && !machine.resets(&self.tool) {
                self.release();
            }
            if !moves || session.is_kept() || carried.is_some() {
                break;
            }
            let mint = || Handle::mint().map_err(|error| fail(StoreError::unreachable(error)));
            let name = |handle: &Handle| Identity::Handle(handle).key(caller.principal.as_deref());
            if key.is_none() && gate.seal.is_some() {
                let handle = mint()?;
                key = Some(name(&handle));
                carried = Some(handle);
                break;
            }
            // If the call opens the session, the gate reserves its entry in the store first, so that no tool runs in
            // vain.
            let room = match &key {
                Some(key) => key.clone(),
                None => {
                    let handle = mint()?;
                    let new = name(&handle);
                    minted = Some(handle);
                    key.insert(new).clone()
                }
            };
            let is_counted = self.count(gate, &room, call, cx)?;
            session = match ledger.open(&room).await {
                Ok(session) => session,
                Err(error) => {
                    if is_counted {
                        gate.release_share(&room).await;
                    }
                    return Err(fail(error));
                }
            };
            reserved = session.state == machine.start();
        }
        if let Some(key) = key {
            if carried.is_some() {
                self.release();
            } else if let Some(ticket) = &self.ticket
                && (machine.may_move(session.state, &self.tool) || machine.resets(&self.tool))
            {
                ticket.moves(&key, session.state);
            }
            self.place = Some(SessionEntry {
                key,
                session,
                reserved,
                minted,
                carried,
            });
        } else {
            self.release();
        }
        Ok(())
    }

    /// Counts a session that this call opens in the share of its client. Returns whether it counts: a stream has only one
    /// session that ends with it.
    ///
    /// # Errors
    ///
    /// Returns the result that answers the call instead, if the client has too many sessions.
    fn count(
        &self,
        gate: &SessionGate,
        room: &Key,
        call: &RequestState,
        cx: &RequestContext<RoleServer>,
    ) -> Result<bool, CallToolResult> {
        let caller = &self.caller;
        let ends_by_itself = caller.ends_with_connection && caller.own.as_ref() == Some(room);
        let Some(shares) = gate.shares.as_ref().filter(|_| !ends_by_itself) else {
            return Ok(false);
        };
        let owner = match &caller.principal {
            Some(principal) => Owner::Principal(principal.as_str().into()),
            None => Owner::of(cx, &call.connection),
        };
        match shares.hold(owner, room.clone(), 0, gate.kept_for()) {
            true => Ok(true),
            false => Err(too_many_sessions(&self.tool, MOST_OF_ONE)),
        }
    }

    /// Records how the call ended. Returns its effect on the session, and the handle of a session that it opened.
    pub(super) async fn record(
        &self,
        gate: &SessionGate,
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> (Change, Option<NewHandle>) {
        let Some(place) = &self.place else {
            return (Change::None, None);
        };
        let outcome = match answer {
            Ok(McpResponse::CallTool(CallToolResponse::Complete(result)))
                if result.is_error != Some(true) =>
            {
                CallOutcome::Succeeded
            }
            Ok(McpResponse::CallTool(CallToolResponse::Complete(_))) | Err(_) => {
                CallOutcome::Failed
            }
            // A task, a question to the user, or another answer of rmcp that does not end the call.
            Ok(_) => CallOutcome::Unfinished,
        };
        let (ledger, session) = (&gate.ledger, place.session);
        let (tool, input) = (&*self.tool, &self.input);
        let step = match &place.carried {
            Some(_) => Ok(ledger.machine().record(session.state, tool, input, outcome)),
            None => {
                ledger
                    .record(&place.key, session, tool, input, outcome)
                    .await
            }
        };
        if let (Some(shares), Ok(step), None) = (&gate.shares, &step, &place.carried) {
            match step.reset {
                true => shares.release(&place.key),
                false => shares.renew(&place.key, gate.kept_for()),
            }
        }
        let opens = place.reserved || place.carried.is_some() && self.caller.carried.is_none();
        let stays = step.as_ref().map_or(true, |step| !step.moved());
        let mut change = Change::None;
        if let Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) = answer {
            match &step {
                Ok(step) => result.content.extend(step.guidance.map(ContentBlock::text)),
                Err(error) if outcome == CallOutcome::Succeeded => {
                    unrecorded(&self.tool, error, result)
                }
                Err(_) => {}
            }
            change = match &step {
                Ok(step) if step.reset => Change::Ended,
                Ok(step) if step.moved() && opens => Change::Opened,
                _ => Change::None,
            };
        }
        if stays {
            self.withdraw(gate).await;
        }
        self.release();
        let sealed = match (&place.carried, &gate.seal, &step) {
            (Some(name), Some(seal), Ok(step)) if !stays && !step.reset => Some(NewHandle {
                text: seal.close(
                    &gate.ledger,
                    name,
                    (step.to, place.session.marks),
                    self.caller.principal.as_deref(),
                ),
                replaces: self.caller.carried.is_some(),
            }),
            _ => None,
        };
        let minted = place.minted.as_ref().filter(|_| !stays);
        let minted = minted.map(|handle| NewHandle {
            text: handle.to_string(),
            replaces: false,
        });
        (change, sealed.or(minted))
    }

    /// Called when the client cancels the call. The call does not move the session, and later calls stop waiting for
    /// it, even if the tool still runs.
    pub(super) async fn give_up(self, gate: &SessionGate) {
        self.withdraw(gate).await;
        self.release();
    }

    /// Removes the reserved entry of a session that this call did not open.
    pub(super) async fn withdraw(&self, gate: &SessionGate) {
        let Some(place) = self.place.as_ref().filter(|place| place.reserved) else {
            return;
        };
        match gate.ledger.withdraw(&place.key, &place.session).await {
            Ok(()) => gate.release_share(&place.key).await,
            Err(error) => {
                tracing::warn!(
                    target: "hooks_sdk::server",
                    %error, "the entry of an unopened session was not removed; it stays until it expires"
                );
            }
        }
    }
}

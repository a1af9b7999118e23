//! A call that passes the gate: the gate admits it, and records it when it has ended.

use std::{borrow::Cow, pin::pin, sync::Arc};

use futures::future::{Either, select};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
};

use super::{
    MOST_OF_ONE, SessionGate,
    answer::{NewHandle, too_long_behind, too_many_sessions, unrecorded, without_store},
    identity::SessionCaller,
};
use crate::server::{
    McpContext,
    order::{Earlier, Ticket},
    pipeline::{Change, McpAnswer, McpResponse, Owner, RequestState},
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
    ticket: Option<Arc<Ticket>>,
    place: Option<SessionEntry>,
    pub(super) caller: SessionCaller,
}

/// The session in which a call runs.
struct SessionEntry {
    key: Key,
    session: Session,
    /// Whether this call put the session into the store. If the call does not open the session, the gate removes it.
    reserved: bool,
    /// The new name of the session. If handles are signed: its name, which the store does not know, because its client carries it.
    handle: Option<Handle>,
}

impl SessionGate {
    /// Returns the caller's session, and its key if it has one. A handle that names no open session counts as no handle.
    pub(super) async fn find(
        &self,
        caller: &SessionCaller,
    ) -> Result<(Option<Key>, Session), StoreError> {
        if let (Some(key), Some(carried)) = (&caller.handle, &caller.carried) {
            return Ok((Some(key.clone()), carried.session));
        }
        if let Some(key) = &caller.handle {
            let session = self.ledger.find(key).await?;
            if session.is_kept() {
                return Ok((Some(key.clone()), session));
            }
        }
        let session = match &caller.own {
            Some(key) => self.ledger.find(key).await?,
            None => self.ledger.unopened(),
        };
        Ok((caller.own.clone(), session))
    }
}

impl Admission {
    pub(super) fn new(
        gate: &SessionGate,
        request: &CallToolRequestParams,
        ticket: Option<Arc<Ticket>>,
        caller: SessionCaller,
    ) -> Admission {
        let reads_input = gate.ledger.machine().reads_input(&request.name);
        let input = request.arguments.as_ref().filter(|_| reads_input);
        Admission {
            tool: request.name.clone(),
            input: input.cloned().unwrap_or_default(),
            ticket,
            place: None,
            caller,
        }
    }

    /// Keeps the permission for the call until it ends, and names its session for the middleware behind the gate.
    pub(super) fn keep_in(self: Box<Admission>, call: &mut RequestState) {
        let place = self.place.as_ref().map(|place| &place.key);
        call.session = place.or(self.caller.key()).cloned();
        call.gate.admission = Some(self);
    }

    /// Admits the call if its session's state allows the tool. First waits for earlier calls that may change the state.
    /// Returns the result that answers the call instead: a directive.
    pub(super) async fn admit(
        &mut self,
        gate: &SessionGate,
        call: &RequestState,
        cx: &McpContext,
    ) -> Result<(), CallToolResult> {
        let fail = |error: StoreError| without_store(&self.tool, &error);
        // This line comes before the lookup of the session: a call that ends in between may have changed the session.
        let ticket = self.ticket.as_ref();
        let earlier = ticket.map(|ticket| ticket.earlier(&self.tool, gate.ledger.machine()));
        let earlier = earlier.unwrap_or_default();
        let (key, mut session) = gate.find(&self.caller).await.map_err(fail)?;
        // What a client carries is what counts, whatever its other calls do to the session.
        if let (Some(key), Some(ticket), None) = (&key, ticket, &self.caller.carried) {
            ticket.belongs_to(key);
            if !earlier.is_empty() {
                self.wait_behind(gate, earlier, key, cx).await?;
                session = gate.ledger.find(key).await.map_err(fail)?;
            }
        }
        self.place = self.enter(gate, key, session, call, cx).await?;
        if let Some(place) = &self.place
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
        cx: &McpContext,
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

    /// Returns the call's place in its session, if it has one and the session's state allows the tool.
    async fn enter(
        &self,
        gate: &SessionGate,
        mut key: Option<Key>,
        mut session: Session,
        call: &RequestState,
        cx: &McpContext,
    ) -> Result<Option<SessionEntry>, CallToolResult> {
        let (caller, tool) = (&self.caller, &*self.tool);
        let machine = gate.ledger.machine();
        let wrong_handle = caller.gave_handle && (key.is_none() || key != caller.handle);
        let check = |session: &Session, nameless| {
            let allowed = machine.check(session.state, tool);
            allowed.map_err(|refusal| gate.refused(&refusal, wrong_handle, nameless))
        };
        check(&session, key.is_none())?;
        let carried = caller.carried.as_ref();
        let mut handle = carried.map(|carried| carried.handle.clone());
        let mut reserved = false;
        if machine.may_move(session.state, tool) && !session.is_kept() && handle.is_none() {
            if key.is_none() {
                let new = Handle::mint();
                let new =
                    new.map_err(|error| without_store(tool, &StoreError::unreachable(error)))?;
                key = Some(Identity::Handle(&new).key(caller.principal.as_deref()));
                handle = Some(new);
            }
            if let Some(key) = key
                .as_ref()
                .filter(|_| handle.is_none() || gate.seal.is_none())
            {
                session = self.open(gate, key, call, cx).await?;
                reserved = session.state == machine.start();
                check(&session, false)?;
            }
        }
        let is_carried = handle.is_some() && gate.seal.is_some();
        let may_change = machine.may_move(session.state, tool) || machine.resets(tool);
        match (&self.ticket, &key) {
            (Some(ticket), Some(key)) if may_change && !is_carried => {
                ticket.moves(key, session.state);
            }
            _ => self.release(),
        }
        Ok(key.map(|key| SessionEntry {
            key,
            session,
            reserved,
            handle,
        }))
    }

    /// Reserves the entry in the store of a session that this call opens, so that no tool runs in vain. Counts it in the share of
    /// its client, unless it ends with its stream, which has only one.
    /// Returns the result that answers the call instead.
    async fn open(
        &self,
        gate: &SessionGate,
        room: &Key,
        call: &RequestState,
        cx: &McpContext,
    ) -> Result<Session, CallToolResult> {
        let caller = &self.caller;
        let ends_by_itself = caller.ends_with_connection && caller.own.as_ref() == Some(room);
        let shares = gate.shares.as_ref().filter(|_| !ends_by_itself);
        if let Some(shares) = shares {
            let owner = match &caller.principal {
                Some(principal) => Owner::Principal(principal.as_str().into()),
                None => Owner::of(cx, &call.connection),
            };
            if !shares.hold(owner, room.clone(), 0, gate.kept_for()) {
                return Err(too_many_sessions(&self.tool, MOST_OF_ONE));
            }
        }
        let opened = gate.ledger.open(room).await;
        if opened.is_err() && shares.is_some() {
            gate.release_share(room).await;
        }
        opened.map_err(|error| without_store(&self.tool, &error))
    }

    /// Records how the call ended. Returns its effect on the session, and the handle of a session that it opened.
    pub(super) async fn record(
        &self,
        gate: &SessionGate,
        answer: &mut McpAnswer,
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
        let carried = place.handle.as_ref().filter(|_| gate.seal.is_some());
        let step = match carried {
            Some(_) => Ok(ledger.machine().record(session.state, tool, input, outcome)),
            None => {
                ledger
                    .record(&place.key, session, tool, input, outcome)
                    .await
            }
        };
        if let (Some(shares), Ok(step), None) = (&gate.shares, &step, carried) {
            match step.reset {
                true => shares.release(&place.key),
                false => shares.renew(&place.key, gate.kept_for()),
            }
        }
        let mut change = Change::None;
        if let Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) = answer {
            match &step {
                Ok(step) => {
                    result.content.extend(step.guidance.map(ContentBlock::text));
                    let is_new = carried.is_some() && self.caller.carried.is_none();
                    if step.reset {
                        change = Change::Ended;
                    } else if step.moved() && (place.reserved || is_new) {
                        change = Change::Opened;
                    }
                }
                Err(error) if outcome == CallOutcome::Succeeded => unrecorded(tool, error, result),
                Err(_) => {}
            }
        }
        let moved = step.ok().filter(|step| step.moved());
        if moved.is_none() {
            self.withdraw(gate).await;
        }
        self.release();
        let handle = place.handle.as_ref().zip(moved);
        let handle = handle.and_then(|(name, step)| match &gate.seal {
            Some(_) if step.reset => None,
            Some(seal) => Some(NewHandle {
                text: seal.close(ledger, name, step.to, self.caller.principal.as_deref()),
                replaces: self.caller.carried.is_some(),
            }),
            None => Some(NewHandle {
                text: name.to_string(),
                replaces: false,
            }),
        });
        (change, handle)
    }

    /// Removes the reserved entry of a session that this call did not open.
    pub(super) async fn withdraw(&self, gate: &SessionGate) {
        let Some(place) = self.place.as_ref().filter(|place| place.reserved) else {
            return;
        };
        match gate.ledger.withdraw(&place.key, &place.session).await {
            Ok(()) => gate.release_share(&place.key).await,
            Err(error) => {
                warn!(
                    %error,
                    "the entry of an unopened session was not removed; it stays until it expires"
                );
            }
        }
    }
}

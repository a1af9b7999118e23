//! A call on its way through the gate: admitted, run, recorded.

use std::{borrow::Cow, pin::pin, sync::Arc};

use futures::future::{Either, select};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, Tool,
    },
    service::RequestContext,
};
use tokio_util::sync::CancellationToken;

use super::{
    Change, Connection, Gate, Ticket,
    answer::{too_long_behind, unrecorded, without_store},
    identity::Caller,
    ticket::Earlier,
};
use crate::{
    server::rooms::guidance::Around,
    session::{Handle, Identity, Outcome, Session},
    store::{Key, StoreError},
};

/// Leave for one call to run.
pub(in crate::server) struct Pass<'g> {
    gate: &'g Gate,
    tool: Cow<'static, str>,
    /// The call's input, where an edge looks at it.
    input: JsonObject,
    ticket: Option<Ticket>,
    place: Option<Place>,
    /// The caller's session, where the call does not need to know its state.
    session: Option<Key>,
}

/// The session that a call runs in.
struct Place {
    key: Key,
    session: Session,
    /// Whether this call put it into the store, to be taken back if it does not open the session.
    reserved: bool,
    minted: Option<Handle>,
}

impl Gate {
    /// Lets a call pass when its session's state allows the tool, after earlier calls that may change it.
    ///
    /// # Errors
    ///
    /// The result to answer with instead: a directive.
    pub(in crate::server) async fn admit(
        &self,
        request: &mut CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        own: &Arc<Connection>,
        get_tool: impl Fn(&str) -> Option<Tool>,
    ) -> Result<Pass<'_>, CallToolResult> {
        let ticket = context.extensions.get::<Ticket>().cloned();
        let connection = ticket.as_ref().map_or(own, Ticket::connection).clone();
        let tool = request.name.clone();
        let caller = self.caller(request, context, &connection, || {
            get_tool(&tool).is_some_and(|tool| self.is_declared_by(&tool))
        });
        let machine = self.ledger.machine();
        let input = match &request.arguments {
            Some(arguments) if machine.reads_input(&tool) => arguments.clone(),
            _ => JsonObject::new(),
        };
        let mut pass = Pass {
            gate: self,
            tool,
            input,
            ticket,
            place: None,
            session: caller.handle.clone().or(caller.own.clone()),
        };
        if !machine.guards(&pass.tool) && !machine.ever_moves(&pass.tool) {
            pass.release();
            return Ok(pass);
        }
        // Before the session is found: a call that ends in between may have changed it.
        let ticket = pass.ticket.as_ref();
        let earlier = ticket.map(|ticket| ticket.earlier(&pass.tool, machine));
        let earlier = earlier.unwrap_or_default();
        let found = self.find(&caller).await;
        let mut found = found.map_err(|error| without_store(&pass.tool, &error))?;
        if let (Some((key, session)), Some(ticket)) = (&mut found, ticket) {
            ticket.belongs_to(key);
            if !earlier.is_empty() {
                pass.wait_behind(earlier, key, context).await?;
                *session = None;
            }
        }
        pass.enter(&caller, found).await?;
        if let Some(place) = pass.place.as_ref()
            && caller.ends_with_connection
            && Some(&place.key) == caller.own.as_ref()
        {
            connection.take_along(&place.key, &self.ledger);
        }
        Ok(pass)
    }

    /// The caller's session, and what is known of it. A handle that names no open one counts as none.
    pub(super) async fn find(
        &self,
        caller: &Caller,
    ) -> Result<Option<(Key, Option<Session>)>, StoreError> {
        if let Some(key) = &caller.handle {
            let session = self.ledger.find(key).await?;
            if session.is_kept() {
                return Ok(Some((key.clone(), Some(session))));
            }
        }
        Ok(caller.own.clone().map(|key| (key, None)))
    }
}

impl Pass<'_> {
    /// The session that the call runs in.
    pub(in crate::server) fn session(&self) -> Option<&Key> {
        let place = self.place.as_ref().map(|place| &place.key);
        place.or(self.session.as_ref())
    }

    /// Runs the call, and records how it ended. A cancelled one moves nothing and holds nobody up, even if
    /// the tool goes on.
    pub(in crate::server) async fn run(
        mut self,
        cancelled: CancellationToken,
        call: impl Future<Output = Result<CallToolResponse, ErrorData>>,
        around: Option<&Around>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.place.is_none() {
            return match around {
                Some(around) => around.run(cancelled, call).await,
                None => call.await,
            };
        }
        let mut answer = match select(pin!(call), pin!(cancelled.cancelled())).await {
            Either::Left((answer, _)) => answer,
            Either::Right(((), call)) => {
                self.withdraw().await;
                self.release();
                if let Some(around) = around {
                    around.cancelled().await;
                }
                return call.await;
            }
        };
        if cancelled.is_cancelled() {
            self.withdraw().await;
            if let Some(around) = around {
                around.cancelled().await;
            }
        } else {
            self.record(&mut answer, around).await;
        }
        self.release();
        answer
    }

    fn release(&self) {
        if let Some(ticket) = &self.ticket {
            ticket.release();
        }
    }

    /// Waits for earlier calls of the session that may change it.
    async fn wait_behind(
        &self,
        earlier: Earlier,
        key: &Key,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), CallToolResult> {
        let turn = pin!(earlier.let_pass(key, &self.tool, self.gate.ledger.machine()));
        // Who cancelled does not read the answer; what matters is that nobody waits for this call.
        let cancelled = pin!(context.ct.cancelled());
        match tokio::time::timeout(self.gate.wait, select(turn, cancelled)).await {
            Ok(Either::Left(_)) => Ok(()),
            Ok(Either::Right(_)) | Err(_) => Err(too_long_behind(&self.tool, self.gate.wait)),
        }
    }

    /// Takes the call into its session, if the state there allows it.
    async fn enter(
        &mut self,
        caller: &Caller,
        found: Option<(Key, Option<Session>)>,
    ) -> Result<(), CallToolResult> {
        let ledger = &self.gate.ledger;
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
        let mut minted = None;
        let mut reserved = false;
        loop {
            if let Err(refusal) = machine.check(session.state, &self.tool) {
                let nameless = key.is_none();
                return Err(self.gate.refused(&refusal, wrong_handle, nameless));
            }
            let moves = machine.may_move(session.state, &self.tool);
            if !moves && !machine.resets(&self.tool) {
                self.release();
            }
            if !moves || session.is_kept() {
                break;
            }
            // A session about to be opened gets its room first, so that no tool runs in vain.
            let room = match &key {
                Some(key) => key.clone(),
                None => {
                    let handle =
                        Handle::mint().map_err(|error| fail(StoreError::unreachable(error)))?;
                    let new = Identity::Handle(&handle).key(caller.principal.as_deref());
                    minted = Some(handle);
                    key.insert(new).clone()
                }
            };
            session = ledger.open(&room).await.map_err(fail)?;
            reserved = session.state == machine.start();
        }
        if let Some(key) = key {
            if let Some(ticket) = &self.ticket
                && (machine.may_move(session.state, &self.tool) || machine.resets(&self.tool))
            {
                ticket.moves(&key, session.state);
            }
            self.place = Some(Place {
                key,
                session,
                reserved,
                minted,
            });
        } else {
            self.release();
        }
        Ok(())
    }

    async fn record(
        &mut self,
        answer: &mut Result<CallToolResponse, ErrorData>,
        around: Option<&Around>,
    ) {
        let Some(place) = &self.place else { return };
        let outcome = match answer {
            Ok(CallToolResponse::Complete(result)) if result.is_error != Some(true) => {
                Outcome::Succeeded
            }
            Ok(CallToolResponse::Complete(_)) | Err(_) => Outcome::Failed,
            // A task or a question to the user, and whatever rmcp adds that is not the end of a call.
            Ok(_) => Outcome::Unfinished,
        };
        let ledger = &self.gate.ledger;
        let step = ledger
            .record(&place.key, place.session, &self.tool, &self.input, outcome)
            .await;
        let stays = step.as_ref().map_or(true, |step| !step.moved());
        if let Ok(CallToolResponse::Complete(result)) = answer {
            match &step {
                Ok(step) => result.content.extend(step.guidance.map(ContentBlock::text)),
                Err(error) if outcome == Outcome::Succeeded => {
                    unrecorded(&self.tool, error, result)
                }
                Err(_) => {}
            }
            if let Some(around) = around {
                let change = match &step {
                    Ok(step) if step.reset => Change::Ended,
                    Ok(step) if step.moved() && place.reserved => Change::Opened,
                    _ => Change::None,
                };
                around.finish(result, change).await;
            }
            if self.gate.served(&self.tool).is_some() && result.content.is_empty() {
                result
                    .content
                    .push(ContentBlock::text("The session is open."));
            }
            if let Some(handle) = place.minted.as_ref().filter(|_| !stays) {
                self.gate.show_handle(handle, result);
            }
        }
        if stays {
            self.withdraw().await;
        }
    }

    /// Takes back the room of a session that this call did not open.
    async fn withdraw(&self) {
        if let Some(place) = self.place.as_ref().filter(|place| place.reserved)
            && let Err(error) = self.gate.ledger.withdraw(&place.key, &place.session).await
        {
            tracing::warn!(%error, "the room of a session that was not opened is not given back before it expires");
        }
    }
}

//! The function behind a hook, at any point.

use std::{any::Any, fmt, time::Duration};

use futures::future::BoxFuture;

use super::{Context, McplPoint, Position, point::At};
use crate::core::{Failure, Guard, HookError, OnFailure, Point};

/// A function that answers at the point `P`.
pub(super) type Call<P> = dyn for<'a> Fn(
        &'a (dyn Any + Send + Sync),
        &'a <P as Point>::In,
        &'a Context,
    ) -> BoxFuture<'a, Result<<P as Point>::Out, HookError>>
    + Send
    + Sync;

/// A function that answers, with its author's settings.
pub(super) struct Answering {
    pub(super) at: At,
    pub(super) priority: i32,
    pub(super) deadline: Duration,
    pub(super) on_failure: OnFailure,
    pub(super) blocking: bool,
    /// The positions that the hook needs. Without any, it needs the one that hosts grant, and may use the others.
    pub(super) inject: Option<Vec<Position>>,
    /// The positions that the author named as optional.
    pub(super) optional: Vec<Position>,
    pub(super) observe: Option<bool>,
    /// Whether its answers can hold anything.
    pub(super) says: bool,
    guard: Guard,
    /// A `Box<Call<P>>` for the point's `P`.
    call: Box<dyn Any + Send + Sync>,
}

impl Answering {
    pub(super) fn new<P: McplPoint>(says: bool, call: Box<Call<P>>) -> Answering {
        let (deadline, on_failure) = (P::DEADLINE, OnFailure::default());
        Answering {
            at: P::AT,
            priority: 0,
            deadline,
            on_failure,
            blocking: false,
            inject: None,
            optional: Vec::new(),
            observe: None,
            says,
            guard: Guard::new(deadline, on_failure),
            call: Box::new(call),
        }
    }

    pub(super) fn guarded(&mut self, deadline: Duration, on_failure: OnFailure) {
        self.deadline = deadline;
        self.on_failure = on_failure;
        self.guard = Guard::new(deadline, on_failure);
    }

    /// Returns the positions at which the hook needs to inject. If its author names none, that is before the user's
    /// message: hosts deny `system` by default, and a feature set with a denied need is disabled.
    pub(super) fn needs(&self) -> impl Iterator<Item = Position> {
        let (chosen, left_out) = match &self.inject {
            Some(positions) => (positions.as_slice(), [].as_slice()),
            None if self.says => ([Position::BeforeUser].as_slice(), self.optional.as_slice()),
            None => ([].as_slice(), [].as_slice()),
        };
        chosen
            .iter()
            .filter(|position| !left_out.contains(position))
            .copied()
    }

    /// Returns the positions at which the hook injects if the host grants them.
    pub(super) fn wants(&self) -> impl Iterator<Item = Position> {
        const OTHERS: &[Position] = &[Position::System, Position::AfterUser];
        let others = if self.inject.is_none() && self.says {
            OTHERS
        } else {
            &[]
        };
        others.iter().chain(&self.optional).copied()
    }

    pub(super) async fn run<P: McplPoint>(
        &self,
        id: &str,
        server: &(dyn Any + Send + Sync),
        event: &P::In,
        cx: &Context,
    ) -> Result<Option<P::Out>, Failure> {
        let Some(call) = self.call.downcast_ref::<Box<Call<P>>>() else {
            return Ok(None);
        };
        // The author's closure may panic before it returns a future, so the call is inside the guard too.
        let answer = async { call(server, event, cx).await };
        self.guard.run(id, answer).await
    }
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answering")
            .field("at", &self.at)
            .field("priority", &self.priority)
            .field("blocking", &self.blocking)
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}

//! The function behind a hook, whatever its point.

use std::{any::Any, fmt};

use super::{Context, McplPoint, Position, point::At};
use crate::core::{AnyCallback, Callback, Failure, Guard, OnFailure, Point, callback::Ref};

/// A function that answers at the point `P`.
pub(super) type Answers<P> = Callback<(Ref<<P as Point>::In>, Ref<Context>), <P as Point>::Out>;

/// A function that answers, with everything that its author said of it.
pub(super) struct Answering {
    pub(super) at: At,
    pub(super) priority: i32,
    pub(super) blocking: bool,
    /// The positions it needs; without, the one that hosts grant, and it may use the others.
    pub(super) inject: Option<Vec<Position>>,
    /// The positions that its author named as optional.
    pub(super) optional: Vec<Position>,
    pub(super) observe: Option<bool>,
    /// Whether its answers can say anything.
    pub(super) says: bool,
    /// An `Answers<P>` for the point's `P`.
    pub(super) callback: Box<dyn AnyCallback>,
}

impl Answering {
    /// The guard of a function at `P`, unless its author says otherwise.
    pub(super) const fn guard<P: McplPoint>() -> Guard {
        Guard::new(P::DEADLINE, OnFailure::Fail)
    }

    pub(super) fn new<P: McplPoint>(says: bool, callback: Answers<P>) -> Answering {
        Answering {
            at: P::AT,
            priority: 0,
            blocking: false,
            inject: None,
            optional: Vec::new(),
            observe: None,
            says,
            callback: Box::new(callback),
        }
    }

    /// Where it needs to put something. Without a word of its author that is before the user's message: hosts deny
    /// `system` by default, and a set with a denied need is disabled.
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

    /// Where it puts something if it may.
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
        match self.callback.typed::<(Ref<P::In>, Ref<Context>), P::Out>() {
            Some(callback) => callback.call(id, server, (event, cx)).await,
            None => Ok(None),
        }
    }
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answering")
            .field("at", &self.at)
            .field("priority", &self.priority)
            .field("blocking", &self.blocking)
            .field("guard", self.callback.guard())
            .finish_non_exhaustive()
    }
}

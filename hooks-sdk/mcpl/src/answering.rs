//! The function behind a hook, at any point.

use std::any::Any;

use super::{Context, McplPoint, Position, checkpoints::RollbackError, point::At};
use hooks_core::{
    Failure, Point, Posture,
    internal::{AnyCallback, Callback, Guard, Ref, Run, debugs},
};

/// A function that answers at the point `P`.
pub(super) type Answers<P> = Callback<(Ref<<P as Point>::In>, Ref<Context>), <P as Point>::Out>;

/// A function that answers, with its author's settings.
pub(super) struct Answering {
    pub(super) at: At,
    pub(super) priority: i32,
    pub(super) blocking: bool,
    /// The positions that the hook needs. Without any, it needs the one that hosts grant, and may use the others.
    pub(super) inject: Option<Vec<Position>>,
    /// The positions that the author named as optional.
    pub(super) optional: Vec<Position>,
    /// Whether the author says that the hook needs the user's message, or does not read it.
    pub(super) observe: Option<bool>,
    /// Whether its answers can hold anything.
    pub(super) says: bool,
    /// An `Answers<P>` for the point's `P`.
    pub(super) callback: Box<dyn AnyCallback>,
}

impl Answering {
    /// The guard of a function at `P`, unless its author says otherwise.
    pub(super) const fn guard<P: McplPoint>() -> Guard {
        Guard::new(P::DEADLINE, Posture::Deny)
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

    /// Returns whether the hook needs the user's message. If its author does not say, it needs it only where it needs
    /// nothing else: a feature set with a denied need is disabled, and hosts may call a hook without the message.
    pub(super) fn needs_words(&self) -> bool {
        self.observe
            .unwrap_or_else(|| self.needs().next().is_none())
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
        match self.callback.typed::<(Ref<P::In>, Ref<Context>), P::Out>() {
            Some(callback) => {
                let run = Run::new(P::PROTOCOL, P::METHOD, id).answers(RollbackError::is_an_answer);
                callback.call(run, server, (event, cx)).await
            }
            None => Ok(None),
        }
    }
}

debugs!(Answering {
    at,
    priority,
    blocking
});

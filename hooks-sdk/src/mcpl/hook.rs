//! One entry of this room as its author wrote it: a hook, a tool of a feature set, or a feature set itself.

use std::{
    any::{Any, TypeId},
    borrow::Cow,
    fmt,
    time::Duration,
};

use futures::future::BoxFuture;

use super::{
    Context, Definition, FeatureSet, McplAnswer, McplPoint, Position,
    answering::{Answering, Answers},
    feature_set::ROOM,
    point::At,
};
use crate::core::{self, AnyCallback, Failure, OnFailure, Origin, Owner};

/// What stands for one MCPL entry in the registry: the part of a [`core::Hook`] that is this room's.
///
/// The attributes [`hook`](macro@super::hook), [`tool`](macro@super::tool) and
/// [`feature_set`](macro@super::feature_set) make one each; these constructors are the explicit way, for generic
/// servers and for those who dislike link-time magic. What the attributes check at compile time is then checked at
/// start-up by [`problems`](super::problems()).
///
/// ```
/// use hooks_sdk::core::Registry;
/// use hooks_sdk::mcpl::{BeforeInference, Context, Definition, FeatureSet, McplHook, Injection, Position, point};
///
/// struct Memory;
/// struct Retrieval;
///
/// impl FeatureSet for Retrieval {
///     const DEFINITION: Definition = Definition::new("memory.retrieval", "Retrieve relevant memories");
/// }
///
/// let recall = McplHook::answering::<Retrieval, _, _, _>(
///     "recall",
///     point::before_inference,
///     |_memory: &Memory, turn: &BeforeInference, _cx: &Context| {
///         Box::pin(async move {
///             let turn = format!("This is turn {}.", turn.turn_index);
///             Injection::new("memory", Position::BeforeUser, turn)
///         })
///     },
/// );
/// let registry = Registry::builder().add(recall.into()).build()?;
/// # assert!(registry.get("mcpl:before_inference:recall").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// Its id in the core's registry is `mcpl:point:id`, `mcpl:tool:name` or `mcpl:feature_set:name`.
pub struct McplHook {
    id: Cow<'static, str>,
    set: TypeId,
    definition: Definition,
    pub(super) part: Part,
    owner: Owner,
    origin: Origin,
}

/// What an entry is.
pub(super) enum Part {
    Set,
    Tool(McplTool),
    Answer(Box<Answering>),
}

/// A tool that belongs to a feature set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McplTool {
    /// Its name on the wire.
    pub name: Cow<'static, str>,
    /// The argument whose value is the label of the scope that a call acts in (MCPL 0.4.1 §7.3).
    pub scope: Option<Cow<'static, str>>,
    /// Whether the tool is refused while its feature set is not usable; otherwise its body judges itself.
    pub guarded: bool,
}

impl McplHook {
    #[track_caller]
    fn new<F: FeatureSet>(id: Cow<'static, str>, part: Part) -> McplHook {
        McplHook {
            id,
            set: TypeId::of::<F>(),
            definition: F::DEFINITION,
            part,
            owner: Owner::ANY,
            origin: Origin::here(),
        }
    }

    /// A hook of the feature set `F` that a function of the server `H` answers.
    #[track_caller]
    pub fn answering<F, H, P, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        answer: impl for<'a> Fn(&'a H, &'a P::In, &'a Context) -> BoxFuture<'a, A>
        + Send
        + Sync
        + 'static,
    ) -> McplHook
    where
        F: FeatureSet,
        H: Any + Send + Sync,
        P: McplPoint,
        A: McplAnswer<P> + 'static,
    {
        let callback =
            Answers::<P>::of::<H>(Answering::guard::<P>(), move |server, (event, cx)| {
                let answer = answer(server, event, cx);
                Box::pin(async move { answer.await.answer() })
            });
        McplHook::answer_with::<F, P>(id.into(), A::SAYS, callback)
    }

    /// As [`answering`](McplHook::answering), by a function of no particular server.
    #[track_caller]
    pub fn answering_any<F, P, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        answer: impl for<'a> Fn(&'a P::In, &'a Context) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> McplHook
    where
        F: FeatureSet,
        P: McplPoint,
        A: McplAnswer<P> + 'static,
    {
        let callback = Answers::<P>::any(Answering::guard::<P>(), move |_, (event, cx)| {
            let answer = answer(event, cx);
            Box::pin(async move { answer.await.answer() })
        });
        McplHook::answer_with::<F, P>(id.into(), A::SAYS, callback)
    }

    #[track_caller]
    fn answer_with<F: FeatureSet, P: McplPoint>(
        id: Cow<'static, str>,
        says: bool,
        callback: Answers<P>,
    ) -> McplHook {
        let owner = callback.owner();
        let answering = Answering::new::<P>(says, callback);
        McplHook {
            owner,
            ..McplHook::new::<F>(id, Part::Answer(Box::new(answering)))
        }
    }

    /// The tool `name` of the server `H` as one of the feature set `F`; it is refused while the set is not usable.
    #[track_caller]
    pub fn tool<F: FeatureSet, H: Any>(name: impl Into<Cow<'static, str>>) -> McplHook {
        let name = name.into();
        let tool = McplTool {
            name: name.clone(),
            scope: None,
            guarded: true,
        };
        McplHook {
            owner: Owner::of::<H>(),
            ..McplHook::new::<F>(name, Part::Tool(tool))
        }
    }

    /// The feature set `F` itself, which is needed only for a set that no hook and no tool names.
    #[track_caller]
    pub fn feature_set<F: FeatureSet>() -> McplHook {
        McplHook::new::<F>(F::DEFINITION.name.into(), Part::Set)
    }

    /// For a tool: the argument whose value is the label of the scope that a call acts in.
    #[must_use]
    pub fn scope(mut self, argument: impl Into<Cow<'static, str>>) -> McplHook {
        if let Part::Tool(tool) = &mut self.part {
            tool.scope = Some(argument.into());
        }
        self
    }

    /// For a tool: its body runs even while the feature set is not usable, and judges itself.
    #[must_use]
    pub fn unguarded(mut self) -> McplHook {
        if let Part::Tool(tool) = &mut self.part {
            tool.guarded = false;
        }
        self
    }

    /// Its place among the hooks of its point, lower first; hooks of one place stand in registry order. 0 unless said
    /// otherwise.
    #[must_use]
    pub fn priority(self, priority: i32) -> McplHook {
        self.with(|answering| answering.priority = priority)
    }

    /// How long the hook may take, [`McplPoint::DEADLINE`] unless said otherwise.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> McplHook {
        self.with(|answering| answering.callback.guard_mut().deadline = deadline)
    }

    /// What happens when the hook fails, [`OnFailure::Fail`] unless said otherwise.
    #[must_use]
    pub fn on_failure(self, on_failure: OnFailure) -> McplHook {
        self.with(|answering| answering.callback.guard_mut().on_failure = on_failure)
    }

    /// The host waits for the hook, which may change the answer; for `after_inference` only.
    #[must_use]
    pub fn blocking(self) -> McplHook {
        self.with(|answering| answering.blocking = true)
    }

    /// Where the hook needs to put something into the context. Unless said otherwise it needs [`Position::BeforeUser`],
    /// and uses the other positions if it may; for `before_inference` only.
    ///
    /// A host of 0.5 that denies one of these disables the whole feature set, and hosts deny [`Position::System`] by
    /// default: name only what the hook cannot do without, and the rest with [`optional`](McplHook::optional).
    #[must_use]
    pub fn inject(self, positions: &[Position]) -> McplHook {
        self.with(|answering| answering.inject = Some(positions.to_vec()))
    }

    /// Where the hook puts something too if it may, and works without; for `before_inference` only.
    #[must_use]
    pub fn optional(self, positions: &[Position]) -> McplHook {
        self.with(|answering| answering.optional = positions.to_vec())
    }

    /// Whether the hook reads what the user said, which it does unless said otherwise; for `before_inference` only.
    #[must_use]
    pub fn observe(self, observe: bool) -> McplHook {
        self.with(|answering| answering.observe = Some(observe))
    }

    /// Whether the function's own answer, which generated code has already turned into the point's, can say anything.
    #[doc(hidden)]
    #[must_use]
    pub fn says(self, says: bool) -> McplHook {
        self.with(|answering| answering.says = says)
    }

    /// Ties the entry to the server `H`.
    #[must_use]
    pub fn server<H: Any>(mut self) -> McplHook {
        self.owner = Owner::of::<H>();
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Answering)) -> McplHook {
        if let Part::Answer(answering) = &mut self.part {
            change(answering);
        }
        self
    }

    /// The hook's id, the tool's name or the feature set's.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is declared of its feature set.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The point at which a hook stands.
    pub fn at(&self) -> Option<At> {
        self.answer().map(|answering| answering.at)
    }

    /// The tool, if it is one.
    pub fn as_tool(&self) -> Option<&McplTool> {
        match &self.part {
            Part::Tool(tool) => Some(tool),
            _ => None,
        }
    }

    /// Whether the host waits for it and takes its changes.
    pub fn is_blocking(&self) -> bool {
        self.answer().is_some_and(|answering| answering.blocking)
    }

    /// Whether it said that it puts something there, needed or optional; without a word on it, everywhere.
    pub fn may_inject(&self, position: Position) -> bool {
        self.answer().is_some_and(|answering| {
            answering.needs().any(|needed| needed == position)
                || answering.wants().any(|wanted| wanted == position)
        })
    }

    /// Runs the hook, which stands at `P`; `None` when its failure is ignored, when it is disabled, and when it does
    /// not stand at `P`.
    ///
    /// # Errors
    ///
    /// That it failed, panicked or outstayed its deadline, if its policy is to say so.
    pub async fn run<P: McplPoint>(
        &self,
        server: &(dyn Any + Send + Sync),
        event: &P::In,
        cx: &Context,
    ) -> Result<Option<P::Out>, Failure> {
        match self.answer() {
            Some(answering) => answering.run::<P>(&self.id, server, event, cx).await,
            None => Ok(None),
        }
    }

    /// Whether it is a hook or a tool of its feature set, and not the set itself.
    pub(super) fn names_its_set(&self) -> bool {
        !matches!(self.part, Part::Set)
    }

    /// Which type its feature set is.
    pub(super) fn set(&self) -> TypeId {
        self.set
    }

    pub(super) fn answer(&self) -> Option<&Answering> {
        match &self.part {
            Part::Answer(answering) => Some(answering),
            _ => None,
        }
    }
}

impl From<McplHook> for core::Hook {
    fn from(hook: McplHook) -> core::Hook {
        let (owner, origin) = (hook.owner, hook.origin);
        let (kind, point) = match &hook.part {
            Part::Set => ("feature_set", "feature_set"),
            Part::Tool(_) => ("tool", "tools/call"),
            Part::Answer(answering) => (answering.at.as_str(), answering.at.method()),
        };
        let id = format!("{ROOM}:{kind}:{}", hook.id);
        core::Hook::standing_at(ROOM, point, id, hook)
            .at(origin)
            .owned_by(owner)
    }
}

impl fmt::Debug for McplHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook")
            .field("id", &self.id)
            .field("definition", &self.definition)
            .field("part", &self.part)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Set => f.write_str("Set"),
            Part::Tool(tool) => tool.fmt(f),
            Part::Answer(answering) => answering.fmt(f),
        }
    }
}

//! One entry of MCPL as its author writes it: a hook, a tool of a feature set, or a feature set itself.

use std::{
    any::{Any, TypeId},
    borrow::Cow,
    time::Duration,
};

use futures::future::BoxFuture;

use super::{
    Context, Definition, FeatureSet, McplAnswer, McplPoint, PROTOCOL, Position,
    answering::{Answering, Answers},
    point::At,
};
use hooks_core::{
    Failure, Origin, Owner, Posture,
    internal::{AnyCallback, debugs, entry, setters},
};

/// One MCPL entry in the registry: this protocol's part of a [`Hook`](hooks_core::Hook).
///
/// Each use of the attributes `hook`, `tool` and
/// `feature_set` makes one. The constructors make one explicitly: for generic servers, and
/// for authors who do not want collection at link time. The attributes check their values at compile time;
/// [`problems`](super::problems()) checks the same rules at start-up for entries made by hand.
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

/// The kind of an entry.
#[derive(Debug)]
pub(super) enum Part {
    Set,
    Tool(McplTool),
    Answer(Box<Answering>),
}

/// A tool that belongs to a feature set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McplTool {
    /// The tool's name on the wire.
    pub name: Cow<'static, str>,
    /// The argument that holds the label of the call's scope (MCPL 0.4.1 §7.3).
    pub scope: Option<Cow<'static, str>>,
    /// Whether the SDK refuses the tool while its feature set is not usable. If not, the tool's body decides.
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

    /// Makes a hook of the feature set `F`, answered by a function of the server `H`.
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

    /// Like [`answering`](McplHook::answering), with a function that takes no server.
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

    /// Makes the entry that puts the tool `name` of the server `H` into the feature set `F`. The tool is refused while
    /// the set is not usable.
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

    /// Makes the entry of the feature set `F` itself. You need it only for a set that no hook and no tool names.
    #[track_caller]
    pub fn feature_set<F: FeatureSet>() -> McplHook {
        McplHook::new::<F>(F::DEFINITION.name.into(), Part::Set)
    }

    setters! {
        /// For a tool: sets the argument that holds the label of the call's scope.
        fn scope(mut self, argument: impl Into<Cow<'static, str>>) {
            if let Part::Tool(tool) = &mut self.part {
                tool.scope = Some(argument.into());
            }
        }

        /// For a tool: its body also runs while the feature set is not usable, and decides itself.
        fn unguarded(mut self) {
            if let Part::Tool(tool) = &mut self.part {
                tool.guarded = false;
            }
        }

        /// Sets the hook's place among the hooks of its point: lower runs first, equal ones run in registry order. The
        /// default is 0.
        fn priority(mut self, priority: i32) { self.with(|answering| answering.priority = priority) }

        /// Sets how long the hook may take. The default is [`McplPoint::DEADLINE`].
        fn deadline(mut self, deadline: Duration) { self.with(|answering| answering.callback.guard_mut().deadline = deadline) }

        /// Sets what happens when the hook fails. The default is [`Posture::Deny`].
        fn posture(mut self, posture: Posture) { self.with(|answering| answering.callback.guard_mut().posture = posture) }

        /// For `after_inference`: the host waits for the hook, and the hook may change the answer.
        fn blocking(mut self) { self.with(|answering| answering.blocking = true) }

        /// For `before_inference`: sets the positions at which the hook needs to inject. By default it needs
        /// [`Position::BeforeUser`], and uses the other positions if the host grants them.
        ///
        /// A host of 0.5 that denies one of these positions disables the whole feature set, and hosts deny
        /// [`Position::System`] by default. Name only the positions that the hook cannot do without, and pass the rest to
        /// [`optional`](McplHook::optional).
        fn inject(mut self, positions: &[Position]) { self.with(|answering| answering.inject = Some(positions.to_vec())) }

        /// For `before_inference`: sets further positions, at which the hook injects if the host grants them.
        fn optional(mut self, positions: &[Position]) { self.with(|answering| answering.optional = positions.to_vec()) }

        /// For `before_inference`: sets whether the hook needs the user's message (`true`) or does not read it (`false`). By
        /// default it reads the message if the host grants it.
        ///
        /// A host of 0.5 that denies what a hook needs disables the whole feature set.
        fn observe(mut self, observe: bool) { self.with(|answering| answering.observe = Some(observe)) }

        /// Sets whether the author's own answer type can hold anything. Generated code needs this, since it has already
        /// converted the answer.
        #[doc(hidden)]
        fn says(mut self, says: bool) { self.with(|answering| answering.says = says) }

        /// Ties the entry to the server `H`.
        fn server<H: Any>(mut self) { self.owner = Owner::of::<H>() }
    }

    fn with(&mut self, change: impl FnOnce(&mut Answering)) {
        if let Part::Answer(answering) = &mut self.part {
            change(answering);
        }
    }

    /// Returns the id of the hook, or the name of the tool or of the feature set.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the definition of its feature set.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the hook's point; `None` for a tool or a feature set.
    pub fn at(&self) -> Option<At> {
        self.answer().map(|answering| answering.at)
    }

    /// Returns the tool, if the entry is one.
    pub fn as_tool(&self) -> Option<&McplTool> {
        match &self.part {
            Part::Tool(tool) => Some(tool),
            _ => None,
        }
    }

    /// Whether the host waits for the hook and takes its changes.
    pub fn is_blocking(&self) -> bool {
        self.answer().is_some_and(|answering| answering.blocking)
    }

    /// Whether the hook may inject at this position. If its author names no position, it may inject at each.
    pub fn may_inject(&self, position: Position) -> bool {
        self.answer().is_some_and(|answering| {
            answering.needs().any(|needed| needed == position)
                || answering.wants().any(|wanted| wanted == position)
        })
    }

    /// Runs the hook at the point `P`. Returns `None` if it failed with the posture `proceed`, or if it does not stand at `P`.
    ///
    /// # Errors
    ///
    /// The hook failed, panicked or exceeded its deadline, and its posture is `deny`.
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

    /// Whether the entry is a hook or a tool, not a feature set itself.
    pub(super) fn names_its_set(&self) -> bool {
        !matches!(self.part, Part::Set)
    }

    /// Returns the type of its feature set.
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

impl Part {
    /// Returns the part of the id, and the point in the registry.
    fn place(&self) -> (&'static str, &'static str) {
        match self {
            Part::Set => ("feature_set", "feature_set"),
            Part::Tool(_) => ("tool", "tools/call"),
            Part::Answer(answering) => (answering.at.as_str(), answering.at.method()),
        }
    }
}

entry!(McplHook: PROTOCOL, |hook| hook.part.place().1, format!("{PROTOCOL}:{}:{}", hook.part.place().0, hook.id));

debugs!(McplHook {
    id,
    definition,
    part
});

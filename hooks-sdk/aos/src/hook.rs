//! One hook of a guardian as its author wrote it.

use std::{any::Any, borrow::Cow, sync::Arc, time::Duration};

use futures::future::BoxFuture;

use super::{AosAt, AosPoint, GuardianAnswer, Reply, StepInfo, point::PROTOCOL};
use hooks_core::{
    Failure, HookError, Origin, Owner, Point, Posture,
    internal::{AnyCallback, Callback, Guard, Ref, Run, debugs, entry, setters},
};

/// The deadline of a hook, unless its author says otherwise.
pub const DEADLINE: Duration = Duration::from_secs(5);

/// The priority of a hook, unless its author says otherwise.
pub const PRIORITY: i32 = 100;

/// A function that answers at the point `P`.
type Answers<P> = Callback<(Ref<<P as Point>::In>, Ref<StepInfo>), <P as Point>::Out>;

/// A hook of a guardian: this protocol's part of a [`Hook`](hooks_core::Hook).
///
/// The attribute `hook` makes a hook. These constructors do it by hand, for generic policies
/// and for authors who do not want collection at link time.
///
/// ```
/// use std::convert::Infallible;
///
/// use hooks_sdk::{
///     aos::{AosHook, point},
///     core::{Registry, Verdict, Violation},
/// };
///
/// let hook = AosHook::answering_any("no_shell", point::tool_call_request, |call, _asked| {
///     Box::pin(async move {
///         match &*call.tool_id {
///             "shell" => Verdict::<Infallible>::Deny(Violation::new("no shell here")),
///             _ => Verdict::Allow,
///         }
///     })
/// });
/// let registry = Registry::builder().add(hook.priority(10).into()).build()?;
/// # assert!(registry.get("aos:tool_call_request:no_shell").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// Its id in the core's registry is `aos:point:id`.
#[derive(Clone)]
pub struct AosHook {
    id: Arc<str>,
    at: AosAt,
    priority: i32,
    deadline: Duration,
    tags: Vec<Cow<'static, str>>,
    /// An `Answers<P>` for the point's `P`.
    answers: Arc<dyn AnyCallback>,
    owner: Owner,
    origin: Origin,
}

impl AosHook {
    #[track_caller]
    fn new<P: AosPoint>(id: Cow<'static, str>, answers: Answers<P>) -> AosHook {
        AosHook {
            id: id.into(),
            at: P::AT,
            priority: PRIORITY,
            deadline: DEADLINE,
            tags: Vec::new(),
            owner: answers.owner(),
            answers: Arc::new(answers),
            origin: Origin::here(),
        }
    }

    /// Makes a hook from a function of the policy `S`.
    #[track_caller]
    pub fn answering<S, P, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        answer: impl for<'a> Fn(&'a S, &'a P::In, &'a StepInfo) -> BoxFuture<'a, A>
        + Send
        + Sync
        + 'static,
    ) -> AosHook
    where
        S: Any + Send + Sync,
        P: AosPoint,
        A: GuardianAnswer<P> + 'static,
    {
        let answers = Answers::<P>::of::<S>(guard(), move |policy, (payload, asked)| {
            let answer = answer(policy, payload, asked);
            Box::pin(async move { answer.await.answer() })
        });
        AosHook::new::<P>(id.into(), answers)
    }

    /// Makes a hook from a function without a policy.
    #[track_caller]
    pub fn answering_any<P, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        answer: impl for<'a> Fn(&'a P::In, &'a StepInfo) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> AosHook
    where
        P: AosPoint,
        A: GuardianAnswer<P> + 'static,
    {
        let answers = Answers::<P>::any(guard(), move |_, (payload, asked)| {
            let answer = answer(payload, asked);
            Box::pin(async move { answer.await.answer() })
        });
        AosHook::new::<P>(id.into(), answers)
    }

    setters! {
        /// Sets the hook's place: lower runs first, equal ones run in the order of registration. The default is 100.
        fn priority(mut self, priority: i32) { self.priority = priority }

        /// Sets how long the hook may take. The default is 5 s.
        fn deadline(mut self, deadline: Duration) { self.deadline = deadline }

        /// Sets words by which people find the hook.
        fn tags(mut self, tags: &[&'static str]) { self.tags = tags.iter().map(|tag| Cow::Borrowed(*tag)).collect() }
    }

    /// Returns the hook's own id, without its point.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the hook's point.
    pub fn at(&self) -> AosAt {
        self.at
    }

    /// Returns the hook's place among the hooks of its point.
    pub fn its_priority(&self) -> i32 {
        self.priority
    }

    /// Returns how long the hook may take.
    pub fn its_deadline(&self) -> Duration {
        self.deadline
    }

    /// Returns the words by which people find the hook.
    pub fn its_tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(|tag| &**tag)
    }

    /// Runs the hook at the point `P` with the policy that it belongs to.
    ///
    /// # Errors
    ///
    /// The hook failed, panicked or exceeded its deadline. Whoever asked gets no decision then, and never an allow.
    pub async fn run<P: AosPoint>(
        &self,
        policy: &(dyn Any + Send + Sync),
        payload: &P::In,
        asked: &StepInfo,
    ) -> Result<Reply<P::Changed>, Failure> {
        let Some(answers) = self
            .answers
            .typed::<(Ref<P::In>, Ref<StepInfo>), Reply<P::Changed>>()
        else {
            let message = format!("the hook does not stand at `{}`", P::AT.as_str());
            return Err(Failure::Failed(HookError::new(message)));
        };
        let run = Run::<Reply<P::Changed>>::new(PROTOCOL, P::AT.as_str(), &self.id);
        let run = run.outcome(Reply::usual_message);
        answers
            .within(run, self.deadline, policy, (payload, asked))
            .await
    }
}

/// The engine decides what a failure means, so the guard reports every one.
const fn guard() -> Guard {
    Guard::new(DEADLINE, Posture::Deny)
}

entry!(AosHook: PROTOCOL, |hook| hook.at.as_str(), format!("{PROTOCOL}:{}:{}", hook.at.as_str(), hook.id));

debugs!(AosHook {
    id,
    at,
    priority,
    deadline
});

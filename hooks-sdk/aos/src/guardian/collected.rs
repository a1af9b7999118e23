//! A guardian: a policy with its hooks.

use std::{
    any::{Any, type_name},
    fmt,
    sync::Arc,
};

use super::DecisionRecord;
use crate::{AosAt, AosHook, problems};
use hooks_core::{BuildError, BuildErrors, Hook, Registry};

/// A guardian: a policy whose hooks decide about the steps of agents.
///
/// A clone shares the policy and the hooks.
///
/// ```
/// use std::convert::Infallible;
///
/// use hooks_sdk::{
///     aos::{self, StepInfo, Guardian, ToolCallRequest},
///     core::{Verdict, Violation},
/// };
///
/// struct Office;
///
/// #[hooks_sdk::hooks]
/// impl Office {
///     #[aos::hook(tool_call_request)]
///     async fn no_shell(&self, call: &ToolCallRequest, _asked: &StepInfo) -> Verdict<Infallible> {
///         match &*call.tool_id {
///             "shell" => Verdict::Deny(Violation::new("no shell here")),
///             _ => Verdict::Allow,
///         }
///     }
/// }
///
/// let guardian = Guardian::of(Office);
/// guardian.check()?;
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct Guardian {
    pub(super) policy: Arc<dyn Any + Send + Sync>,
    pub(super) hooks: Arc<Hooks>,
    pub(super) observers: Vec<Arc<Observer>>,
}

pub(super) type Observer = dyn Fn(&DecisionRecord<'_>) + Send + Sync;

/// The hooks of a policy, by point.
pub(super) struct Hooks {
    by_point: Vec<Vec<Standing>>,
    problems: Vec<BuildError>,
}

/// A hook, with its id in the registry.
pub(super) struct Standing {
    pub(super) id: Box<str>,
    pub(super) hook: AosHook,
}

impl Guardian {
    /// Collects the annotated hooks that are linked into this program and belong to the policy, or to any.
    pub fn of<S: Any + Send + Sync>(policy: S) -> Guardian {
        let (registry, problems) = Registry::gather::<S>();
        Guardian::collected(policy, &registry, problems)
    }

    /// Takes the hooks of a registry that belong to the policy, or to any.
    pub fn with<S: Any + Send + Sync>(policy: S, registry: Registry) -> Guardian {
        Guardian::collected(policy, &registry, Vec::new())
    }

    /// The hooks of a server's registry, without the server: [`for_server`](Guardian::for_server) adds it.
    #[doc(hidden)]
    pub fn of_server(registry: &Registry) -> Guardian {
        Guardian::new((), by_point(registry, |_| true), Vec::new())
    }

    /// The same guardian with a server as its policy.
    #[doc(hidden)]
    pub fn for_server(&self, server: Arc<dyn Any + Send + Sync>) -> Guardian {
        Guardian {
            policy: server,
            ..self.clone()
        }
    }

    fn collected<S: Any + Send + Sync>(
        policy: S,
        registry: &Registry,
        mut found: Vec<BuildError>,
    ) -> Guardian {
        found.extend(problems(registry));
        let by_point = by_point(registry, |entry| entry.owner().includes::<S>());
        if found.is_empty() && by_point.iter().all(Vec::is_empty) {
            found.push(BuildError::new(
                None,
                format!("the guardian `{}` has no hooks", type_name::<S>()),
                "write one with `#[aos::hook(…)]`: without a hook no step is decided",
            ));
        }
        Guardian::new(policy, by_point, found)
    }

    fn new<S: Any + Send + Sync>(
        policy: S,
        by_point: Vec<Vec<Standing>>,
        problems: Vec<BuildError>,
    ) -> Guardian {
        Guardian {
            policy: Arc::new(policy),
            hooks: Arc::new(Hooks { by_point, problems }),
            observers: Vec::new(),
        }
    }

    /// Checks the hooks.
    ///
    /// # Errors
    ///
    /// Every problem of a hook; also if there is no hook.
    pub fn check(&self) -> Result<(), BuildErrors> {
        BuildErrors::check(self.hooks.problems.clone())
    }

    /// Returns the points at which hooks stand.
    pub fn points(&self) -> impl Iterator<Item = AosAt> {
        let hooked = |at: &AosAt| !self.hooks.at(*at).is_empty();
        AosAt::ALL.iter().copied().filter(hooked)
    }

    /// Calls a function after each step, with what was decided about it: for an audit, or for a page.
    ///
    /// It is called before the answer leaves, so it has to be quick. It cannot change the decision, and a panic in it is
    /// logged.
    #[must_use]
    pub fn on_decided(
        mut self,
        observer: impl Fn(&DecisionRecord<'_>) + Send + Sync + 'static,
    ) -> Guardian {
        self.observers.push(Arc::new(observer));
        self
    }
}

/// Returns the hooks at each point, in the order in which they run.
fn by_point(registry: &Registry, is_its: impl Fn(&Hook) -> bool) -> Vec<Vec<Standing>> {
    let mut by_point: Vec<Vec<Standing>> = AosAt::ALL.iter().map(|_| Vec::new()).collect();
    for (entry, hook) in registry.details::<AosHook>() {
        if is_its(entry) {
            by_point[hook.at() as usize].push(Standing {
                id: entry.id().into(),
                hook: hook.clone(),
            });
        }
    }
    for standing in &mut by_point {
        // Stable: hooks of one priority keep the registry's order.
        standing.sort_by_key(|it| it.hook.its_priority());
    }
    by_point
}

impl Hooks {
    /// The hooks at a point, in the order in which they run.
    pub(super) fn at(&self, at: AosAt) -> &[Standing] {
        &self.by_point[at as usize]
    }
}

impl fmt::Debug for Guardian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks = self.hooks.by_point.iter().flatten().map(|it| &it.id);
        f.debug_struct("Guardian")
            .field("hooks", &hooks.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

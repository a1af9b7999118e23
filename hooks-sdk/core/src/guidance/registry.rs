//! The open registry, in which hooks can be registered and removed at run time.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use thiserror::Error;

use super::{
    HookDefinition, HookInput, HookQuery, HookType, InvalidHook, Lifecycle, Moment, Queried,
    composed::SkippedHook, definition::DEFAULT_APP, issue::Issue, rule,
};

/// Holds the definitions of hooks, and finds the hooks of a query.
///
/// A clone shares the definitions, so that one copy can change while others are read.
///
/// Implements the Hooks System document, "Registry API".
///
/// ```
/// use hooks_sdk::guidance::{Composer, ContentLoader, HookInput, HookQuery, HookRegistry, HookType, Lifecycle, RequirementLevel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = HookRegistry::with_app("notes")?;
/// let welcome = HookInput::new(HookType::Session, Lifecycle::Start, "welcome", "Welcome", RequirementLevel::Should);
/// registry.register(welcome.text("Read the open notes first."))?;
///
/// let found = registry.query(&HookQuery::at(HookType::Session, Lifecycle::Start));
/// assert_eq!(found[0].id(), "notes:session:start:welcome");
/// # _ = (Composer::new(), ContentLoader::new("hooks"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct HookRegistry {
    app: Arc<str>,
    by_id: HashMap<Arc<str>, Arc<HookDefinition>>,
    all: Vec<Arc<HookDefinition>>,
    by_priority: Vec<Ranked>,
    /// By type and lifecycle, each sorted by priority.
    moments: [Vec<Ranked>; MOMENTS],
}

const MOMENTS: usize = HookType::ALL.len() * Lifecycle::ALL.len();

/// Why a hook could not be registered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Its definition breaks rules.
    #[error(transparent)]
    Invalid(#[from] InvalidHook),
    /// Another hook has its id.
    #[error("Hook with ID '{0}' is already registered")]
    Duplicate(Box<str>),
    /// It is bound to another session or request than the one that registers it.
    #[error(
        "a hook is bound to the session or request that registers it: give `cx.session_id()` or `cx.request_id()`"
    )]
    Elsewhere,
    /// The session or request has reached its maximum number of hooks.
    #[error("the session or request has registered {0} hooks, as many as it may")]
    TooMany(usize),
    /// The maximum number of sessions have registered hooks.
    #[error("as many sessions have registered hooks as can; try again later")]
    TooManySessions,
    /// The server has no guidance, so the hook would never fire.
    #[error("the server has no guidance: collect a guidance hook, or call `Hooked::guidance`")]
    NoRegistry,
}

/// Why none of several hooks was registered: the problem of each wrong hook, with its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterErrors(Vec<(usize, RegisterError)>);

impl HookRegistry {
    /// Makes an empty registry. Hooks without an app get the app `mcp-toolkit`.
    pub fn new() -> HookRegistry {
        HookRegistry {
            app: DEFAULT_APP.into(),
            by_id: HashMap::new(),
            all: Vec::new(),
            by_priority: Vec::new(),
            moments: [const { Vec::new() }; MOMENTS],
        }
    }

    /// Makes an empty registry. Hooks without an app get this app.
    ///
    /// # Errors
    ///
    /// The app is empty.
    pub fn with_app(app: &str) -> Result<HookRegistry, InvalidHook> {
        let problem = rule::app(app).map(|rule| Issue::new(&["app".into()], rule.message()));
        InvalidHook::check(problem.into_iter().collect())?;
        Ok(HookRegistry {
            app: app.into(),
            ..HookRegistry::new()
        })
    }

    /// Returns the app of hooks without an app.
    pub fn app(&self) -> &str {
        &self.app
    }

    /// Registers one hook.
    ///
    /// # Errors
    ///
    /// Its definition is invalid, or another hook has its id. The registry does not change.
    pub fn register(&mut self, input: HookInput) -> Result<&HookDefinition, RegisterError> {
        let hook = Arc::new(HookDefinition::new(input, &self.app)?);
        if self.has(hook.id()) {
            return Err(RegisterError::Duplicate(hook.id().into()));
        }
        self.add(&hook);
        let place = self.all.len();
        self.all.push(hook);
        Ok(&self.all[place])
    }

    /// Registers several hooks, all or none.
    ///
    /// # Errors
    ///
    /// Every hook that is invalid, or whose id a registered hook or an earlier one of these hooks has.
    pub fn register_all(
        &mut self,
        inputs: impl IntoIterator<Item = HookInput>,
    ) -> Result<&[Arc<HookDefinition>], RegisterErrors> {
        let mut hooks: Vec<Arc<HookDefinition>> = Vec::new();
        let mut problems = Vec::new();
        let mut given: HashSet<Arc<str>> = HashSet::new();
        for (at, input) in inputs.into_iter().enumerate() {
            match HookDefinition::new(input, &self.app) {
                Err(invalid) => problems.push((at, invalid.into())),
                Ok(hook) if self.has(hook.id()) || given.contains(hook.id()) => {
                    problems.push((at, RegisterError::Duplicate(hook.id().into())));
                }
                Ok(hook) => {
                    let hook = Arc::new(hook);
                    given.insert(hook.id().into());
                    hooks.push(hook);
                }
            }
        }
        if !problems.is_empty() {
            return Err(RegisterErrors(problems));
        }
        let first = self.all.len();
        for hook in hooks {
            self.add(&hook);
            self.all.push(hook);
        }
        Ok(&self.all[first..])
    }

    /// Returns the hook with this id.
    pub fn get(&self, id: &str) -> Option<&HookDefinition> {
        self.by_id.get(id).map(|hook| &**hook)
    }

    /// Returns whether there is a hook with this id.
    pub fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Removes the hook with this id. Returns whether there was one.
    pub fn unregister(&mut self, id: &str) -> bool {
        let Some(hook) = self.by_id.remove(id) else {
            return false;
        };
        let other = |ranked: &Ranked| !Arc::ptr_eq(&ranked.hook, &hook);
        self.all.retain(|held| !Arc::ptr_eq(held, &hook));
        self.by_priority.retain(other);
        self.moments[hook.moment().index()].retain(other);
        true
    }

    /// Returns whether there is a hook at this moment.
    pub fn has_at(&self, moment: Moment) -> bool {
        !self.moments[moment.index()].is_empty()
    }

    /// Returns every hook, in the order of registration.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &HookDefinition> {
        self.all.iter().map(|hook| &**hook)
    }

    /// Returns the number of hooks.
    pub fn size(&self) -> usize {
        self.all.len()
    }

    /// Removes every hook.
    pub fn clear(&mut self) {
        *self = HookRegistry {
            app: Arc::clone(&self.app),
            ..HookRegistry::new()
        };
    }

    /// Returns the hooks that match the query and whose conditions hold, by priority, higher first, then in the order
    /// of registration.
    pub fn query(&self, query: &HookQuery<'_>) -> Vec<&HookDefinition> {
        let candidates = self.candidates(query);
        let mut found = Vec::with_capacity(candidates.len());
        found.extend(wanted(candidates, query).filter(|hook| hook.conditions_hold(query)));
        found
    }

    /// Like [`query`](HookRegistry::query). Also returns the hooks whose conditions do not hold, each with what is
    /// missing.
    ///
    /// Hooks bound to another session or request are in neither list.
    pub fn query_with_transparency(&self, query: &HookQuery<'_>) -> Queried<'_> {
        let mut queried = Queried::default();
        for hook in wanted(self.candidates(query), query) {
            let conditions = hook.conditions.as_ref();
            match conditions.and_then(|conditions| conditions.unmet(query)) {
                None => queried.hooks.push(hook),
                Some(unmet) => {
                    queried
                        .skipped
                        .push(SkippedHook::conditions(hook.summary(), unmet));
                }
            }
        }
        queried
    }

    fn candidates(&self, query: &HookQuery<'_>) -> &[Ranked] {
        match (query.hook_type, query.lifecycle) {
            (Some(hook_type), Some(lifecycle)) => {
                &self.moments[Moment::new(hook_type, lifecycle).index()]
            }
            _ => &self.by_priority,
        }
    }

    /// Inserts a hook into the lists by priority, after the hooks of the same priority.
    fn add(&mut self, hook: &Arc<HookDefinition>) {
        self.by_id.insert(hook.id().into(), Arc::clone(hook));
        let moment = &mut self.moments[hook.moment().index()];
        for list in [&mut self.by_priority, moment] {
            let place = list.partition_point(|ranked| ranked.priority >= hook.priority());
            list.insert(place, Ranked::of(hook));
        }
    }
}

impl Default for HookRegistry {
    fn default() -> HookRegistry {
        HookRegistry::new()
    }
}

fn wanted<'h>(
    candidates: &'h [Ranked],
    query: &HookQuery<'_>,
) -> impl Iterator<Item = &'h HookDefinition> {
    // If the query asks only for a moment, the definition need not be read.
    let at_moment = query.hook_type.is_some() && query.lifecycle.is_some();
    let look = !at_moment || !query.tags.is_empty();
    let wanted = move |ranked: &&Ranked| ranked.free && !look || query.wants(&ranked.hook);
    candidates.iter().filter(wanted).map(|ranked| &*ranked.hook)
}

/// A hook in a list by priority, with the values that a query checks first.
#[derive(Clone, Debug)]
struct Ranked {
    priority: i64,
    free: bool,
    hook: Arc<HookDefinition>,
}

impl Ranked {
    fn of(hook: &Arc<HookDefinition>) -> Ranked {
        Ranked {
            priority: hook.priority(),
            free: hook.is_free(),
            hook: Arc::clone(hook),
        }
    }
}

impl RegisterErrors {
    /// Returns the problems, each with the index of its hook, from 0.
    pub fn iter(&self) -> impl Iterator<Item = &(usize, RegisterError)> {
        self.0.iter()
    }
}

impl fmt::Display for RegisterErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (hook, problem)) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\n" };
            write!(f, "{separator}hook {hook}: {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RegisterErrors {}

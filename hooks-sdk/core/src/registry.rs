//! The hooks of one server, checked once and then frozen.

use std::{
    any::{Any, type_name},
    collections::{BTreeSet, HashMap, hash_map::Entry},
    sync::Arc,
};

use super::{BuildError, BuildErrors, Hook, Point};

/// A hook as an attribute submits it for collection.
#[derive(Debug)]
#[doc(hidden)]
#[expect(clippy::exhaustive_structs, reason = "built by generated code")]
pub struct Submission {
    pub make: fn() -> Hook,
}

inventory::collect!(Submission);

/// Returns every annotated hook that is linked into this program, of all servers.
#[doc(hidden)]
pub fn linked() -> impl Iterator<Item = Hook> {
    inventory::iter::<Submission>
        .into_iter()
        .map(|submission| (submission.make)())
}

/// The hooks of one server: checked, immutable, cheap to clone.
///
/// Collected hooks are ordered by package, file and line; added hooks by the order of the calls.
///
/// ```standalone_crate
/// use hooks_sdk::{core::Registry, prelude::*};
///
/// struct Notes;
///
/// #[lifecycle::hook(session_end, strength = suggestion, text = "Is there something worth a note?", server = Notes)]
/// struct LastCall;
///
/// let hooks = Registry::collect::<Notes>()?;
/// assert!(hooks.get("last_call").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry(Arc<Hooks>);

#[derive(Debug, Default)]
struct Hooks {
    all: Box<[Hook]>,
    by_id: HashMap<Box<str>, usize>,
}

impl Registry {
    /// Collects the annotated hooks linked into this program that belong to a server held as `H`, or to any server.
    ///
    /// A dependency that no source file names is not linked, and its hooks are missing:
    /// `hooks_sdk::link!` names it.
    ///
    /// # Errors
    ///
    /// Every problem that [`RegistryBuilder::build`] finds. Also if hooks are linked, but none of them is for `H`.
    pub fn collect<H: Any>() -> Result<Registry, BuildErrors> {
        let (registry, problems) = Registry::gather::<H>();
        BuildErrors::check(problems)?;
        Ok(registry)
    }

    /// As [`collect`](Registry::collect), but returns the problems too, so that the caller can add its own.
    #[doc(hidden)]
    pub fn gather<H: Any>() -> (Registry, Vec<BuildError>) {
        let mut hooks: Vec<Hook> = linked()
            .filter(|hook| hook.owner().includes::<H>())
            .collect();
        if hooks.is_empty() && linked().next().is_some() {
            return (Registry::default(), vec![none_for::<H>()]);
        }
        // The hooks of one `macro_rules!` body can have the same place.
        hooks.sort_by(|a, b| a.origin().cmp(&b.origin()).then_with(|| a.id().cmp(b.id())));
        RegistryBuilder { hooks }.check()
    }

    /// Starts a registry made by hand, for generic servers and for authors who do not want collected hooks.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Returns the hooks, in registry order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Hook> {
        self.0.all.iter()
    }

    /// Returns the hook with this id.
    pub fn get(&self, id: &str) -> Option<&Hook> {
        self.0.by_id.get(id).map(|&at| &self.0.all[at])
    }

    /// Returns the hooks at the point `P`, in registry order.
    pub fn at<P: Point>(&self) -> impl Iterator<Item = &Hook> {
        self.iter()
            .filter(|hook| hook.protocol() == P::PROTOCOL && hook.point() == P::METHOD)
    }

    /// Returns each hook whose protocol stores a `D` in it, with that `D`, in registry order.
    pub fn details<D: Any>(&self) -> impl Iterator<Item = (&Hook, &D)> {
        self.iter()
            .filter_map(|hook| Some((hook, hook.detail::<D>()?)))
    }
}

/// Hooks added one by one.
#[derive(Clone, Debug, Default)]
pub struct RegistryBuilder {
    hooks: Vec<Hook>,
}

impl RegistryBuilder {
    /// Adds one hook, after the hooks added before.
    #[must_use]
    #[expect(
        clippy::should_implement_trait,
        reason = "adding a hook is no arithmetic"
    )]
    pub fn add(mut self, hook: Hook) -> RegistryBuilder {
        self.hooks.push(hook);
        self
    }

    /// Checks the hooks and builds the registry.
    ///
    /// # Errors
    ///
    /// Two hooks have the same id; one problem for each such id.
    pub fn build(self) -> Result<Registry, BuildErrors> {
        let (registry, problems) = self.check();
        BuildErrors::check(problems)?;
        Ok(registry)
    }

    fn check(self) -> (Registry, Vec<BuildError>) {
        let mut problems = Vec::new();
        let mut by_id: HashMap<Box<str>, usize> = HashMap::with_capacity(self.hooks.len());
        for (at, hook) in self.hooks.iter().enumerate() {
            match by_id.entry(hook.id().into()) {
                Entry::Vacant(entry) => _ = entry.insert(at),
                Entry::Occupied(first) => problems.push(BuildError::new(
                    hook.origin(),
                    format!(
                        "a second hook with the id `{}`; the first is at {}",
                        hook.id(),
                        self.hooks[*first.get()].origin()
                    ),
                    "rename one of them, or give it another `id = \"…\"`",
                )),
            }
        }
        (
            Registry(Arc::new(Hooks {
                all: self.hooks.into(),
                by_id,
            })),
            problems,
        )
    }
}

fn none_for<H>() -> BuildError {
    let hooks: Vec<Hook> = linked().collect();
    let owners: BTreeSet<&str> = hooks
        .iter()
        .filter_map(|hook| hook.owner().name())
        .collect();
    let owners: Vec<&str> = owners.into_iter().collect();
    BuildError::new(
        hooks.iter().map(Hook::origin).min(),
        format!(
            "hooks are linked, but none of them is for `{}`",
            type_name::<H>()
        ),
        format!(
            "collect for one of the servers that have hooks: `{}`",
            owners.join("`, `")
        ),
    )
}

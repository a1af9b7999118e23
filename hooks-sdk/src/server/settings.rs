//! The author's settings of a server, and the stations that they require.

use std::sync::Arc;

#[cfg(feature = "aos")]
use super::rooms::aos::{AosStation, MessagesStation, Serves};
#[cfg(feature = "mcpl")]
use super::rooms::mcpl::Mcpl;
#[cfg(feature = "policy")]
use super::rooms::plugin::AuditStation;
#[cfg(feature = "plugin")]
use super::rooms::plugin::{Built, ListsStation, PluginStation, Policy, RecheckStation};
use super::{
    capability::Places,
    hooks::Hooks,
    rooms::{
        gate::{Gate, Seal, Sessions},
        guidance::{Guidance, GuidanceStation, Guide},
        lifecycle::Lifecycle,
        observer::{Called, Observer},
        skills::SkillsStation,
    },
    way::{Author, CallDeadline, Place, Station, Stations},
};
#[cfg(feature = "aos")]
use crate::aos;
#[cfg(feature = "mcpl")]
use crate::mcpl;
#[cfg(feature = "plugin")]
use crate::plugin;
use crate::{
    core::{BuildError, BuildErrors, Registry},
    guidance, lifecycle,
    store::Store,
};

/// The author's settings of a server. [`Collected`](super::Collected), [`Hooked`](super::Hooked) and a program share
/// this type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(super) places: Places,
    pub(crate) sessions: Option<Sessions>,
    pub(crate) guidance: Option<Guidance>,
    #[cfg(feature = "mcpl")]
    pub(crate) mcpl: Option<mcpl::McplSettings>,
    #[cfg(feature = "plugin")]
    pub(crate) policy: Option<Policy>,
    #[cfg(feature = "aos")]
    pub(crate) guardian: Option<aos::GuardianClient>,
    pub(super) observer: Option<Observer>,
    pub(crate) call_deadline: Option<CallDeadline>,
    pub(super) shared: Option<Shared>,
    /// Set for a server that runs none of the author's tools.
    #[cfg(feature = "cli")]
    pub(super) dry: Option<Arc<super::dry::Dry>>,
}

/// What the replicas of a server share. A room uses it unless the author set something else for that room.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Store>,
    /// The keys that seal what clients bring back.
    #[cfg(any(feature = "http", feature = "plugin"))]
    pub(crate) keys: Arc<rmcp::model::RequestStateCodec>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// The prepared guidance, or `None` if the server has none.
pub(super) type Prepared = Result<Option<Arc<Guide>>, BuildErrors>;

impl Settings {
    /// Sets the function that the SDK calls when a call has ended.
    pub(super) fn observed_by(&mut self, observer: impl Fn(Called) + Send + Sync + 'static) {
        self.observer = Some(Observer::new(observer));
    }

    /// Replaces each setting that `other` has.
    #[cfg(feature = "cli")]
    pub(super) fn override_with(&mut self, other: Settings) {
        self.sessions = other.sessions.or(self.sessions.take());
        self.guidance = other.guidance.or(self.guidance.take());
        self.call_deadline = other.call_deadline.or(self.call_deadline);
        #[cfg(feature = "mcpl")]
        {
            self.mcpl = other.mcpl.or(self.mcpl);
        }
        #[cfg(feature = "plugin")]
        {
            self.policy = other.policy.or(self.policy.take());
        }
        #[cfg(feature = "aos")]
        {
            self.guardian = other.guardian.or(self.guardian.take());
        }
    }

    /// Returns the guidance settings only.
    #[cfg(feature = "cli")]
    pub(crate) fn of_guidance(&self) -> Settings {
        Settings {
            guidance: self.guidance.clone(),
            ..Settings::default()
        }
    }

    /// Prepares the guidance of these hooks.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings do not fit the hooks.
    pub(super) fn guide(&self, hooks: &Registry) -> Prepared {
        let has_hooks = || hooks.details::<guidance::GuidanceHook>().next().is_some();
        if self.guidance.is_none() && !has_hooks() {
            return Ok(None);
        }
        let settings = self.guidance.clone().unwrap_or_default();
        let shared = self.shared.as_ref().map(|shared| shared.store.clone());
        Guide::prepare(settings, hooks, shared).map(|guide| Some(Arc::new(guide)))
    }

    /// Returns the stations for the author's server. It reuses the stations of `before`, except those at places that
    /// `changed`.
    ///
    /// # Errors
    ///
    /// Returns every changed setting that does not fit the server.
    pub(super) fn stations(
        &self,
        hooks: &Arc<Hooks>,
        guide: impl FnOnce() -> Prepared,
        author: &dyn Author,
        before: Option<(&Stations, &[Place])>,
    ) -> Result<Arc<Stations>, BuildErrors> {
        let registry = &hooks.registry;
        let mut building = Building {
            author,
            before,
            stations: Vec::new(),
            problems: Vec::new(),
        };
        building.add(Place::Observer, || Ok(self.observer.clone().map(boxed)));
        let mut seal = None;
        building.add(Place::Gate, || {
            let Some(sessions) = &self.sessions else {
                return Ok(None);
            };
            let sessions = match &self.shared {
                Some(shared) => &sessions.clone().store_if_none(shared.store.clone()),
                None => sessions,
            };
            let gate = Arc::new(Gate::prepare(sessions, registry, &|name| {
                author.tool(name)
            })?);
            seal = Some(boxed(Seal(gate.clone())));
            Ok(Some(gate))
        });
        building.add(Place::Seal, || Ok(seal));
        building.add(Place::Guidance, || {
            let station = |guide| boxed(GuidanceStation::new(guide, self.places.clone()));
            Ok(guide()?.map(station))
        });
        let has_guidance = building.has(Place::Guidance);
        building.add(Place::Lifecycle, || {
            let lifecycle = Lifecycle::new(hooks.clone(), self.places.clone());
            Ok((has_guidance || !hooks.declarations.is_empty()).then(|| boxed(lifecycle)))
        });
        #[cfg(feature = "cli")]
        building.add(Place::Dry, || {
            Ok(self
                .dry
                .clone()
                .map(|dry| boxed(super::dry::DryStation(dry))))
        });
        building.add(Place::Skills, || Ok(SkillsStation::of(registry).map(boxed)));
        #[cfg(feature = "plugin")]
        {
            let mut built = None;
            building.add(Place::Plugin, || {
                let sessions = self.sessions.as_ref();
                let principal = sessions.and_then(|sessions| sessions.principal.clone());
                let (policy, shared) = (self.policy.as_ref(), self.shared.as_ref());
                built = Built::build(policy, principal, shared, registry, author)?;
                Ok(built.clone().map(|built| boxed(PluginStation(built))))
            });
            #[cfg(feature = "policy")]
            building.add(Place::Audit, || {
                Ok(built.clone().and_then(AuditStation::of).map(boxed))
            });
            building.add(Place::Lists, || {
                let Some(built) = built.clone().filter(|built| built.has_lists()) else {
                    return Ok(None);
                };
                let mut problems = built.list_problems(author);
                if let Some(Ok(machine)) = self.sessions.as_ref().map(|sessions| &sessions.machine)
                {
                    problems.extend(built.hidden_opening(machine.opening_tools(), author));
                }
                BuildErrors::check(problems)?;
                Ok(Some(boxed(ListsStation(built))))
            });
            building.add(Place::Recheck, || {
                Ok(built.map(|built| boxed(RecheckStation(built))))
            });
        }
        #[cfg(feature = "aos")]
        building.add(Place::Messages, || {
            let guardian = self.guardian.as_ref();
            let station = guardian.and_then(|client| MessagesStation::new(client, author));
            Ok(station.map(boxed))
        });
        #[cfg(feature = "aos")]
        building.add(Place::Serves, || Ok(Serves::new(registry).map(boxed)));
        #[cfg(feature = "aos")]
        building.add(Place::Guardian, || {
            let Some(client) = &self.guardian else {
                return Ok(None);
            };
            let sessions = self.sessions.as_ref();
            let principal = sessions.and_then(|sessions| sessions.principal.clone());
            let station = AosStation::build(client, principal, registry, author)?;
            Ok(Some(boxed(station)))
        });
        #[cfg(feature = "mcpl")]
        building.add(Place::Mcpl, || {
            Ok(Mcpl::new(registry, self.mcpl.unwrap_or_default()).map(boxed))
        });
        BuildErrors::check(building.problems)?;
        let stations = Stations::new(building.stations);
        Ok(Arc::new(stations.with_deadline(self.call_deadline)))
    }
}

/// The stations that [`Settings::stations`] builds.
struct Building<'b> {
    author: &'b dyn Author,
    before: Option<(&'b Stations, &'b [Place])>,
    stations: Vec<Arc<dyn Station>>,
    problems: Vec<BuildError>,
}

impl Building<'_> {
    fn add(
        &mut self,
        place: Place,
        make: impl FnOnce() -> Result<Option<Arc<dyn Station>>, BuildErrors>,
    ) {
        let kept = self.before.filter(|(_, changed)| !changed.contains(&place));
        if let Some((before, _)) = kept {
            self.stations.extend(before.at(place).cloned());
            return;
        }
        match make() {
            Ok(None) => {}
            Ok(Some(station)) => {
                self.problems.extend(station.misfits(self.author));
                self.stations.push(station);
            }
            Err(problems) => self.problems.extend(problems),
        }
    }

    fn has(&self, place: Place) -> bool {
        self.stations.iter().any(|station| station.place() == place)
    }
}

fn boxed(station: impl Station) -> Arc<dyn Station> {
    Arc::new(station)
}

/// Returns the problems of hooks that do not depend on a server.
pub(super) fn problems(hooks: &Registry) -> Vec<BuildError> {
    let mut problems = lifecycle::problems(hooks);
    problems.extend(guidance::problems(hooks));
    #[cfg(feature = "aos")]
    problems.extend(aos::problems(hooks));
    #[cfg(feature = "mcpl")]
    problems.extend(mcpl::problems(hooks));
    #[cfg(feature = "plugin")]
    problems.extend(plugin::problems(hooks));
    problems
}

//! What an author says about the hooks of a server, and the stations that follow from it.

use std::sync::Arc;

#[cfg(feature = "mcpl")]
use super::rooms::mcpl::Mcpl;
use super::{
    capability::Places,
    hooks::Hooks,
    rooms::{
        gate::{Gate, Seal, Sessions},
        guidance::{Guidance, GuidanceStation, Guide},
        lifecycle::Lifecycle,
        observer::{Called, Observer},
    },
    way::{Author, Place, Station, Stations},
};
#[cfg(feature = "mcpl")]
use crate::mcpl;
use crate::{
    core::{BuildError, BuildErrors, Registry},
    guidance, lifecycle,
};

/// What an author says about the hooks of a server: the same for [`Collected`](super::Collected),
/// [`Hooked`](super::Hooked) and a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(super) places: Places,
    pub(crate) sessions: Option<Sessions>,
    pub(crate) guidance: Option<Guidance>,
    #[cfg(feature = "mcpl")]
    pub(crate) mcpl: Option<mcpl::McplSettings>,
    pub(super) observer: Option<Observer>,
}

/// Guidance that is ready to be composed, where there is some.
pub(super) type Prepared = Result<Option<Arc<Guide>>, BuildErrors>;

impl Settings {
    /// Takes a function that is called when a call has ended.
    pub(super) fn observed_by(&mut self, observer: impl Fn(Called) + Send + Sync + 'static) {
        self.observer = Some(Observer::new(observer));
    }

    /// Takes those of `other`, where it has them.
    #[cfg(feature = "cli")]
    pub(super) fn override_with(&mut self, other: Settings) {
        self.sessions = other.sessions.or(self.sessions.take());
        self.guidance = other.guidance.or(self.guidance.take());
        #[cfg(feature = "mcpl")]
        {
            self.mcpl = other.mcpl.or(self.mcpl);
        }
    }

    /// What these settings say of guidance, and nothing else.
    #[cfg(feature = "cli")]
    pub(crate) fn of_guidance(&self) -> Settings {
        Settings {
            guidance: self.guidance.clone(),
            ..Settings::default()
        }
    }

    /// The guidance of these hooks.
    ///
    /// # Errors
    ///
    /// The settings do not fit the hooks.
    pub(super) fn guide(&self, hooks: &Registry) -> Prepared {
        let has_hooks = || hooks.details::<guidance::GuidanceHook>().next().is_some();
        if self.guidance.is_none() && !has_hooks() {
            return Ok(None);
        }
        let settings = self.guidance.clone().unwrap_or_default();
        Guide::prepare(settings, hooks).map(|guide| Some(Arc::new(guide)))
    }

    /// The stations for the author's server: those `before`, but for the ones at places that `changed`.
    ///
    /// # Errors
    ///
    /// Everything that changed and does not fit the server.
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
        #[cfg(feature = "mcpl")]
        building.add(Place::Mcpl, || {
            Ok(Mcpl::new(registry, self.mcpl.unwrap_or_default()).map(boxed))
        });
        BuildErrors::check(building.problems)?;
        Ok(Arc::new(Stations::new(building.stations)))
    }
}

/// Stations that are being made.
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

/// What is wrong with hooks, whatever server they are for.
pub(super) fn problems(hooks: &Registry) -> Vec<BuildError> {
    let mut problems = lifecycle::problems(hooks);
    problems.extend(guidance::problems(hooks));
    #[cfg(feature = "mcpl")]
    problems.extend(mcpl::problems(hooks));
    problems
}

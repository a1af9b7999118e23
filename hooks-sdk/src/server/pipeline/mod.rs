//! The way of a request through the stations to the author's server and back. Only this file defines their order.

mod asked;
mod author;
#[cfg(test)]
mod book;
mod call;
mod deadline;
mod exit;
mod greeting;
mod guarded;
mod late;
mod listening;
mod lists;
mod marks;
mod messages;
mod observed;
mod reach;
mod served;
mod shown;
mod station;
mod tasks;
#[cfg(all(test, feature = "testing"))]
mod trial;

use std::{fmt, ops::Range, sync::Arc};

use futures::future::BoxFuture;
use rmcp::{ErrorData, RoleServer, model::CustomNotification, service::RequestContext};

pub(super) use asked::{Answer, Asked, Named, misplaced};
pub(super) use author::Author;
pub(super) use call::{Call, Change, Meeting, Prepared, Refused, Request, Viewer};
pub use deadline::CallDeadline;
pub(super) use deadline::Clock;
pub(super) use guarded::failed;
pub(super) use listening::NamedForClients;
pub(crate) use messages::{Decider, Envelope, Passing, Seen, Toward};
pub(super) use served::Served;
#[cfg(any(feature = "http", feature = "mcpl", feature = "plugin"))]
pub(super) use station::Leaving;
pub(super) use station::{Flow, Item, Place, Shown, Station, Step};

use self::{
    deadline::Timed,
    exit::{Id, without_cancelled},
    guarded::{answered, step},
    lists::Listing,
    observed::{Observed, until},
    served::{Definitions, ServedTools},
    shown::Family,
    tasks::{Owner, Tasks},
};
use super::{
    connection::{Connection, Wants},
    methods::Content,
};
use crate::core::dispatch::catch_panic_now;

/// The stations of a handshake, in order.
const GREETING: &[Place] = &[Place::Gate, Place::Guidance, Place::Lifecycle, Place::Mcpl];

/// The stations before the author's server, in order.
const BEFORE: &[Place] = &[
    Place::Messages,
    Place::Observer,
    Place::Audit,
    Place::Lists,
    Place::Gate,
    Place::Plugin,
    Place::Guardian,
    Place::Recheck,
    Place::Skills,
    Place::Guidance,
    Place::Serves,
    Place::Mcpl,
    Place::Dry,
];

/// The stations after the author's server, in order. This order is not the reverse of the order before the server.
const AFTER: &[Place] = &[
    Place::Mcpl,
    Place::Skills,
    Place::Lists,
    Place::Plugin,
    Place::Guardian,
    Place::Recheck,
    Place::Dry,
    Place::Gate,
    Place::Guidance,
    Place::Seal,
    Place::Observer,
    Place::Audit,
];

/// The stations that judge the contents of answers. They stand side by side in [`AFTER`].
const JUDGES: &[Place] = &[Place::Plugin, Place::Guardian];

/// The stations of a server, in the orders in which requests pass them.
pub(super) struct Stations {
    all: Vec<Arc<dyn Station>>,
    greeting: Vec<Arc<dyn Station>>,
    before: Vec<Arc<dyn Station>>,
    /// Each station with its index in `before`, if it is there.
    after: Vec<(Option<usize>, Arc<dyn Station>)>,
    /// The stations in `after` that judge contents.
    judging: Range<usize>,
    wants: Wants,
    served: ServedTools,
    tasks: Tasks,
    deadline: Option<CallDeadline>,
}

impl Stations {
    pub(super) fn new(all: Vec<Arc<dyn Station>>) -> Stations {
        let at = |place: &Place| all.iter().find(|station| station.place() == *place);
        let in_order = |places: &[Place]| -> Vec<Arc<dyn Station>> {
            places.iter().filter_map(at).cloned().collect()
        };
        let before = in_order(BEFORE);
        let passed = |after: &Arc<dyn Station>| {
            before
                .iter()
                .position(|station| station.place() == after.place())
        };
        let after = in_order(AFTER);
        let judges = |station: &Arc<dyn Station>| JUDGES.contains(&station.place());
        let judging = match (
            after.iter().position(judges),
            after.iter().rposition(judges),
        ) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        };
        let after = after.into_iter();
        let wants = all.iter().map(|station| station.wants());
        Stations {
            greeting: in_order(GREETING),
            judging,
            deadline: None,
            after: after.map(|station| (passed(&station), station)).collect(),
            wants: wants.fold(Wants::NOTHING, |all, wants| all | wants),
            served: ServedTools::of(all.iter()),
            before,
            all,
            tasks: Tasks::default(),
        }
    }

    /// Returns the station at `place`.
    pub(super) fn at(&self, place: Place) -> Option<&Arc<dyn Station>> {
        self.all.iter().find(|station| station.place() == place)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<dyn Station>> {
        self.all.iter()
    }
}

/// A server with its stations.
#[derive(Clone)]
pub(super) struct Way {
    author: Arc<dyn Author>,
    /// Of this author's server: servers that share the stations may have other tools.
    definitions: Arc<Definitions>,
    stations: Arc<Stations>,
}

impl Way {
    pub(super) fn new(author: Arc<dyn Author>, stations: Arc<Stations>) -> Way {
        Way {
            author,
            definitions: Arc::default(),
            stations,
        }
    }

    /// Returns the author's server.
    pub(super) fn author(&self) -> &Arc<dyn Author> {
        &self.author
    }

    pub(super) fn stations(&self) -> &Arc<Stations> {
        &self.stations
    }

    /// Returns whether a guardian may change requests.
    #[cfg(feature = "plugin")]
    pub(super) fn is_guarded(&self) -> bool {
        self.stations.at(Place::Guardian).is_some()
    }

    /// Returns what the stations want to know about each message.
    pub(super) fn wants(&self) -> Wants {
        self.stations.wants
    }

    /// Lets the stations take a notification that is theirs. Returns whether a station took it.
    pub(super) fn notice(
        &self,
        notification: &mut CustomNotification,
        connection: &Connection,
    ) -> bool {
        let mut stations = self.stations.all.iter();
        stations.any(|station| {
            catch_panic_now(|| station.notice(notification, connection)).unwrap_or_else(|failure| {
                failed("a notification", &failure);
                true
            })
        })
    }

    /// Answers a request, whatever a station or the author's server does.
    ///
    /// The future is boxed because rmcp moves the future of a request several times. Rare futures inside of it have boxes
    /// of their own, so that it stays small.
    pub(super) fn run<'a>(
        &'a self,
        asked: Asked,
        cx: RequestContext<RoleServer>,
        connection: Arc<Connection>,
    ) -> BoxFuture<'a, Result<Answer, ErrorData>> {
        let observed = Observed::of(&asked, &cx, self);
        let clock = self.stations.clock(Family::of(&asked), &cx.extensions);
        match asked {
            _ if self.stations.all.is_empty() && clock.is_none() => {
                let method = asked.method();
                until(observed, answered(method, self.author.ask(asked, cx)))
            }
            Asked::Initialize(_) | Asked::Discover() => {
                until(observed, self.greet(asked, cx, connection))
            }
            _ => {
                let request = Box::new(Request { asked, cx });
                until(observed, self.pass(request, connection, clock))
            }
        }
    }

    async fn pass(
        &self,
        mut request: Box<Request>,
        connection: Arc<Connection>,
        clock: Option<Arc<Clock>>,
    ) -> Result<Answer, ErrorData> {
        let method = &*request.asked.method();
        let family = Family::of(&request.asked);
        let _id = Id::of(&request.cx.extensions);
        let cancelled = request.cx.ct.clone();
        let owner = (self.judges_tasks()).then(|| Owner::of(&request.cx, &connection));
        let mut call = Call::new(&request.asked, connection);
        self.find_served(&mut call);
        let listing = Listing::of(&request.asked, &request.cx, &call, &self.stations);
        let is_late = self.judges_tasks() && request.asked.content() == Some(Content::Task);
        let late = (owner.as_ref())
            .and_then(|owner| self.stations.tasks.fetched_by(owner, &request.asked));
        let (passed, early) = self.before(method, &mut request, &mut call).await;
        call.reached = early.is_none();
        let kept = || call.kept.take().map(|Prepared(answer)| Box::new(answer));
        let mut answer = match early.or_else(kept) {
            Some(answer) => *answer,
            None => match (clock, family) {
                (Some(clock), Some(family)) => {
                    let token = cancelled.child_token();
                    let timed = Timed {
                        clock,
                        family,
                        token: token.clone(),
                    };
                    request.cx.ct = token;
                    Box::pin(self.reach_in_time(method, request, timed, &cancelled, &mut call))
                        .await
                }
                _ => {
                    let answer = self.begin(*request, &call);
                    let answer = answered(method, answer);
                    self.reach(method, answer, &cancelled, &mut call).await
                }
            },
        };
        if let Some(listing) = &listing {
            listing.join(&mut answer, &self.stations);
        }
        if !call.is_cancelled {
            self.after(method, family, passed, &mut call, &mut answer)
                .await;
        }
        if let Some(listing) = listing {
            listing.show(&mut answer, &self.stations);
        }
        if let Some(call) = late {
            let mut call = call.lock().await;
            Box::pin(self.late(method, &mut call, &mut answer)).await;
        } else if is_late {
            Box::pin(self.late(method, &mut call, &mut answer)).await;
        }
        without_cancelled(&cancelled, &mut answer);
        for (_, station) in &self.stations.after {
            let ended = catch_panic_now(|| station.ended(&mut call, &answer));
            if let Err(failure) = ended {
                tracing::error!(method, error = %failure, "a station failed after the end of a request");
            }
        }
        if let Some(owner) = owner {
            self.stations.keep_task(owner, call, &answer);
        }
        answer
    }

    fn find_served(&self, call: &mut Call) {
        let served = call.tool.as_ref();
        let served = served.and_then(|tool| self.stations.served.get(tool));
        call.served = served.map(|(served, _)| served.clone());
    }

    /// Passes a request through the stations before the author's server. Returns how many stations let it go on, and
    /// the answer of the station that did not.
    async fn before(
        &self,
        method: &str,
        request: &mut Request,
        call: &mut Call,
    ) -> (usize, Option<Box<Result<Answer, ErrorData>>>) {
        let stations = &self.stations.before;
        for (at, station) in stations.iter().enumerate() {
            let flow = step(method, || station.before(request, call, self)).await;
            let renamed = self.is_renamed(request, call);
            let mut place = station.place();
            let flow = match flow {
                Ok(Flow::On) if !renamed => continue,
                // If the gate comes later, it sees the change. If it came earlier, it decides again.
                Ok(Flow::On | Flow::Again) => match self.gate_before(at) {
                    Some(gate) => {
                        place = Place::Gate;
                        step(method, || gate.before(request, call, self)).await
                    }
                    None => continue,
                },
                other => other,
            };
            call.stopped = Some(place);
            match flow {
                Ok(Flow::On | Flow::Again) => call.stopped = None,
                Ok(Flow::Answer(answer)) => return (at, Some(answer)),
                Err(error) => return (at, Some(Box::new(Err(error)))),
            }
        }
        (stations.len(), None)
    }

    /// Returns whether a station gave the call another tool. That tool then becomes the tool of the call.
    fn is_renamed(&self, request: &Request, call: &mut Call) -> bool {
        let Asked::CallTool(asked) = &request.asked else {
            return false;
        };
        let renamed = call.tool.as_ref() != Some(&asked.name);
        if renamed {
            call.tool = Some(asked.name.clone());
            self.find_served(call);
        }
        renamed
    }

    /// Returns the gate, if a call passes it before the station at index `at`.
    fn gate_before(&self, at: usize) -> Option<&Arc<dyn Station>> {
        let mut before = self.stations.before[..at].iter();
        before.find(|station| station.place() == Place::Gate)
    }
}

impl fmt::Debug for Stations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Way")
            .field("stations", &self.stations)
            .finish_non_exhaustive()
    }
}

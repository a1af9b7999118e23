//! One connection to an MCPL host: its policy, its feature sets, its channels, and the tasks that live with it.

mod call;
mod cx;
mod dispatch;
mod gate;
mod host;
mod host_grants;
mod host_info;
mod lane;
mod live;
mod send_error;
mod settings;
mod transport;

use std::{
    any::Any,
    collections::BTreeSet,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard},
};

use futures::{
    FutureExt,
    future::{join_all, select},
};
use serde_json::{Map, Value};
use tokio::{sync::watch, task::AbortHandle};

use self::{
    cx::DeferredWork, dispatch::channels::OpenChannels, host_grants::DeclaredSet, lane::Lane,
    live::Live,
};
use super::{Derived, Position, Version, derived::DerivedSet, point, wire::path};
use hooks_core::internal::{catch_panic, debugs, lock};

pub use self::host_grants::HostPolicy;
pub use self::{
    call::{Call, ScopeDecider, ScopeDecision},
    cx::{Context, Enabled},
    host::{FeatureSetChange, Host, InferenceStream},
    send_error::SendError,
    settings::McplSettings,
};
#[doc(hidden)]
pub use self::{
    dispatch::{AfterSend, DispatchedAnswer},
    host_info::HostInfo,
    lane::{LAST_JOBS, LaneTurn},
    transport::{ChunkSink, Outgoing, Wire, WireError},
};

/// One connection to a host that advertised MCPL. Its grants, registrations and announcements end with it.
#[doc(hidden)]
pub struct Link {
    version: Version,
    derived: Arc<Derived>,
    server: Arc<dyn Any + Send + Sync>,
    settings: McplSettings,
    wire: Wire,
    /// Whether the server can send requests to the host. MCP 2026-07-28 has no requests from servers to clients.
    asks: bool,
    host: Arc<HostInfo>,
    live: Mutex<Live>,
    phase: watch::Sender<LinkPhase>,
    turns: Lane,
    outgoing: Lane,
    channels: Lane,
}

/// The phases of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkPhase {
    AwaitingPolicy,
    Active,
    Closed,
}

impl Link {
    /// Opens a connection to a host. `asks` is whether the server can send requests to it.
    #[doc(hidden)]
    pub fn open(
        version: Version,
        derived: Arc<Derived>,
        server: Arc<dyn Any + Send + Sync>,
        settings: McplSettings,
        wire: Wire,
        asks: bool,
        host: HostInfo,
    ) -> Arc<Link> {
        let present = derived
            .sets()
            .filter(|set| set.is_declared_to(version, asks))
            .map(DerivedSet::definition)
            .filter(|set| !set.later)
            .map(|set| set.name)
            .collect();
        let link = Arc::new(Link {
            version,
            derived,
            server,
            settings,
            wire,
            asks,
            host: Arc::new(host),
            live: Mutex::new(Live::new(version, present)),
            phase: watch::Sender::new(LinkPhase::AwaitingPolicy),
            turns: Lane::default(),
            outgoing: Lane::default(),
            channels: Lane::default(),
        });
        if let (Some(silent), Version::V04) = (settings.silent, version) {
            let opened = Arc::downgrade(&link);
            tokio::spawn(async move {
                tokio::time::sleep(silent).await;
                if let Some(link) = opened.upgrade() {
                    link.open_to_silent_host();
                }
            });
        }
        link
    }

    /// Returns what the handshake says of the host.
    #[doc(hidden)]
    pub fn info(&self) -> &Arc<HostInfo> {
        &self.host
    }

    /// Returns what the host advertised under `experimental.mcpl`.
    fn host(&self) -> &Value {
        &self.host.advertised
    }

    /// Returns the object for `experimental.mcpl`: the server's capabilities, and the feature sets that it declares
    /// now.
    #[doc(hidden)]
    pub fn declaration(&self) -> Map<String, Value> {
        let present = self.live().present.clone();
        let present = |name: &str| present.contains(name);
        self.derived
            .declaration_for(self.version, self.asks, &present)
    }

    /// Completes when the hooks have seen all that the host sent.
    #[doc(hidden)]
    pub fn finished(&self) -> impl Future<Output = ()> + Send + 'static {
        let lanes = [&self.turns, &self.outgoing, &self.channels].map(Clone::clone);
        join_all(lanes.map(Lane::idle)).map(drop)
    }

    /// Ends everything that belongs to the connection. The hooks still see what the host sent before.
    #[doc(hidden)]
    pub fn close(&self) {
        self.phase.send_replace(LinkPhase::Closed);
        for lane in [&self.turns, &self.outgoing, &self.channels] {
            lane.close();
        }
        let running = std::mem::take(&mut self.live().running);
        for task in running.into_values().flatten() {
            task.abort();
        }
    }

    /// Completes when the connection has ended.
    fn closed(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut phase = self.phase.subscribe();
        async move {
            // An error means that the link itself is dropped.
            _ = phase.wait_for(|phase| *phase == LinkPhase::Closed).await;
        }
    }

    /// Runs the work that waited until an answer was sent.
    fn after(self: &Arc<Link>, work: Vec<DeferredWork>) {
        for work in work {
            let host = Host::of(self.clone());
            let closed = self.closed();
            tokio::spawn(async move {
                // Whichever comes first: the work completes, or the connection ends.
                let done = catch_panic(async move {
                    select(work(host), pin!(closed)).await;
                });
                if let Err(failure) = done.await {
                    tracing::error!(
                        target: "hooks_sdk::mcpl",
                        error = %failure, "work after an answer failed"
                    );
                }
            });
        }
    }

    /// Called when the answer to policy `number` is sent. It supersedes earlier policies, answered or not.
    fn answered(self: &Arc<Link>, number: u64) {
        self.live()
            .unanswered
            .retain(|(before, _)| *before > number);
        self.activate();
    }

    /// Opens the senders, now that the host knows that its policy arrived, and starts the `enabled` hooks.
    fn activate(self: &Arc<Link>) {
        self.phase.send_if_modified(|phase| {
            let waits = *phase == LinkPhase::AwaitingPolicy;
            if waits {
                *phase = LinkPhase::Active;
            }
            waits
        });
        self.settle();
    }

    /// Waits for the policy of a 0.4 host that may stay silent, at most as long as such a host has.
    async fn policy_arrives(&self) {
        if let (Some(silent), Version::V04) = (self.settings.silent, self.version) {
            let mut phase = self.phase.subscribe();
            let arrived = phase.wait_for(|phase| *phase != LinkPhase::AwaitingPolicy);
            _ = tokio::time::timeout(silent, arrived).await;
        }
    }

    /// Stops the `enabled` hooks of sets that are no longer usable.
    fn stop_revoked(&self) {
        self.stop(&mut self.live());
    }

    /// Stops the `enabled` hooks of unusable sets, and returns the usable sets.
    fn stop(&self, live: &mut Live) -> BTreeSet<&'static str> {
        let usable: BTreeSet<&'static str> = live
            .present
            .iter()
            .copied()
            .filter(|name| self.works(live, name))
            .collect();
        live.running.retain(|name, tasks| {
            let runs_on = usable.contains(name);
            if !runs_on {
                tasks.iter().for_each(AbortHandle::abort);
            }
            runs_on
        });
        usable
    }

    /// Starts the `enabled` hooks of sets that are now usable, and stops those of sets that are not.
    fn settle(self: &Arc<Link>) {
        let mut live = self.live();
        // Under the lock, so that `close` finds the tasks started here.
        if *self.phase.borrow() != LinkPhase::Active {
            return;
        }
        for name in self.stop(&mut live) {
            if !live.running.contains_key(name) {
                let tasks = self.start(name);
                live.running.insert(name, tasks);
            }
        }
    }

    /// Runs each `enabled` hook of a set in its own task.
    fn start(self: &Arc<Link>, name: &'static str) -> Vec<AbortHandle> {
        let hooks = self.derived.hooks_at::<point::enabled>().enumerate();
        hooks
            .filter(|(_, hook)| hook.definition().name == name)
            .map(|(at, _)| {
                let link = self.clone();
                let task = tokio::spawn(async move {
                    let Some(hook) = link.derived.hooks_at::<point::enabled>().nth(at) else {
                        return;
                    };
                    let cx = link.context(false);
                    let event = Enabled::new(Host::of(link.clone()));
                    // The guard has logged any failure, and the host does not wait for an answer.
                    _ = hook.run::<point::enabled>(&*link.server, &event, &cx).await;
                    link.after(cx.take());
                });
                task.abort_handle()
            })
            .collect()
    }

    /// Makes a hook's context. `awaited` is whether the host waits for the hook.
    fn context(&self, awaited: bool) -> Context {
        let live = self.live();
        let granted = |position: &Position| live.policy.grants(path::inject(*position));
        let positions = Position::ALL.into_iter().filter(granted).collect();
        Context::new(self.version, awaited, positions, self.host.clone())
    }

    fn open_to_silent_host(self: &Arc<Link>) {
        let mut closed: Vec<String> = Vec::new();
        if !self.settings.turns_of_silent {
            let hooks = self.derived.hooks_at::<point::after_inference>();
            closed.extend(hooks.map(|hook| hook.definition().name.to_owned()));
            closed.dedup();
        }
        let mut live = self.live();
        let opened = !live.policy.received;
        if opened {
            live.policy.open(&closed);
        }
        drop(live);
        if opened {
            tracing::warn!(
                target: "hooks_sdk::mcpl",
                disabled = ?closed,
                "the host has sent no `featureSets/update`; the feature sets are enabled, except those that get all turns"
            );
            self.activate();
        }
    }

    /// Gives `look` access to the state together with the server's sets.
    fn with_sets<T>(&self, look: impl FnOnce(&mut Live, &[DeclaredSet<'_>]) -> T) -> T {
        let mut live = self.live();
        let sets: Vec<DeclaredSet<'_>> = self
            .derived
            .sets()
            .map(|set| DeclaredSet {
                name: set.definition().name,
                uses: set.uses(self.version),
                present: live.present.contains(set.definition().name),
            })
            .collect();
        look(&mut live, &sets)
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        lock(&self.live)
    }

    /// Whether the set is declared and the host's lists enable it. 0.5 also grants capabilities one by one.
    fn is_enabled(&self, name: &str) -> bool {
        let live = self.live();
        live.present.contains(name) && live.policy.is_enabled(name)
    }

    /// Returns the sets that work now, in the order of their names.
    fn enabled(&self) -> Vec<String> {
        let live = self.live();
        let present = live.present.iter();
        let enabled = present.filter(|name| self.works(&live, name));
        enabled.map(|name| (*name).to_owned()).collect()
    }

    /// Whether the host grants a capability. On 0.4 only the feature set decides.
    fn grants(&self, capability: &str) -> bool {
        self.live().policy.grants(capability)
    }

    /// Declares and removes sets. Returns what this changed for hosts of this version: the added and the removed sets.
    fn change(
        &self,
        add: &[&'static str],
        remove: &[&'static str],
    ) -> (Vec<&'static str>, Vec<&'static str>) {
        let mut live = self.live();
        let before = live.present.clone();
        let declared = |name: &&&'static str| {
            let set = self.derived.set(name);
            set.is_some_and(|set| set.is_declared_to(self.version, self.asks))
        };
        live.present.extend(add.iter().filter(declared));
        for name in remove {
            live.present.remove(name);
        }
        let changed = |from: &BTreeSet<&'static str>, to: &BTreeSet<&'static str>| {
            to.difference(from).copied().collect()
        };
        (
            changed(&before, &live.present),
            changed(&live.present, &before),
        )
    }
}

debugs!(Link { version, phase });

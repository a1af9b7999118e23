//! Earlier firings, for a host that is made anew at each event.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use super::{HookStore, HookStoreError, now};
use hooks_core::lifecycle::host::LifecycleHost;

impl HookStore {
    /// Passes the earlier firings of a session to the host, so that the policy's cool-down and rate limit apply across
    /// processes.
    ///
    /// `hooks` has the ids of the hooks of each declaration of `server`, in order. Firings of other hooks of the session
    /// count for the rate limit. Without receipts, only the last firing of each hook is known.
    ///
    /// # Errors
    ///
    /// The file cannot be used; the host then knows no firing.
    pub fn recall(
        &self,
        session: &str,
        host: &LifecycleHost,
        server: &str,
        hooks: &[&[String]],
    ) -> Result<(), HookStoreError> {
        let policy = host.controls();
        let (time, instant) = (now(), Instant::now());
        let longest = policy.cool_down.max(policy.rate.window);
        let longest = i64::try_from(longest.as_millis()).unwrap_or(i64::MAX);
        let mut past = self.recent_firings(session, time.saturating_sub(longest))?;
        if !policy.cool_down.is_zero() {
            // In a long session, these may be older than the firings that were read.
            let last = self.last_firings(session)?.into_iter();
            let older: Vec<_> = last.filter(|fired| !past.contains(fired)).collect();
            past.extend(older);
        }
        let mut times: BTreeMap<(&str, i64), usize> = BTreeMap::new();
        let mut entered = BTreeSet::new();
        for fired in &past {
            let of_it = |ids: &&[String]| ids.contains(&fired.hook);
            let index = hooks.iter().position(of_it).unwrap_or(hooks.len());
            // Hooks composed into one text share a time and count as one; a hook that fired twice counts as two.
            let time_of_it = times.entry((&fired.hook, fired.at)).or_default();
            *time_of_it += 1;
            if entered.insert((index, fired.at, *time_of_it)) {
                host.fired_before(server, index, fired.ago(time), instant);
            }
        }
        Ok(())
    }
}

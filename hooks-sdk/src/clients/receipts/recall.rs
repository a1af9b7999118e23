//! What fired before, told to a host that is made anew at each event.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use super::{HookStore, HookStoreError, now};
use crate::lifecycle::host::LifecycleHost;

impl HookStore {
    /// Enters in the host's books what fired in a session before, so that the policy's cool-down and rate limit hold
    /// from one process to the next.
    ///
    /// `hooks` has, for each declaration of `server` in its order, the ids of the hooks that it stands for. What other
    /// hooks of the session fired counts for the rate limit. Where receipts are off, only the last firing of each hook
    /// is known.
    ///
    /// # Errors
    ///
    /// That the file cannot be used; then the host knows of no firing.
    pub fn recall(
        &self,
        session: &str,
        host: &LifecycleHost,
        server: &str,
        hooks: &[&[String]],
    ) -> Result<(), HookStoreError> {
        let policy = host.policy();
        let (time, instant) = (now(), Instant::now());
        let longest = policy.cool_down.max(policy.rate.window);
        let longest = i64::try_from(longest.as_millis()).unwrap_or(i64::MAX);
        let mut past = self.recent_firings(session, time.saturating_sub(longest))?;
        if !policy.cool_down.is_zero() {
            // In a long session these may be older than what was looked at.
            let last = self.last_firings(session)?.into_iter();
            let older: Vec<_> = last.filter(|fired| !past.contains(fired)).collect();
            past.extend(older);
        }
        let mut times: BTreeMap<(&str, i64), usize> = BTreeMap::new();
        let mut entered = BTreeSet::new();
        for fired in &past {
            let of_it = |ids: &&[String]| ids.contains(&fired.hook);
            let index = hooks.iter().position(of_it).unwrap_or(hooks.len());
            // Hooks that were composed into one text fired at one time, as one; a hook that fired twice, as two.
            let time_of_it = times.entry((&fired.hook, fired.at)).or_default();
            *time_of_it += 1;
            if entered.insert((index, fired.at, *time_of_it)) {
                host.fired_before(server, index, fired.ago(time), instant);
            }
        }
        Ok(())
    }
}

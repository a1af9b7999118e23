//! How much each client may have in a store at a time, and all clients together.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::Mutex,
    time::Duration,
};

use tokio::time::Instant;

use super::{lock, pipeline::Owner};

/// A number of entries, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) entries: usize,
    pub(crate) bytes: usize,
}

impl Amount {
    fn has_room(self, bytes: usize, most: Amount) -> bool {
        self.entries < most.entries && bytes <= most.bytes.saturating_sub(self.bytes)
    }

    fn half(self) -> Amount {
        Amount {
            entries: self.entries / 2,
            bytes: self.bytes / 2,
        }
    }

    fn add(&mut self, bytes: usize) {
        self.entries += 1;
        self.bytes += bytes;
    }

    fn remove(&mut self, bytes: usize) {
        self.entries -= 1;
        self.bytes -= bytes;
    }
}

/// Counts the entries of clients in a store of this server, until they expire or are released.
pub(crate) struct Quota<K> {
    of_one: Amount,
    in_all: Amount,
    held: Mutex<HeldEntries<K>>,
}

struct HeldEntries<K> {
    by_key: HashMap<K, HeldEntry>,
    by_owner: HashMap<Owner, Amount>,
    by_end: BTreeMap<(Instant, u64), K>,
    all: Amount,
    next: u64,
}

struct HeldEntry {
    owner: Owner,
    bytes: usize,
    end: (Instant, u64),
}

impl<K: Clone + Eq + Hash> Quota<K> {
    pub(crate) fn new(of_one: Amount, in_all: Amount) -> Quota<K> {
        let held = HeldEntries {
            by_key: HashMap::new(),
            by_owner: HashMap::new(),
            by_end: BTreeMap::new(),
            all: Amount::default(),
            next: 0,
        };
        Quota {
            of_one,
            in_all,
            held: Mutex::new(held),
        }
    }

    /// Counts an entry until it expires or is released. Returns `false`, and counts nothing, if its client or all
    /// clients together have too much.
    pub(crate) fn hold(&self, owner: Owner, key: K, bytes: usize, lives: Duration) -> bool {
        let mut held = lock(&self.held);
        let now = Instant::now();
        held.drop_expired(now);
        held.release(&key);
        let own = held.by_owner.get(&owner).copied().unwrap_or_default();
        // Many clients have this owner in common. One of them could soon take the others' place in a share of one client.
        let of_one = match owner {
            Owner::Address(_) => self.in_all.half(),
            _ => self.of_one,
        };
        if !own.has_room(bytes, of_one) || !held.all.has_room(bytes, self.in_all) {
            return false;
        }
        let end = held.end(now, lives);
        held.by_owner.entry(owner.clone()).or_default().add(bytes);
        held.all.add(bytes);
        held.by_end.insert(end, key.clone());
        held.by_key.insert(key, HeldEntry { owner, bytes, end });
        true
    }

    /// Lets a counted entry live anew.
    pub(crate) fn renew(&self, key: &K, lives: Duration) {
        let held = &mut *lock(&self.held);
        if !held.by_key.contains_key(key) {
            return;
        }
        let end = held.end(Instant::now(), lives);
        if let Some(entry) = held.by_key.get_mut(key)
            && let Some(key) = held.by_end.remove(&entry.end)
        {
            entry.end = end;
            held.by_end.insert(end, key);
        }
    }

    /// Counts an entry no longer.
    pub(crate) fn release(&self, key: &K) {
        lock(&self.held).release(key);
    }
}

impl<K: Clone + Eq + Hash> HeldEntries<K> {
    fn end(&mut self, now: Instant, lives: Duration) -> (Instant, u64) {
        self.next += 1;
        // A time that no clock can show is as good as none.
        let longest = Duration::from_secs(60 * 60 * 24 * 365);
        (now + lives.min(longest), self.next)
    }

    fn drop_expired(&mut self, now: Instant) {
        while let Some(first) = self.by_end.first_entry()
            && first.key().0 <= now
        {
            let key = first.get().clone();
            self.release(&key);
        }
    }

    fn release(&mut self, key: &K) {
        let Some(entry) = self.by_key.remove(key) else {
            return;
        };
        self.by_end.remove(&entry.end);
        self.all.remove(entry.bytes);
        if let Some(own) = self.by_owner.get_mut(&entry.owner) {
            own.remove(entry.bytes);
            if own.entries == 0 {
                self.by_owner.remove(&entry.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVES: Duration = Duration::from_secs(60);

    fn amount(entries: usize, bytes: usize) -> Amount {
        Amount { entries, bytes }
    }

    #[tokio::test(start_paused = true)]
    async fn each_client_has_a_share_that_released_and_expired_entries_leave() {
        let quota = Quota::new(amount(2, 10), amount(3, 15));
        let (one, other) = (Owner::Connection(1), Owner::Connection(2));
        assert!(quota.hold(one.clone(), 1, 4, LIVES));
        assert!(!quota.hold(one.clone(), 2, 7, LIVES), "too many bytes");
        assert!(quota.hold(one.clone(), 2, 6, LIVES));
        assert!(!quota.hold(one.clone(), 3, 0, LIVES), "too many entries");
        assert!(
            !quota.hold(other.clone(), 3, 6, LIVES),
            "too many bytes in all"
        );
        assert!(quota.hold(other.clone(), 3, 5, LIVES));
        assert!(!quota.hold(other.clone(), 4, 0, LIVES), "too many in all");
        quota.release(&1);
        assert!(quota.hold(one.clone(), 4, 0, LIVES));
        tokio::time::advance(LIVES / 2).await;
        quota.renew(&2, LIVES);
        tokio::time::advance(LIVES / 2).await;
        assert!(
            !quota.hold(other.clone(), 5, 10, LIVES),
            "a renewed entry still counts"
        );
        assert!(quota.hold(other, 5, 9, LIVES));
        tokio::time::advance(LIVES).await;
        assert!(quota.hold(one, 6, 10, LIVES));
        let held = lock(&quota.held);
        assert_eq!(held.all, amount(1, 10));
        let counts = (held.by_key.len(), held.by_owner.len(), held.by_end.len());
        assert_eq!(counts, (1, 1, 1));
    }

    #[test]
    fn clients_that_cannot_be_told_apart_have_half_of_all_together() {
        let quota = Quota::new(amount(1, 10), amount(6, 10));
        for key in 0..3 {
            assert!(quota.hold(Owner::Address(None), key, 1, LIVES));
        }
        assert!(!quota.hold(Owner::Address(None), 3, 1, LIVES));
        assert!(quota.hold(Owner::Connection(1), 3, 1, LIVES));
    }
}

//! A hash table with its entries in place, so that a lookup reads one place in memory.
//!
//! With a million sessions, that read is most of the cost of a call. Tables that store tags apart from entries
//! need two.

use super::{Bytes, Key};

/// The number of slots of the smallest table that is not empty. All sizes are powers of two.
const LEAST: usize = 8;

/// One cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) bytes: Bytes,
    pub(super) version: u64,
    /// In milliseconds since the store was made.
    pub(super) expires: u64,
}

/// Entries by key. The caller passes the hash of a key, always the same for one key.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// At most three quarters are taken. An entry is in the slot of its hash, or in the next slot that was free.
    slots: Vec<Option<Entry>>,
    len: usize,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.slots.iter().flatten()
    }

    pub(super) fn get(&self, hash: u64, key: &Key) -> Option<&Entry> {
        self.slots[self.place(hash, key)?].as_ref()
    }

    pub(super) fn get_mut(&mut self, hash: u64, key: &Key) -> Option<&mut Entry> {
        let at = self.place(hash, key)?;
        self.slots[at].as_mut()
    }

    /// Adds an entry. The table must not have an entry of that key.
    pub(super) fn add(&mut self, hash: u64, entry: Entry, rehash: impl Fn(&Key) -> u64) {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.rebuild(self.len + 1, |_| true, rehash);
        }
        self.settle(hash, entry);
        self.len += 1;
    }

    pub(super) fn remove(&mut self, hash: u64, key: &Key, rehash: impl Fn(&Key) -> u64) {
        let Some(mut hole) = self.place(hash, key) else {
            return;
        };
        self.slots[hole] = None;
        self.len -= 1;
        // Entries behind the hole that were placed past their own slot move up: a lookup stops at a free slot.
        let mut at = hole;
        loop {
            at = self.next(at);
            let Some(entry) = &self.slots[at] else { return };
            let home = self.slot(rehash(&entry.key));
            if self.distance(home, at) >= self.distance(hole, at) {
                self.slots.swap(hole, at);
                hole = at;
            }
        }
    }

    /// Drops the entries for which `keep` is false, and shrinks the table.
    pub(super) fn retain(&mut self, keep: impl Fn(&Entry) -> bool, rehash: impl Fn(&Key) -> u64) {
        let kept = self.iter().filter(|entry| keep(entry)).count();
        if kept < self.len {
            self.rebuild(kept, keep, rehash);
        }
    }

    fn rebuild(
        &mut self,
        room: usize,
        keep: impl Fn(&Entry) -> bool,
        rehash: impl Fn(&Key) -> u64,
    ) {
        let size = (room * 4).div_ceil(3).next_power_of_two().max(LEAST);
        let old = std::mem::take(&mut self.slots);
        self.slots.resize_with(size, || None);
        self.len = 0;
        for entry in old.into_iter().flatten().filter(keep) {
            self.settle(rehash(&entry.key), entry);
            self.len += 1;
        }
    }

    /// Places an entry. The table must have a free slot and no entry of that key.
    fn settle(&mut self, hash: u64, entry: Entry) {
        let mut at = self.slot(hash);
        while self.slots[at].is_some() {
            at = self.next(at);
        }
        self.slots[at] = Some(entry);
    }

    fn place(&self, hash: u64, key: &Key) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.slot(hash);
        while let Some(entry) = &self.slots[at] {
            if entry.key == *key {
                return Some(at);
            }
            at = self.next(at);
        }
        None
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }

    fn distance(&self, from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn entry(number: u64, version: u64) -> Entry {
        Entry {
            key: key(number),
            bytes: Bytes::from(&b""[..]),
            version,
            expires: 0,
        }
    }

    fn key(number: u64) -> Key {
        Key::new(&number.to_be_bytes())
    }

    /// Many keys share a slot, and whole runs of slots.
    fn crowded(key: &Key) -> u64 {
        u64::from(key.as_slice()[7] / 16)
    }

    #[test]
    fn an_entry_is_one_cache_line() {
        assert_eq!(size_of::<Option<Entry>>(), 64);
    }

    #[test]
    fn it_holds_what_a_map_holds() {
        let mut table = Table::default();
        let mut map = HashMap::new();
        let mut number: u64 = 7;
        for round in 0..20_000_u64 {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (which, what) = ((number >> 33) % 200, (number >> 60) % 16);
            let hash = crowded(&key(which));
            match what {
                0..9 => {
                    match table.get_mut(hash, &key(which)) {
                        Some(present) => present.version = round,
                        None => table.add(hash, entry(which, round), crowded),
                    }
                    map.insert(which, round);
                }
                9..15 => {
                    table.remove(hash, &key(which), crowded);
                    map.remove(&which);
                }
                _ if round % 10 == 0 => {
                    table.retain(|entry| entry.version % 3 != 0, crowded);
                    map.retain(|_, version| *version % 3 != 0);
                }
                _ => {}
            }
            assert_eq!(table.len(), map.len());
        }
        assert_eq!(table.iter().count(), map.len());
        for which in 0..200 {
            let found = table.get(crowded(&key(which)), &key(which));
            assert_eq!(
                found.map(|entry| &entry.version),
                map.get(&which),
                "{which}"
            );
        }
    }
}

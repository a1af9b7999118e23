//! The store in memory beside a map, and its bounds.

use std::collections::HashMap;

use tokio::time::advance;

use super::*;

#[test]
fn an_entry_is_one_cache_line() {
    assert_eq!(size_of::<Entry>(), 64);
}

#[tokio::test(start_paused = true)]
async fn its_values_have_a_bound_in_bytes() {
    let store = MemoryStore::with_capacity(1_000);
    let key = |at: usize| Key::new(&at.to_be_bytes());
    let large = || Bytes::from(&vec![0; 1 << 20][..]);
    let ttl = Duration::from_secs(10);
    let write = |at: usize, bytes| store.swap(&key(at), None, bytes, ttl);
    for at in 0..64 {
        assert!(matches!(write(at, large()), Ok(Swap::Done(_))), "{at}");
    }
    assert!(matches!(write(64, large()), Err(StoreError::Full(1_000))));
    // One that is there may not grow either, and may shrink.
    store.remove(&key(0), None);
    for small in [0, 65] {
        let written = write(small, Bytes::from(&b"a"[..]));
        assert!(matches!(written, Ok(Swap::Done(_))));
    }
    let own = store.find(&key(0)).unwrap().version;
    let grown = store.swap(&key(0), Some(own), large(), ttl);
    assert!(matches!(grown, Err(StoreError::Full(1_000))));
    store.remove(&key(1), None);
    assert!(matches!(
        store.swap(&key(0), Some(own), large(), ttl),
        Ok(Swap::Done(_))
    ));
    // Room that is expired is free.
    advance(ttl).await;
    assert!(matches!(write(64, large()), Ok(Swap::Done(_))));
    assert_eq!(store.held.load(Ordering::Relaxed), 1 << 20);
}

#[tokio::test(start_paused = true)]
async fn it_holds_what_a_map_holds() {
    let store = MemoryStore::new();
    let mut map: HashMap<u64, (EntryVersion, Instant)> = HashMap::new();
    let mut number: u64 = 7;
    for _ in 0..20_000 {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let (which, what) = ((number >> 33) % 200, (number >> 60) % 16);
        let key = Key::new(&which.to_be_bytes());
        match what {
            0..9 => {
                let expected = map.get(&which).map(|(version, _)| *version);
                let ttl = Duration::from_secs(1 + number % 50);
                let written = store.swap(&key, expected, Bytes::from(&b""[..]), ttl);
                let Ok(Swap::Done(version)) = written else {
                    panic!("{written:?}");
                };
                map.insert(which, (version, Instant::now() + ttl));
            }
            9..15 => {
                store.remove(&key, None);
                map.remove(&which);
            }
            _ => {
                advance(Duration::from_secs(1)).await;
                map.retain(|_, (_, expires)| *expires > Instant::now());
                let now = store.now();
                for shard in &store.shards {
                    store.sweep(&mut lock(shard), now);
                }
            }
        }
        assert_eq!(store.len(), map.len());
    }
    for which in 0..200_u64 {
        let found = store.find(&Key::new(&which.to_be_bytes()));
        let held = map.get(&which).map(|(version, _)| *version);
        assert_eq!(found.map(|stored| stored.version), held, "{which}");
    }
}

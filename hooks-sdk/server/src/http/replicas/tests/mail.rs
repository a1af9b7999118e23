//! Letters in the mailboxes of a store.

use std::{sync::Arc, time::Duration};

use super::{
    super::mailbox::{Letter, Mailbox},
    Weather,
    store::Sky,
};
use crate::server::carried::ReplicaId;
use hooks_core::store::{LARGEST_VALUE, Store, StoreError};

const ADA: ReplicaId = ReplicaId([1; 16]);
const BOB: ReplicaId = ReplicaId([2; 16]);

fn letter(from: ReplicaId, number: u64, text: &str) -> Letter {
    let message = format!("{text:?}");
    Letter::new(from, number, "s", Some(message.as_bytes())).expect("a letter")
}

async fn numbers(mailbox: &mut Mailbox, store: &dyn Store) -> Vec<u64> {
    let letters = mailbox.look(store).await.expect("reachable");
    letters.iter().map(|letter| letter.number).collect()
}

#[tokio::test(start_paused = true)]
async fn a_letter_to_one_is_taken_out_and_one_to_all_is_read_once_by_each() {
    let store = Weather::default();
    let (mut of_ada, to_ada) = (Mailbox::of(ADA), Mailbox::of(ADA));
    let (mut one, mut other) = (Mailbox::of_all(), Mailbox::of_all());
    for number in 0..3 {
        to_ada.put(&store, letter(BOB, number, "a")).await.unwrap();
        one.put(&store, letter(BOB, number, "a")).await.unwrap();
        if number == 0 {
            assert_eq!(numbers(&mut of_ada, &store).await, [0]);
            assert_eq!(store.inner.len(), 1, "the own mailbox is empty");
            assert_eq!(numbers(&mut one, &store).await, [0]);
        }
    }
    assert_eq!(numbers(&mut of_ada, &store).await, [1, 2]);
    assert_eq!(numbers(&mut one, &store).await, [1, 2]);
    assert_eq!(numbers(&mut other, &store).await, [0, 1, 2]);
    for mailbox in [&mut of_ada, &mut one, &mut other] {
        assert!(numbers(mailbox, &store).await.is_empty());
    }
    // Another replica may have written a letter of the same number.
    one.put(&store, letter(ADA, 2, "a")).await.unwrap();
    assert_eq!(numbers(&mut one, &store).await, [2]);
    let ended = Letter::new(ADA, 3, "s", None).unwrap();
    one.put(&store, ended).await.unwrap();
    let letters = one.look(&store).await.unwrap();
    assert!(letters.len() == 1 && letters[0].message.is_none());
}

#[tokio::test(start_paused = true)]
async fn letters_to_all_are_bounded_in_bytes_and_the_newest_stay() {
    let store = Weather::default();
    let (mut all, mut late) = (Mailbox::of_all(), Mailbox::of_all());
    let text = "x".repeat(10_000);
    for number in 0..100 {
        all.put(&store, letter(ADA, number, &text)).await.unwrap();
    }
    let kept = numbers(&mut late, &store).await;
    assert_eq!(kept, (48..100).collect::<Vec<_>>());
    let large = letter(ADA, 100, &"x".repeat(20_000));
    let refused = all.put(&store, large).await;
    assert!(matches!(refused, Err(StoreError::TooLarge(_))));
    assert_eq!(numbers(&mut all, &store).await.len(), kept.len());
}

#[tokio::test(start_paused = true)]
async fn a_full_mailbox_is_waited_for() {
    let store = Arc::<Weather>::default();
    let (mut own, to_ada) = (Mailbox::of(ADA), Mailbox::of(ADA));
    let text = "x".repeat(LARGEST_VALUE * 2 / 3);
    to_ada.put(&*store, letter(BOB, 0, &text)).await.unwrap();
    let (sent, waiting) = (store.clone(), letter(BOB, 1, &text));
    let put = tokio::spawn(async move { to_ada.put(&*sent, waiting).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!put.is_finished());
    assert_eq!(numbers(&mut own, &*store).await, [0]);
    put.await.unwrap().unwrap();
    assert_eq!(numbers(&mut own, &*store).await, [1]);
    let huge = letter(BOB, 2, &"x".repeat(LARGEST_VALUE));
    let refused = own.put(&*store, huge).await;
    assert!(matches!(refused, Err(StoreError::TooLarge(_))));
}

#[tokio::test(start_paused = true)]
async fn writers_that_meet_lose_no_letter_and_a_store_that_fails_loses_none_that_it_took() {
    let store = Arc::<Weather>::default();
    let puts = (0..20).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let mailbox = Mailbox::of(ADA);
            mailbox.put(&*store, letter(BOB, number, "a")).await
        })
    });
    for put in puts.collect::<Vec<_>>() {
        put.await.unwrap().unwrap();
    }
    let mut own = Mailbox::of(ADA);
    for sky in [Sky::Down, Sky::Hangs] {
        store.set(sky);
        assert!(own.look(&*store).await.is_err());
        assert!(own.put(&*store, letter(BOB, 99, "a")).await.is_err());
    }
    store.set(Sky::Clear);
    let mut found = numbers(&mut own, &*store).await;
    found.sort_unstable();
    assert_eq!(found, (0..20).collect::<Vec<_>>());
}

//! Following the log: everything, in order, once, across segments and while others write.

use std::sync::Arc;
use std::task::Poll;

use store::{AuditStore, BoxFuture, ControlStore, StoreError};

use crate::fixture::{event, folder, granting, name, open, settings};

#[tokio::test]
async fn a_follower_gets_everything_from_where_it_starts_in_order() {
    let folder = folder();
    let store = Arc::new(open(&settings(folder.path())));
    for n in 1..=100 {
        store.append(event(&n.to_string())).await.expect("it is stored");
    }
    let mut from_the_middle = store.follow(51);
    let mut from_now_on = store.follow(0);
    let writer = Arc::clone(&store);
    let writing = tokio::spawn(async move {
        for n in 101..=1000 {
            writer.append(event(&n.to_string())).await.expect("it is stored");
        }
    });
    for (follower, first) in [(&mut from_the_middle, 51), (&mut from_now_on, 101)] {
        let mut expected = first;
        while expected <= 1000 {
            let chunk = follower.next().await.expect("it reads");
            assert!(!chunk.events.is_empty());
            for stored in &chunk.events {
                assert_eq!((stored.seq, name(stored)), (expected, expected.to_string()));
                expected += 1;
            }
            assert_eq!(chunk.next, expected);
        }
    }
    writing.await.expect("it ends");
}

#[tokio::test]
async fn a_follower_that_is_not_waited_for_loses_nothing() {
    let folder = folder();
    let store = open(&settings(folder.path()));
    let mut follower = store.follow(1);
    let mut seen = Vec::new();
    for n in 1..=50 {
        // Polled once, and mostly dropped while it reads.
        if let Some(chunk) = polled_once(follower.next()).await {
            seen.extend(chunk.expect("it reads").events.iter().map(|stored| stored.seq));
        }
        store.append(event(&n.to_string())).await.expect("it is stored");
    }
    while seen.len() < 50 {
        let chunk = follower.next().await.expect("it reads");
        seen.extend(chunk.events.iter().map(|stored| stored.seq));
    }
    assert_eq!(seen, (1..=50).collect::<Vec<u64>>());
}

/// Polls a future once, and returns its output if it is ready.
async fn polled_once<T>(mut future: BoxFuture<'_, T>) -> Option<T> {
    std::future::poll_fn(|context| {
        Poll::Ready(match future.as_mut().poll(context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}

#[tokio::test]
async fn a_follower_hears_of_changes_before_their_answer_and_of_the_end() {
    let folder = folder();
    let store = open(&settings(folder.path()));
    let mut follower = store.follow(0);
    store.commit(granting("alice", "fs")).await.expect("it is stored");
    let chunk = follower.next().await.expect("it reads");
    assert_eq!(chunk.events.iter().map(name).collect::<Vec<_>>(), ["grant alice fs"]);
    store.append(event("last")).await.expect("it is stored");
    drop(store);
    let chunk = follower.next().await.expect("what was stored is read to the end");
    assert_eq!(chunk.events.iter().map(name).collect::<Vec<_>>(), ["last"]);
    assert_eq!(follower.next().await, Err(StoreError::Closed));
}

//! Many callers at once: groups share an fsync, numbers have no gaps, one of two wins, and what exceeds a limit is
//! refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::{Approval, ApprovalState, Digest, PrincipalId, RequestId, Timestamp, ToolId};
use store::{AuditStore, Change, Commit, CommitError, Conflict, ControlStore, Settings, StoreError, SyncMode, verify};

use crate::fixture::{by, event, folder, granting, names, open, server_id, settings, token};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn numbers_are_without_gaps_and_revisions_too_however_many_write() {
    for sync in [Settings::new("").sync, SyncMode::Always] {
        let folder = folder();
        let settings = Settings {
            sync,
            ..settings(folder.path())
        };
        let store = Arc::new(open(&settings));
        let tasks: Vec<_> = (0..16)
            .map(|task| {
                let store = Arc::clone(&store);
                tokio::spawn(async move {
                    let (mut seqs, mut revisions) = (Vec::new(), Vec::new());
                    for n in 0..20 {
                        seqs.push(store.append(event(&format!("{task}-{n}"))).await.expect("it is stored"));
                        let committed = store.commit(granting(&format!("p{task}"), &format!("s{n}"))).await;
                        revisions.push(committed.expect("it is stored").revision);
                    }
                    assert!(seqs.is_sorted() && revisions.is_sorted());
                    (seqs, revisions)
                })
            })
            .collect();
        let (mut seqs, mut revisions) = (BTreeSet::new(), BTreeSet::new());
        for task in tasks {
            let (own_seqs, own_revisions) = task.await.expect("it ends");
            seqs.extend(own_seqs);
            revisions.extend(own_revisions);
        }
        assert_eq!(revisions, (2..=321).collect::<BTreeSet<u64>>());
        assert_eq!(seqs.len(), 320);
        assert_eq!(names(&*store).await.iter().collect::<BTreeSet<_>>().len(), 640);
        assert_eq!(store.load().await.expect("it loads").grants.len(), 320);
        drop(store);
        let report = verify(&settings.folder).expect("it can be read");
        assert!(report.is_sound() && report.records == 640, "{report:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_who_decide_or_use_one_wins_and_the_other_is_told() {
    let folder = folder();
    let store = Arc::new(open(&settings(folder.path())));
    for n in 0..20 {
        let id = RequestId::new(&format!("a{n}"));
        let approval = Approval {
            request: id.clone(),
            principal: PrincipalId::new("alice"),
            tool: ToolId {
                server: server_id("fs"),
                name: "delete".into(),
            },
            arguments: Digest([7; 32]),
            revision: 1,
            asked: Timestamp(1),
            expires: Timestamp(100),
            state: ApprovalState::Pending,
        };
        let asked = Commit::new(vec![Change::AskApproval(approval)], Vec::new());
        store.commit(asked).await.expect("it is stored");
        for states in [
            [ApprovalState::Approved(by("root", 2)), ApprovalState::Approved(by("boss", 2))],
            [ApprovalState::Used(by("alice", 3)), ApprovalState::Used(by("alice", 3))],
        ] {
            let tasks = states.map(|state| {
                let (store, request) = (Arc::clone(&store), id.clone());
                let change = Change::MoveApproval { request, state };
                tokio::spawn(async move { store.commit(Commit::new(vec![change], vec![event("moved")])).await })
            });
            let mut won = 0;
            for task in tasks {
                match task.await.expect("it ends") {
                    Ok(_) => won += 1,
                    Err(CommitError::Conflict(Conflict::ApprovalDecided { .. })) => {}
                    Err(why) => panic!("failed to {why}"),
                }
            }
            assert_eq!(won, 1);
        }
    }
    assert_eq!(names(&*store).await.len(), 40, "who lost left no event");
}

#[tokio::test]
async fn a_conflict_in_a_group_concerns_nobody_else() {
    let folder = folder();
    let store = Arc::new(open(&settings(folder.path())));
    let tasks: Vec<_> = (0..100)
        .map(|n| {
            let store = Arc::clone(&store);
            let commit = Commit::new(
                vec![Change::PutToken(token(&format!("t{}", n / 2), n))],
                vec![event(&n.to_string())],
            );
            tokio::spawn(async move { store.commit(commit).await })
        })
        .collect();
    let (mut made, mut refused) = (0, 0);
    for task in tasks {
        match task.await.expect("it ends") {
            Ok(_) => made += 1,
            Err(CommitError::Conflict(Conflict::TokenExists(_))) => refused += 1,
            Err(why) => panic!("failed to {why}"),
        }
    }
    assert_eq!((made, refused), (50, 50));
    let remembered = store.load().await.expect("it loads");
    assert_eq!((remembered.tokens.len(), remembered.revision), (50, 51));
    assert_eq!(names(&*store).await.len(), 50);
}

#[tokio::test]
async fn what_is_too_much_is_refused_and_not_kept_waiting() {
    let folder = folder();
    let settings = Settings {
        queue: 4,
        sync: SyncMode::Always,
        ..settings(folder.path())
    };
    let store = Arc::new(open(&settings));
    // One thread polls them all before any is answered.
    let appends = (0..200).map(|n| store.append(event(&n.to_string())));
    let commits = (0..200).map(|n| store.commit(granting("alice", &format!("s{n}"))));
    let (mut appends, mut commits): (Vec<_>, Vec<_>) = (appends.collect(), commits.collect());
    let (mut stored, mut busy) = (0, 0);
    let mut polled = Vec::new();
    for append in &mut appends {
        polled.push(poll(append).await);
    }
    for (append, polled) in appends.into_iter().zip(polled) {
        match match polled {
            Some(result) => result,
            None => append.await,
        } {
            Ok(_) => stored += 1,
            Err(StoreError::Busy { .. }) => busy += 1,
            Err(why) => panic!("failed to {why}"),
        }
    }
    assert!(stored > 0 && busy > 0 && stored + busy == 200, "{stored} stored, {busy} refused");
    let (mut made, mut busy) = (0, 0);
    let mut polled = Vec::new();
    for commit in &mut commits {
        polled.push(poll(commit).await);
    }
    for (commit, polled) in commits.into_iter().zip(polled) {
        match match polled {
            Some(result) => result,
            None => commit.await,
        } {
            Ok(_) => made += 1,
            Err(CommitError::Store(StoreError::Busy { .. })) => busy += 1,
            Err(why) => panic!("failed to {why}"),
        }
    }
    assert!(made > 0 && busy > 0 && made + busy == 200, "{made} made, {busy} refused");
    assert_eq!(store.load().await.expect("it loads").grants.len(), made);
}

/// Polls a future once, and returns its output if it is ready.
async fn poll<T>(future: &mut store::BoxFuture<'_, T>) -> Option<T> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match future.as_mut().poll(context) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

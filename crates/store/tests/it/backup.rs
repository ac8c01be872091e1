//! Backups: a copy taken while everything goes on is a store as it was at one instant.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::GrantScope;
use store::{AuditStore, ControlStore, Health, Retention, Settings, Store, StoreError, verify};

use crate::fixture::{event, folder, granting, names, open, settings};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_holds_each_change_with_its_event_or_neither() {
    let folder = folder();
    let settings = Settings {
        retention: Retention::Size(60 << 10),
        ..settings(folder.path())
    };
    let store = Arc::new(open(&settings));
    let over = Arc::new(AtomicBool::new(false));
    let mut writers = Vec::new();
    for writer in 0..4 {
        let (store, over) = (Arc::clone(&store), Arc::clone(&over));
        writers.push(tokio::spawn(async move {
            let mut n = 0;
            while !over.load(Ordering::SeqCst) {
                store
                    .commit(granting(&format!("w{writer}"), &format!("s{n}")))
                    .await
                    .expect("it is stored");
                store.append(event("call")).await.expect("it is stored");
                n += 1;
            }
            n
        }));
    }
    let mut copies = Vec::new();
    for n in 0..4 {
        let copy = folder.path().join(format!("copy{n}"));
        store.backup(&copy).await.expect("it is copied");
        copies.push(copy);
    }
    over.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.expect("it ends");
    }
    let before = store.load().await.expect("it loads");
    for copy in copies {
        let report = verify(&copy).expect("it can be read");
        assert!(report.is_sound() && report.torn.is_none(), "{report:?}");
        let copied = open(&Settings {
            folder: copy.clone(),
            retention: Retention::KeepAll,
            ..settings.clone()
        });
        assert_eq!(copied.health(), Health::Sound);
        let remembered = copied.load().await.expect("it loads");
        assert!(remembered.revision <= before.revision);
        assert_eq!(remembered.keys, before.keys);
        let first_kept = copied.replay(1, 1).await.expect("it reads").kept_from;
        let granted: BTreeSet<String> = remembered
            .grants
            .iter()
            .map(|grant| match &grant.scope {
                GrantScope::Server(server) => format!("grant {} {server}", grant.principal),
                GrantScope::Tool(tool) => panic!("`{tool}` was never granted"),
            })
            .collect();
        let told: Vec<String> = names(&copied).await.into_iter().filter(|name| name.starts_with("grant")).collect();
        let distinct: BTreeSet<String> = told.iter().cloned().collect();
        assert_eq!(told.len(), distinct.len(), "no event twice");
        assert!(distinct.is_subset(&granted), "no event without its change");
        if first_kept == 1 {
            assert_eq!(distinct, granted, "no change without its event");
        }
        copied.commit(granting("after", "fs")).await.expect("the copy goes on");
        assert_eq!(names(&copied).await.last().map(String::as_str), Some("grant after fs"));
    }
}

#[tokio::test]
async fn a_backup_overwrites_nothing() {
    let folder = folder();
    let store = open(&settings(folder.path()));
    let there = folder.path().join("there");
    fs::create_dir(&there).expect("it can be made");
    let refused = store.backup(&there).await.expect_err("it is there");
    assert!(
        matches!(refused, StoreError::Io { .. }) && refused.to_string().contains("there already"),
        "{refused}"
    );
    assert_eq!(fs::read_dir(&there).expect("it can be read").count(), 0);
}

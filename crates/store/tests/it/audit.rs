//! Events: numbered, kept byte by byte, found by what they can be found by, counted, exported.

use std::time::Duration;

use bytes::Bytes;
use model::Timestamp;
use store::{AuditQuery, AuditResult, AuditStore, Event, Order, Store, StoreError, SyncMode, TallyBy, export, verify};

use crate::fixture::{event, everything, folder, found, name, names, oldest_first, open, settings};

#[tokio::test]
async fn an_event_comes_back_as_it_was_with_the_next_number() {
    let folder = folder();
    let settings = settings(folder.path());
    let store = open(&settings);
    let mut odd = event("odd");
    odd.key.server = None;
    odd.key.trace = None;
    odd.key.tool = Some("".into());
    odd.key.at = Timestamp(-5);
    odd.key.result = AuditResult::Blocked;
    odd.body = Bytes::from_static(b" {\"a\" : 1.50, \"a\":\"\\u0000\"}");
    assert_eq!(store.append(event("first")).await, Ok(1));
    assert_eq!(store.append(odd.clone()).await, Ok(2));
    drop(store);
    let store = open(&settings);
    assert_eq!(store.append(event("third")).await, Ok(3));
    let all = everything(&store).await;
    assert_eq!(all.iter().map(|stored| stored.seq).collect::<Vec<_>>(), [1, 2, 3]);
    let second = Event {
        key: all[1].key.clone(),
        body: all[1].body.clone(),
    };
    assert_eq!(second, odd);
}

#[tokio::test]
async fn what_is_too_long_is_refused_and_nothing_of_it_stays() {
    let folder = folder();
    let store = open(&settings(folder.path()));
    let mut long_body = event("body");
    long_body.body = Bytes::from(vec![b' '; (1 << 20) + 1]);
    let mut long_text = event("text");
    long_text.key.actor.id = "a".repeat(4097).into();
    for long in [long_body, long_text] {
        assert!(matches!(store.append(long).await, Err(StoreError::TooLarge { .. })));
    }
    let mut longest = event("longest");
    longest.body = Bytes::from(vec![b' '; 1 << 20]);
    longest.key.actor.id = "a".repeat(4096).into();
    assert_eq!(store.append(longest).await, Ok(1));
    assert_eq!(everything(&store).await.len(), 1);
}

/// Events of many kinds, in several segments, so that queries read the index and what is behind it.
async fn many(store: &dyn Store, count: usize) -> Vec<Event> {
    let mut all = Vec::new();
    for n in 0..count {
        let mut event = event(&n.to_string());
        event.key.at = Timestamp(i64::try_from(n).expect("small") * 10);
        event.key.kind = ["TOOL_EXECUTED", "TOOL_BLOCKED", "dev.example.rare"][if n % 97 == 3 { 2 } else { n % 2 }].into();
        event.key.actor.id = format!("agent-{}", n % 7).into();
        event.key.actor.kind = if n % 7 == 6 { "operator" } else { "agent" }.into();
        event.key.server = (n % 5 != 0).then(|| format!("server-{}", n % 5).into());
        event.key.tool = (n % 5 != 0).then(|| format!("tool-{}", n % 11).into());
        event.key.result = [AuditResult::Success, AuditResult::Failure, AuditResult::Pending][n % 3];
        event.key.trace = (n % 4 != 0).then(|| format!("trace-{}", n / 2).into());
        store.append(event.clone()).await.expect("it is stored");
        all.push(event);
    }
    all
}

fn queries() -> Vec<AuditQuery> {
    let all = AuditQuery::default;
    vec![
        all(),
        AuditQuery {
            kinds: vec!["dev.example.rare".into()],
            ..all()
        },
        AuditQuery {
            kinds: vec!["dev.example.rare".into(), "TOOL_BLOCKED".into()],
            ..all()
        },
        AuditQuery {
            kinds: vec!["NONE".into()],
            ..all()
        },
        AuditQuery {
            actor: Some("agent-3".into()),
            ..all()
        },
        AuditQuery {
            actor_kind: Some("operator".into()),
            result: Some(AuditResult::Failure),
            ..all()
        },
        AuditQuery {
            server: Some("server-2".into()),
            tool: Some("tool-7".into()),
            ..all()
        },
        AuditQuery {
            trace: Some("trace-701".into()),
            ..all()
        },
        AuditQuery {
            trace: Some("trace-none".into()),
            ..all()
        },
        AuditQuery {
            from: Some(Timestamp(4_000)),
            until: Some(Timestamp(4_100)),
            ..all()
        },
        AuditQuery {
            from: Some(Timestamp(14_950)),
            ..all()
        },
        AuditQuery {
            until: Some(Timestamp(0)),
            ..all()
        },
        AuditQuery {
            result: Some(AuditResult::Blocked),
            ..all()
        },
    ]
}

fn meant(query: &AuditQuery, event: &Event) -> bool {
    let key = &event.key;
    let is = |wanted: &Option<std::sync::Arc<str>>, text: &Option<std::sync::Arc<str>>| wanted.is_none() || wanted == text;
    query.from.is_none_or(|from| key.at >= from)
        && query.until.is_none_or(|until| key.at < until)
        && (query.kinds.is_empty() || query.kinds.contains(&key.kind))
        && is(&query.actor_kind, &Some(key.actor.kind.clone()))
        && is(&query.actor, &Some(key.actor.id.clone()))
        && is(&query.server, &key.server)
        && is(&query.tool, &key.tool)
        && query.result.is_none_or(|result| result == key.result)
        && is(&query.trace, &key.trace)
}

#[tokio::test]
async fn queries_find_what_a_look_at_everything_finds_in_both_orders_and_any_pages() {
    let folder = folder();
    let settings = settings(folder.path());
    let mut store = open(&settings);
    let events = many(&store, 1500).await;
    // At first some is indexed and some is not; then everything is that can be; then nothing.
    for round in 0..3 {
        for query in queries() {
            let mut expected: Vec<String> = (0..events.len())
                .filter(|n| meant(&query, &events[*n]))
                .map(|n| n.to_string())
                .collect();
            for limit in [1000, 37] {
                let oldest = AuditQuery {
                    order: Order::Oldest,
                    limit,
                    ..query.clone()
                };
                assert_eq!(found(&store, &oldest).await, expected, "round {round}, oldest first: {query:?}");
            }
            expected.reverse();
            for limit in [1000, 37] {
                let newest = AuditQuery { limit, ..query.clone() };
                assert_eq!(found(&store, &newest).await, expected, "round {round}, newest first: {query:?}");
            }
        }
        drop(store);
        if round == 1 {
            std::fs::remove_file(settings.folder.join("audit/index.db")).expect("the index can be deleted");
        }
        store = open(&settings);
    }
}

#[tokio::test]
async fn an_index_of_another_log_is_not_believed() {
    let (one, other) = (folder(), folder());
    for (folder, kind) in [(&one, "ONE"), (&other, "OTHER")] {
        let store = open(&settings(folder.path()));
        for n in 0..600 {
            let mut event = event(&n.to_string());
            event.key.kind = kind.into();
            store.append(event).await.expect("it is stored");
        }
    }
    let index = |folder: &tempfile::TempDir| folder.path().join("store/audit/index.db");
    std::fs::copy(index(&other), index(&one)).expect("files can be copied");
    let store = open(&settings(one.path()));
    let query = |kind: &str| AuditQuery {
        kinds: vec![kind.into()],
        ..oldest_first()
    };
    assert_eq!(found(&store, &query("ONE")).await.len(), 600);
    assert_eq!(found(&store, &query("OTHER")).await.len(), 0);
    std::fs::write(index(&other), b"this is no database").expect("files can be written");
    let store = open(&settings(other.path()));
    assert_eq!(found(&store, &query("OTHER")).await.len(), 600);
}

#[tokio::test]
async fn a_tally_counts_what_a_query_finds() {
    let folder = folder();
    let settings = settings(folder.path());
    let store = open(&settings);
    let events = many(&store, 900).await;
    drop(store);
    let store = open(&settings);
    for query in queries() {
        let meant: Vec<&Event> = events.iter().filter(|event| meant(&query, event)).collect();
        let by_kind = store.tally(query.clone(), TallyBy::Kind).await.expect("it counts");
        assert_eq!(by_kind.total, meant.len() as u64, "{query:?}");
        for (kind, count) in by_kind.counts {
            assert_eq!(
                count,
                meant.iter().filter(|event| event.key.kind == kind).count() as u64,
                "{query:?}"
            );
        }
    }
    let by_server = store.tally(AuditQuery::default(), TallyBy::Server).await.expect("it counts");
    assert_eq!(by_server.counts.len(), 5);
    assert!(by_server.counts.iter().all(|(_, count)| *count == 180));
}

#[tokio::test]
async fn a_replay_goes_on_where_it_is_told_to() {
    let folder = folder();
    let store = open(&settings(folder.path()));
    many(&store, 500).await;
    let chunk = store.replay(310, 20).await.expect("it reads");
    let seqs: Vec<u64> = chunk.events.iter().map(|stored| stored.seq).collect();
    assert_eq!((seqs, chunk.next, chunk.kept_from), ((310..330).collect(), 330, 1));
    assert_eq!(name(&chunk.events[0]), "309");
    let end = store.replay(501, 20).await.expect("it reads");
    assert_eq!((end.events.len(), end.next), (0, 501));
}

#[tokio::test]
async fn an_export_is_everything_that_was_stored_while_the_store_is_open_or_not() {
    let folder = folder();
    let settings = settings(folder.path());
    let store = open(&settings);
    many(&store, 300).await;
    let query = AuditQuery {
        actor: Some("agent-2".into()),
        ..AuditQuery::default()
    };
    let exported = |query: &AuditQuery| -> Vec<String> {
        let export = export(&settings.folder, query.clone()).expect("it can be read");
        export.map(|event| name(&event.expect("it is sound"))).collect()
    };
    assert_eq!(exported(&AuditQuery::default()), names(&store).await);
    let expected = found(
        &store,
        &AuditQuery {
            order: Order::Oldest,
            ..query.clone()
        },
    )
    .await;
    assert_eq!(exported(&query), expected);
    drop(store);
    assert_eq!(exported(&AuditQuery::default()).len(), 300);
    assert!(verify(&settings.folder).expect("it can be read").is_sound());
}

#[tokio::test]
async fn with_always_an_answer_comes_after_the_fsync_and_many_share_one() {
    let folder = folder();
    let settings = store::Settings {
        sync: SyncMode::Always,
        ..settings(folder.path())
    };
    let store = std::sync::Arc::new(open(&settings));
    let tasks: Vec<_> = (0..64)
        .map(|n| {
            let store = std::sync::Arc::clone(&store);
            tokio::spawn(async move { store.append(event(&n.to_string())).await.expect("it is stored") })
        })
        .collect();
    let mut seqs = Vec::new();
    for task in tasks {
        seqs.push(task.await.expect("it ends"));
    }
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=64).collect::<Vec<u64>>());
    let synced = std::fs::read_to_string(settings.folder.join("audit/synced")).expect("it is noted");
    assert_eq!(synced.trim().parse(), Ok(64), "what was answered was on the disk");
}

#[tokio::test]
async fn in_interval_mode_everything_is_on_the_disk_soon() {
    let folder = folder();
    let settings = store::Settings {
        sync: SyncMode::Interval(Duration::from_millis(1)),
        ..settings(folder.path())
    };
    let store = open(&settings);
    let seq = store.append(event("one")).await.expect("it is stored");
    let noted = || {
        std::fs::read_to_string(settings.folder.join("audit/synced"))
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    };
    tokio::time::timeout(Duration::from_secs(30), async {
        while noted().is_none_or(|noted| noted < seq) {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("it is synced");
}

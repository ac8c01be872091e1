//! Nothing leaks: no process, task, descriptor or map entry is left behind by clients that come and go, servers that crash, calls that are cancelled.
//!
//! `soak_leaks…` (ignored) do it ten times over, in an order that `SOAK_SEED` chooses.

use std::time::Duration;

use kernel::spec::ServerSpec;
use serde_json::json;
use testkit::wire::Connection;
use testkit::{Client, Era, Gateway, Script, Step, Wire, gateway, process};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use transport::stdio::PipeOptions;

use crate::{ECHO, ERAS, WAYS, alone, form};

const SERVER: &str = env!("CARGO_BIN_EXE_scripted-server");

fn rng() -> fastrand::Rng {
    let seed = std::env::var("SOAK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(20_261_120);
    eprintln!("SOAK_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

/// The resources in use now: the kernel's numbers, all tasks, descriptors, and connections to scripted servers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Holdings {
    census: [usize; 5],
    tasks: usize,
    descriptors: usize,
    children: usize,
    connections: usize,
}

fn holdings(gateway: &Gateway, servers: &[&str]) -> Holdings {
    Holdings {
        census: gateway.kernel.census(),
        tasks: tokio::runtime::Handle::current().metrics().num_alive_tasks(),
        descriptors: process::descriptors(),
        children: process::children().len(),
        connections: servers.iter().map(|id| gateway.server(id).live()).sum(),
    }
}

/// Waits until no more resources are in use than before.
async fn settles_to(before: &Holdings, gateway: &Gateway, servers: &[&str], what: &str) {
    let mut looks = tokio::time::interval(Duration::from_millis(20));
    for _ in 0..500 {
        looks.tick().await;
        let now = holdings(gateway, servers);
        let pairs = [
            (now.tasks, before.tasks),
            (now.descriptors, before.descriptors),
            (now.children, before.children),
            (now.connections, before.connections),
        ];
        let census = now.census.iter().zip(before.census).all(|(now, before)| *now <= before);
        if census && pairs.iter().all(|(now, before)| now <= before) {
            return;
        }
    }
    panic!("{what}: there is {:#?}, before there was {before:#?}", holdings(gateway, servers));
}

fn far() -> testkit::Builder {
    let script = |era: Era, wire: Wire| {
        Script::of(era)
            .over_http(wire == Wire::Http)
            .forgetful()
            .tool("say", [Step::answer(ECHO)])
            .tool("hang", [Step::Hang])
            .tool("ask", [Step::elicit(r#""who?""#), Step::answer(ECHO)])
    };
    let names = ["lp", "lh", "mp", "mh"];
    names.into_iter().zip(WAYS).fold(gateway(), |gateway, (name, (era, wire))| {
        gateway.upstream_with(name, script(era, wire), |spec| spec.prefix = true)
    })
}

const FAR: [&str; 4] = ["lp", "lh", "mp", "mh"];

async fn client(gateway: &Gateway, rng: &mut fastrand::Rng) -> Client {
    let (era, wire) = WAYS[rng.usize(..4)];
    let builder = gateway.client(era, wire);
    // One of three can be asked back: in the legacy era it gets connections of its own.
    if rng.u8(..3) == 0 {
        builder.capabilities(form()).connect().await
    } else {
        builder.connect().await
    }
}

// === clients that connect and disconnect

async fn connects(count: usize) {
    let mut rng = rng();
    let gateway = far().start();
    let door = gateway.door(|options| options.limits.idle_timeout = Duration::from_secs(1)).await;
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run").join("gateway.sock");
    let options = PipeOptions {
        drain: Duration::from_millis(200),
        ..PipeOptions::default()
    };
    let socket = gateway.socket(path.clone(), options);
    let (mut before, mut resident) = (None, 0);
    // The first ones warm up what is shared and stays.
    for (round, clients) in [100, count].into_iter().enumerate() {
        for number in 0..clients {
            let server = FAR[rng.usize(..4)];
            match number % 10 {
                8 => over_tcp(&door, &mut rng).await,
                9 => over_socket(&path).await,
                _ => {
                    let client = client(&gateway, &mut rng).await;
                    client.tools().await;
                    let answer = client.call(&format!("{server}__say"), json!({"n": number})).await;
                    assert_eq!(answer.said()["n"], number);
                    if rng.bool() {
                        // Some leave in the middle of a call.
                        client.start_call(&format!("{server}__hang"), json!({})).await;
                    }
                    client.leave().await;
                }
            }
        }
        match &before {
            None => {
                resident = process::resident();
                // What idles is closed after its time; until then it counts.
                let settled = holdings(&gateway, &FAR);
                let idle = Holdings {
                    census: [0, 0, settled.census[2], 0, settled.census[4]],
                    // Lanes of modern callers may still be added, up to their bound.
                    connections: settled.connections + 4,
                    ..settled
                };
                before = Some(idle);
            }
            Some(before) => settles_to(before, &gateway, &FAR, &format!("round {round}")).await,
        }
    }
    let grown = process::resident().saturating_sub(resident);
    assert!(grown < 48 << 20, "{} MB more", grown >> 20);
    door.close().await;
    socket.cancel();
    gateway.stop_after(&[], "at the end").await;
    assert_eq!(process::children(), Vec::<u32>::new());
}

async fn over_tcp(door: &testkit::Door, rng: &mut fastrand::Rng) {
    let mut connection = Connection::open(door.address).await;
    let hello = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let session = connection.post(&[], hello).await.header("mcp-session-id").expect("a session");
    let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mh__say","arguments":{"n":1}}}"#;
    assert_eq!(connection.post(&[("Mcp-Session-Id", &session)], call).await.status, 200);
    if rng.bool() {
        // The stream of a session, broken off.
        let mut stream = Connection::open(door.address).await;
        let answered = stream
            .send("GET", &[("Mcp-Session-Id", &session), ("Accept", "text/event-stream")])
            .await;
        assert_eq!(answered.status, 200);
    }
    assert_eq!(connection.send("DELETE", &[("Mcp-Session-Id", &session)]).await.status / 100, 2);
}

async fn over_socket(path: &std::path::Path) {
    let stream = tokio::net::UnixStream::connect(path).await.expect("the socket");
    let (input, mut output) = stream.into_split();
    let hello = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{}}}\n";
    output.write_all(hello.as_bytes()).await.expect("written");
    let mut lines = BufReader::new(input).lines();
    assert!(lines.next_line().await.expect("readable").is_some());
    let call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"lp__hang\",\"arguments\":{}}}\n";
    output.write_all(call.as_bytes()).await.expect("written");
}

#[test]
fn clients_that_come_and_go_leave_nothing_behind() {
    alone("leaks::clients_that_come_and_go_leave_nothing_behind", connects(1_000));
}

#[test]
#[ignore = "a soak test: cargo xtask soak"]
fn soak_leaks_of_clients_that_come_and_go() {
    alone("leaks::soak_leaks_of_clients_that_come_and_go", connects(10_000));
}

// === servers that crash

/// Real children, each of which dies of its first call. A changed configuration starts the next without a backoff.
async fn crashes(count: usize) {
    let mortal = |spec: &mut ServerSpec| spec.prefix = true;
    let gateway = gateway().child_with("mortal", SERVER, &["exit-on-call"], mortal).start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    let mut before = None;
    for round in 0..=count {
        let mut settings = gateway.settings.clone();
        settings.servers[0].digest = format!("mortal-{round}");
        gateway.kernel.reload(settings);
        while client.call("mortal__pid", json!({})).await.is_error() {
            client.mailbox().drain();
        }
        let answer = client.call("mortal__misbehave", json!({})).await;
        assert!(answer.is_error());
        client.mailbox().drain();
        if round == 0 {
            settles_children(0).await;
            before = Some(holdings(&gateway, &[]));
        }
    }
    let mut before = before.expect("a first round");
    // The connection that comes back by itself may be there or not.
    before.children += 1;
    before.descriptors += 6;
    before.tasks += 8;
    before.census[4] += 4;
    settles_to(&before, &gateway, &[], "after the last crash").await;
    client.leave().await;
    gateway.stop().await;
    assert_eq!(process::children(), Vec::<u32>::new());
    assert_eq!(gateway.kernel.census(), [0; 5]);
}

async fn settles_children(count: usize) {
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    for _ in 0..1000 {
        looks.tick().await;
        if process::children().len() <= count {
            return;
        }
    }
    panic!("there are children: {:?}", process::children());
}

#[test]
fn a_child_that_crashes_again_and_again_leaves_nothing_behind() {
    alone("leaks::a_child_that_crashes_again_and_again_leaves_nothing_behind", crashes(100));
}

#[test]
#[ignore = "a soak test: cargo xtask soak"]
fn soak_leaks_of_a_child_that_crashes() {
    alone("leaks::soak_leaks_of_a_child_that_crashes", crashes(1_000));
}

/// Servers that crash with the back-off of real crashes, on a clock that the test moves.
#[tokio::test(start_paused = true)]
async fn a_hundred_restarts_after_the_backoff_leave_no_task_behind() {
    for era in ERAS {
        let script = Script::of(era).tool("say", [Step::answer(ECHO)]).forgetful();
        let gateway = gateway().upstream("mortal", script).start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
        let server = gateway.server("mortal");
        let mut before = 0;
        for round in 1..=100 {
            // A connection that has lived for a while counts as a good one: the next start comes soon.
            tokio::time::advance(Duration::from_secs(11)).await;
            server.crash();
            server
                .until("another start", |server| server.opened() > round && server.live() > 0)
                .await;
            while client.call("say", json!({})).await.is_error() {}
            client.mailbox().drain();
            if round == 10 {
                before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
            }
        }
        let after = tokio::runtime::Handle::current().metrics().num_alive_tasks();
        assert!(after <= before + 8, "{era:?}: {before} tasks became {after}");
        gateway.stop_after(&[&client], "at the end").await;
    }
}

// === calls that are cancelled

/// The cancellation may overtake the call inside of the gateway.
#[tokio::test]
async fn a_call_that_is_cancelled_at_once_is_not_made_or_is_taken_back() {
    for (era, wire) in WAYS {
        for server in FAR {
            let gateway = far().start();
            let client = gateway.client(era, wire).ready().await;
            let call = client.start_call(&format!("{server}__hang"), json!({})).await;
            client.cancel(&call).await;
            assert!(!client.call(&format!("{server}__say"), json!({})).await.is_error());
            for _ in 0..1000 {
                if calls_of(&gateway) == 0 {
                    break;
                }
                tokio::task::yield_now().await;
            }
            assert_eq!(calls_of(&gateway), 0, "{era:?} {wire:?} to {server}: the call is still under way");
            client.leave().await;
            gateway.stop().await;
        }
    }
}

/// Calls under way but for the listeners of the two modern servers.
fn calls_of(gateway: &Gateway) -> usize {
    gateway.kernel.census()[2].saturating_sub(["mp", "mh"].iter().map(|id| gateway.server(id).streams()).sum())
}

// === subscriptions that are dropped

/// Clients that go while their stream is being opened.
#[tokio::test]
async fn subscriptions_that_are_dropped_while_they_are_opened_leave_nothing_behind() {
    for wire in [Wire::Http, Wire::Pipe] {
        let script = Script::legacy()
            .resource("test://one", [Step::Hang])
            .on("resources/subscribe", [Step::gate("open"), Step::answer("{}")]);
        let gateway = gateway().upstream("library", script).start();
        let client = gateway.client(Era::Modern, wire).ready().await;
        let mut streams = Vec::new();
        for _ in 0..20 {
            let filter = json!({"notifications": {"resourceSubscriptions": ["test://one"]}});
            streams.push(client.start("subscriptions/listen", filter).await);
        }
        let server = gateway.server("library");
        server.nth("resources/subscribe", 20).await;
        for stream in &streams {
            client.cancel(stream).await;
        }
        // The server may have subscribed all the same: it is told.
        server.nth("resources/unsubscribe", 1).await;
        server.open_gate("open");
        let clients = usize::from(wire == Wire::Pipe);
        for _ in 0..1000 {
            let [now, _, calls, ..] = gateway.kernel.census();
            if (now, calls) == (clients, 0) {
                break;
            }
            tokio::task::yield_now().await;
        }
        let [now, _, calls, ..] = gateway.kernel.census();
        assert_eq!((now, calls), (clients, 0), "{wire:?}: clients and calls to servers");
        gateway.stop_after(&[&client], format_args!("{wire:?}")).await;
    }
}

/// Batches after which nothing new is opened any more, or hardly anything.
const WARM: usize = 20;

async fn cancels(count: usize) {
    let mut rng = rng();
    let gateway = far().start();
    let mut clients = Vec::new();
    for (era, wire) in WAYS {
        let client = gateway.client(era, wire).capabilities(form()).ready().await;
        for server in FAR {
            assert!(!client.call(&format!("{server}__say"), json!({})).await.is_error());
        }
        clients.push(client);
    }
    let cancelled = |gateway: &Gateway| FAR.iter().map(|id| gateway.server(id).cancelled()).sum::<usize>();
    let mut before: Option<(Holdings, usize)> = None;
    for (batch, size) in std::iter::repeat_n(50, WARM + count / 50).enumerate() {
        let mut calls = Vec::new();
        for _ in 0..size {
            let client = &clients[rng.usize(..4)];
            let server = FAR[rng.usize(..4)];
            calls.push((client, client.start_call(&format!("{server}__hang"), json!({})).await));
        }
        rng.shuffle(&mut calls);
        for (client, call) in &calls {
            client.cancel(call).await;
        }
        for client in &clients {
            client.mailbox().drain();
        }
        // One look decides: a call whose cancellation comes late is still sent, and cancelled at once.
        let mut looks = tokio::time::interval(Duration::from_millis(2));
        let mut census = gateway.kernel.census();
        for _ in 0..2000 {
            if census[2] <= 2 {
                break;
            }
            looks.tick().await;
            census = gateway.kernel.census();
        }
        assert!(census[2] <= 2, "batch {batch}: {census:?}; cancelled {}", cancelled(&gateway));
        // By then modern callers have opened nearly all the lanes that they come to need.
        if batch == WARM {
            before = Some((holdings(&gateway, &FAR), process::resident()));
        }
    }
    let (mut before, resident) = before.expect("the warm batches");
    before.connections += 16;
    before.tasks += 4 * 16;
    before.census[2] = before.census[2].max(2);
    before.census[4] += 2 * 16;
    settles_to(&before, &gateway, &FAR, "after the last call").await;
    let grown = process::resident().saturating_sub(resident);
    assert!(grown < 48 << 20, "{} MB more", grown >> 20);
    for client in &clients {
        client.leave().await;
    }
    gateway.stop_after(&[], "at the end").await;
}

#[test]
fn cancelled_calls_leave_nothing_behind() {
    alone("leaks::cancelled_calls_leave_nothing_behind", cancels(10_000));
}

#[test]
#[ignore = "a soak test: cargo xtask soak"]
fn soak_leaks_of_cancelled_calls() {
    alone("leaks::soak_leaks_of_cancelled_calls", cancels(100_000));
}

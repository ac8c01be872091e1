//! Tests how changes of one server, of the configuration and of the policy change the views.

use std::collections::BTreeMap;
use std::time::Duration;

use catalog::Item;
use guard::{NoResolver, Security};
use jsonrpc::Raw;
use mcp::capabilities::ClientCapabilities;
use mcp::exchange::Advertised;
use mcp::method::ListKind;
use model::{Access, By, Grant, GrantScope, PrincipalId, Role, ToolId};
use policy::Origin;
use store::{Clock, Commit};
use upstream::link::{BoxFuture, Connector, Inbox, Link, LinkError};
use upstream::spec::{EraChoice, Launch, ServerSpec, Share, Start};
use upstream::{Config, Context, Identity, OfferCache, ServerEvent, ServerEvents};

use super::*;
use crate::views::source;

/// A cache that returns a server's offer: the names of its tools stand in the digest of its configuration.
#[derive(Debug)]
struct Offers;

impl OfferCache for Offers {
    fn load(&self, digest: &str) -> Vec<(Arc<[u8]>, Vec<u8>)> {
        let Some((server, tools)) = digest.split_once(": ") else {
            return Vec::new();
        };
        let advertised = Advertised {
            capabilities: Raw::of(&serde_json::json!({"tools": {}})),
            info: Raw::object_empty(),
            instructions: None,
        };
        let mut offer = Offer::new(id(server), false, Revision::LATEST_LEGACY, advertised);
        let items = tools
            .split(' ')
            .filter(|word| !word.starts_with('-'))
            .map(|name| Raw::of(&serde_json::json!({"name": name, "inputSchema": {}})));
        offer.tools.items = items.filter_map(|raw| Item::read(ListKind::Tools, &raw)).collect();
        vec![(Identity::new("1").no_capabilities.clone(), offer.to_cache())]
    }

    fn save(&self, _: &str, _: &[u8], _: &[u8]) {}
}

struct Unreachable;

impl Connector for Unreachable {
    fn connect<'a>(&'a self, _: &'a ServerSpec, _: Arc<dyn Inbox>) -> BoxFuture<'a, Result<Link, LinkError>> {
        Box::pin(std::future::ready(Err(LinkError::Unreachable("no server is there".to_owned()))))
    }
}

struct Unheard;

impl ServerEvents for Unheard {
    fn event(&self, _: ServerEvent) {}
}

fn id(server: &str) -> ServerId {
    ServerId::new(server).expect("a good id")
}

/// Returns a server from `fs: look change`; one that offers nothing yet is only a name, and `-change` leaves a tool out.
fn spec(text: &str) -> ServerSpec {
    ServerSpec {
        id: id(text.split(':').next().unwrap_or_default()),
        launch: Ok(Launch::Stdio {
            command: "scripted".to_owned(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
        }),
        era: EraChoice::Legacy,
        share: Share::Session,
        start: Start::OnUse,
        prefix: false,
        include: Vec::new(),
        exclude: text
            .split(' ')
            .filter_map(|word| word.strip_prefix('-'))
            .map(str::to_owned)
            .collect(),
        request_timeout: Duration::from_secs(1),
        startup_timeout: Duration::from_secs(1),
        digest: text.to_owned(),
    }
}

/// The views of a gateway, with the policy and the servers that they need.
struct Stage {
    views: Arc<Views>,
    guard: Arc<Guard>,
    upstream: Arc<Upstream>,
}

fn config() -> Config {
    Config {
        limits: jsonrpc::Limits::default(),
        debounce: Duration::ZERO,
        mgp: crate::mgp_offer::mgp_offer(false),
    }
}

impl Stage {
    fn new(security: Option<&Security>, servers: &[&str]) -> Self {
        let runtime = Runtime::new();
        let own = crate::views::own_tools();
        let guard = Guard::new(security, None, own, Arc::new(NoResolver), Clock::system(), runtime.clone());
        let context = Context::new(
            runtime.clone(),
            (Arc::new(Unreachable), Arc::new(Offers)),
            Arc::new(Identity::new("1")),
            guard.admit_own(),
            config(),
            Arc::new(Unheard),
        );
        let upstream = Upstream::new(context, &[]);
        let settings = Arc::new(ArcSwap::from_pointee(Settings::default()));
        let views = Views::new(&guard, &upstream, &runtime, &settings);
        let stage = Self { views, guard, upstream };
        stage.offer(servers);
        stage
    }

    /// Makes the servers offer these tools; a server whose tools do not change stays as it is.
    fn offer(&self, servers: &[&str]) {
        let specs: Vec<ServerSpec> = servers.iter().map(|text| spec(text)).collect();
        for server in self.upstream.configure(config(), &specs).fresh {
            server.state.remember();
            let offers = server.state.offers();
            self.guard.learn(&source(&server.state, &offers), Vec::new());
        }
        self.views.changed();
    }

    fn view(&self, name: &str) -> Arc<View> {
        let subject = Subject::new(Principal::named(name));
        self.views.view(&subject, &LastView::default(), &self.upstream.identity().peer)
    }

    fn names(&self, name: &str) -> Vec<String> {
        self.view(name).wire_names().map(|(wire, _)| wire.to_owned()).collect()
    }
}

fn guarded() -> Security {
    let mut security = Security {
        principals: ["ann", "bob"].map(|name| (PrincipalId::new(name), Origin::Remote)).into(),
        ..Security::default()
    };
    security.tables.access = Some(policy::DefaultAccess::OptOut);
    security
}

fn denied(principal: &str, server: &str, tool: &str) -> Grant {
    Grant {
        principal: PrincipalId::new(principal),
        scope: GrantScope::Tool(ToolId {
            server: id(server),
            name: tool.into(),
        }),
        access: Access::Deny,
        confirms: false,
        granted: By {
            principal: PrincipalId::new("op"),
            at: Timestamp(0),
        },
        expires: None,
        justification: None,
    }
}

#[test]
fn one_servers_change_keeps_the_parts_of_the_others() {
    let stage = Stage::new(None, &["a: one", "b: two", "c: three"]);
    let before = stage.view("ann");
    stage.offer(&["a: one", "b: two and", "c: three"]);
    let after = stage.view("ann");
    let kept: Vec<bool> = before
        .offers()
        .iter()
        .zip(after.offers())
        .map(|(one, other)| Arc::ptr_eq(one, other))
        .collect();
    assert_eq!(kept, [true, false, true]);
    assert_eq!(stage.names("ann"), ["one", "two", "and", "three"]);
}

#[test]
fn a_tool_that_is_left_out_from_now_on_is_not_listed_from_the_cache() {
    let stage = Stage::new(None, &["a: one two"]);
    assert_eq!(stage.names("ann"), ["one", "two"]);
    stage.offer(&["a: one two -two"]);
    assert_eq!(stage.names("ann"), ["one"]);
}

#[test]
fn a_principal_sees_as_an_agent_what_agents_see_although_it_looked_as_an_operator_before() {
    let stage = Stage::new(Some(&guarded()), &["a: one"]);
    let peer = Peer {
        capabilities: ClientCapabilities::new(Raw::of(
            &serde_json::json!({"mgp": {"version": "0.5.2", "extensions": ["access_control"]}}),
        )),
        ..(*stage.upstream.identity().peer).clone()
    };
    let sees = |role| {
        let subject = Subject::new(Principal {
            role,
            ..Principal::named("ann")
        });
        let view = stage.views.view(&subject, &LastView::default(), &peer);
        view.wire_names().count()
    };
    let (as_operator, as_agent) = (sees(Role::Operator), sees(Role::Agent));
    assert!(as_operator > as_agent, "{as_operator} and {as_agent} tools");
}

#[test]
fn where_nothing_has_changed_the_view_is_the_one_before() {
    let stage = Stage::new(None, &["a: one"]);
    let before = stage.view("ann");
    assert!(
        Arc::ptr_eq(&before, &stage.view("bob")),
        "an open gateway shows all subjects of a shape one view"
    );
    stage.views.changed();
    assert!(
        Arc::ptr_eq(&before.offers()[0], &stage.view("ann").offers()[0]),
        "a change that changes nothing"
    );
}

#[test]
fn what_a_server_offers_is_missing_until_it_is_known() {
    let stage = Stage::new(None, &["a: one", "b"]);
    assert_eq!(stage.view("ann").missing(), [id("b")]);
    let subject = Subject::new(Principal::named("ann"));
    let look = || stage.views.look(&subject, &LastView::default(), &stage.upstream.identity().peer);
    assert!(!look().is_settled(), "it could still come");
    stage.offer(&["a: one", "b: two"]);
    assert!(stage.view("ann").missing().is_empty());
    assert!(look().is_settled());
    stage.offer(&["a: one"]);
    assert_eq!(stage.names("ann"), ["one"], "it is not configured any more");
}

#[tokio::test]
async fn each_subject_sees_what_policy_lets_it_and_the_whole_stays_known() {
    let stage = Stage::new(Some(&guarded()), &["a: one two", "b: three"]);
    assert_eq!(stage.names("ann"), ["one", "two", "three"]);
    let grant = denied("ann", "a", "two");
    let change = stage.guard.change(Commit::default(), move |edit| {
        edit.grant(grant);
    });
    change.await.expect("there is no store that could fail");
    assert_eq!(stage.names("ann"), ["one", "three"]);
    assert_eq!(stage.names("bob"), ["one", "two", "three"]);
    let whole = stage.views.whole(&stage.upstream.identity().peer);
    assert!(whole.tool("two").is_some(), "a call of it is refused as denied, not as unknown");
}

#[tokio::test]
async fn a_restricted_view_follows_a_servers_change_and_keeps_what_is_denied_out() {
    let stage = Stage::new(Some(&guarded()), &["a: one two", "b: three"]);
    let grant = denied("ann", "a", "two");
    let change = stage.guard.change(Commit::default(), move |edit| {
        edit.grant(grant);
    });
    change.await.expect("there is no store that could fail");
    assert_eq!(stage.names("ann"), ["one", "three"]);
    stage.offer(&["a: one two", "b: three four"]);
    assert_eq!(stage.names("ann"), ["one", "three", "four"]);
    stage.offer(&["a: two five", "b: three four"]);
    assert_eq!(stage.names("ann"), ["five", "three", "four"]);
    assert_eq!(stage.names("bob"), ["two", "five", "three", "four"]);
}

#[test]
fn the_last_view_of_a_caller_is_used_while_it_holds_and_no_longer() {
    let stage = Stage::new(None, &["a: one"]);
    let (subject, last) = (Subject::new(Principal::named("ann")), LastView::default());
    let peer = stage.upstream.identity().peer.clone();
    let first = stage.views.look(&subject, &last, &peer);
    assert!(Arc::ptr_eq(&first, &stage.views.look(&subject, &last, &peer)));
    stage.offer(&["a: one two"]);
    let second = stage.views.look(&subject, &last, &peer);
    assert!(!Arc::ptr_eq(&first, &second));
    assert!(second.view().tool("two").is_some());
}

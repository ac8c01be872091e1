//! Tests that a view that was updated with every change is equal to the view that is built from the final offers.

use std::sync::Arc;

use catalog::{InvalidCursor, Item, Located, Offer, Restricted, View, Visibility};
use jsonrpc::Raw;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::ServerId;
use proptest::prelude::*;

use crate::fixture::{bare, declaring, id, raw, tools, with};
use crate::plain::{self, Found, Names};

/// Ids of which some give equal qualified names.
const SERVERS: [&str; 7] = [
    "a",
    "a_",
    "b",
    "b_c",
    "kernel",
    "long-long-long-long-long-long-long-long-long-long-long-long",
    "z.z",
];

/// Two names that have the same mark behind `a__`.
const TWINS: [&str; 2] = ["n//// ///  /   / //   //", "n////// / / /  / /     /"];

/// Generates names that collide in all ways: equal, qualified-looking, reserved, not allowed on the wire, too long, the mark of another, the mark of
/// a mark.
fn name() -> impl Strategy<Value = String> {
    let mark = |text: &str, salt| mcp::name::fit(text, salt).trim_start_matches("a__").to_owned();
    let fixed = vec![
        "mgp.x".to_owned(),
        "mgp_x".to_owned(),
        TWINS[0].to_owned(),
        TWINS[1].to_owned(),
        mark("a__x y", 0),
        mark("a__x y", 1),
        mark(&format!("a__{}", TWINS[0]), 0),
        mark(&format!("a__{}", TWINS[1]), 1),
        mark("a___b", 1),
        mcp::name::fit("a___b", 1),
        mcp::name::fit("x y", 0),
        "x y".to_owned(),
    ];
    prop_oneof![
        6 => "[a-d]",
        2 => "_[a-b]",
        2 => "(a|b|a_)__[a-c]",
        1 => "[a-b ./é]{1,3}",
        1 => (60_usize..140, "[ab]").prop_map(|(n, c)| c.repeat(n)),
        4 => prop::sample::select(fixed),
    ]
}

/// A possible offer of a server.
#[derive(Clone, Debug)]
struct Draft {
    prefix: bool,
    modern: bool,
    tools: Vec<String>,
    prompts: Vec<String>,
    uris: Vec<String>,
    templates: Vec<String>,
    capabilities: &'static str,
    instructions: Option<&'static str>,
    extra: bool,
}

fn draft() -> impl Strategy<Value = Draft> {
    let capabilities = prop::sample::select(vec![
        r#"{"tools":{},"resources":{},"prompts":{}}"#,
        r#"{"tools":{"listChanged":false},"x":{},"experimental":{"y":{}}}"#,
        r#"{"resources":{"subscribe":true},"x":{},"logging":{}}"#,
        r#"{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{},"com.acme/search":{}}}"#,
    ]);
    let lists = (
        prop::collection::vec(name(), 0..7),
        prop::collection::vec(name(), 0..3),
        prop::collection::vec("x://[a-c]", 0..3),
        prop::collection::vec("x://(\\{a\\}|a/\\{b\\}|[a-c])", 0..2),
    );
    let rest = (
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.3),
        capabilities,
        prop::option::of(Just("Use it.")),
        any::<bool>(),
    );
    (lists, rest).prop_map(
        |((tools, prompts, uris, templates), (prefix, modern, capabilities, instructions, extra))| Draft {
            prefix,
            modern,
            tools,
            prompts,
            uris,
            templates,
            capabilities,
            instructions,
            extra,
        },
    )
}

impl Draft {
    fn offer(&self, server: &str) -> Arc<Offer> {
        let texts = |texts: &[String]| texts.to_vec();
        let list = |kind, keys: Vec<String>| bare(kind, &keys.iter().map(String::as_str).collect::<Vec<_>>());
        let mut offer = declaring(server, self.capabilities);
        offer.prefix = self.prefix;
        offer.advertised.instructions = self.instructions.map(str::to_owned);
        offer.tools = list(ListKind::Tools, texts(&self.tools));
        offer.prompts = list(ListKind::Prompts, texts(&self.prompts));
        offer.resources = list(ListKind::Resources, texts(&self.uris));
        offer.templates = list(ListKind::ResourceTemplates, texts(&self.templates));
        if self.modern {
            offer.revision = Revision::LATEST;
            for item in offer.tools.items.iter_mut().step_by(2) {
                let schema = raw(r#"{"type":"object","properties":{"x":true}}"#);
                item.raw = item.raw.edit().set(&["inputSchema"], &schema).finish();
            }
        }
        if self.extra {
            offer.tools.extras = vec![("_meta".into(), raw(r#"{"v/x":1.0}"#))];
        }
        Arc::new(offer)
    }
}

/// A change of the servers of a configuration.
#[derive(Clone, Debug)]
enum Step {
    /// A server has another offer, or its first one.
    Offers(usize, Draft),
    /// A server's offer is equal to the one before, in another allocation.
    Again(usize),
    /// A server's offer is not known any more.
    Lost(usize),
    /// A server is no longer configured.
    Gone(usize),
    /// Two servers exchange their positions.
    Swapped(usize, usize),
    /// No change.
    Nothing,
}

fn step() -> impl Strategy<Value = Step> {
    let server = 0..SERVERS.len();
    prop_oneof![
        6 => (server.clone(), draft()).prop_map(|(server, draft)| Step::Offers(server, draft)),
        1 => server.clone().prop_map(Step::Again),
        2 => server.clone().prop_map(Step::Lost),
        2 => server.clone().prop_map(Step::Gone),
        1 => (server.clone(), server).prop_map(|(one, other)| Step::Swapped(one, other)),
        1 => Just(Step::Nothing),
    ]
}

/// The configured servers in their order: `None` if a server's offer is not known.
#[derive(Default)]
struct Servers(Vec<(usize, Option<Arc<Offer>>)>);

impl Servers {
    fn take(&mut self, step: &Step) {
        let at = |servers: &Self, server: &usize| servers.0.iter().position(|(one, _)| one == server);
        match step {
            Step::Offers(server, draft) => {
                let offer = Some(draft.offer(SERVERS[*server]));
                match at(self, server) {
                    Some(at) => self.0[at].1 = offer,
                    None => self.0.push((*server, offer)),
                }
            }
            Step::Again(server) => {
                if let Some((_, Some(offer))) = self.0.iter_mut().find(|(one, _)| one == server) {
                    *offer = Arc::new(Offer::clone(offer));
                }
            }
            Step::Lost(server) => {
                if let Some(at) = at(self, server) {
                    self.0[at].1 = None;
                }
            }
            Step::Gone(server) => self.0.retain(|(one, _)| one != server),
            Step::Swapped(one, other) => {
                if let (Some(one), Some(other)) = (at(self, one), at(self, other)) {
                    self.0.swap(one, other);
                }
            }
            Step::Nothing => {}
        }
    }

    /// Returns servers of which one never changes and has more keys than all others, so that an update is always less work than a rebuild.
    fn with_ballast() -> Self {
        let keys: Vec<String> = (0..50).map(|i| format!("\"k{i}\":{{}}")).collect();
        Self(vec![(
            SERVERS.len(),
            Some(Arc::new(declaring("ballast", &format!("{{{}}}", keys.join(","))))),
        )])
    }

    fn offers(&self) -> Vec<Arc<Offer>> {
        self.0.iter().filter_map(|(_, offer)| offer.clone()).collect()
    }

    fn missing(&self) -> Vec<ServerId> {
        let missing = self.0.iter().filter(|(_, offer)| offer.is_none());
        missing.map(|(server, _)| id(SERVERS[*server])).collect()
    }
}

/// Returns every page of a list, as answered.
fn pages(view: &View, kind: ListKind, to: Revision) -> Vec<Result<Raw, InvalidCursor>> {
    let (mut pages, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = view.page(kind, cursor.as_deref(), to);
        let next = page.as_ref().ok().and_then(|page| page.get("nextCursor"));
        cursor = next.and_then(|next| Some(next.as_str()?.into_owned()));
        pages.push(page);
        if cursor.is_none() {
            return pages;
        }
    }
}

fn found(target: Option<catalog::Target<'_>>) -> Option<Found> {
    target.map(|target| (target.server.to_string(), target.item.key.clone(), target.wire.to_owned()))
}

fn servers(located: &Located<'_>) -> Vec<String> {
    match located {
        Located::One(server) => vec![server.to_string()],
        Located::Many(servers) => servers.iter().map(ToString::to_string).collect(),
        Located::None => Vec::new(),
    }
}

/// Checks that a view of these offers follows the rules.
fn obeys_the_rules(view: &View, offers: &[Arc<Offer>]) -> Result<(), TestCaseError> {
    let (tools, prompts) = (Names::new(offers, ListKind::Tools), Names::new(offers, ListKind::Prompts));
    let listed: Vec<(String, String, String)> = view
        .wire_names()
        .map(|(wire, id)| (id.server.to_string(), id.name.to_string(), wire.to_owned()))
        .collect();
    prop_assert_eq!(&listed, &tools.rows);
    let own = offers.iter().flat_map(|offer| offer.tools.items.iter().chain(&offer.prompts.items));
    let own = own.map(|item| item.key.as_str());
    for name in own
        .chain(tools.all())
        .chain(prompts.all())
        .chain(["", "nobody", "a__", "a__nobody"])
    {
        prop_assert_eq!(found(view.tool(name)), tools.find(name).cloned(), "the tool `{}`", name);
        prop_assert_eq!(found(view.prompt(name)), prompts.find(name).cloned(), "the prompt `{}`", name);
    }
    for uri in ["x://a", "x://b", "x://c"] {
        let listing = plain::listing(offers, ListKind::Resources, uri);
        if !listing.is_empty() {
            prop_assert_eq!(servers(&view.resource(uri)), listing, "`{}`", uri);
        }
    }
    for template in ["x://{a}", "x://a/{b}"] {
        prop_assert_eq!(
            servers(&view.template(template)),
            plain::listing(offers, ListKind::ResourceTemplates, template)
        );
    }
    for method in ["x/y", "y", "search/run", "acme", "tools/list", ""] {
        prop_assert_eq!(
            view.extension_owner(method).map(|server| server.as_str()),
            plain::owner(offers, method),
            "`{}`",
            method
        );
    }
    Ok(())
}

/// Checks that two views differ at most in the allocations of their offers.
fn is_the_same(one: &View, other: &View) -> Result<(), TestCaseError> {
    for kind in ListKind::ALL {
        for to in Revision::ALL {
            prop_assert_eq!(pages(one, kind, to), pages(other, kind, to), "{:?} {}", kind, to);
        }
    }
    for uri in ["x://a", "x://b", "x://c", "x://d", "x://a/b", "x://{a}", "x://a/{b}", "y://a"] {
        prop_assert_eq!(one.resource(uri), other.resource(uri), "`{}`", uri);
        prop_assert_eq!(one.template(uri), other.template(uri), "`{}`", uri);
    }
    prop_assert_eq!(one.advertised().capabilities.raw(), other.advertised().capabilities.raw());
    prop_assert_eq!(&one.advertised().instructions, &other.advertised().instructions);
    prop_assert_eq!(one.missing(), other.missing());
    let cached = |view: &View| view.offers().iter().map(|offer| offer.to_cache()).collect::<Vec<_>>();
    prop_assert_eq!(cached(one), cached(other));
    Ok(())
}

/// The hidden entries: servers by their place in [`SERVERS`], tools by their server's place and the end of their name.
#[derive(Clone, Debug)]
struct Hidden {
    servers: Vec<usize>,
    tools: Vec<(usize, char)>,
}

fn hidden() -> impl Strategy<Value = Hidden> {
    let tools = prop::collection::vec((0..SERVERS.len(), prop::sample::select(vec!['a', 'b', 'c', 'y'])), 0..6);
    (prop::collection::vec(0..SERVERS.len(), 0..3), tools).prop_map(|(servers, tools)| Hidden { servers, tools })
}

impl Visibility for Hidden {
    fn is_server_visible(&self, server: &ServerId) -> bool {
        !self.servers.iter().any(|hidden| SERVERS[*hidden] == server.as_str())
    }

    fn is_tool_visible(&self, server: &ServerId, tool: &Item) -> bool {
        let hidden = |(hidden, end): &(usize, char)| SERVERS[*hidden] == server.as_str() && tool.key.ends_with(*end);
        // Some tools of the last server are visible although the server is not.
        let is_exempt = server.as_str() == SERVERS[SERVERS.len() - 1];
        !self.tools.iter().any(hidden) && (is_exempt || self.is_server_visible(server))
    }
}

/// Returns the visible parts of these offers, by the naive model.
fn visible_offers(offers: &[Arc<Offer>], hidden: &Hidden) -> Vec<Arc<Offer>> {
    let visible = |offer: &Arc<Offer>| {
        let mut offer = Offer::clone(offer);
        let server = offer.server.clone();
        offer.tools.items.retain(|tool| hidden.is_tool_visible(&server, tool));
        if !hidden.is_server_visible(&server) {
            offer.resources.items.clear();
            offer.templates.items.clear();
            offer.prompts.items.clear();
        }
        (hidden.is_server_visible(&server) || !offer.tools.items.is_empty()).then(|| Arc::new(offer))
    };
    offers.iter().filter_map(visible).collect()
}

fn visible_missing(missing: &[ServerId], hidden: &Hidden) -> Vec<ServerId> {
    missing.iter().filter(|server| hidden.is_server_visible(server)).cloned().collect()
}

fn wires(view: &View) -> Vec<&str> {
    view.wire_names().map(|(wire, _)| wire).collect()
}

#[test]
fn names_change_hands_as_servers_come_and_go() {
    let [a, b, other] = ["a", "b", "c"].map(|server| Arc::new(tools(server, &["read", server])));
    let empty = Arc::new(View::build(Vec::new(), Vec::new(), 0));
    let one = empty.updated(vec![a.clone()], Vec::new());
    assert_eq!(wires(&one), ["read", "a"]);
    let two = one.updated(vec![a.clone(), b.clone()], Vec::new());
    assert_eq!(wires(&two), ["a__read", "a", "b__read", "b"]);
    let three = two.updated(vec![other.clone(), a.clone(), b], Vec::new());
    assert_eq!(wires(&three), ["c__read", "c", "a__read", "a", "b__read", "b"]);
    assert_eq!(wires(&three.updated(vec![a], Vec::new())), ["read", "a"]);
    assert_eq!(wires(&three.updated(vec![other], Vec::new())), ["read", "c"]);
    assert_eq!(wires(&two), ["a__read", "a", "b__read", "b"], "an earlier version stays as it was");
}

#[test]
fn a_mark_that_goes_frees_its_name() {
    let mark = mcp::name::fit("a___b", 1);
    let first = Arc::new(tools("a_", &["b", &mark, "c", "d", "e"]));
    let view = Arc::new(View::build(vec![first.clone()], Vec::new(), 0));
    let marked = view.updated(vec![first.clone(), Arc::new(tools("a", &["_b"]))], Vec::new());
    assert_eq!(wires(&marked)[1], mcp::name::qualified(&first.server, &mark));
    assert_eq!(found(marked.tool(&mark)).map(|(server, ..)| server).as_deref(), Some("a"));
    let freed = marked.updated(vec![first, Arc::new(tools("a", &[]))], Vec::new());
    assert_eq!(wires(&freed)[1], mark);
    assert_eq!(found(freed.tool(&mark)).map(|(server, ..)| server).as_deref(), Some("a_"));
}

#[test]
fn what_stays_is_shared() {
    let fs = Arc::new(with(tools("fs", &["a"]), ListKind::Prompts, &["p"]));
    let git = Arc::new(tools("git", &["b"]));
    let view = Arc::new(View::build(vec![fs.clone(), git.clone()], Vec::new(), 0));
    let page = |view: &View, kind| view.page(kind, None, Revision::LATEST).expect("a page").bytes().as_ptr();
    let (tools_before, prompts_before) = (page(&view, ListKind::Tools), page(&view, ListKind::Prompts));
    assert!(Arc::ptr_eq(&view, &view.updated(vec![fs.clone(), git.clone()], Vec::new())));
    let changed = view.updated(vec![fs.clone(), Arc::new(tools("git", &["c"]))], Vec::new());
    assert_eq!(page(&changed, ListKind::Prompts), prompts_before, "a list that stayed");
    assert_ne!(page(&changed, ListKind::Tools), tools_before);
    let again = view.updated(vec![fs.clone(), Arc::new(Offer::clone(&git))], Vec::new());
    assert_eq!(
        page(&again, ListKind::Tools),
        tools_before,
        "a server that lists the same once more"
    );
    let missing = view.updated(vec![fs, git], vec![id("db")]);
    assert_ne!(page(&missing, ListKind::Prompts), prompts_before);
    let everything = Hidden {
        servers: Vec::new(),
        tools: Vec::new(),
    };
    assert!(Arc::ptr_eq(Restricted::new(view.clone(), &everything).view(), &view));
}

#[test]
fn other_rules_that_hide_the_same_leave_the_view() {
    let hidden = |servers: &[usize], tools: &[(usize, char)]| Hidden {
        servers: servers.to_vec(),
        tools: tools.to_vec(),
    };
    let offers = vec![Arc::new(tools("a", &["x_a", "x_b"])), Arc::new(tools("b", &["x_c"]))];
    let whole = Arc::new(View::build(offers, vec![id("kernel")], 0));
    let seen = Restricted::new(whole.clone(), &hidden(&[], &[(0, 'a')]));
    assert_eq!(wires(seen.view()), ["x_b", "x_c"]);
    let same = seen.reviewed(whole.clone(), &hidden(&[], &[(0, 'a'), (1, 'a')]), |_| false);
    assert!(Arc::ptr_eq(same.view(), seen.view()));
    let less = same.reviewed(whole.clone(), &hidden(&[2, 4], &[(0, 'a')]), |_| false);
    assert_eq!((wires(less.view()), less.view().missing()), (vec!["x_b"], &[][..]));
    assert!(
        Arc::ptr_eq(&less.view().offers()[0], &seen.view().offers()[0]),
        "nothing more of it is hidden"
    );
    assert!(Arc::ptr_eq(
        less.reviewed(whole.clone(), &hidden(&[], &[]), |_| false).view(),
        &whole
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_view_that_followed_is_the_view_that_is_built(steps in prop::collection::vec(step(), 1..14), page_size in 0_usize..4, reads in any::<bool>(), ballast in any::<bool>()) {
        let info = raw(r#"{"name":"gateway","version":"1"}"#);
        let mut servers = if ballast { Servers::with_ballast() } else { Servers::default() };
        let mut view = Arc::new(View::build(Vec::new(), Vec::new(), page_size).signed(info.clone()));
        for step in &steps {
            servers.take(step);
            view = view.updated(servers.offers(), servers.missing());
            let same = view.offers().iter().zip(servers.offers()).filter(|(one, other)| Arc::ptr_eq(one, other)).count();
            prop_assert_eq!(same, servers.offers().len());
            obeys_the_rules(&view, &servers.offers())?;
            if reads {
                // Values computed for one version must not appear in the next.
                is_the_same(&view, &View::build(servers.offers(), servers.missing(), page_size).signed(info.clone()))?;
            }
        }
        is_the_same(&view, &View::build(servers.offers(), servers.missing(), page_size).signed(info))?;
    }
    #[test]
    fn what_can_be_seen_is_what_is_built_of_it(
        steps in prop::collection::vec((step(), prop::option::weighted(0.3, hidden())), 1..10),
        first in hidden(),
        page_size in 0_usize..4,
        ballast in any::<bool>(),
    ) {
        let info = raw(r#"{"name":"gateway","version":"1"}"#);
        let mut servers = if ballast { Servers::with_ballast() } else { Servers::default() };
        let mut whole = Arc::new(View::build(servers.offers(), Vec::new(), page_size).signed(info.clone()));
        let mut hidden = first;
        let mut seen = Restricted::new(whole.clone(), &hidden);
        for (step, other) in steps {
            servers.take(&step);
            whole = whole.updated(servers.offers(), servers.missing());
            seen = match other {
                Some(other) => {
                    hidden = other;
                    seen.reviewed(whole.clone(), &hidden, |_| false)
                }
                None => seen.updated(whole.clone(), &hidden),
            };
            let (offers, missing) = (visible_offers(&servers.offers(), &hidden), visible_missing(&servers.missing(), &hidden));
            obeys_the_rules(seen.view(), &offers)?;
            is_the_same(seen.view(), &View::build(offers, missing, page_size).signed(info.clone()))?;
            is_the_same(seen.view(), Restricted::new(whole.clone(), &hidden).view())?;
            let again = seen.reviewed(whole.clone(), &hidden, |_| false);
            prop_assert!(Arc::ptr_eq(again.view(), seen.view()), "the same rules of the same view");
        }
    }
}

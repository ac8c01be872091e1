//! Measures the time of a change of one server among 100 that offer 10,000 tools, against the time of building the whole view.
//!
//! `cargo run --release -p catalog --example update`; fails where a change costs more than 5 % of the whole.

use std::hint::black_box;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{Item, Offer, Restricted, View, Visibility};
use jsonrpc::{Limits, Raw};
use mcp::exchange::Advertised;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::ServerId;

const SERVERS: usize = 100;
const TOOLS: usize = 100;
const PAGE: usize = 1000;
/// The part of the time of the whole that one change may take, in percent.
const BOUND: f64 = 5.0;

fn main() -> ExitCode {
    let offers: Vec<Arc<Offer>> = (0..SERVERS).map(|server| offer(server, 0)).collect();
    let changed = |place: usize, offer: Option<Arc<Offer>>| {
        let mut offers = offers.clone();
        offers.splice(place..=place, offer);
        offers
    };
    let view = Arc::new(View::build(offers.clone(), Vec::new(), PAGE));
    pages(&view);
    let whole = fastest(100, || greeted(Arc::new(View::build(offers.clone(), Vec::new(), PAGE))));
    let mut table = Table::new(whole);
    let anew = changed(50, Some(offer(50, 1)));
    table.row("the same tools, described anew", || view.updated(anew.clone(), Vec::new()));
    let another = changed(50, Some(offer(SERVERS, 0)));
    table.row("another server instead, the greeting too", || {
        greeted(view.updated(another.clone(), Vec::new()))
    });
    let fewer = changed(50, None);
    table.row("a server less, the greeting too", || {
        greeted(view.updated(fewer.clone(), Vec::new()))
    });
    let mut more = offers.clone();
    more.insert(50, offer(SERVERS, 0));
    table.row("a server more, the greeting too", || {
        greeted(view.updated(more.clone(), Vec::new()))
    });
    let missing = vec![ServerId::new("late").expect("an id")];
    table.row("a server that is missing, the greeting too", || {
        greeted(view.updated(offers.clone(), missing.clone()))
    });
    table.row("nothing", || view.updated(offers.clone(), Vec::new()));
    table.restricted(&view, &view.updated(anew.clone(), Vec::new()));

    let first = read(|| Arc::new(View::build(offers.clone(), Vec::new(), PAGE)));
    let again = read(|| view.updated(anew.clone(), Vec::new()));
    table.line(&format!(
        "\nAll pages of tools: {first:.1?} of a new view, {again:.1?} of one after a change."
    ));
    // A reader that has ended (`| head`) is not our error.
    std::io::stdout().write_all(table.text.as_bytes()).ok();
    if table.over { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn greeted(view: Arc<View>) -> Arc<View> {
    black_box(view.advertised());
    view
}

/// Measures the time to read all pages of a view that no client has read.
fn read(made: impl Fn() -> Arc<View>) -> Duration {
    let read = |_| {
        let view = made();
        let started = Instant::now();
        pages(&view);
        started.elapsed()
    };
    (0..10).map(read).min().unwrap_or_default()
}

/// A principal that may use all but one tool in twenty, so that every server's part differs for it.
struct MostOfIt;

impl Visibility for MostOfIt {
    fn is_server_visible(&self, _: &ServerId) -> bool {
        true
    }

    fn is_tool_visible(&self, _: &ServerId, tool: &Item) -> bool {
        !tool.key.ends_with("_11") && !tool.key.ends_with("_22") && !tool.key.ends_with("_33")
    }
}

fn pages(view: &View) {
    let mut cursor: Option<String> = None;
    loop {
        let page = view
            .page(ListKind::Tools, cursor.as_deref(), Revision::LATEST_LEGACY)
            .expect("a page");
        cursor = page.get("nextCursor").and_then(|next| Some(next.as_str()?.into_owned()));
        if cursor.is_none() {
            return;
        }
    }
}

/// Returns the time of the fastest of several rounds: other work on the machine only makes a round slower.
fn fastest<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    let round = |_| {
        let started = Instant::now();
        let made = black_box(work());
        let took = started.elapsed();
        drop(made);
        took
    };
    (0..rounds).map(round).min().unwrap_or_default()
}

struct Table {
    text: String,
    whole: Duration,
    over: bool,
}

impl Table {
    fn new(whole: Duration) -> Self {
        let tools = SERVERS * TOOLS;
        let text = format!(
            "{SERVERS} servers, {tools} tools; built whole, with the greeting, in {whole:.1?}.\n\n| change | time | of the whole | bound |\n|---|---:|---:|---:|\n"
        );
        Self { text, whole, over: false }
    }

    fn row(&mut self, change: &str, work: impl FnMut() -> Arc<View>) {
        let took = fastest(200, work);
        let percent = 100.0 * took.as_secs_f64() / self.whole.as_secs_f64();
        self.over |= percent > BOUND;
        self.line(&format!("| {change} | {took:.1?} | {percent:.2} % | {BOUND} % |"));
    }

    /// Measures the restricted view of one principal, before and after a change.
    fn restricted(&mut self, view: &Arc<View>, next: &Arc<View>) {
        let first = fastest(30, || Restricted::new(view.clone(), &MostOfIt));
        let percent = 100.0 * first.as_secs_f64() / self.whole.as_secs_f64();
        self.line(&format!(
            "| a principal's part of it, for the first time | {first:.1?} | {percent:.2} % | |"
        ));
        let seen = Restricted::new(view.clone(), &MostOfIt);
        self.row("a principal's part of the change", || {
            seen.updated(next.clone(), &MostOfIt).view().clone()
        });
        let again = fastest(30, || seen.reviewed(view.clone(), &MostOfIt, |_| false));
        let percent = 100.0 * again.as_secs_f64() / self.whole.as_secs_f64();
        self.line(&format!("| a principal's part, asked again | {again:.1?} | {percent:.2} % | |"));
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }
}

fn raw(text: &str) -> Raw {
    Raw::parse(text.to_owned(), &Limits::default()).expect("JSON")
}

/// Returns the offer of a server. One tool in ten has a name that every server uses.
fn offer(server: usize, version: usize) -> Arc<Offer> {
    let capabilities = [
        r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{}}"#,
        r#"{"tools":{},"resources":{"listChanged":false},"prompts":{"listChanged":true},"completions":{}}"#,
        r#"{"logging":{},"tools":{"listChanged":false},"resources":{},"prompts":{},"experimental":{}}"#,
    ];
    let advertised = Advertised {
        capabilities: raw(capabilities[server % capabilities.len()]),
        info: raw(r#"{"name":"test","version":"1"}"#),
        instructions: Some(format!("Use server {server}.")),
    };
    let id = ServerId::new(&format!("server-{server}")).expect("an id");
    let mut offer = Offer::new(id, false, Revision::LATEST_LEGACY, advertised);
    let mut add = |kind: ListKind, definition: String| offer.list_mut(kind).items.extend(Item::read(kind, &raw(&definition)));
    let schema = r#"{"type":"object","properties":{"query":{"type":"string","description":"What to look for, in the words of the service."},"limit":{"type":"integer","minimum":1,"maximum":100},"after":{"type":"string"}},"required":["query"]}"#;
    for i in 0..TOOLS {
        let name = match i % 10 {
            0 => format!("search_{i}"),
            _ => format!("search_things_{server}_{i}"),
        };
        let says = format!("Version {version} of a tool that looks for things and says what it found, page by page.");
        let definition = format!(r#"{{"name":"{name}","description":"{says}","inputSchema":{schema}}}"#);
        add(ListKind::Tools, definition);
    }
    for i in 0..10 {
        add(
            ListKind::Resources,
            format!(r#"{{"uri":"file:///server/{server}/{i}.txt","name":"r{i}"}}"#),
        );
    }
    for i in 0..2 {
        add(
            ListKind::ResourceTemplates,
            format!(r#"{{"uriTemplate":"db{server}://{{table}}/{i}","name":"t{i}"}}"#),
        );
    }
    for i in 0..3 {
        add(ListKind::Prompts, format!(r#"{{"name":"prompt_{server}_{i}"}}"#));
    }
    Arc::new(offer)
}

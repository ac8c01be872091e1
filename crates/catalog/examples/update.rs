//! What a change of one server among 100 costs, where 10,000 tools are offered: beside building the view whole, which bounds it.
//!
//! `cargo run --release -p catalog --example update`; fails where a change costs more than 5 % of the whole.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{Item, Offer, View};
use jsonrpc::{Limits, Raw};
use mcp::exchange::Advertised;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::ServerId;

const SERVERS: usize = 100;
const TOOLS: usize = 100;
const PAGE: usize = 1000;
/// How much of the whole one change may cost, in percent.
const BOUND: f64 = 5.0;

fn main() -> ExitCode {
    let offers: Vec<Arc<Offer>> = (0..SERVERS).map(|server| offer(server, 0)).collect();
    let changed = |place: usize, offer: Option<Arc<Offer>>| {
        let mut offers = offers.clone();
        offers.splice(place..=place, offer);
        offers
    };
    let view = View::build(offers.clone(), Vec::new(), PAGE);
    pages(&view);
    let whole = fastest(30, || View::build(offers.clone(), Vec::new(), PAGE));
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

    let read = |made: &dyn Fn() -> View| {
        let read = |_| {
            let view = made();
            let started = Instant::now();
            pages(&view);
            started.elapsed()
        };
        (0..10).map(read).min().unwrap_or_default()
    };
    let first = read(&|| View::build(offers.clone(), Vec::new(), PAGE));
    let again = read(&|| view.updated(anew.clone(), Vec::new()));
    writeln!(
        table.text,
        "\nAll pages of tools: {first:.1?} of a new view, {again:.1?} of one after a change."
    )
    .expect("a string takes it");
    // A reader that has gone away (`| head`) is no error of ours.
    std::io::stdout().write_all(table.text.as_bytes()).ok();
    if table.over { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn greeted(view: View) -> View {
    black_box(view.advertised());
    view
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

/// The fastest of some rounds: what others do on the machine makes a round slower, never faster.
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
            "{SERVERS} servers, {tools} tools; built whole in {whole:.1?}.\n\n| change | time | of the whole | bound |\n|---|---:|---:|---:|\n"
        );
        Self { text, whole, over: false }
    }

    fn row(&mut self, change: &str, work: impl FnMut() -> View) {
        let took = fastest(200, work);
        let percent = 100.0 * took.as_secs_f64() / self.whole.as_secs_f64();
        self.over |= percent > BOUND;
        writeln!(self.text, "| {change} | {took:.1?} | {percent:.2} % | {BOUND} % |").expect("a string takes it");
    }
}

fn raw(text: &str) -> Raw {
    Raw::parse(text.to_owned(), &Limits::default()).expect("JSON")
}

/// One tool in ten has a name that every server gives one of its own.
fn offer(server: usize, version: usize) -> Arc<Offer> {
    let advertised = Advertised {
        capabilities: raw(r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{}}"#),
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

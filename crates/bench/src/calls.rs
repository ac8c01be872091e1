//! An exact number of calls, or of lists, through a gateway that is started for them and ended after them: what is counted outside, such as the
//! instructions of the process, then belongs to its start, to these calls and to its end, and to nothing else.

use anyhow::ensure;
use serde::Serialize;

use crate::driver::check::{Check, Expect};
use crate::driver::http::Client;
use crate::driver::message::Operation;
use crate::driver::stdio;
use crate::driver::window::{Recorder, Window};
use crate::envelope::Era;
use crate::spawn::with_gateway;

/// Options of `bench-peer calls`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The calls to make, one after the other
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// The era to speak
    #[arg(long, value_enum, default_value = "legacy")]
    era: Era,
    /// The command serves HTTP and prints its endpoint; without this it speaks stdio
    #[arg(long)]
    http: bool,
    /// The tool to call
    #[arg(long, default_value = "echo")]
    tool: String,
    /// The length of the canned text that each call answers with
    #[arg(long, default_value_t = 200)]
    text: usize,
    /// Read `tools/list` instead, all its pages, and expect so many tools
    #[arg(long, requires = "http")]
    list: Option<usize>,
    /// The gateway to start
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// What was done.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    calls: u64,
}

/// Makes the calls. Fails when one of them is not answered as it should be.
pub(crate) fn run(args: &Args) -> anyhow::Result<Report> {
    let window = Window::new(Some(args.count));
    // Every call counts, from the first.
    window.open();
    let recorder = if args.http {
        over_http(args, &window)?
    } else {
        over_stdio(args, &window)?
    };
    ensure!(
        recorder.errors == 0,
        "{} wrong answers, such as {:?}",
        recorder.errors,
        recorder.samples
    );
    let calls = recorder.latencies.len();
    ensure!(calls == args.count, "{calls} calls were answered instead of {}", args.count);
    Ok(Report { calls })
}

fn over_http(args: &Args, window: &Window) -> anyhow::Result<Recorder> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    with_gateway(&args.command, |url, _| {
        runtime.block_on(async {
            let client = Client::connect(url, args.era).await?;
            client.load(&args.operation(), args.check(), window).await
        })
    })
}

fn over_stdio(args: &Args, window: &Window) -> anyhow::Result<Recorder> {
    let mut server = stdio::Server::start(&args.command, args.era)?;
    let recorder = server.load(&args.operation().first(), args.check(), 1, window)?;
    server.end()?;
    Ok(recorder)
}

impl Args {
    fn operation(&self) -> Operation {
        match self.list {
            Some(_) => Operation::List(self.era),
            None => Operation::Call(self.era, self.tool.clone()),
        }
    }

    fn check(&self) -> Check {
        Check::new(match self.list {
            Some(tools) => Expect::Tools(tools),
            None => Expect::Text(self.text),
        })
    }
}

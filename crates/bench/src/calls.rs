//! An exact number of calls, or of lists, through a gateway that is started for them and ended after them: what is counted outside, such as the
//! instructions of the process, then belongs to its start, to these calls and to its end, and to nothing else.

use anyhow::ensure;
use serde::Serialize;

use crate::driver::http::Client;
use crate::driver::stdio;
use crate::driver::window::{Recorder, Window};
use crate::load::Load;
use crate::spawn::with_gateway;

/// Options of `bench-peer calls`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The calls to make, one after the other
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    #[command(flatten)]
    load: Load,
    /// The command serves HTTP and prints its endpoint; without this it speaks stdio
    #[arg(long)]
    http: bool,
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
            let client = Client::connect(url, args.load.era).await?;
            client.load(&args.load.operation(), args.load.check(), window).await
        })
    })
}

fn over_stdio(args: &Args, window: &Window) -> anyhow::Result<Recorder> {
    ensure!(!args.load.reads_lists(), "`tools/list` is read over HTTP only, give --http");
    let mut server = stdio::Server::start(&args.command, args.load.era)?;
    let recorder = server.load(&args.load.operation().first(), args.load.check(), 1, window)?;
    server.end()?;
    Ok(recorder)
}

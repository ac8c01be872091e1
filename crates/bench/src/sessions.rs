//! Opens sessions by the thousand: measures what one costs while it idles, and whether anything remains when it ends.

use std::collections::BTreeMap;

use http::Uri;
use serde::Serialize;

use crate::driver::http::Client;
use crate::driver::message::{FIRST_ID, Template};
use crate::envelope::Era;
use crate::usage::{Sample, Watch};

/// Options of `bench-peer sessions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint
    #[arg(long)]
    url: Uri,
    /// The sessions to open
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// The sessions to open before anything is measured, so that allocators and pools have their size
    #[arg(long, default_value_t = 100)]
    warmup: u64,
    /// The tool that each session calls once, so that it is a session that was used
    #[arg(long, default_value = "echo")]
    tool: String,
    /// End each session before the next is opened
    #[arg(long)]
    delete: bool,
    /// Measure this process (NAME=PID)
    #[arg(long)]
    watch: Vec<Watch>,
}

/// The cost of the sessions.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    sessions: u64,
    seconds: f64,
    watched: BTreeMap<String, Memory>,
}

/// The resident memory of one process before and after.
#[derive(Debug, Serialize)]
struct Memory {
    rss_before_kb: u64,
    rss_kb: u64,
    kb_per_session: f64,
}

/// Opens the sessions one after the other over one connection, to measure sessions and not sockets.
pub(crate) fn run(args: &Args) -> anyhow::Result<Report> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(open(args))
}

async fn open(args: &Args) -> anyhow::Result<Report> {
    let mut client = Client::dial(&args.url, Era::Legacy).await?;
    repeat(&mut client, args, args.warmup).await?;
    let before = sample(args)?;
    let start = std::time::Instant::now();
    repeat(&mut client, args, args.count).await?;
    let seconds = start.elapsed().as_secs_f64();
    let watched = args
        .watch
        .iter()
        .zip(before.iter().zip(sample(args)?))
        .map(|(watch, (before, after))| {
            let (rss_before_kb, rss_kb) = (before.rss_kb(), after.rss_kb());
            let kb_per_session = (rss_kb as f64 - rss_before_kb as f64) / args.count.max(1) as f64;
            (
                watch.name.clone(),
                Memory {
                    rss_before_kb,
                    rss_kb,
                    kb_per_session,
                },
            )
        });
    Ok(Report {
        sessions: args.count,
        seconds,
        watched: watched.collect(),
    })
}

fn sample(args: &Args) -> anyhow::Result<Vec<Sample>> {
    args.watch.iter().map(|watch| Sample::of(watch.pid)).collect()
}

async fn repeat(client: &mut Client, args: &Args, count: u64) -> anyhow::Result<()> {
    let call = Template::call(Era::Legacy, &args.tool);
    for n in 0..count {
        client.open_session().await?;
        let answer = client.request(&call, FIRST_ID + n).await?;
        anyhow::ensure!(
            answer.status.is_success(),
            "session {n} of {count}: the call was answered with {}: {}",
            answer.status,
            String::from_utf8_lossy(answer.message(FIRST_ID + n))
        );
        if args.delete {
            client.close_session().await?;
        }
    }
    Ok(())
}

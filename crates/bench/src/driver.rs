//! The closed-loop driver: a fixed number of requests in flight, each answer checked, for a time or a number of
//! requests.

pub(crate) mod check;
pub(crate) mod http;
pub(crate) mod message;
pub(crate) mod stdio;
pub(crate) mod window;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use tokio::task::JoinSet;

use crate::load::Load;
use crate::usage::{Sample, Usage, Watch};
use window::{Recorder, Window};

/// Options of `bench-peer driver`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint to load
    #[arg(long, required_unless_present = "command", conflicts_with = "command")]
    url: Option<::http::Uri>,
    #[command(flatten)]
    load: Load,
    /// Requests in flight: connections over HTTP, each with its own session; pipelined over stdio
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    concurrency: u32,
    /// The seconds to measure
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Stop after so many requests instead
    #[arg(long)]
    requests: Option<u64>,
    /// The seconds of load before the measurement
    #[arg(long, default_value_t = 0.5)]
    warmup: f64,
    /// Measure this process over the same time (NAME=PID); its children are counted apart
    #[arg(long)]
    watch: Vec<Watch>,
    /// An stdio server to start and load instead of an endpoint; it is watched as `target`
    #[arg(last = true)]
    command: Vec<String>,
}

/// The measurements of the driver.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    requests: u64,
    seconds: f64,
    rps: f64,
    p50_us: f64,
    p99_us: f64,
    mean_us: f64,
    max_us: f64,
    /// The bytes of the answers' JSON-RPC messages.
    bytes: u64,
    errors: u64,
    /// The texts of the first few errors.
    error_samples: Vec<String>,
    /// The processor time of the driver itself for each request, in µs.
    driver_cpu_us: f64,
    watched: BTreeMap<String, Watched>,
}

/// The resources that a watched process used while the driver measured.
#[derive(Debug, Serialize)]
struct Watched {
    /// The processor time for each request in µs.
    cpu_us: f64,
    /// The processor time of the process's descendants for each request in µs.
    children_cpu_us: f64,
    #[serde(rename = "usage")]
    total: Usage,
}

/// Runs the load. Fails when the endpoint can't be loaded at all; a wrong answer is counted as an error instead.
pub(crate) fn run(args: &Args) -> anyhow::Result<Report> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(load(args))
}

async fn load(args: &Args) -> anyhow::Result<Report> {
    let window = Arc::new(Window::new(args.requests));
    let operation = args.load.operation();
    let mut watches = args.watch.clone();
    let mut workers: JoinSet<anyhow::Result<Finished>> = JoinSet::new();
    if let Some(url) = &args.url {
        for _ in 0..args.concurrency {
            let client = http::Client::connect(url, args.load.era).await?;
            let (window, operation, check) = (Arc::clone(&window), operation.clone(), args.load.check());
            workers.spawn(async move {
                Ok(Finished {
                    recorder: client.load(&operation, check, &window).await?,
                    server: None,
                })
            });
        }
    } else {
        anyhow::ensure!(!args.load.reads_lists(), "`tools/list` is loaded over HTTP only, give --url");
        let mut server = stdio::Server::start(&args.command, args.load.era)?;
        watches.push(Watch {
            name: "target".to_owned(),
            pid: server.pid(),
        });
        let (window, call, check) = (Arc::clone(&window), operation.first(), args.load.check());
        let in_flight = args.concurrency as usize;
        workers.spawn_blocking(move || {
            Ok(Finished {
                recorder: server.load(&call, check, in_flight, &window)?,
                server: Some(server),
            })
        });
    }
    measure(args, &window, &watches, workers).await
}

/// The result of a worker when its load is over.
#[derive(Debug)]
struct Finished {
    recorder: Recorder,
    /// The server that it started; it has to live until its resource use has been read.
    server: Option<stdio::Server>,
}

/// Opens and closes the window around the load and collects the results.
async fn measure(
    args: &Args,
    window: &Window,
    watches: &[Watch],
    mut workers: JoinSet<anyhow::Result<Finished>>,
) -> anyhow::Result<Report> {
    tokio::select! {
        biased;
        early = workers.join_next() => return Err(ended_early(early)),
        () = tokio::time::sleep(Duration::from_secs_f64(args.warmup)) => {}
    }
    let us = Watch {
        name: "driver".to_owned(),
        pid: std::process::id(),
    };
    let sample = || {
        watches
            .iter()
            .chain([&us])
            .map(|watch| Sample::of(watch.pid))
            .collect::<anyhow::Result<Vec<_>>>()
    };
    let before = sample()?;
    let opened = window.open();
    tokio::select! {
        biased;
        // First: the workers that a full window ends have not ended early.
        () = window.filled() => {}
        early = workers.join_next() => return Err(ended_early(early)),
        () = tokio::time::sleep(Duration::from_secs_f64(args.seconds)), if args.requests.is_none() => {}
    }
    let seconds = opened.elapsed().as_secs_f64();
    window.close();
    let after = sample()?;
    let mut recorder = Recorder::default();
    while let Some(worker) = workers.join_next().await {
        let finished = worker.context("a worker of the driver panicked")??;
        recorder.merge(finished.recorder);
        finished.server.map_or(Ok(()), stdio::Server::end)?;
    }
    let mut usages: Vec<Usage> = after.iter().zip(&before).map(|(after, before)| after.since(before)).collect();
    let own = usages.pop().context("the driver watches itself")?;
    Ok(Report::new(&recorder, seconds, &own, watches.iter().zip(usages)))
}

fn ended_early(worker: Option<Result<anyhow::Result<Finished>, tokio::task::JoinError>>) -> anyhow::Error {
    match worker {
        Some(Ok(Err(error))) => error,
        Some(Err(panic)) => panic.into(),
        Some(Ok(Ok(_))) | None => anyhow::anyhow!("the load ended before it was measured"),
    }
}

impl Report {
    fn new<'a>(recorder: &Recorder, seconds: f64, own: &Usage, watched: impl Iterator<Item = (&'a Watch, Usage)>) -> Self {
        let requests = recorder.latencies.len();
        let per_request_us = |ns: u64| ns as f64 / 1e3 / requests.max(1) as f64;
        Self {
            requests,
            seconds,
            rps: requests as f64 / seconds,
            p50_us: recorder.latencies.quantile_us(0.5),
            p99_us: recorder.latencies.quantile_us(0.99),
            mean_us: recorder.latencies.mean_us(),
            max_us: recorder.latencies.max_us(),
            bytes: recorder.bytes,
            errors: recorder.errors,
            error_samples: recorder.samples.clone(),
            driver_cpu_us: per_request_us(own.cpu_ns),
            watched: watched
                .map(|(watch, total)| {
                    let cpu_us = per_request_us(total.cpu_ns);
                    let children_cpu_us = per_request_us(total.children_cpu_ns);
                    (
                        watch.name.clone(),
                        Watched {
                            cpu_us,
                            children_cpu_us,
                            total,
                        },
                    )
                })
                .collect(),
        }
    }
}

//! The canned upstream: an MCP server of either era, or both, whose answers are prepared.

mod http;
mod server;
mod stdio;

use self::server::{Offer, Server};
use crate::canned::Canned;

/// Options of `bench-peer upstream`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Serve stdin and stdout instead of HTTP
    #[arg(long)]
    stdio: bool,
    /// The eras to speak
    #[arg(long, value_enum, default_value = "both")]
    era: Offer,
    /// The number of tools to list, with the two that answer calls
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(2..))]
    tools: u16,
    /// What every tool's name begins with
    #[arg(long, default_value = "")]
    prefix: String,
}

/// Serves until stdin closes (stdio) or the process is killed (HTTP).
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let prefix = args.prefix.clone();
    let server = Server {
        offer: args.era,
        canned: Canned::new(&prefix, args.tools.into()),
        prefix,
    };
    if args.stdio { stdio::serve(&server) } else { http::serve(server) }
}

//! The canned upstream: an MCP server of either era, or both, whose answers are prepared.

mod http;
mod server;
mod stdio;

use self::server::{Offer, Server};
use crate::canned::Tools;

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
    /// List a third tool that answers calls, `change`: after it the list is another, and says so
    #[arg(long, requires = "stdio")]
    changing: bool,
}

/// Serves until stdin closes (stdio) or the process is killed (HTTP).
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let server = Server::new(
        args.era,
        &Tools {
            prefix: &args.prefix,
            count: args.tools.into(),
            changing: args.changing,
        },
    );
    if args.stdio { stdio::serve(&server) } else { http::serve(server) }
}

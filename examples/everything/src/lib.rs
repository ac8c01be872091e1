//! A server that uses every feature of the protocol, in both eras, to try clients and gateways with. `--help` lists the
//! flags.

#![forbid(unsafe_code)]

mod content;
mod failures;
mod jobs;
mod live;
mod media;
mod notes;
mod prompts;
mod questions;
mod tools;

use chancery_sdk::{RunError, Server, json};
use notes::Notes;

/// Runs the server as `args` (without the program's name) say.
///
/// # Errors
/// The arguments are not understood, or the address cannot be listened on.
pub async fn main(args: impl IntoIterator<Item = String>) -> Result<(), RunError> {
    server().run_with(args).await
}

/// Returns the server, for callers who run it themselves.
#[must_use]
pub fn server() -> Server {
    let notes = Notes::default();
    let server = Server::new("everything", env!("CARGO_PKG_VERSION"))
        .info("title", json!("Everything"))
        .info("description", json!("Uses every feature of the protocol"))
        .info(
            "icons",
            json!([{"src": media::png_uri(), "mimeType": "image/png", "sizes": ["1x1"]}]),
        )
        .instructions("Every tool shows one feature; its description says which. `who` says what the server knows of its client.")
        // Pages are small, so that clients have to fetch several.
        .page_size(10);
    let server = tools::add(server);
    let server = content::add(server);
    let server = questions::add(server);
    let server = jobs::add(server);
    let server = failures::add(server);
    let server = notes::add(server, &notes);
    let server = prompts::add(server, &notes);
    live::add(server)
}

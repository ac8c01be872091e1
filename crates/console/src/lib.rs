//! The operator API: approvals, access, permissions, tokens, the audit, servers and tools, as JSON below `/api/v1`.
//!
//! Law: it goes through [`kernel::office`] like everybody else, and has no door of its own. [`routes::ROUTES`] is the one table of what there
//! is: requests are matched against it, and the OpenAPI document is written from it.

#![forbid(unsafe_code)]

mod handlers;
mod input;
mod openapi;
mod page;
mod problem;
pub mod routes;
mod show;

pub use openapi::document;
pub use problem::Problem;

use kernel::Kernel;
use kernel::desk::{Answer, Desk, Request};
use kernel::link::BoxFuture;

/// The operator API of a gateway.
#[derive(Clone, Debug)]
pub struct Console {
    kernel: Kernel,
}

impl Console {
    /// Of this gateway.
    #[must_use]
    pub fn new(kernel: Kernel) -> Self {
        Self { kernel }
    }

    async fn answered(&self, request: &Request) -> Result<Answer, Problem> {
        let found = routes::find(request.verb, &request.path)?;
        let office = self.kernel.office(request.who.principal.clone(), request.who.token.as_deref())?;
        handlers::answer(&office, &found, request).await
    }
}

impl Desk for Console {
    fn answer(&self, request: Request) -> BoxFuture<'_, Answer> {
        Box::pin(async move { self.answered(&request).await.unwrap_or_else(Problem::into_answer) })
    }
}

//! The operator API: approvals, access, permissions, tokens, the audit, servers and tools, as JSON below `/api/v1`.
//!
//! Law: the API uses only [`kernel::operator`], as the command line does. `routes.rs` is the one table of all routes. The types that a handler takes
//! and returns are those by which requests are read and answers are written, and of which the OpenAPI document is made.

#![forbid(unsafe_code)]

mod fields;
mod handlers;
mod input;
mod invalid;
mod openapi;
mod page;
mod problem;
mod reply;
mod route;
mod routes;
mod shapes;
mod stream;

pub use problem::Problem;
pub use route::ROOT;
pub use routes::document;

use std::sync::Arc;

use kernel::Kernel;
use kernel::http_api::{Answer, HttpApi, Mount, Request};
use kernel::link::BoxFuture;

/// The operator API of a gateway.
#[derive(Clone, Debug)]
pub struct Console {
    kernel: Kernel,
}

impl Console {
    /// Creates the operator API of a gateway.
    #[must_use]
    pub fn new(kernel: Kernel) -> Self {
        Self { kernel }
    }

    /// Returns the routes of the operator API, for a listener.
    #[must_use]
    pub fn mount(kernel: Kernel) -> Mount {
        Mount {
            root: ROOT,
            api: Arc::new(Self::new(kernel)),
        }
    }

    async fn answered(&self, request: &Request) -> Result<Answer, Problem> {
        let (route, segments) = routes::find(request.verb, &request.path)?;
        let operations = self
            .kernel
            .operations(request.who.principal.clone(), request.who.token.as_deref())?;
        route.answer(operations, request, segments).await
    }
}

impl HttpApi for Console {
    fn answer(&self, request: Request) -> BoxFuture<'_, Answer> {
        Box::pin(async move { self.answered(&request).await.unwrap_or_else(Problem::into_answer) })
    }
}

//! The path of one request: resolve → admit → place → drive → settle. This file has its beginning, which chooses the path by the method, and its end.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Raw};
use mcp::exchange::{Method, Outcome, Request};
use mcp::method::Route;
use model::Ticket;
use policy::Action;
use tracing::Instrument;

use super::caller::Caller;
use super::room::{Asked, Calls};
use super::{extension, labels, lists, named, place, refused, resources, tasks, trace};

// Law: the path of a plain call is one small future. What is rare (a first connection, a bridge, a list) is boxed, so that its size is not moved with
// every call.

impl Calls {
    /// Handles a request and returns its outcome; none when the caller has cancelled it.
    pub async fn run(self: &Arc<Self>, caller: &Arc<Caller>, ticket: Ticket, mut request: Box<Request>) -> Option<Outcome> {
        let cancelled = caller.port()?.cancellation(ticket)?;
        let asked = Asked {
            calls: self,
            caller,
            ticket,
        };
        let method = request.method.clone();
        trace::settle(&self.guard, &mut request);
        let client = caller.subject.session;
        let span = tracing::debug_span!(
            "request",
            method = method.name(),
            client,
            principal = %caller.principal(),
            trace = request.trace.id()
        );
        let started = runtime::now();
        let outcome = tokio::select! {
            biased;
            // This is checked first: a call that was cancelled before a person consented to it must not be sent after that.
            () = cancelled.notified() => None,
            () = caller.dismissed() => Some(refused::dismissed()),
            outcome = route(asked, request).instrument(span) => Some(outcome),
        };
        let label = outcome.as_ref().map_or("cancelled", labels::of_outcome);
        let elapsed = started.elapsed();
        self.runtime.metrics().request(labels::of_method(&method), label, elapsed);
        let ms = elapsed.as_secs_f64() * 1e3;
        tracing::debug!(method = method.name(), client, outcome = label, ms, "answered");
        outcome
    }
}

async fn route(asked: Asked<'_>, request: Box<Request>) -> Outcome {
    let Method::Known(info) = request.method else {
        return Box::pin(extension::request(asked, request)).await;
    };
    match info.route {
        Route::Merge(kind) => Box::pin(lists::page(asked, kind, &request)).await,
        Route::Name(kind) => named::request(asked, kind, request).await,
        Route::Uri => Box::pin(resources::by_uri(asked, request)).await,
        Route::Reference => Box::pin(resources::complete(asked, request)).await,
        Route::Task => Box::pin(tasks::one(asked, request)).await,
        Route::TaskList => Box::pin(tasks::list(asked, &request)).await,
        Route::Gateway => Box::pin(own(asked, &request)).await,
        Route::Listen | Route::Reverse | Route::Session => Outcome::refused(ErrorObject::method_not_found(info.name)),
    }
}

/// Answers the requests that the gateway answers itself.
async fn own(asked: Asked<'_>, request: &Request) -> Outcome {
    match (request.method.name(), request.log_level) {
        ("logging/setLevel", Some(level)) => {
            if let Err(refused) = asked.admit(Action::SetLogLevel, request).await {
                return refused;
            }
            for line in asked.caller.lines() {
                if let Some(session) = line.live() {
                    place::set_level(&line, &session, level).await;
                }
            }
            Outcome::own(Raw::object_empty())
        }
        ("ping", _) => Outcome::own(Raw::object_empty()),
        (name, _) => Outcome::refused(ErrorObject::method_not_found(name)),
    }
}

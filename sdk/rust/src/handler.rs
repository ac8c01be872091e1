//! The type of all handlers, with their own types erased.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use crate::args::Args;
use crate::context::Context;
use crate::error::Result;

pub(crate) type Running<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// A function that takes the call's arguments and returns the result as JSON for the wire.
pub(crate) type Handler = Arc<dyn Fn(Context, Args) -> Running<Value> + Send + Sync>;

/// A function that suggests values for one argument.
pub(crate) type Completer = Arc<dyn Fn(Context, Completion) -> Running<Vec<String>> + Send + Sync>;

/// The argument that is to be completed.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The text typed so far.
    pub value: String,
    /// The arguments that are already chosen. Since 2025-06-18.
    pub arguments: Args,
}

/// Wraps a handler as a [`Handler`]; `wire` converts its result to JSON.
pub(crate) fn erase<F, Fut, R>(handler: F, wire: fn(&Context, R) -> Value) -> Handler
where
    F: Fn(Context, Args) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R>> + Send + 'static,
    R: 'static,
{
    Arc::new(move |ctx, args| {
        let running = handler(ctx.clone(), args);
        Box::pin(async move { running.await.map(|result| wire(&ctx, result)) })
    })
}

/// Wraps a completer as a [`Completer`].
pub(crate) fn erase_completer<F, Fut>(complete: F) -> Completer
where
    F: Fn(Context, Completion) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Vec<String>>> + Send + 'static,
{
    Arc::new(move |ctx, completion| Box::pin(complete(ctx, completion)))
}

//! A route: a verb, a path, and a handler. Its types define how the request is read, how the answer is written, and how both are documented.

use std::fmt;
use std::future::{Ready, ready};

use kernel::http_api::{Answer, Request, Verb};
use kernel::link::BoxFuture;
use kernel::operator::Operations;
use percent_encoding::percent_decode_str;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};

use crate::input::{Body, Input, Parameters};
use crate::problem::Problem;
use crate::reply::Reply;

/// The prefix of the operator API's paths.
pub const ROOT: &str = "/api/v1";

/// The values of the names in braces of a path, decoded.
pub(crate) type Segments = Vec<(String, String)>;

/// The function that handles a request.
type Handle = dyn Fn(Operations, &Request, Segments) -> BoxFuture<'static, Result<Answer, Problem>> + Send + Sync;

/// A route of the operator API.
pub(crate) struct Route {
    pub(crate) verb: Verb,
    /// The path; a name in braces stands for any segment.
    pub(crate) path: &'static str,
    /// The name of the operation in the document.
    pub(crate) operation: &'static str,
    /// The summary of the operation, in a sentence.
    pub(crate) summary: &'static str,
    /// The function that describes the types of the handler.
    pub(crate) describe: fn(&mut Schemas) -> Description,
    handle: Box<Handle>,
}

/// The schemas of a document as they are collected. A type has another schema in a request than in an answer: an optional field need not be given,
/// but is always answered, if only as null.
#[derive(Debug)]
pub(crate) struct Schemas {
    pub(crate) of_requests: SchemaGenerator,
    pub(crate) of_answers: SchemaGenerator,
}

impl Schemas {
    /// Creates an empty collection. `place` is the place in the document at which the schemas will stand.
    pub(crate) fn new(place: &'static str) -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = place.into());
        Self {
            of_requests: settings.clone().for_deserialize().into_generator(),
            of_answers: settings.for_serialize().into_generator(),
        }
    }
}

/// The description of a handler's requests and answers, from its types.
#[derive(Debug)]
pub(crate) struct Description {
    /// An object with the parameters of the path.
    pub(crate) path: Schema,
    /// An object with the parameters of the query.
    pub(crate) query: Schema,
    pub(crate) body: Option<Schema>,
    pub(crate) status: u16,
    pub(crate) media: &'static str,
    pub(crate) answer: Schema,
}

impl Route {
    /// Creates a route to a handler.
    pub(crate) fn new<P, Q, B, R, F>(
        verb: Verb,
        path: &'static str,
        operation: &'static str,
        summary: &'static str,
        handler: impl Fn(Operations, Input<P, Q, B>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        P: Parameters,
        Q: Parameters,
        B: Body,
        R: Reply,
        F: Future<Output = Result<R, Problem>> + Send + 'static,
    {
        let handle = move |operations, request: &Request, segments| -> BoxFuture<'static, _> {
            match Input::read(request, segments) {
                Ok(input) => {
                    let answering = handler(operations, input);
                    Box::pin(async move { Ok(answering.await?.into_answer()) })
                }
                Err(problem) => Box::pin(ready(Err(problem))),
            }
        };
        Self {
            verb,
            path,
            operation,
            summary,
            describe: |schemas| Description {
                path: P::json_schema(&mut schemas.of_requests),
                query: Q::json_schema(&mut schemas.of_requests),
                body: B::schema(&mut schemas.of_requests),
                status: R::STATUS,
                media: R::MEDIA,
                answer: R::schema(&mut schemas.of_answers),
            },
            handle: Box::new(handle),
        }
    }

    /// Returns the values of the names in braces, if a path matches.
    pub(crate) fn segments(&self, path: &str) -> Option<Segments> {
        let (mut wanted, mut given) = (self.path.split('/'), path.split('/'));
        let mut segments = Vec::new();
        loop {
            match (wanted.next(), given.next()) {
                (None, None) => return Some(segments),
                (Some(wanted), Some(given)) => match wanted.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                    Some(name) if !given.is_empty() => {
                        segments.push((name.to_owned(), percent_decode_str(given).decode_utf8().ok()?.into_owned()));
                    }
                    None if wanted == given => {}
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    /// Handles a request.
    pub(crate) fn answer(
        &self,
        operations: Operations,
        request: &Request,
        segments: Segments,
    ) -> BoxFuture<'static, Result<Answer, Problem>> {
        (self.handle)(operations, request, segments)
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb.as_str(), self.path)
    }
}

/// Turns a synchronous function into a handler.
pub(crate) fn at_once<I, R>(handler: impl Fn(&Operations, I) -> Result<R, Problem>) -> impl Fn(Operations, I) -> Ready<Result<R, Problem>> {
    move |operations, input| ready(handler(&operations, input))
}

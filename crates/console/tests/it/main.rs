//! The operator API of a live gateway, held to what `docs/reference/openapi.json` says of it.

mod answers;
mod live;
mod refusals;
mod schema;

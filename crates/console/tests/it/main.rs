//! Tests of the operator API of a live gateway against `docs/reference/openapi.json`.

mod answers;
mod live;
mod refusals;
mod schema;

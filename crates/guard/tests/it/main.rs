//! Tests of the guard alone: transcripts of what it admits, asks people, records and revokes, without connections and without a disk.

mod calls;
mod config;
mod people;
mod room;
mod said;
mod store_stub;
mod transcripts;
mod words;

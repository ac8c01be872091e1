//! Tests of the crate alone: transcripts with a scripted connection in memory and time that the transcript moves.

mod clients;
mod connection;
mod exchanges;
mod said;
mod server_side;
mod sharer;
mod spec;
mod stage;
mod transcripts;

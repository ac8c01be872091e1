//! The servers of a gateway, alone: transcripts of their lives, with a scripted connection in memory and time that the transcript moves.

mod clients;
mod connection;
mod said;
mod server_side;
mod sharer;
mod spec;
mod stage;
mod transcripts;

//! Tests of the SDK: transcripts over lines, and the HTTP transport over real sockets.

mod client;
mod http_legacy;
mod http_modern;
mod robust;
mod transcript;
mod transcripts;

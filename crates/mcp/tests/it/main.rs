//! The session machines of both faces: transcripts, and properties of random schedules.

mod arbitrary;
mod client_face;
mod pair;
mod pair_stage;
mod properties;
mod random;
mod server_face;
mod transcript;
mod words;

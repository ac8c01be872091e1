//! Minimal example server.

//! `[gateway.limits]`

use std::time::Duration;

use super::literal::Literal::{Count, Text};
use super::section::section;
use super::setting::{Preset, count, duration, size};

section! {
    /// The limits of what one client, or all of them, may use. A request beyond a limit is answered with an error,
    /// never queued.
    Table "gateway.limits";

    /// The largest message, in either direction and on every transport.
    BODY: Preset<usize> = size("body").also(&["message", "message_size", "max_body", "body_size"]).or(Text("16MiB"));

    /// How deeply the JSON of a message may be nested.
    DEPTH: Preset<usize> = count("depth").or(Count(128));

    /// The largest head of an HTTP request.
    HEADERS: Preset<usize> = size("headers").also(&["header_size"]).or(Text("64KiB"));

    /// The most open HTTP connections of all clients together.
    CONNECTIONS: Preset<usize> = count("connections").also(&["max_connections"]).or(Count(1024));

    /// The most open sessions of all clients together.
    SESSIONS: Preset<usize> = count("sessions").example("10000").also(&["max_sessions"]).or(Count(200000));

    /// The most open event streams of all clients together.
    STREAMS: Preset<usize> = count("streams").also(&["max_streams"]).or(Count(4096));

    /// The most requests of one session, or of one pipe, that may be unanswered at the same time.
    IN_FLIGHT: Preset<usize> = count("in_flight").also(&["max_in_flight", "requests", "concurrency"]).or(Count(1024));

    /// How long an HTTP connection without a request in flight stays open.
    IDLE: Preset<Duration> = duration("idle").also(&["idle_timeout", "keep_alive"]).or(Text("2m"));

    /// How long a session without a request or an open stream is remembered.
    SESSION_IDLE: Preset<Duration> = duration("session_idle").example(r#""1h""#).also(&["session_timeout"]).or(Text("30m"));
}

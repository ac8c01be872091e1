//! Tests of calls of callers that are not MCP clients: transcripts with scripted callers, and servers in memory.

mod port;
mod said;
mod servers;
mod stage;
mod transcripts;

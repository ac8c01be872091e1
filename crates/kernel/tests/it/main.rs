//! Calls of callers that are no MCP clients, alone: transcripts with scripted callers, and servers in memory.

mod port;
mod said;
mod servers;
mod stage;
mod transcripts;

//! The log: lines or JSON on stderr. Stdout belongs to the protocol and to results.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Starts logging for the rest of the process; a second call changes nothing.
///
/// # Errors
/// When `level` is no level and no list of levels.
pub fn init(level: &str, format: LogFormat) -> Result<(), String> {
    let filter = EnvFilter::try_new(level).map_err(|error| format!("`{level}` is no log level: {error}"))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A log that is already running (in tests) stays.
    match format {
        LogFormat::Text => builder
            .with_ansi(false)
            .with_target(std::io::stderr().is_terminal())
            .try_init()
            .ok(),
        LogFormat::Json => builder
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .try_init()
            .ok(),
    };
    Ok(())
}

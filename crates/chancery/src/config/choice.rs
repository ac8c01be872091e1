//! The words that the configuration accepts, each with its value.

use std::time::Duration;

use kernel::spec::{Builtin, EraChoice, Share, Start};
use model::{Access, Risk, TrustLevel};
use policy::{DefaultAccess, OnChange, OnDangerous, OnModerate, PermissionPolicy};
use store::SyncMode;
use transport::http::Anonymous;
use validators::sql::Dialect;

/// A value that the configuration writes as one of a few words.
pub(super) trait Choice: Sized + 'static {
    /// Returns the words and their values, in the order in which they are shown.
    fn words() -> Vec<(&'static str, Self)>;
}

/// Returns the words alone.
#[must_use]
pub(super) fn names<T: Choice>() -> Vec<&'static str> {
    T::words().into_iter().map(|(word, _)| word).collect()
}

/// Returns the value of a word.
#[must_use]
pub(super) fn find<T: Choice>(word: &str) -> Option<T> {
    T::words().into_iter().find(|(known, _)| *known == word).map(|(_, meaning)| meaning)
}

/// Returns the first word for a value.
#[must_use]
pub(super) fn word<T: Choice + PartialEq>(meaning: &T) -> &'static str {
    let words = T::words().into_iter();
    words
        .filter(|(_, known)| known == meaning)
        .map(|(word, _)| word)
        .next()
        .unwrap_or_default()
}

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// A line for people.
    Text,
    /// A JSON object a line.
    Json,
}

/// The transport of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Lines on the pipes of a child process.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of 2024-11-05.
    Sse,
}

/// When a server is restarted (MGP §15.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Not at all.
    Never,
    /// When it ended with an error.
    OnFailure,
    /// Whenever it ended.
    Always,
}

/// What decides how long events are kept (MGP §19.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Nothing: they are kept for ever.
    All,
    /// Their age.
    Time,
    /// Their size.
    Size,
    /// Two ages: until the first, queries find them; until the second, they are kept.
    Tiered,
}

macro_rules! words {
    ($($type:ty { $($word:literal => $meaning:expr),+ $(,)? })+) => {
        $(
            impl Choice for $type {
                fn words() -> Vec<(&'static str, Self)> {
                    vec![$(($word, $meaning)),+]
                }
            }
        )+
    };
}

words! {
    LogFormat { "text" => Self::Text, "json" => Self::Json }
    Transport { "stdio" => Self::Stdio, "http" => Self::Http, "sse" => Self::Sse }
    Restart { "never" => Self::Never, "on_failure" => Self::OnFailure, "always" => Self::Always }
    Keeping { "keep_all" => Self::All, "time_based" => Self::Time, "size_based" => Self::Size, "tiered" => Self::Tiered }
    Anonymous { "without-tokens" => Self::WithoutTokens, "loopback" => Self::Loopback, "never" => Self::Never }
    EraChoice { "auto" => Self::Auto, "legacy" => Self::Legacy, "modern" => Self::Modern }
    Share { "session" => Self::Session, "all" => Self::All }
    Start { "eager" => Self::Eager, "on-use" => Self::OnUse }
    Access { "allow" => Self::Allow, "deny" => Self::Deny }
    Risk { "safe" => Self::Safe, "moderate" => Self::Moderate, "dangerous" => Self::Dangerous }
    DefaultAccess { "opt-in" => Self::OptIn, "opt-out" => Self::OptOut }
    PermissionPolicy {
        "interactive" => Self::Interactive,
        "auto_approve" => Self::AutoApprove,
        "deny_all" => Self::DenyAll,
        "config_only" => Self::ConfigOnly,
    }
    OnModerate { "run" => Self::Run, "confirm" => Self::Confirm }
    OnDangerous { "confirm" => Self::Confirm, "refuse" => Self::Refuse }
    OnChange { "review" => Self::Review, "refuse" => Self::Refuse, "run" => Self::Run }
    // DESIGN 8.
    SyncMode { "interval" => Self::Interval(Duration::from_millis(50)), "always" => Self::Always }
}

impl Choice for Builtin {
    fn words() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|builtin| (builtin.name(), builtin)).to_vec()
    }
}

impl Choice for TrustLevel {
    fn words() -> Vec<(&'static str, Self)> {
        let words = ["core", "trusted", "standard", "experimental", "untrusted", "sandboxed"];
        let levels = words.map(|word| Some((word, mgp::trust::parse(word)?)));
        levels.into_iter().flatten().collect()
    }
}

impl Choice for Dialect {
    fn words() -> Vec<(&'static str, Self)> {
        let words = [
            "generic",
            "postgresql",
            "mysql",
            "mssql",
            "sqlite",
            "bigquery",
            "snowflake",
            "duckdb",
            "clickhouse",
            "databricks",
            "hive",
            "redshift",
            "oracle",
        ];
        let dialects = words.map(|word| Some((word, Self::parse(word)?)));
        dialects.into_iter().flatten().collect()
    }
}

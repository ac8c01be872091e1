//! `[audit]`

use std::time::Duration;

use store::SyncMode;

use super::super::choice::Keeping;
use super::alert;
use super::literal::Literal::{Empty, Text};
use super::section::section;
use super::setting::{Entries, Preset, Setting, age, choice, size, tables, texts};

section! {
    /// What is kept of what happened, in the folder of the store. Every call is written down before it leaves the gateway.
    Table "audit";

    /// When an event is safe from a power cut: within 50 ms, or before what it tells of goes on. From the death of the process it is safe
    /// at once, either way. Read at the start.
    SYNC: Preset<SyncMode> = choice("sync").example(r#""always""#).also(&["fsync", "durability"]).or(Text("interval"));

    /// How long events are kept (MGP §19.4): for ever, for the time of `keep`, as many as `size` holds, or found by queries for
    /// `searchable` and then only kept for export and verification until `keep` is over. Whole segments go; the heads of their chains stay.
    /// Read at the start.
    RETENTION: Preset<Keeping> = choice("retention").example(r#""tiered""#).also(&["retention_policy"]).or(Text("keep_all"));

    /// For how long, with `time_based` and `tiered`.
    KEEP: Setting<Duration> = age("keep").example(r#""365d""#).also(&["days", "max_age", "retention_days"]);

    /// How long queries find them, with `tiered`.
    SEARCHABLE: Setting<Duration> = age("searchable").example(r#""30d""#).also(&["hot"]);

    /// How much, with `size_based`.
    SIZE: Setting<usize> = size("size").example(r#""10GiB""#).also(&["max_size", "megabytes"]);

    /// Words that name secrets, beside those that are known (`password`, `token`, `api_key` …): what stands under a key with such a word in
    /// its name is not written down.
    REDACT: Preset<Vec<String>> = texts("redact").example(r#"["iban", "patient"]"#).also(&["secrets", "mask", "redaction"]).or(Empty);

    /// What raises an alert; at most 100, each with a name of its own.
    ALERTS: Setting<Entries> = tables("alerts", &alert::SECTION).also(&["alert", "rules"]);
}

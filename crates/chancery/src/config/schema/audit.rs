//! `[audit]`

use std::time::Duration;

use store::SyncMode;

use super::super::choice::Keeping;
use super::alert;
use super::literal::Literal::{Empty, Text};
use super::section::section;
use super::setting::{Entries, Preset, Setting, age, choice, size, tables, texts};

section! {
    /// What is recorded of what happened, in the folder of the store. Every call is recorded before it leaves the
    /// gateway.
    Table "audit";

    /// When an event is safe from a power cut: within 50 ms, or before the recorded action continues. Either way it is
    /// safe from the death of the process at once. Read at the start.
    SYNC: Preset<SyncMode> = choice("sync").example(r#""always""#).also(&["fsync", "durability"]).or(Text("interval"));

    /// How long events are kept (MGP §19.4): for ever, for the time of `keep`, as many as `size` holds, or found by
    /// queries for `searchable` and then only kept for export and verification until `keep` is over. Whole segments are
    /// dropped; the heads of their chains stay. Read at the start.
    RETENTION: Preset<Keeping> = choice("retention").example(r#""tiered""#).also(&["retention_policy"]).or(Text("keep_all"));

    /// How long events are kept, with `time_based` and `tiered`.
    KEEP: Setting<Duration> = age("keep").example(r#""365d""#).also(&["days", "max_age", "retention_days"]);

    /// How long queries find events, with `tiered`.
    SEARCHABLE: Setting<Duration> = age("searchable").example(r#""30d""#).also(&["hot"]);

    /// How many bytes of events are kept, with `size_based`.
    SIZE: Setting<usize> = size("size").example(r#""10GiB""#).also(&["max_size", "megabytes"]);

    /// Words that name secrets, beside the known ones (`password`, `token`, `api_key` …): the value of a key with such
    /// a word in its name is not recorded.
    REDACT: Preset<Vec<String>> = texts("redact").example(r#"["iban", "patient"]"#).also(&["secrets", "mask", "redaction"]).or(Empty);

    /// The rules for alerts; at most 100, each with a name of its own.
    ALERTS: Setting<Entries> = tables("alerts", &alert::SECTION).also(&["alert", "rules"]);
}

//! `[[audit.alerts]]`

use std::time::Duration;

use super::literal::Literal::{Count, Text};
use super::section::section;
use super::setting::{Preset, Setting, count, duration, text};

section! {
    /// One rule: when so many events of a type come within a time, an event `security.NAME` is raised. It is raised again only after as
    /// many have come anew.
    List "audit.alerts";

    /// The last part of the type of the event that is raised: lower-case letters, digits and `_`.
    NAME: Setting<String> = text("name").required().example(r#""denials""#).also(&["id"]);

    /// The type of the events that are counted, such as `TOOL_BLOCKED`.
    EVENT: Setting<String> = text("event").required().example(r#""TOOL_BLOCKED""#).also(&["event_type", "type"]);

    /// Whose events are counted. Without it, those of each actor by themselves.
    ACTOR: Setting<String> = text("actor").example(r#""ci""#).also(&["principal", "agent"]);

    /// How many; at most 10,000.
    COUNT: Preset<usize> = count("count").also(&["threshold"]).or(Count(10));

    /// Within how much time.
    WINDOW: Preset<Duration> = duration("window").also(&["within", "period"]).or(Text("1m"));
}

//! `[[audit.alerts]]`

use std::time::Duration;

use super::literal::Literal::{Count, Text};
use super::section::section;
use super::setting::{Preset, Setting, count, duration, text};

section! {
    /// One alert: when so many events of a type occur within a time, an event `security.NAME` is raised. It is raised
    /// again only after as many new ones have occurred.
    List "audit.alerts";

    /// The last part of the type of the event that is raised: lower-case letters, digits and `_`.
    NAME: Setting<String> = text("name").required().example(r#""denials""#).also(&["id"]);

    /// The type of the events that are counted, such as `TOOL_BLOCKED`.
    EVENT: Setting<String> = text("event").required().example(r#""TOOL_BLOCKED""#).also(&["event_type", "type"]);

    /// The actor whose events are counted. Without it, the events of each actor are counted separately.
    ACTOR: Setting<String> = text("actor").example(r#""ci""#).also(&["principal", "agent"]);

    /// The number of events; at most 10,000.
    COUNT: Preset<usize> = count("count").also(&["threshold"]).or(Count(10));

    /// The time within which they are counted.
    WINDOW: Preset<Duration> = duration("window").also(&["within", "period"]).or(Text("1m"));
}

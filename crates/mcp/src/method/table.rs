//! The method table: one row for each name, direction and range of revisions, sorted by name.

use super::ListKind::{Prompts, ResourceTemplates, Resources, Tools};
use super::MethodInfo;
use super::MethodKind::{self, Notification, Request};
use super::Route::{self, Gateway, Listen, Merge, Name, Reference, Reverse, Session, Task, TaskList, Uri};
use super::Side::{self, Client, Server};
use crate::revision::Revision::{
    self, V2024_11_05 as R2411, V2025_03_26 as R2503, V2025_06_18 as R2506, V2025_11_25 as R2511, V2026_07_28 as R2607,
};

type Path = &'static [&'static str];

const NONE: Path = &[];
const TASKS_EXTENSION: Path = &["extensions", crate::capabilities::TASKS_EXTENSION];

#[expect(clippy::too_many_arguments, reason = "the columns of the table")]
const fn row(
    name: &'static str,
    kind: MethodKind,
    from: Side,
    first: Revision,
    last: Revision,
    route: Route,
    server: Path,
    client: Path,
) -> MethodInfo {
    MethodInfo {
        name,
        kind,
        from,
        first,
        last,
        route,
        server,
        client,
    }
}

/// Every method and notification. `completion/complete` has two rows because 2024-11-05 had no capability for it; the tasks methods have two
/// because 2026-07-28 moved them into an extension (SEP-2663).
#[rustfmt::skip]
pub const METHODS: &[MethodInfo] = &[
    row("completion/complete",                      Request,      Client, R2411, R2411, Reference,                NONE,                                   NONE),
    row("completion/complete",                      Request,      Client, R2503, R2607, Reference,                &["completions"],                       NONE),
    row("elicitation/create",                       Request,      Server, R2506, R2511, Reverse,                  NONE,                                   &["elicitation"]),
    row("initialize",                               Request,      Client, R2411, R2511, Gateway,                  NONE,                                   NONE),
    row("logging/setLevel",                         Request,      Client, R2411, R2511, Gateway,                  &["logging"],                           NONE),
    row("notifications/cancelled",                  Notification, Client, R2411, R2607, Session,                  NONE,                                   NONE),
    // 2026-07-28 basic/patterns/cancellation: from a server only to end a listen stream on stdio.
    row("notifications/cancelled",                  Notification, Server, R2411, R2607, Session,                  NONE,                                   NONE),
    row("notifications/elicitation/complete",       Notification, Server, R2511, R2511, Session,                  NONE,                                   &["elicitation", "url"]),
    row("notifications/initialized",                Notification, Client, R2411, R2511, Session,                  NONE,                                   NONE),
    row("notifications/message",                    Notification, Server, R2411, R2607, Session,                  &["logging"],                           NONE),
    row("notifications/progress",                   Notification, Client, R2411, R2511, Session,                  NONE,                                   NONE),
    row("notifications/progress",                   Notification, Server, R2411, R2607, Session,                  NONE,                                   NONE),
    row("notifications/prompts/list_changed",       Notification, Server, R2411, R2607, Session,                  &["prompts", "listChanged"],            NONE),
    row("notifications/resources/list_changed",     Notification, Server, R2411, R2607, Session,                  &["resources", "listChanged"],          NONE),
    row("notifications/resources/updated",          Notification, Server, R2411, R2607, Session,                  &["resources", "subscribe"],            NONE),
    row("notifications/roots/list_changed",         Notification, Client, R2411, R2511, Session,                  NONE,                                   &["roots", "listChanged"]),
    row("notifications/subscriptions/acknowledged", Notification, Server, R2607, R2607, Session,                  NONE,                                   NONE),
    row("notifications/tasks",                      Notification, Server, R2607, R2607, Session,                  TASKS_EXTENSION,                        TASKS_EXTENSION),
    row("notifications/tasks/status",               Notification, Client, R2511, R2511, Session,                  NONE,                                   &["tasks"]),
    row("notifications/tasks/status",               Notification, Server, R2511, R2511, Session,                  &["tasks"],                             NONE),
    row("notifications/tools/list_changed",         Notification, Server, R2411, R2607, Session,                  &["tools", "listChanged"],              NONE),
    row("ping",                                     Request,      Client, R2411, R2511, Gateway,                  NONE,                                   NONE),
    row("ping",                                     Request,      Server, R2411, R2511, Gateway,                  NONE,                                   NONE),
    row("prompts/get",                              Request,      Client, R2411, R2607, Name(Prompts),            &["prompts"],                           NONE),
    row("prompts/list",                             Request,      Client, R2411, R2607, Merge(Prompts),           &["prompts"],                           NONE),
    row("resources/list",                           Request,      Client, R2411, R2607, Merge(Resources),         &["resources"],                         NONE),
    row("resources/read",                           Request,      Client, R2411, R2607, Uri,                      &["resources"],                         NONE),
    row("resources/subscribe",                      Request,      Client, R2411, R2511, Uri,                      &["resources", "subscribe"],            NONE),
    row("resources/templates/list",                 Request,      Client, R2411, R2607, Merge(ResourceTemplates), &["resources"],                         NONE),
    row("resources/unsubscribe",                    Request,      Client, R2411, R2511, Uri,                      &["resources", "subscribe"],            NONE),
    row("roots/list",                               Request,      Server, R2411, R2511, Reverse,                  NONE,                                   &["roots"]),
    row("sampling/createMessage",                   Request,      Server, R2411, R2511, Reverse,                  NONE,                                   &["sampling"]),
    row("server/discover",                          Request,      Client, R2607, R2607, Gateway,                  NONE,                                   NONE),
    row("subscriptions/listen",                     Request,      Client, R2607, R2607, Listen,                   NONE,                                   NONE),
    row("tasks/cancel",                             Request,      Client, R2511, R2511, Task,                     &["tasks", "cancel"],                   NONE),
    row("tasks/cancel",                             Request,      Client, R2607, R2607, Task,                     TASKS_EXTENSION,                        TASKS_EXTENSION),
    row("tasks/cancel",                             Request,      Server, R2511, R2511, Task,                     NONE,                                   &["tasks", "cancel"]),
    row("tasks/get",                                Request,      Client, R2511, R2511, Task,                     &["tasks"],                             NONE),
    row("tasks/get",                                Request,      Client, R2607, R2607, Task,                     TASKS_EXTENSION,                        TASKS_EXTENSION),
    row("tasks/get",                                Request,      Server, R2511, R2511, Task,                     NONE,                                   &["tasks"]),
    row("tasks/list",                               Request,      Client, R2511, R2511, TaskList,                 &["tasks", "list"],                     NONE),
    row("tasks/list",                               Request,      Server, R2511, R2511, TaskList,                 NONE,                                   &["tasks", "list"]),
    row("tasks/result",                             Request,      Client, R2511, R2511, Task,                     &["tasks"],                             NONE),
    row("tasks/result",                             Request,      Server, R2511, R2511, Task,                     NONE,                                   &["tasks"]),
    row("tasks/update",                             Request,      Client, R2607, R2607, Task,                     TASKS_EXTENSION,                        TASKS_EXTENSION),
    row("tools/call",                               Request,      Client, R2411, R2607, Name(Tools),              &["tools"],                             NONE),
    row("tools/list",                               Request,      Client, R2411, R2607, Merge(Tools),             &["tools"],                             NONE),
];

/// Returns every row of a name: both directions, all revisions. No row means that neither the core nor the tasks
/// extension has it.
#[must_use]
pub fn named(name: &str) -> &'static [MethodInfo] {
    let start = METHODS.partition_point(|row| row.name < name);
    let rows = &METHODS[start..];
    &rows[..rows.iter().take_while(|row| row.name == name).count()]
}

/// Returns the row of `name` in a revision, where that end sends it as a message of its own.
#[must_use]
pub fn lookup(name: &str, from: Side, revision: Revision) -> Option<&'static MethodInfo> {
    named(name).iter().find(|row| row.from == from && row.in_revision(revision))
}

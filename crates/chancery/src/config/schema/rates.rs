//! `[policy.rates]`

use policy::Rate;

use super::section::section;
use super::setting::{Entries, Setting, rate, rates};

section! {
    /// How many calls are let through: `"100/1m"` is a hundred in a minute. All of them may come at once, then they come back evenly. What
    /// is beyond is refused with the time to wait. Without a key nothing is limited.
    Table "policy.rates";

    /// Of each principal.
    PRINCIPAL: Setting<Rate> = rate("principal").example(r#""600/1m""#);

    /// Of some principals, in place of that.
    PRINCIPALS: Setting<Entries> = rates("principals").example(r#"{ ci = "60/1m" }"#);

    /// Of each server, whoever calls.
    SERVER: Setting<Rate> = rate("server").example(r#""1000/1m""#);

    /// Of some servers, in place of that.
    SERVERS: Setting<Entries> = rates("servers").example(r#"{ tickets = "30/1m" }"#);

    /// Of each tool, whoever calls.
    TOOL: Setting<Rate> = rate("tool").example(r#""300/1m""#);

    /// Of some tools, as `server/tool`, in place of that.
    TOOLS: Setting<Entries> = rates("tools").example(r#"{ "tickets/create" = "5/1h" }"#);
}

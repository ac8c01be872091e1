//! `[policy.rates]`

use policy::Rate;

use super::section::section;
use super::setting::{Entries, Setting, rate, rates};

section! {
    /// Limits of call rates: `"100/1m"` is a hundred calls in a minute. All of them may come at once; the allowance
    /// then refills evenly. A call beyond the limit is refused with the time to wait. Without a key there is no limit.
    Table "policy.rates";

    /// The rate of each principal.
    PRINCIPAL: Setting<Rate> = rate("principal").example(r#""600/1m""#);

    /// The rates of some principals, in place of `principal`.
    PRINCIPALS: Setting<Entries> = rates("principals").example(r#"{ ci = "60/1m" }"#);

    /// The rate of each server, for all callers together.
    SERVER: Setting<Rate> = rate("server").example(r#""1000/1m""#);

    /// The rates of some servers, in place of `server`.
    SERVERS: Setting<Entries> = rates("servers").example(r#"{ tickets = "30/1m" }"#);

    /// The rate of each tool, for all callers together.
    TOOL: Setting<Rate> = rate("tool").example(r#""300/1m""#);

    /// The rates of some tools, as `server/tool`, in place of `tool`.
    TOOLS: Setting<Entries> = rates("tools").example(r#"{ "tickets/create" = "5/1h" }"#);
}

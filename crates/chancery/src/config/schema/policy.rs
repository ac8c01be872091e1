//! `[policy]`

use std::time::Duration;

use policy::{DefaultAccess, OnChange, OnDangerous, OnModerate, PermissionPolicy};

use super::literal::Literal::{Flag, Text};
use super::section::section;
use super::setting::{Entries, Preset, Setting, choice, duration, flag, table, tables};
use super::{grant, rates};

section! {
    /// Who may do what. Without this table the only user of this machine may call every tool, dangerous ones after a confirmation; see
    /// [security](../operate/security.md). Where several files set the same key, the first file wins, key by key; grants of all files count.
    Table "policy";

    /// The access of principals without a grant: `opt-in` denies, `opt-out` allows. Default: `opt-out` as long as the
    /// local user is the only principal, `opt-in` otherwise.
    ACCESS: Setting<DefaultAccess> = choice("access").example(r#""opt-in""#).also(&["default", "default_policy", "default_access"]);

    /// How servers that ask for permissions are answered: a person is asked (`interactive`), everything is approved
    /// (`auto_approve`), everything that was not approved beforehand is denied (`deny_all`), or only `approved` in
    /// `[servers.policy]` counts (`config_only`).
    PERMISSIONS: Preset<PermissionPolicy> = choice("permissions")
        .example(r#""config_only""#)
        .also(&["permission_policy", "approval_policy"])
        .or(Text("interactive"));

    /// What happens to tools of moderate risk: they run, or a person confirms each call.
    MODERATE: Preset<OnModerate> = choice("moderate").example(r#""confirm""#).or(Text("run"));

    /// What happens to dangerous tools: a person confirms each call, or they are refused. A grant with `confirms` lets them run either way.
    DANGEROUS: Preset<OnDangerous> = choice("dangerous").example(r#""refuse""#).or(Text("confirm"));

    /// What happens to a tool whose name, description or schema is not the approved one any more: a person confirms it,
    /// it is refused, or it runs and only the audit records it.
    CHANGED: Preset<OnChange> = choice("changed").example(r#""refuse""#).also(&["on_change", "pinning", "drift"]).or(Text("review"));

    /// How long a person has to decide about a call.
    APPROVAL_TIMEOUT: Preset<Duration> = duration("approval_timeout")
        .example(r#""10m""#)
        .also(&["confirm_timeout", "approval_ttl"])
        .or(Text("5m"));

    /// How long the call itself waits for an operator, where its own client can't ask a person: then the client is told
    /// to retry, and finds the decision. No longer than `approval_timeout`.
    APPROVAL_HOLD: Preset<Duration> = duration("approval_hold").example(r#""1m""#).also(&["confirm_wait", "approval_wait"]).or(Text("20s"));

    /// Whether lists name the gateway's own tools without dots (`mgp_access_query`), for model providers that allow
    /// none. Both names can be called.
    UNDERSCORED_TOOLS: Preset<bool> = flag("underscored_tools").example("true").also(&["underscored", "underscore_names"]).or(Flag(false));

    /// The limits of call rates.
    RATES: Setting<Entries> = table("rates", &rates::SECTION).also(&["rate_limits", "rate_limit", "limits", "ratelimit"]);

    /// The grants. Only this file can revoke them.
    GRANTS: Setting<Entries> = tables("grants", &grant::SECTION).also(&["grant", "allow", "rules"]);
}

//! The command line of operators: `token …`, `approvals …`, `access …`, `permissions …`.

use clap::{Args, Subcommand, ValueEnum};

use super::records::Format;

/// `token …`
#[derive(Clone, Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token; it is shown this once
    #[command(after_help = "\
Examples:
  chancery token create alice
  chancery token create ci --scope files --scope tickets --expires 30d
  chancery token create olga --role operator
  TOKEN=$(chancery token create alice --format json | jq -r .token)")]
    Create(TokenCreate),
    /// List the tokens, also those that have expired or been revoked
    #[command(after_help = "\
Examples:
  chancery token list
  chancery token list --format json")]
    List(Listed),
    /// Revoke a token: its holder can do nothing more with it
    #[command(after_help = "\
Example:
  chancery token revoke t-1f3a")]
    Revoke(TokenRevoke),
}

/// `approvals …`
#[derive(Clone, Debug, Subcommand)]
pub enum ApprovalsCommand {
    /// List the calls that wait for a person
    #[command(after_help = "\
Examples:
  chancery approvals list
  chancery approvals list --watch
  chancery approvals list --format json")]
    List(ApprovalsList),
    /// Approve a call
    #[command(after_help = "\
Examples:
  chancery approvals approve 6f1c…
  chancery approvals approve 6f1c… --always           from now on without asking
  chancery approvals approve 6f1c… --always --until 8h")]
    Approve(Approve),
    /// Refuse a call
    #[command(after_help = "\
Example:
  chancery approvals deny 6f1c…")]
    Deny(Deny),
}

/// `access …`
#[derive(Clone, Debug, Subcommand)]
pub enum AccessCommand {
    /// List the grants that were made here; those of the configuration stand there
    #[command(after_help = "\
Examples:
  chancery access list
  chancery access list --principal alice --format json")]
    List(AccessList),
    /// Say whether a principal has access, and what says so
    #[command(after_help = "\
Ends with 0 if it has, with 1 if not.

Examples:
  chancery access check alice files
  chancery access check alice files/write_file")]
    Check(AccessCheck),
    /// Let a principal use a server or a tool, or forbid it
    #[command(after_help = "\
Examples:
  chancery access grant alice files
  chancery access grant ci files/read_file --expires 30d --because 'builds the site'
  chancery access grant alice files/delete_file --confirms      no person is asked then
  chancery access grant bob files/write_file --deny")]
    Grant(AccessGrant),
    /// Remove a principal's grants of a server or a tool
    #[command(after_help = "\
Examples:
  chancery access revoke alice files
  chancery access revoke alice files/delete_file")]
    Revoke(AccessRevoke),
}

/// `permissions …`
#[derive(Clone, Debug, Subcommand)]
pub enum PermissionsCommand {
    /// List what servers were permitted, and what they ask for
    #[command(after_help = "\
Examples:
  chancery permissions list
  chancery permissions list --waiting --format json")]
    List(PermissionsList),
    /// Decide about a permission of a server, asked for or not
    #[command(after_help = "\
Examples:
  chancery permissions decide tickets network.outbound approve
  chancery permissions decide tickets shell.execute deny
  chancery permissions decide tickets network.outbound approve --expires 7d")]
    Decide(PermissionsDecide),
}

/// How a list is written.
#[derive(Args, Clone, Debug, Default)]
pub struct Listed {
    /// How it is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// `token create`
#[derive(Args, Clone, Debug)]
pub struct TokenCreate {
    /// Who will hold it
    pub principal: String,
    /// What its holder is
    #[arg(long, value_name = "ROLE", default_value = "agent")]
    pub role: Role,
    /// A server it is for; may be given several times, all that its holder may use by default
    #[arg(long = "scope", value_name = "SERVER")]
    pub scopes: Vec<String>,
    /// From when on it is not accepted: RFC 3339, or after so long, such as 8h, 30d
    #[arg(long, value_name = "WHEN", value_parser = later)]
    pub expires: Option<String>,
    /// Its name in lists and in the audit; made up by default
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// The role of a token's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Calls tools
    Agent,
    /// Decides what others may do
    Operator,
}

/// `token revoke`
#[derive(Args, Clone, Debug)]
pub struct TokenRevoke {
    /// The token's id, as `token list` shows it
    pub id: String,
}

/// `approvals list`
#[derive(Args, Clone, Debug, Default)]
pub struct ApprovalsList {
    /// Keep running, and show each call that begins to wait
    #[arg(long)]
    pub watch: bool,
    /// How it is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// `approvals approve`
#[derive(Args, Clone, Debug)]
pub struct Approve {
    /// The request, as `approvals list` shows it
    pub request: String,
    /// Also let the principal call this tool from now on without asking
    #[arg(long)]
    pub always: bool,
    /// How long that holds: RFC 3339, or so long, such as 8h, 30d
    #[arg(long, value_name = "WHEN", value_parser = later, requires = "always")]
    pub until: Option<String>,
}

/// `approvals deny`
#[derive(Args, Clone, Debug)]
pub struct Deny {
    /// The request, as `approvals list` shows it
    pub request: String,
}

/// `access list`
#[derive(Args, Clone, Debug, Default)]
pub struct AccessList {
    /// Only what is about this principal
    #[arg(long, value_name = "PRINCIPAL")]
    pub principal: Option<String>,
    /// How it is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// `access check`
#[derive(Args, Clone, Debug)]
pub struct AccessCheck {
    /// Who
    pub principal: String,
    /// `server` or `server/tool`
    pub target: String,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// `access grant`
#[derive(Args, Clone, Debug)]
pub struct AccessGrant {
    /// Whom it is about
    pub principal: String,
    /// `server` or `server/tool`
    pub target: String,
    /// Forbid it
    #[arg(long)]
    pub deny: bool,
    /// Let dangerous calls through too, without asking a person
    #[arg(long, conflicts_with = "deny")]
    pub confirms: bool,
    /// From when on it no longer holds: RFC 3339, or after so long, such as 8h, 30d
    #[arg(long, value_name = "WHEN", value_parser = later)]
    pub expires: Option<String>,
    /// Why; it stands in the audit
    #[arg(long, value_name = "TEXT")]
    pub because: Option<String>,
}

/// `access revoke`
#[derive(Args, Clone, Debug)]
pub struct AccessRevoke {
    /// Whom it is about
    pub principal: String,
    /// `server` or `server/tool`
    pub target: String,
}

/// `permissions list`
#[derive(Args, Clone, Debug, Default)]
pub struct PermissionsList {
    /// Only what waits for a decision
    #[arg(long)]
    pub waiting: bool,
    /// How it is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// `permissions decide`
#[derive(Args, Clone, Debug)]
pub struct PermissionsDecide {
    /// The server
    pub server: String,
    /// The permission, such as network.outbound
    pub permission: String,
    /// What is decided
    pub decision: PermissionAnswer,
    /// From when on it no longer holds: RFC 3339, or after so long, such as 8h, 30d
    #[arg(long, value_name = "WHEN", value_parser = later)]
    pub expires: Option<String>,
}

/// A decision about a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PermissionAnswer {
    /// The server has it
    Approve,
    /// It does not get it
    Deny,
    /// Not yet
    Defer,
}

/// Returns an instant, or the one after a duration, in the form that the API takes.
fn later(text: &str) -> Result<String, String> {
    super::records::instant(text, 1).map(mgp::time::format)
}

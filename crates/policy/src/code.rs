//! The numbers of MGP §14.3 that a policy answers with.

/// `PERMISSION_DENIED`: something is not permitted to the caller or its server.
pub const PERMISSION_DENIED: u16 = 1000;
/// `ACCESS_DENIED`: the principal has no access to this tool.
pub const ACCESS_DENIED: u16 = 1001;
/// `AUTH_REQUIRED`: no credential that is known.
pub const AUTH_REQUIRED: u16 = 1002;
/// `AUTH_EXPIRED`: a credential that has expired.
pub const AUTH_EXPIRED: u16 = 1003;
/// `VALIDATION_BLOCKED`: a validator refused the arguments.
pub const VALIDATION_BLOCKED: u16 = 1010;
/// `CODE_SAFETY_VIOLATION`: a validator refused code.
pub const CODE_SAFETY_VIOLATION: u16 = 1011;
/// `SERVER_NOT_READY`: nothing is known of the tool yet.
pub const SERVER_NOT_READY: u16 = 2000;
/// `RATE_LIMITED`: too many calls.
pub const RATE_LIMITED: u16 = 3000;
/// `RESOURCE_EXHAUSTED`: too much waits already.
pub const RESOURCE_EXHAUSTED: u16 = 3001;
/// `INVALID_TOOL_ARGS`: the arguments are no text at all.
pub const INVALID_TOOL_ARGS: u16 = 4000;

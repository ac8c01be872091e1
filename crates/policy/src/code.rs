//! The error codes of MGP §14.3 that policy uses.

/// `PERMISSION_DENIED`: the caller or its server lacks a permission.
pub const PERMISSION_DENIED: u16 = 1000;
/// `ACCESS_DENIED`: the principal has no access to this tool.
pub const ACCESS_DENIED: u16 = 1001;
/// `AUTH_REQUIRED`: there is no known credential.
pub const AUTH_REQUIRED: u16 = 1002;
/// `AUTH_EXPIRED`: the credential has expired.
pub const AUTH_EXPIRED: u16 = 1003;
/// `VALIDATION_BLOCKED`: a validator refused the arguments.
pub const VALIDATION_BLOCKED: u16 = 1010;
/// `CODE_SAFETY_VIOLATION`: a validator refused code.
pub const CODE_SAFETY_VIOLATION: u16 = 1011;
/// `SERVER_NOT_READY`: nothing is known of the tool yet.
pub const SERVER_NOT_READY: u16 = 2000;
/// `RATE_LIMITED`: too many calls.
pub const RATE_LIMITED: u16 = 3000;
/// `RESOURCE_EXHAUSTED`: too many requests wait already.
pub const RESOURCE_EXHAUSTED: u16 = 3001;
/// `INVALID_TOOL_ARGS`: the arguments are not valid text.
pub const INVALID_TOOL_ARGS: u16 = 4000;

//! The types of events: the twelve of §6.4, and custom names.

use std::borrow::Cow;
use std::fmt;

/// The length of the longest custom name.
const LONGEST: usize = 128;

/// The type of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// A tool was called and completed.
    ToolExecuted,
    /// A tool call was blocked by validation or access control.
    ToolBlocked,
    /// A permission was approved.
    PermissionGranted,
    /// A permission was denied.
    PermissionDenied,
    /// A previously granted permission was revoked.
    PermissionRevoked,
    /// Agent access to a server or tool was granted.
    AccessGranted,
    /// Agent access was revoked.
    AccessRevoked,
    /// A server connected.
    ServerConnected,
    /// A server disconnected.
    ServerDisconnected,
    /// Kernel-side validation rejected a tool call.
    ValidationFailed,
    /// The code safety framework rejected submitted code.
    CodeRejected,
    /// A tool was generated at run time.
    ToolCreatedDynamic,
    /// A custom type, by a reverse-domain name; see [`EventType::parse`].
    Custom(Cow<'static, str>),
}

use EventType::{
    AccessGranted, AccessRevoked, CodeRejected, PermissionDenied, PermissionGranted, PermissionRevoked, ServerConnected,
    ServerDisconnected, ToolBlocked, ToolCreatedDynamic, ToolExecuted, ValidationFailed,
};

impl EventType {
    /// The twelve types of §6.4, in its order.
    pub const STANDARD: [Self; 12] = [
        ToolExecuted,
        ToolBlocked,
        PermissionGranted,
        PermissionDenied,
        PermissionRevoked,
        AccessGranted,
        AccessRevoked,
        ServerConnected,
        ServerDisconnected,
        ValidationFailed,
        CodeRejected,
        ToolCreatedDynamic,
    ];

    /// A call was allowed, and is about to be sent. The event is durable before that (DESIGN 8).
    pub const CALL_ADMITTED: Self = Self::own("dev.chancery.call_admitted");
    /// An attempt of a call failed; the details say what follows (§14.6.5).
    pub const RETRY: Self = Self::own("dev.chancery.retry");
    /// A person has to decide about permissions.
    pub const PERMISSION_REQUESTED: Self = Self::own("dev.chancery.permission_requested");
    /// A person deferred the decision about a permission (§3.6).
    pub const PERMISSION_DEFERRED: Self = Self::own("dev.chancery.permission_deferred");
    /// A call waits for a person's consent (§4.4).
    pub const APPROVAL_REQUESTED: Self = Self::own("dev.chancery.approval_requested");
    /// A person has decided about a call.
    pub const APPROVAL_DECIDED: Self = Self::own("dev.chancery.approval_decided");
    /// The definition of a tool differs from the approved one.
    pub const TOOL_CHANGED: Self = Self::own("dev.chancery.tool_changed");
    /// The definition of a tool contains characters that people don't see and models read.
    pub const TOOL_HIDES_TEXT: Self = Self::own("dev.chancery.tool_hides_text");
    /// An operator approved the present definition of a tool.
    pub const TOOL_PINNED: Self = Self::own("dev.chancery.tool_pinned");
    /// A token was created.
    pub const TOKEN_CREATED: Self = Self::own("dev.chancery.token_created");
    /// A token was revoked.
    pub const TOKEN_REVOKED: Self = Self::own("dev.chancery.token_revoked");
    /// A server reports an event. The gateway has not checked it (D11).
    pub const REPORTED: Self = Self::own("dev.chancery.reported");

    const fn own(name: &'static str) -> Self {
        Self::Custom(Cow::Borrowed(name))
    }

    /// Returns the name of the type.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            ToolExecuted => "TOOL_EXECUTED",
            ToolBlocked => "TOOL_BLOCKED",
            PermissionGranted => "PERMISSION_GRANTED",
            PermissionDenied => "PERMISSION_DENIED",
            PermissionRevoked => "PERMISSION_REVOKED",
            AccessGranted => "ACCESS_GRANTED",
            AccessRevoked => "ACCESS_REVOKED",
            ServerConnected => "SERVER_CONNECTED",
            ServerDisconnected => "SERVER_DISCONNECTED",
            ValidationFailed => "VALIDATION_FAILED",
            CodeRejected => "CODE_REJECTED",
            ToolCreatedDynamic => "TOOL_CREATED_DYNAMIC",
            Self::Custom(name) => name,
        }
    }

    /// Parses a type by its name: one of the twelve, or a reverse-domain name of two labels or more, in letters, digits, `_` and `-`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(standard) = Self::STANDARD.into_iter().find(|kind| kind.as_str() == name) {
            return Some(standard);
        }
        let is_label = |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        let fits = name.len() <= LONGEST && name.contains('.') && name.split('.').all(is_label);
        fits.then(|| Self::Custom(Cow::Owned(name.to_owned())))
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

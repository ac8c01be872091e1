//! The actions that a policy judges: one for each kind of message through the gateway.

use std::fmt;

use model::ServerId;

/// An action of a principal. Names are the server's own, as they will be sent to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Action<'a> {
    /// A client calls a tool.
    CallTool {
        /// The server that offers it.
        server: &'a ServerId,
        /// The tool, by its name on that server.
        tool: &'a str,
        /// The arguments: one JSON value, the bytes that will be sent.
        arguments: Option<&'a [u8]>,
    },
    /// A client gets a prompt.
    GetPrompt {
        /// The server that offers it.
        server: &'a ServerId,
        /// The prompt, by its name on that server.
        prompt: &'a str,
    },
    /// A client reads a resource.
    ReadResource {
        /// The server that is asked.
        server: &'a ServerId,
        /// The resource.
        uri: &'a str,
    },
    /// A client subscribes to the changes of a resource, or unsubscribes.
    Subscribe {
        /// The server that is asked.
        server: &'a ServerId,
        /// The resource.
        uri: &'a str,
    },
    /// A client requests the completion of an argument.
    Complete {
        /// The server that is asked.
        server: &'a ServerId,
        /// The prompt's name or the template's URI.
        reference: &'a str,
    },
    /// A client reads, updates or cancels a task.
    UseTask {
        /// The server that runs it.
        server: &'a ServerId,
        /// The task, by its id on that server.
        task: &'a str,
    },
    /// A client sends a request of an extension.
    Extension {
        /// The server that declared it.
        server: &'a ServerId,
        /// The method.
        method: &'a str,
    },
    /// A client sends a notification to a server.
    Notify {
        /// The server that receives it.
        server: &'a ServerId,
        /// The notification.
        method: &'a str,
    },
    /// A server asks the client: sampling, elicitation, roots. The principal is the one whose client is asked.
    Ask {
        /// The server that asks.
        server: &'a ServerId,
        /// The method.
        method: &'a str,
    },
    /// A client sets the log level of the messages that it wants.
    SetLogLevel,
    /// A principal performs an operation that only operators may: decides a request, grants, revokes, reads the audit.
    Operate {
        /// The operation, in words that follow "may": `decide requests`.
        what: &'a str,
    },
}

impl<'a> Action<'a> {
    /// Returns the server that the action concerns; none if it concerns only the gateway.
    #[must_use]
    pub fn server(&self) -> Option<&'a ServerId> {
        match *self {
            Self::CallTool { server, .. }
            | Self::GetPrompt { server, .. }
            | Self::ReadResource { server, .. }
            | Self::Subscribe { server, .. }
            | Self::Complete { server, .. }
            | Self::UseTask { server, .. }
            | Self::Extension { server, .. }
            | Self::Notify { server, .. }
            | Self::Ask { server, .. } => Some(server),
            Self::SetLogLevel | Self::Operate { .. } => None,
        }
    }
}

/// Formats the action on one line for logs and reasons: `call fs/read`. Arguments are not shown.
impl fmt::Display for Action<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::CallTool { server, tool, .. } => write!(f, "call {server}/{}", Shown(tool)),
            Self::GetPrompt { server, prompt } => write!(f, "get the prompt {server}/{}", Shown(prompt)),
            Self::ReadResource { server, uri } => write!(f, "read {} of {server}", Shown(uri)),
            Self::Subscribe { server, uri } => write!(f, "subscribe to {} of {server}", Shown(uri)),
            Self::Complete { server, reference } => write!(f, "complete an argument of {} of {server}", Shown(reference)),
            Self::UseTask { server, task } => write!(f, "use the task {} of {server}", Shown(task)),
            Self::Extension { server, method } => write!(f, "request {} of {server}", Shown(method)),
            Self::Notify { server, method } => write!(f, "send {} to {server}", Shown(method)),
            Self::Ask { server, method } => write!(f, "be asked {} by {server}", Shown(method)),
            Self::SetLogLevel => f.write_str("set the log level"),
            Self::Operate { what } => Shown(what).fmt(f),
        }
    }
}

/// Formats the action as [`fmt::Display`] does, because arguments may be secrets.
impl fmt::Debug for Action<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Action({self})")
    }
}

/// Returns a peer's text in the form for logs and reasons.
pub(crate) fn shown(text: &str) -> impl fmt::Display + '_ {
    Shown(text)
}

/// A peer's text on one line of a log: control characters are escaped, and a long text is shortened.
struct Shown<'a>(&'a str);

/// The number of characters of a peer's text that are shown.
const SHOWN: usize = 200;

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        for (i, c) in self.0.chars().enumerate() {
            if i == SHOWN {
                return f.write_char('…');
            }
            if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
                write!(f, "{}", c.escape_unicode())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}

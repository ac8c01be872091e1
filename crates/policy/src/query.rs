//! What a policy is asked.

use std::net::IpAddr;

use model::{Digest, Principal, Timestamp, Trace};

use crate::{Action, Confirmed};

/// One question.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Who wants it: by the connection's credentials, never by an argument.
    pub principal: &'a Principal,
    /// The id of the token that let the principal in; none for an stdio launch and for loopback without credentials.
    pub token: Option<&'a str>,
    /// What is wanted.
    pub action: Action<'a>,
    /// The client session it belongs to, by the kernel's own number; none outside of a session.
    pub session: Option<u64>,
    /// The trace it belongs to.
    pub trace: &'a Trace,
    /// When it is asked: expiry is compared with this and nothing else.
    pub now: Timestamp,
    /// The names in the arguments that were resolved since the policy said [`crate::Need::Resolution`].
    pub resolved: &'a [Resolved],
    /// The consent of a person, redeemed since the policy said [`crate::Need::Confirmation`] or [`crate::Need::Review`].
    pub consent: Option<Consent<'a>>,
}

impl<'a> Query<'a> {
    /// A question with nothing beside: no token, no session, nothing resolved, no consent.
    #[must_use]
    pub fn new(principal: &'a Principal, action: Action<'a>, trace: &'a Trace, now: Timestamp) -> Self {
        Self {
            principal,
            token: None,
            action,
            session: None,
            trace,
            now,
            resolved: &[],
            consent: None,
        }
    }
}

/// A name and every address that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The name, as [`crate::Reason::Resolve`] has it.
    pub name: String,
    /// Its addresses; none when it does not resolve.
    pub addresses: Vec<IpAddr>,
}

/// A person's consent, beside the call that it is shown for.
#[derive(Clone, Copy, Debug)]
pub struct Consent<'a> {
    /// What was consented to.
    pub confirmed: &'a Confirmed,
    /// The digest of this call's arguments. Whoever asks computes it, over the canonical form of the bytes that will be sent.
    pub arguments: &'a Digest,
}

//! The queries to a policy.

use std::net::IpAddr;

use model::{Digest, Principal, Timestamp, Trace};

use crate::{Action, Confirmed};

/// A query to a policy.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The principal that acts, by the connection's credentials, never by an argument.
    pub principal: &'a Principal,
    /// The id of the token that let the principal in; none for an stdio launch and for loopback without credentials.
    pub token: Option<&'a str>,
    /// The action.
    pub action: Action<'a>,
    /// The kernel's number of the client session; none outside of a session.
    pub session: Option<u64>,
    /// The trace that the action belongs to.
    pub trace: &'a Trace,
    /// The present time, with which alone expiry is compared.
    pub now: Timestamp,
    /// The names in the arguments that were resolved since the policy said [`crate::Need::Resolution`].
    pub resolved: &'a [Resolved],
    /// The consent of a person, redeemed since the policy said [`crate::Need::Confirmation`] or [`crate::Need::Review`].
    pub consent: Option<Consent<'a>>,
}

impl<'a> Query<'a> {
    /// Creates a query without a token, a session, resolved names and a consent.
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

/// A person's consent, with the call for which the caller shows it.
#[derive(Clone, Copy, Debug)]
pub struct Consent<'a> {
    /// The redeemed consent.
    pub confirmed: &'a Confirmed,
    /// The digest of this call's arguments. The caller computes it over the canonical form of the bytes that will be sent.
    pub arguments: &'a Digest,
}

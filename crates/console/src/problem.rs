//! Problem objects (RFC 9457): errors, with what to do.

use kernel::http_api::Answer;
use kernel::operator::OperatorError;
use policy::{DecideError, GrantProblem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Conflict, StoreError};

use crate::reply::whole;

/// Why a request was not carried out (RFC 9457)
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// What is wrong, in a few words that are always the same
    pub title: &'static str,
    /// The HTTP status
    pub status: u16,
    /// What is wrong with this request, and what to do
    pub detail: String,
    /// The code of MGP §14: 1000 where only an operator may
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16")]
    pub code: Option<u16>,
}

impl Problem {
    /// The media type of problems.
    pub(crate) const MEDIA: &'static str = "application/problem+json";

    /// Returns the problem of an invalid request.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(400, "the request is not valid", detail)
    }

    /// Returns the problem of a missing resource.
    pub(crate) fn absent(detail: impl Into<String>) -> Self {
        Self::new(404, "there is no such thing", detail)
    }

    pub(crate) fn new(status: u16, title: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            title,
            detail: detail.into(),
            code: None,
        }
    }

    /// Returns the answer with the problem.
    pub(crate) fn into_answer(self) -> Answer {
        whole(self.status, Self::MEDIA, &self)
    }
}

/// The only place where an operator's error becomes an answer.
impl From<OperatorError> for Problem {
    fn from(error: OperatorError) -> Self {
        let detail = format!("failed to {error}");
        match error {
            OperatorError::NotOperator => Self {
                code: Some(policy::code::PERMISSION_DENIED),
                ..Self::new(403, "only operators may", detail)
            },
            OperatorError::NoStore => Self::new(503, "there is no store", detail),
            OperatorError::Decide(DecideError::Unknown(_)) | OperatorError::Unknown(_) => Self::absent(detail),
            OperatorError::Decide(DecideError::Expired(_) | DecideError::Already(..)) => Self::new(409, "it is over", detail),
            OperatorError::Grant(GrantProblem::UnknownServer(_) | GrantProblem::UnknownTool(_)) => Self::absent(detail),
            OperatorError::Grant(_) | OperatorError::Invalid(_) => Self::invalid(detail),
            OperatorError::Conflict(Conflict::TokenUnknown(_) | Conflict::GrantUnknown { .. } | Conflict::ApprovalUnknown(_)) => {
                Self::absent(detail)
            }
            OperatorError::Conflict(_) => Self::new(409, "it contradicts what is remembered", detail),
            OperatorError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let detail = format!("failed to {error}");
        match error {
            StoreError::Busy { .. } => Self::new(503, "too much waits for the disk", detail),
            StoreError::Full { .. } => Self::new(507, "the disk is full", detail),
            StoreError::TooLarge { .. } | StoreError::TooMany { .. } => Self::invalid(detail),
            _ => Self::new(500, "the store can't be used", detail),
        }
    }
}

//! The `error` member of a response.

use crate::{Raw, text};

/// The codes that JSON-RPC 2.0 section 5.1 defines.
pub mod code {
    /// The bytes are not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The bytes are JSON, but not a request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist or is not available.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The receiver had an internal error.
    pub const INTERNAL_ERROR: i64 = -32603;
}

/// The error of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorObject {
    /// The error's code, see [`code`]; protocols define more.
    pub code: i64,
    /// One sentence for people.
    pub message: String,
    /// Details for programs.
    pub data: Option<Raw>,
}

impl ErrorObject {
    /// Returns an error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Returns the error with `data` added.
    #[must_use]
    pub fn with_data(mut self, data: Raw) -> Self {
        self.data = Some(data);
        self
    }

    /// Reads an `error` member. Returns `None` without an integer `code` and a string `message`. An integer written as
    /// a double (`-32600.0`) counts, because some peers have no integers.
    pub fn parse(raw: &Raw) -> Option<Self> {
        let code = raw.get("code")?;
        let code = code.as_i64().or_else(|| {
            let double = code.as_f64()?;
            #[expect(clippy::cast_possible_truncation, reason = "it is a small integer")]
            (double.fract() == 0.0 && double.abs() < 9e15).then_some(double as i64)
        })?;
        let message = raw.get("message")?.as_str()?.into_owned();
        Some(Self {
            code,
            message,
            data: raw.get("data"),
        })
    }

    /// Returns the error as JSON.
    pub fn to_raw(&self) -> Raw {
        let data = self.data.as_ref().map(|data| &data.bytes()[..]);
        let mut out = Vec::with_capacity(40 + self.message.len() + data.map_or(0, <[u8]>::len));
        out.extend_from_slice(b"{\"code\":");
        out.extend_from_slice(self.code.to_string().as_bytes());
        out.extend_from_slice(b",\"message\":");
        text::write_string(self.message.as_bytes(), &mut out);
        if let Some(data) = data {
            out.extend_from_slice(b",\"data\":");
            out.extend_from_slice(data);
        }
        out.push(b'}');
        Raw::trusted(out.into())
    }

    /// Returns the error for bytes that are not JSON.
    pub fn parse_error(why: impl std::fmt::Display) -> Self {
        Self::new(code::PARSE_ERROR, format!("Parse error: {why}"))
    }

    /// Returns the error for JSON that is not a request.
    pub fn invalid_request(why: impl std::fmt::Display) -> Self {
        Self::new(code::INVALID_REQUEST, format!("Invalid request: {why}"))
    }

    /// Returns the error for a method that the receiver does not know.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(code::METHOD_NOT_FOUND, format!("Method not found: `{method}`"))
    }

    /// Returns the error for parameters that do not fit the method.
    pub fn invalid_params(why: impl std::fmt::Display) -> Self {
        Self::new(code::INVALID_PARAMS, format!("Invalid params: {why}"))
    }

    /// Returns the error for an internal fault; the details are only in our log.
    pub fn internal() -> Self {
        Self::new(code::INTERNAL_ERROR, "Internal error")
    }
}

impl From<&crate::DecodeError> for ErrorObject {
    fn from(e: &crate::DecodeError) -> Self {
        if e.code() == code::PARSE_ERROR {
            Self::parse_error(e)
        } else {
            Self::invalid_request(e)
        }
    }
}

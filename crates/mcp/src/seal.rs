//! The plain content of what the gateway hands out sealed. The kernel does the cryptography (DESIGN 10).

use jsonrpc::Raw;
use model::{PrincipalId, ServerId};

/// The longest sealed text.
pub const MAX_SEALED: usize = 8 * 1024;
/// The longest text that can be sealed: what is left of [`MAX_SEALED`] by Base64, a nonce, a tag and a key's id.
pub const MAX_PLAIN: usize = MAX_SEALED / 4 * 3 - 64;

/// Seals and opens texts: authenticated encryption with keys of the gateway's own.
///
/// Law: `open(seal(x)) == Some(x)`, and `None` for everything that this gateway (with its present or its former key) has not sealed. The sealed
/// text is ASCII without spaces, so that it can be a JSON string, a header or a task's id.
pub trait Sealer: Send + Sync {
    /// Encrypts the plain bytes into an opaque text.
    fn seal(&self, plain: &[u8]) -> String;
    /// Decrypts a text that `seal` made.
    fn open(&self, sealed: &str) -> Option<Vec<u8>>;
}

/// Why a sealed state can't be made or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The text would be longer than [`MAX_SEALED`].
    #[error("seal the state of the request: it is larger than {MAX_PLAIN} bytes")]
    TooLarge,
    /// The text was not sealed by this gateway, or has an older format.
    #[error("open the state of the request: it was not issued here")]
    Foreign,
    /// The state was issued to another principal.
    #[error("accept the state of the request: it was issued to another principal")]
    OtherPrincipal,
    /// The state was issued for another request.
    #[error("accept the state of the request: it was issued for another request")]
    OtherRequest,
    /// The state has expired.
    #[error("accept the state of the request: it has expired, send the request again without it")]
    Expired,
}

/// How a request continues when its client retries it with answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// A call to a legacy server waits for the answers; consumed once.
    Parked {
        /// The kernel's number of the call.
        call: u64,
    },
    /// A modern server gets the answers, with the state that it gave itself, if it gave one.
    Upstream {
        /// The server's own `requestState`.
        state: Option<String>,
    },
    /// The request is sent again without answers: the user has visited the URL that a legacy server's -32042 named.
    Again,
    /// A person of the client has decided whether the request may pass, or will when asked again.
    Consent {
        /// The kernel's id of the request for consent.
        request: String,
    },
}

/// The plain content of a `requestState`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedCall {
    /// The server that asked.
    pub server: ServerId,
    /// The principal that the state was handed out to.
    pub principal: PrincipalId,
    /// When it expires, in seconds since 1970.
    pub expires: u64,
    /// A digest of [`request_digest_input`].
    pub digest: Vec<u8>,
    /// What to do with the answers.
    pub then: Continuation,
}

/// The plain content of a task's id: the server that has the task. The server enforces the task's own time to live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedTask {
    /// The server that has the task.
    pub server: ServerId,
    /// The principal that the task runs for.
    pub principal: PrincipalId,
    /// The server's own id of the task.
    pub task: String,
}

/// The first byte of the format: its kind and its version.
const CALL: u8 = 0x11;
const TASK: u8 = 0x21;

impl SealedCall {
    /// Returns the plain bytes.
    ///
    /// # Errors
    /// [`SealError::TooLarge`]: the server's own state is too long.
    pub fn encode(&self) -> Result<Vec<u8>, SealError> {
        let mut out = Writer(vec![CALL]);
        out.text(self.server.as_str());
        out.text(self.principal.as_str());
        out.0.extend_from_slice(&self.expires.to_be_bytes());
        out.bytes(&self.digest);
        match &self.then {
            Continuation::Parked { call } => {
                out.0.push(0);
                out.0.extend_from_slice(&call.to_be_bytes());
            }
            Continuation::Upstream { state: None } => out.0.push(1),
            Continuation::Upstream { state: Some(state) } => {
                out.0.push(2);
                out.text(state);
            }
            Continuation::Again => out.0.push(3),
            Continuation::Consent { request } => {
                out.0.push(4);
                out.text(request);
            }
        }
        out.finish()
    }

    /// Decodes plain bytes. Returns `None` for anything that [`SealedCall::encode`] has not written.
    #[must_use]
    pub fn decode(plain: &[u8]) -> Option<Self> {
        let mut input = Reader(plain);
        if input.byte()? != CALL {
            return None;
        }
        let server = ServerId::new(&input.text()?).ok()?;
        let principal = PrincipalId::new(&input.text()?);
        let expires = input.number()?;
        let digest = input.bytes()?.to_vec();
        let then = match input.byte()? {
            0 => Continuation::Parked { call: input.number()? },
            1 => Continuation::Upstream { state: None },
            2 => Continuation::Upstream {
                state: Some(input.text()?),
            },
            3 => Continuation::Again,
            4 => Continuation::Consent { request: input.text()? },
            _ => return None,
        };
        input.0.is_empty().then_some(Self {
            server,
            principal,
            expires,
            digest,
            then,
        })
    }

    /// Checks that the state is valid for this request of this principal at `now`, in seconds since 1970.
    ///
    /// # Errors
    /// In this order: another principal, another request, expired.
    pub fn check(&self, principal: &PrincipalId, now: u64, digest: &[u8]) -> Result<(), SealError> {
        if self.principal != *principal {
            return Err(SealError::OtherPrincipal);
        }
        if self.digest != digest {
            return Err(SealError::OtherRequest);
        }
        if now >= self.expires { Err(SealError::Expired) } else { Ok(()) }
    }

    /// Opens, decodes and checks a `requestState`.
    ///
    /// # Errors
    /// See [`SealError`]; what is longer than [`MAX_SEALED`] was not issued here.
    pub fn open(sealer: &dyn Sealer, sealed: &str, principal: &PrincipalId, now: u64, digest: &[u8]) -> Result<Self, SealError> {
        let plain = (sealed.len() <= MAX_SEALED).then(|| sealer.open(sealed)).flatten();
        let call = plain.and_then(|plain| Self::decode(&plain)).ok_or(SealError::Foreign)?;
        call.check(principal, now, digest)?;
        Ok(call)
    }
}

impl SealedTask {
    /// Returns the plain bytes.
    ///
    /// # Errors
    /// [`SealError::TooLarge`]: the server's own id is too long.
    pub fn encode(&self) -> Result<Vec<u8>, SealError> {
        let mut out = Writer(vec![TASK]);
        out.text(self.server.as_str());
        out.text(self.principal.as_str());
        out.text(&self.task);
        out.finish()
    }

    /// Decodes plain bytes. Returns `None` for anything that [`SealedTask::encode`] has not written.
    #[must_use]
    pub fn decode(plain: &[u8]) -> Option<Self> {
        let mut input = Reader(plain);
        if input.byte()? != TASK {
            return None;
        }
        let server = ServerId::new(&input.text()?).ok()?;
        let principal = PrincipalId::new(&input.text()?);
        let task = input.text()?;
        input.0.is_empty().then_some(Self { server, principal, task })
    }

    /// Opens and decodes a task's id that was handed out to `principal`.
    ///
    /// # Errors
    /// [`SealError::Foreign`] and [`SealError::OtherPrincipal`].
    pub fn open(sealer: &dyn Sealer, sealed: &str, principal: &PrincipalId) -> Result<Self, SealError> {
        let plain = (sealed.len() <= MAX_SEALED).then(|| sealer.open(sealed)).flatten();
        let task = plain.and_then(|plain| Self::decode(&plain)).ok_or(SealError::Foreign)?;
        if task.principal == *principal {
            Ok(task)
        } else {
            Err(SealError::OtherPrincipal)
        }
    }
}

/// Returns the bytes that a request and its retries have in common, for a digest: the method, the name or URI, and the
/// arguments in canonical form. Not `_meta`, the id, the answers and the state (DESIGN 10).
#[must_use]
pub fn request_digest_input(method: &str, params: Option<&Raw>) -> Vec<u8> {
    let mut out = method.as_bytes().to_vec();
    for name in ["name", "uri", "arguments"] {
        // No spelling of a JSON value holds a NUL.
        out.push(0);
        if let Some(value) = params.and_then(|params| params.get(name)) {
            out.extend_from_slice(&value.canonical());
        }
    }
    out
}

/// Writes parts, each preceded by its length.
struct Writer(Vec<u8>);

impl Writer {
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        // A part that is longer makes the whole too large, and `finish` refuses it.
        let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
        self.0.extend_from_slice(&length.to_be_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn finish(self) -> Result<Vec<u8>, SealError> {
        if self.0.len() > MAX_PLAIN {
            Err(SealError::TooLarge)
        } else {
            Ok(self.0)
        }
    }
}

/// Reads parts, each preceded by its length.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_be_bytes(*first))
    }

    fn bytes(&mut self) -> Option<&[u8]> {
        let (length, rest) = self.0.split_first_chunk()?;
        let (part, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
        self.0 = rest;
        Some(part)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests;

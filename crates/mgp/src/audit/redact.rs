//! Redacts values before they are stored: removes secrets, and shortens long values.

use std::borrow::Cow;

use jsonrpc::{Limits, Raw, RawKind};
use model::Secret;

use super::secret_text;

/// The replacement of a secret, as JSON.
const HIDDEN: &[u8] = b"\"***\"";
/// The replacement of a part that is too long, as JSON.
const CUT: &[u8] = "\"…\"".as_bytes();

/// The number of bytes behind the last stored one in which a text is searched for credentials.
const BEYOND: usize = 1024;

/// The words in names of members, flags and variables whose values are secrets, in lower case and without `_`, `-` and `.`.
const WORDS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "authorization",
    "credential",
    "cookie",
    "sessionid",
    "connectionstring",
];

/// The rules by which values are redacted.
#[derive(Clone, Debug)]
pub struct Redactor {
    words: Vec<String>,
    secrets: Vec<Secret>,
    longest_text: usize,
    longest: usize,
}

impl Default for Redactor {
    fn default() -> Self {
        Self {
            words: WORDS.map(str::to_owned).into(),
            secrets: Vec::new(),
            longest_text: 2 * 1024,
            longest: 32 * 1024,
        }
    }
}

impl Redactor {
    /// Adds a word: the values of members whose names contain it are secrets too.
    #[must_use]
    pub fn word(mut self, word: &str) -> Self {
        let word = folded(word);
        if !word.is_empty() {
            self.words.push(word);
        }
        self
    }

    /// Adds a known secret, from the environment of a server, say: it is hidden wherever it stands. A secret of less than six bytes is ignored,
    /// because it would hide other texts.
    #[must_use]
    pub fn secret(mut self, secret: Secret) -> Self {
        if secret.expose().len() >= 6 {
            self.secrets.push(secret);
        }
        self
    }

    /// Returns a value without secrets: members whose names tell a secret, texts that look like a credential, and known secrets. Long texts are cut,
    /// and so is what exceeds the length of the whole.
    #[must_use]
    pub fn redact(&self, value: &Raw) -> Raw {
        let mut out = Vec::with_capacity(value.len().min(self.longest));
        self.write(value, &mut out);
        Raw::parse(out, &Limits::OWN).unwrap_or_else(|_| Raw::null())
    }

    /// Returns a text without secrets, cut to the length that is stored.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut shown = Cow::Borrowed(text);
        for secret in &self.secrets {
            if shown.contains(secret.expose()) {
                shown = Cow::Owned(shown.replace(secret.expose(), "***"));
            }
        }
        // A longer part than the stored one is searched, so that no credential is cut before it is recognised.
        let window = shown.floor_char_boundary(self.longest_text + BEYOND);
        let beyond = if window < shown.len() { BEYOND } else { 0 };
        let hidden = secret_text::hide(&shown[..window], &|name| self.is_secret(name));
        let body = hidden.as_deref().unwrap_or(&shown[..window]);
        let kept = body.len().saturating_sub(beyond).min(self.longest_text);
        if kept < body.len() {
            let kept = body.floor_char_boundary(kept);
            return Cow::Owned(format!("{}… ({} bytes)", &body[..kept], text.len()));
        }
        hidden.map_or(shown, Cow::Owned)
    }

    /// Writes a redacted value. It recurses as deep as values nest ([`jsonrpc::MAX_DEPTH`]).
    fn write(&self, value: &Raw, out: &mut Vec<u8>) {
        match value.kind() {
            _ if out.len() > self.longest => out.extend_from_slice(CUT),
            RawKind::Object => self.object(value, out),
            RawKind::Array => {
                out.push(b'[');
                for (i, element) in value.elements().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    self.write(&element, out);
                    if out.len() > self.longest {
                        break;
                    }
                }
                out.push(b']');
            }
            RawKind::String => match value.as_str() {
                Some(text) => out.extend_from_slice(Raw::string(&self.text(&text)).bytes()),
                // A text with a lone surrogate cannot be searched, so it is hidden.
                None => out.extend_from_slice(HIDDEN),
            },
            RawKind::Number if value.len() > 64 => out.extend_from_slice(CUT),
            _ => out.extend_from_slice(value.bytes()),
        }
    }

    fn object(&self, value: &Raw, out: &mut Vec<u8>) {
        let Ok(members) = value.object() else {
            // With a repeated key it is not known which value counts, so the object is hidden.
            return out.extend_from_slice(HIDDEN);
        };
        out.push(b'{');
        for (i, (key, value)) in members.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(Raw::string(&self.text(key)).bytes());
            out.push(b':');
            if self.hides(key, value) {
                out.extend_from_slice(HIDDEN);
            } else {
                self.write(value, out);
            }
            if out.len() > self.longest {
                break;
            }
        }
        out.push(b'}');
    }

    /// Returns whether a member's value is hidden. A number under a name such as `tokens` is a count far more often than a credential, and is not.
    fn hides(&self, key: &str, value: &Raw) -> bool {
        match value.kind() {
            RawKind::Bool | RawKind::Null => false,
            RawKind::Number if folded(key).contains("token") => false,
            _ => self.is_secret(key),
        }
    }

    fn is_secret(&self, name: &str) -> bool {
        let name = folded(name);
        self.words.iter().any(|word| name.contains(word.as_str()))
    }
}

/// Returns a name in lower case, without separators of words. A long name is cut, because no name of a secret is that long.
fn folded(name: &str) -> String {
    name.chars()
        .take(128)
        .filter(|c| !matches!(c, '_' | '-' | '.' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

//! What of a value may be remembered: no secrets, and not too much of it.

use std::borrow::Cow;

use jsonrpc::{Limits, Raw, RawKind};
use model::Secret;

use super::secret_text;

/// What stands in place of a secret, as JSON.
const HIDDEN: &[u8] = b"\"***\"";
/// What stands in place of what is too much, as JSON.
const CUT: &[u8] = "\"…\"".as_bytes();

/// How far behind the last byte that is remembered a text is searched for credentials.
const BEYOND: usize = 1024;

/// Words in names of members, flags and variables whose values are secrets, in lower case and without `_`, `-` and `.`.
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

/// Rules by which values lose what must not be remembered.
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
    /// The same, where the values of members whose names contain `word` are secrets too.
    #[must_use]
    pub fn word(mut self, word: &str) -> Self {
        let word = folded(word);
        if !word.is_empty() {
            self.words.push(word);
        }
        self
    }

    /// The same with a secret that is known, from the environment of a server, say: it is hidden wherever it stands. One of less than six bytes is
    /// not, because it would hide what is none.
    #[must_use]
    pub fn secret(mut self, secret: Secret) -> Self {
        if secret.expose().len() >= 6 {
            self.secrets.push(secret);
        }
        self
    }

    /// The value without secrets: members with a telling name, texts that look like a credential, and secrets that are known. Long texts are cut,
    /// and so is what would make the whole longer than is remembered.
    #[must_use]
    pub fn redact(&self, value: &Raw) -> Raw {
        let mut out = Vec::with_capacity(value.len().min(self.longest));
        self.write(value, &mut out);
        Raw::parse(out, &Limits::OWN).unwrap_or_else(|_| Raw::null())
    }

    /// A text without secrets, not longer than is remembered.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut shown = Cow::Borrowed(text);
        for secret in &self.secrets {
            if shown.contains(secret.expose()) {
                shown = Cow::Owned(shown.replace(secret.expose(), "***"));
            }
        }
        // Somewhat more than is remembered is looked at, and that part dropped, so that no credential is cut before it is recognised.
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

    /// Recurses as deep as values nest ([`jsonrpc::MAX_DEPTH`]).
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
                // A lone surrogate: nobody can say what it hides.
                None => out.extend_from_slice(HIDDEN),
            },
            RawKind::Number if value.len() > 64 => out.extend_from_slice(CUT),
            _ => out.extend_from_slice(value.bytes()),
        }
    }

    fn object(&self, value: &Raw, out: &mut Vec<u8>) {
        let Ok(members) = value.object() else {
            // A repeated key: which of its values is meant, nobody can say.
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

    /// Numbers of tokens are counts far more often than credentials.
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

/// A name in lower case, without what parts its words. Of a long one, the beginning: no name of a secret is that long.
fn folded(name: &str) -> String {
    name.chars()
        .take(128)
        .filter(|c| !matches!(c, '_' | '-' | '.' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

//! The declaration of the gateway, and the outcome of a negotiation.

use jsonrpc::{ObjectBuilder, Raw};
use mcp::meta::key;
use mcp::revision::Era;
use model::{Permission, TrustLevel};

use super::declaration::{self, Carrier, Declaration};
use super::{Extension, ExtensionSet, Fit, Version, Warning};
use crate::json::shown;

/// The gateway's offer. A gateway that offers no extension declares nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its extensions.
    pub extensions: ExtensionSet,
}

/// The agreement with a peer, and the peer's declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The peer's version.
    pub version: Version,
    /// The extensions that both have (§2.4.1). No other is used.
    pub active: ExtensionSet,
    /// The carriers that the peer used; it is answered on the same.
    pub carriers: Vec<Carrier>,
    /// The peer's names of the active extensions.
    pub words: Vec<String>,
    /// The permissions that a server needs to work.
    pub permissions: Vec<Permission>,
    /// The server's name for itself.
    pub server_id: Option<String>,
    /// The trust that a server claims.
    pub trust: Option<TrustLevel>,
}

/// The outcome of a negotiation. Without an agreement the connection is plain MCP.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The agreement.
    pub agreement: Option<Agreement>,
    /// The warnings.
    pub warnings: Vec<Warning>,
}

impl Outcome {
    /// Returns whether an extension is active on the connection.
    #[must_use]
    pub fn has(&self, extension: Extension) -> bool {
        self.agreement.as_ref().is_some_and(|agreement| agreement.active.has(extension))
    }
}

impl Offer {
    /// Returns the capabilities for a server: the relayed ones of the client, with the gateway's declaration instead of the client's (D7: two
    /// carriers in the legacy era, one in the modern).
    #[must_use]
    pub fn towards_server(&self, capabilities: &Raw, era: Era) -> Raw {
        let edit = declaration::strip(capabilities);
        if self.extensions.is_empty() {
            return edit.finish();
        }
        let carriers: &[Carrier] = match era {
            Era::Legacy => &[Carrier::Member, Carrier::Experimental],
            Era::Modern => &[Carrier::Extension],
        };
        let declared = written(self.extensions.names());
        carriers
            .iter()
            .fold(edit, |edit, carrier| edit.set(carrier.path(), &declared))
            .finish()
    }

    /// Returns the params of a modern request for a modern server: the client's `_meta` contains its capabilities, so the gateway's declaration
    /// replaces the client's there too (D7). They are unchanged if `_meta` has no capabilities.
    #[must_use]
    pub fn in_request(&self, params: &Raw) -> Raw {
        let path = [key::META, key::CLIENT_CAPABILITIES];
        let Some(capabilities) = params.at(&path) else {
            return params.clone();
        };
        let declared = self.towards_server(&capabilities, Era::Modern);
        if declared == capabilities {
            return params.clone();
        }
        params.edit().set(&path, &declared).finish()
    }

    /// Judges the capabilities that a server answered.
    #[must_use]
    pub fn with_server(&self, capabilities: &Raw) -> Outcome {
        let mut outcome = self.judge(capabilities);
        if self.extensions.is_empty() && outcome.agreement.take().is_some() {
            outcome.warnings = vec![Warning::Uninvited];
        }
        outcome
    }

    /// Judges the capabilities that a client declared.
    #[must_use]
    pub fn with_client(&self, capabilities: &Raw) -> Outcome {
        let mut outcome = self.judge(capabilities);
        // A client may declare extensions that the gateway does not have; the intersection handles that.
        outcome.warnings.retain(|warning| !matches!(warning, Warning::NotOffered(_)));
        if self.extensions.is_empty() {
            outcome.agreement = None;
        }
        outcome
    }

    /// Returns the capabilities for a client: those of the servers without their declarations, with the gateway's if the client asked for it, on the
    /// carriers and with the names that it used (§2.4.3, D7).
    #[must_use]
    pub fn towards_client(&self, capabilities: &Raw, agreement: Option<&Agreement>) -> Raw {
        let edit = declaration::strip(capabilities);
        let Some(agreement) = agreement else {
            return edit.finish();
        };
        let declared = written(agreement.words.iter().map(String::as_str));
        agreement
            .carriers
            .iter()
            .fold(edit, |edit, carrier| edit.set(carrier.path(), &declared))
            .finish()
    }

    fn judge(&self, capabilities: &Raw) -> Outcome {
        match Declaration::read(capabilities) {
            Ok(None) => Outcome::default(),
            Ok(Some(declared)) => self.agree(declared),
            Err(error) => Outcome {
                agreement: None,
                warnings: vec![Warning::Refused(error)],
            },
        }
    }

    fn agree(&self, declared: Declaration) -> Outcome {
        let mut warnings = declared.warnings;
        match Version::OURS.fit(declared.version) {
            Fit::Good => {}
            Fit::Doubtful => warnings.push(Warning::OtherMinor(declared.version)),
            Fit::None => {
                return Outcome {
                    agreement: None,
                    warnings: vec![Warning::OtherMajor(declared.version)],
                };
            }
        }
        let is_active = |word: &str| Extension::parse(word).is_some_and(|extension| self.extensions.has(extension));
        let (words, others): (Vec<_>, Vec<_>) = declared.words.into_iter().partition(|word| is_active(word));
        let known = others.iter().filter(|word| Extension::parse(word).is_some());
        warnings.extend(known.map(|word| Warning::NotOffered(shown(word))));
        let agreement = Agreement {
            version: declared.version,
            active: self.extensions.and(declared.extensions),
            carriers: declared.carriers,
            words,
            permissions: declared.permissions,
            server_id: declared.server_id,
            trust: declared.trust,
        };
        Outcome {
            agreement: Some(agreement),
            warnings,
        }
    }
}

fn written<'a>(names: impl IntoIterator<Item = &'a str>) -> Raw {
    ObjectBuilder::new()
        .text("version", &Version::OURS.to_string())
        .texts("extensions", names)
        .finish()
}

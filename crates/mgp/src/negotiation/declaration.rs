//! Declarations of peers, in any of the three carriers (§2.2, §2.3, D7).

use jsonrpc::{Editor, Object, Raw, RawKind};
use model::{Permission, TrustLevel};

use super::{DeclarationError, Extension, ExtensionSet, Version, Warning};
use crate::carrier::{self, EXTENSION};
use crate::json::{self, shown};
use crate::{permission, trust};

/// The number of extensions or permissions that one declaration may name.
const MOST_NAMES: usize = 64;
/// The length of the longest `server_id` that is kept.
const LONGEST_ID: usize = 128;

/// The carrier of a declaration in the capabilities (D7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Carrier {
    /// The member `mgp` of the founding specification.
    Member,
    /// `experimental.mgp`, which typed SDKs keep.
    Experimental,
    /// `extensions["dev.cloto/mgp"]`, of the modern era.
    Extension,
}

impl Carrier {
    /// All carriers.
    pub const ALL: [Self; 3] = [Self::Member, Self::Experimental, Self::Extension];

    /// Returns its path in the capabilities.
    #[must_use]
    pub fn path(self) -> &'static [&'static str] {
        match self {
            Self::Member => &["mgp"],
            Self::Experimental => &["experimental", "mgp"],
            Self::Extension => &["extensions", EXTENSION],
        }
    }

    fn shown(self) -> String {
        self.path().join(".")
    }
}

/// The declaration of a client or a server.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The carriers that contain it.
    pub carriers: Vec<Carrier>,
    /// The version that it speaks.
    pub version: Version,
    /// Its known extensions.
    pub extensions: ExtensionSet,
    /// The names that it uses for extensions, including unknown ones.
    pub words: Vec<String>,
    /// The permissions that a server needs to work, by canonical names (§2.3, D5).
    pub permissions: Vec<Permission>,
    /// The server's name for itself. It is for people: nothing is keyed by it.
    pub server_id: Option<String>,
    /// The trust that a server claims; see [`trust::effective`].
    pub trust: Option<TrustLevel>,
    /// The warnings about it.
    pub warnings: Vec<Warning>,
}

impl Declaration {
    /// Reads the declaration in capabilities; `None` if no carrier has one (`null` and `false` count as none).
    ///
    /// # Errors
    /// When a carrier is invalid by §2, repeats a key, or contradicts another.
    pub fn read(capabilities: &Raw) -> Result<Option<Self>, DeclarationError> {
        let mut found: Option<Self> = None;
        for carrier in Carrier::ALL {
            let Some(raw) = lookup(capabilities, carrier)? else { continue };
            let read = Self::read_one(carrier, &raw)?;
            match &mut found {
                None => found = Some(read),
                Some(first) if first.says_the_same(&read) => first.carriers.push(carrier),
                Some(first) => return Err(DeclarationError::Contradiction(first.carriers[0].shown(), carrier.shown())),
            }
        }
        Ok(found)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        let meant = |one: &Self| {
            (
                one.version,
                one.extensions,
                one.permissions.clone(),
                one.server_id.clone(),
                one.trust,
            )
        };
        meant(self) == meant(other)
    }

    fn read_one(carrier: Carrier, raw: &Raw) -> Result<Self, DeclarationError> {
        let place = carrier.shown();
        let object = object(&place, raw)?;
        let needs = |name, what| DeclarationError::Member(place.clone(), name, what);
        let version = object.get("version").and_then(Raw::as_str);
        let version = version.ok_or_else(|| needs("version", "a text"))?;
        let version = Version::parse(&version).ok_or_else(|| DeclarationError::Version(shown(&version)))?;
        let words = object.get("extensions").and_then(|names| json::texts(names, MOST_NAMES));
        let words = words.ok_or_else(|| needs("extensions", "a list of at most 64 texts"))?;
        let mut warnings = Vec::new();
        let unknown = words.iter().filter(|word| Extension::parse(word).is_none());
        warnings.extend(unknown.map(|word| Warning::UnknownExtension(shown(word))));
        let server_id = object.get("server_id").and_then(Raw::as_str).map(std::borrow::Cow::into_owned);
        Ok(Self {
            carriers: vec![carrier],
            version,
            extensions: words.iter().filter_map(|word| Extension::parse(word)).collect(),
            words,
            permissions: permissions(&object, &mut warnings, needs)?,
            server_id: server_id.filter(|id| id.len() <= LONGEST_ID),
            trust: object.get("trust_level").map(|level| trust_of(level, &mut warnings)),
            warnings,
        })
    }
}

/// Returns the value at a carrier. An object on the path that repeats a key is an error, because its meaning is not known.
fn lookup(capabilities: &Raw, carrier: Carrier) -> Result<Option<Raw>, DeclarationError> {
    let mut value = capabilities.clone();
    for key in carrier.path() {
        if value.kind() != RawKind::Object {
            return Ok(None);
        }
        let members = object("capabilities", &value)?;
        let Some(member) = members.get(key) else { return Ok(None) };
        value = member.clone();
    }
    Ok(Some(value).filter(|value| !matches!(&value.bytes()[..], b"null" | b"false")))
}

fn object(place: &str, raw: &Raw) -> Result<Object, DeclarationError> {
    raw.object().map_err(|error| DeclarationError::Repeated(place.to_owned(), error))
}

fn permissions(
    object: &Object,
    warnings: &mut Vec<Warning>,
    needs: impl Fn(&'static str, &'static str) -> DeclarationError,
) -> Result<Vec<Permission>, DeclarationError> {
    let Some(names) = object.get("permissions_required") else {
        return Ok(Vec::new());
    };
    let names = json::texts(names, MOST_NAMES).ok_or_else(|| needs("permissions_required", "a list of at most 64 texts"))?;
    let mut found = Vec::new();
    for name in &names {
        let said = permission::read(name).map_err(DeclarationError::Permission)?;
        warnings.extend(said.remark.map(Warning::Permission));
        found.extend(said.permissions);
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Reads a trust level. An unknown level, or one that is no text, is the least.
fn trust_of(level: &Raw, warnings: &mut Vec<Warning>) -> TrustLevel {
    let word = level.as_str().unwrap_or_default();
    trust::parse(&word).unwrap_or_else(|| {
        warnings.push(Warning::UnknownTrust(shown(level.text())));
        trust::claimed(&word)
    })
}

/// Removes all declarations of MGP from capabilities. The result is the key by which connections to servers are shared (DESIGN 1), because there the
/// declaration is the gateway's.
#[must_use]
pub fn without(capabilities: &Raw) -> Raw {
    strip(capabilities).finish()
}

/// Removes all declarations from capabilities, and objects that contain nothing else.
pub(super) fn strip(capabilities: &Raw) -> Editor {
    let mut edit = capabilities.edit();
    if capabilities.get("mgp").is_some() {
        edit = edit.remove(&["mgp"]);
    }
    for carrier in [Carrier::Experimental, Carrier::Extension] {
        if let [holder, name] = carrier.path() {
            edit = carrier::without(edit, capabilities, holder, name);
        }
    }
    edit
}

//! What a peer declares of itself, in whichever of the three carriers (§2.2, §2.3, D7).

use jsonrpc::{Editor, Object, Raw, RawKind};
use model::{Permission, TrustLevel};

use super::{DeclarationError, Extension, ExtensionSet, Version, Warning};
use crate::carrier::{self, EXTENSION};
use crate::json::{self, shown};
use crate::{permission, trust};

/// Extensions or permissions that one declaration may name.
const MOST_NAMES: usize = 64;
/// The longest `server_id` that is kept.
const LONGEST_ID: usize = 128;

/// Where in the capabilities a declaration stands (D7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Carrier {
    /// `mgp`, as the founding specification has it.
    Member,
    /// `experimental.mgp`, which typed SDKs keep.
    Experimental,
    /// `extensions["dev.cloto/mgp"]`, of the modern era.
    Extension,
}

impl Carrier {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Member, Self::Experimental, Self::Extension];

    /// The way to it from the capabilities.
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

/// What a client or a server says of its MGP.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Where it says so.
    pub carriers: Vec<Carrier>,
    /// Which version it speaks.
    pub version: Version,
    /// Its extensions, as far as they are known.
    pub extensions: ExtensionSet,
    /// The names it uses for them, and those that nobody knows.
    pub words: Vec<String>,
    /// What a server needs to work, by canonical names (§2.3, D5).
    pub permissions: Vec<Permission>,
    /// What a server calls itself. For people: nothing is keyed by it.
    pub server_id: Option<String>,
    /// How far a server says it is to be trusted; see [`trust::effective`].
    pub trust: Option<TrustLevel>,
    /// What is odd about it.
    pub warnings: Vec<Warning>,
}

impl Declaration {
    /// Reads what capabilities declare; `None` where no carrier says anything (`null` and `false` say nothing).
    ///
    /// # Errors
    /// When a carrier is not as §2 has it, repeats a key, or says something else than another.
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

/// The value at a carrier. Each object on the way has each key once, or nobody could say what it declares.
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

/// A level that nobody knows, or that is no text, is the least.
fn trust_of(level: &Raw, warnings: &mut Vec<Warning>) -> TrustLevel {
    let word = level.as_str().unwrap_or_default();
    trust::parse(&word).unwrap_or_else(|| {
        warnings.push(Warning::UnknownTrust(shown(level.text())));
        trust::claimed(&word)
    })
}

/// Capabilities without any declaration of MGP: what connections to servers are shared by (DESIGN 1), since there the declaration is the gateway's.
#[must_use]
pub fn without(capabilities: &Raw) -> Raw {
    strip(capabilities).finish()
}

/// Capabilities without any declaration, whoever made it. What held nothing else goes with it.
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

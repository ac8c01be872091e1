//! A server's declarations about one tool's security, in all carriers (§4.2, §4.3, §4.5, D6).

use std::fmt;

use jsonrpc::{Object, Raw};
use model::{Permission, Risk};

use super::CodeSafety;
use crate::carrier::{EXTENSION, META, MGP};
use crate::json::{self, shown};
use crate::permission;

/// The number of names in one list.
const MOST_NAMES: usize = 64;

/// All declarations in a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSecurity {
    /// The `security` objects, in the order of D6.
    pub declared: Vec<Declared>,
    /// The annotations of MCP.
    pub hints: Hints,
    /// The members that can't be read.
    pub faults: Vec<String>,
}

/// One `security` object. A missing member declares nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The place where it stands.
    pub place: Place,
    /// The object as the server sent it, for the validators.
    pub raw: Raw,
    /// `risk_level`
    pub risk: Option<Risk>,
    /// `permissions_required`, by canonical names. An empty list differs from a missing one.
    pub permissions: Option<Vec<Permission>>,
    /// `side_effects`
    pub side_effects: Vec<SideEffect>,
    /// `validator`
    pub validator: Option<Validator>,
    /// `reversible`
    pub reversible: Option<bool>,
    /// `confirmation_required`
    pub confirmation_required: bool,
    /// `code_safety`
    pub code_safety: Option<CodeSafety>,
}

/// The place of a `security` object (D6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// `security`
    Member,
    /// `_mgp.security`
    Mgp,
    /// `_meta["dev.cloto/mgp"].security`
    Meta,
}

/// The annotations of MCP that concern risk. MCP's defaults are not filled in for missing ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `readOnlyHint`
    pub read_only: Option<bool>,
    /// `destructiveHint`
    pub destructive: Option<bool>,
}

/// A side effect of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SideEffect {
    /// Files.
    Filesystem,
    /// Other machines.
    Network,
    /// Other processes.
    Process,
    /// Databases.
    Database,
    /// People, by messages.
    Notification,
    /// A side effect that §4.3 does not have.
    Other(String),
}

/// A validator that a tool asks for (§4.5). The kernel applies those that a tool asks for, and inferred ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Validator {
    /// The validator of commands.
    Sandbox,
    /// The validator that refuses what writes.
    Readonly,
    /// The validator that refuses private networks.
    NetworkRestricted,
    /// The validator of code.
    CodeSafety,
    /// No validator, because the server validates itself. It removes no inferred validator.
    None,
    /// An unknown validator (D33).
    Unknown(String),
}

impl Place {
    const ALL: [Self; 3] = [Self::Member, Self::Mgp, Self::Meta];

    fn path(self) -> &'static [&'static str] {
        match self {
            Self::Member => &["security"],
            Self::Mgp => &[MGP, "security"],
            Self::Meta => &[META, EXTENSION, "security"],
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path().join("."))
    }
}

impl SideEffect {
    /// Reads a side effect by the word of §4.3.
    #[must_use]
    pub fn read(word: &str) -> Self {
        match word {
            "filesystem" => Self::Filesystem,
            "network" => Self::Network,
            "process" => Self::Process,
            "database" => Self::Database,
            "notification" => Self::Notification,
            other => Self::Other(shown(other)),
        }
    }

    /// Returns its word on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Filesystem => "filesystem",
            Self::Network => "network",
            Self::Process => "process",
            Self::Database => "database",
            Self::Notification => "notification",
            Self::Other(word) => word,
        }
    }
}

impl Validator {
    /// Reads a validator by the name of §4.5.
    #[must_use]
    pub fn read(name: &str) -> Self {
        match name {
            "sandbox" => Self::Sandbox,
            "readonly" => Self::Readonly,
            "network_restricted" => Self::NetworkRestricted,
            "code_safety" => Self::CodeSafety,
            "none" => Self::None,
            other => Self::Unknown(shown(other)),
        }
    }

    /// Returns its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Readonly => "readonly",
            Self::NetworkRestricted => "network_restricted",
            Self::CodeSafety => "code_safety",
            Self::None => "none",
            Self::Unknown(name) => name,
        }
    }
}

impl ToolSecurity {
    /// Reads a definition as its server wrote it.
    #[must_use]
    pub fn read(tool: &Raw) -> Self {
        let mut read = Self::default();
        for place in Place::ALL {
            // `null` counts as missing.
            let found = tool.at(place.path()).filter(|raw| &raw.bytes()[..] != b"null");
            if let Some(raw) = found {
                read.object(place, &raw);
            }
        }
        if let Some(annotations) = tool.get("annotations") {
            read.annotations(&annotations);
        }
        read
    }

    fn object(&mut self, place: Place, raw: &Raw) {
        let object = match raw.object() {
            Ok(object) => object,
            Err(error) => return self.faults.push(format!("`{place}` can't be read: {error}")),
        };
        let mut reader = Reader {
            place,
            object: &object,
            faults: &mut self.faults,
        };
        let declared = Declared {
            place,
            raw: raw.clone(),
            risk: reader.risk(),
            permissions: reader.permissions(),
            side_effects: reader.list("side_effects").iter().map(|word| SideEffect::read(word)).collect(),
            validator: reader.text("validator").map(|name| Validator::read(&name)),
            reversible: reader.flag("reversible"),
            confirmation_required: reader.flag("confirmation_required").unwrap_or(false),
            code_safety: reader.code_safety(),
        };
        // Equal declarations in two carriers count once.
        let says_the_same = |other: &Declared| {
            Declared {
                place,
                raw: raw.clone(),
                ..other.clone()
            } == declared
        };
        if !self.declared.iter().any(says_the_same) {
            self.declared.push(declared);
        }
    }

    fn annotations(&mut self, raw: &Raw) {
        match raw.object() {
            Ok(object) => {
                let says = |key: &str| object.get(key).and_then(Raw::as_bool);
                self.hints = Hints {
                    read_only: says("readOnlyHint"),
                    destructive: says("destructiveHint"),
                };
            }
            Err(_) if &raw.bytes()[..] == b"null" => {}
            Err(error) => self.faults.push(format!("`annotations` can't be read: {error}")),
        }
    }
}

/// Reads the members of one `security` object; a member with another type than in §4.3 is a fault.
struct Reader<'a> {
    place: Place,
    object: &'a Object,
    faults: &'a mut Vec<String>,
}

impl Reader<'_> {
    fn fault(&mut self, key: &str, what: &str) {
        let place = self.place;
        self.faults.push(format!("`{place}.{key}` {what}"));
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let value = self.object.get(key)?;
        let text = value.as_str().map(std::borrow::Cow::into_owned);
        if text.is_none() {
            self.fault(key, "is no text");
        }
        text
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        let value = self.object.get(key)?;
        let flag = value.as_bool();
        if flag.is_none() {
            self.fault(key, "is neither `true` nor `false`");
        }
        flag
    }

    fn list(&mut self, key: &str) -> Vec<String> {
        let Some(value) = self.object.get(key) else { return Vec::new() };
        json::texts(value, MOST_NAMES).unwrap_or_else(|| {
            self.fault(key, "is no list of at most 64 texts");
            Vec::new()
        })
    }

    fn risk(&mut self) -> Option<Risk> {
        let word = self.text("risk_level")?;
        let known = [Risk::Safe, Risk::Moderate, Risk::Dangerous];
        let risk = known.into_iter().find(|risk| risk.as_str() == word);
        if risk.is_none() {
            self.fault("risk_level", &format!("is `{}`, which is unknown", shown(&word)));
        }
        risk
    }

    fn permissions(&mut self) -> Option<Vec<Permission>> {
        self.object.get("permissions_required")?;
        let mut found = Vec::new();
        for name in self.list("permissions_required") {
            match permission::read(&name) {
                Ok(said) => found.extend(said.permissions),
                Err(error) => self.fault("permissions_required", &format!("can't be read: {error}")),
            }
        }
        Some(found)
    }

    fn code_safety(&mut self) -> Option<CodeSafety> {
        match CodeSafety::read(self.object.get("code_safety")?) {
            Ok(read) => Some(read),
            Err(fault) => {
                self.faults.push(format!("in `{}`, {fault}", self.place));
                None
            }
        }
    }
}

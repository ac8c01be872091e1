//! The validators of a tool, and their settings.

use std::fmt;

use serde_json::Value;

use super::infer::Slots;
use super::kind::Kind;
use crate::code::{Language, Level};
use crate::path::Roots;
use crate::shell::Profile;
use crate::sql::Dialect;
use crate::{code, url};

/// A validator of MGP §4.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validator {
    /// Judges commands.
    Sandbox(Profile),
    /// Refuses everything that would write.
    Readonly,
    /// Refuses addresses of networks that are not public.
    NetworkRestricted,
    /// Judges code at a level.
    CodeSafety(Level),
    /// Judges nothing.
    None,
}

/// The error for an unknown validator. Its tool is dangerous, and asks for a confirmation (MGP D33): it is not skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValidator {
    name: String,
}

impl fmt::Display for UnknownValidator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no validator `{}`: its tool counts as dangerous", self.name)
    }
}

impl std::error::Error for UnknownValidator {}

impl Validator {
    /// Parses a validator by its name in MGP §4.5; a profile or level may follow a colon: `sandbox:pipeline`,
    /// `code_safety:readonly`.
    ///
    /// # Errors
    /// When there is no validator, profile or level of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownValidator> {
        let found = match name.split_once(':') {
            None => match name {
                "sandbox" => Some(Self::Sandbox(Profile::Default)),
                "readonly" => Some(Self::Readonly),
                "network_restricted" => Some(Self::NetworkRestricted),
                "code_safety" => Some(Self::CodeSafety(Level::Standard)),
                "none" => Some(Self::None),
                _ => None,
            },
            Some(("sandbox", profile)) => Profile::parse(profile).map(Self::Sandbox),
            Some(("code_safety", level)) => Level::parse(level).map(Self::CodeSafety),
            Some(_) => None,
        };
        found.ok_or_else(|| UnknownValidator { name: name.to_owned() })
    }

    /// Returns the validator's name in MGP §4.5.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sandbox(_) => "sandbox",
            Self::Readonly => "readonly",
            Self::NetworkRestricted => "network_restricted",
            Self::CodeSafety(_) => "code_safety",
            Self::None => "none",
        }
    }
}

/// The validators that a tool's `security` object declares (MGP §4.3, §7.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// The validator; an unknown one makes the tool dangerous.
    pub validator: Option<Result<Validator, UnknownValidator>>,
    /// The language of the code.
    pub language: Option<Result<Language, String>>,
    /// The argument that is code (MGP D26).
    pub code_argument: Option<String>,
    code: Value,
}

impl Declaration {
    /// Reads the `security` object of a tool. What it does not declare is inferred.
    #[must_use]
    pub fn read(security: &Value) -> Self {
        let code = security.get("code_safety").cloned().unwrap_or_default();
        let text = |key: &str| code.get(key).and_then(Value::as_str);
        let mut validator = security.get("validator").and_then(Value::as_str).map(Validator::parse);
        if let (Some(Ok(Validator::CodeSafety(_))), Some(level)) = (&validator, text("level")) {
            validator = Some(Validator::parse(&format!("code_safety:{level}")));
        }
        let language = text("language").map(|name| Language::parse(name).ok_or_else(|| name.to_owned()));
        Self {
            validator,
            language,
            code_argument: text("argument").map(str::to_owned),
            code,
        }
    }
}

/// The rules by which the arguments of one tool are judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub(super) validators: Vec<Validator>,
    /// The folders in which paths may lie. Without roots, only `sandbox` and `readonly` check paths, and refuse all.
    pub roots: Roots,
    /// The rules for network access.
    pub network: url::Policy,
    /// The commands that `sandbox` allows in addition to those it knows.
    pub allow_commands: Vec<String>,
    /// The SQL dialect of statements; without one they have to be harmless in all.
    pub dialect: Option<Dialect>,
    pub(super) declaration: Declaration,
}

impl Plan {
    /// Returns a plan of these validators, with default settings.
    #[must_use]
    pub fn new(validators: impl IntoIterator<Item = Validator>) -> Self {
        Self {
            validators: validators.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Adds what a tool declares. A declaration never removes a validator.
    #[must_use]
    pub fn declared(mut self, declaration: Declaration) -> Self {
        if let Some(Ok(validator)) = &declaration.validator {
            self.validators.push(*validator);
        }
        self.declaration = declaration;
        self
    }

    /// Returns the validators, whether declared or configured.
    #[must_use]
    pub fn validators(&self) -> &[Validator] {
        &self.validators
    }

    /// Returns the policy for code at a level.
    pub(super) fn code_policy(&self, level: Level, language: Language) -> code::Policy {
        let mut policy = code::Policy::new(level, language);
        let list = |key: &str| -> Option<Vec<String>> {
            let items = self.declaration.code.get(key)?.as_array()?;
            Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        };
        if let Some(bytes) = self.declaration.code.get("max_code_size_bytes").and_then(Value::as_u64) {
            policy.max_bytes = policy.max_bytes.min(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        policy.blocked_imports = list("blocked_imports").unwrap_or_default();
        policy.blocked_patterns = list("blocked_patterns").unwrap_or_default();
        policy.allowed_imports = list("allowed_imports");
        policy
    }

    /// Returns the kind of an argument, by declaration or inference.
    pub(super) fn kind_of(&self, slots: &Slots, pointer: &str, name: &str) -> Option<Kind> {
        let is_code = self
            .declaration
            .code_argument
            .as_deref()
            .is_some_and(|argument| argument == name || argument == pointer);
        if is_code {
            return Some(Kind::Code(None));
        }
        slots.kind_of(pointer, name)
    }
}

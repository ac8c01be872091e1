//! Levels, languages, and the settings that a server or an operator may add to them (MGP §7.2, §7.3).

use super::{javascript, python};

/// The size in bytes above which code is refused by default.
const DEFAULT_MAX_BYTES: usize = 64 * 1024;

/// A language whose code can be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python 3.
    Python,
    /// JavaScript, as module or script.
    JavaScript,
    /// TypeScript.
    TypeScript,
}

impl Language {
    /// Parses a language by the name that servers use. `None` is a language that cannot be judged here: from `strict`
    /// on its code is refused.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "python" | "python3" | "py" => Some(Self::Python),
            "javascript" | "js" | "node" | "nodejs" | "ecmascript" | "jsx" | "mjs" | "cjs" => Some(Self::JavaScript),
            "typescript" | "ts" | "mts" | "cts" => Some(Self::TypeScript),
            _ => None,
        }
    }
}

/// How much code may do (MGP §7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The code may do everything.
    Unrestricted,
    /// The code may do what is not on a list of dangers.
    Standard,
    /// The code may use what is on a list of allowed modules, without dangers, up to a size.
    Strict,
    /// The code may do what `Strict` allows, except writing.
    Readonly,
}

impl Level {
    /// Parses a level by its name in MGP §7.2.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "unrestricted" => Some(Self::Unrestricted),
            "standard" => Some(Self::Standard),
            "strict" => Some(Self::Strict),
            "readonly" => Some(Self::Readonly),
            _ => None,
        }
    }
}

/// The rules by which code is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How much the code may do.
    pub level: Level,
    /// The language of the code.
    pub language: Language,
    /// The size in bytes above which code is refused.
    pub max_bytes: usize,
    /// The modules that are refused in addition to those that the level refuses.
    pub blocked_imports: Vec<String>,
    /// The texts and calls that are refused in addition to those that the level refuses.
    pub blocked_patterns: Vec<String>,
    /// The modules that `strict` and `readonly` allow, instead of the built-in list.
    pub allowed_imports: Option<Vec<String>>,
}

impl Policy {
    /// Returns the built-in policy of a level.
    #[must_use]
    pub fn new(level: Level, language: Language) -> Self {
        Self {
            level,
            language,
            max_bytes: DEFAULT_MAX_BYTES,
            blocked_imports: Vec::new(),
            blocked_patterns: Vec::new(),
            allowed_imports: None,
        }
    }

    /// Returns the built-in policy of the level `strict`.
    #[must_use]
    pub fn strict(language: Language) -> Self {
        Self::new(Level::Strict, language)
    }

    /// Returns whether the level requires a list of what is allowed.
    pub(super) fn is_strict(&self) -> bool {
        self.level >= Level::Strict
    }

    /// Returns the declared pattern that a call matches, by the name that it resolves to: `eval(` or `os.system`.
    pub(super) fn called_pattern(&self, name: &str) -> Option<&str> {
        let means = |pattern: &str| {
            let pattern = pattern.trim_end_matches('(').trim_end();
            !pattern.is_empty() && (name == pattern || name.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('.')))
        };
        self.blocked_patterns.iter().map(String::as_str).find(|pattern| means(pattern))
    }

    /// Returns whether a module is refused by name. A module that a declaration allows by name is not refused by the
    /// built-in list.
    pub(super) fn blocks(&self, module: &str) -> bool {
        self.blocked_imports.iter().any(|one| is_in(module, one))
            || self.built_in().iter().any(|one| is_in(module, one)) && !self.allows_by_name(module)
    }

    fn built_in(&self) -> &'static [&'static str] {
        match self.language {
            Language::Python => python::BLOCKED_MODULES,
            Language::JavaScript | Language::TypeScript => javascript::BLOCKED_MODULES,
        }
    }

    /// Returns all modules that are refused by name, for the hints of a rejection.
    #[must_use]
    pub fn blocked(&self) -> Vec<&str> {
        let declared = self.blocked_imports.iter().map(String::as_str);
        declared
            .chain(self.built_in().iter().copied())
            .filter(|module| !self.allows_by_name(module))
            .collect()
    }

    /// Returns whether the list of a declaration names the module.
    fn allows_by_name(&self, module: &str) -> bool {
        self.allowed_imports
            .as_ref()
            .is_some_and(|allowed| allowed.iter().any(|one| one == module))
    }

    /// Returns whether a module is on the effective list.
    pub(super) fn allows(&self, module: &str) -> bool {
        self.allowed().iter().any(|one| is_in(module, one))
    }

    /// Returns whether a module is on the effective list by its whole name.
    pub(super) fn lists(&self, module: &str) -> bool {
        self.allowed().contains(&module)
    }

    /// Returns the effective list of allowed modules, for the hints of a rejection.
    #[must_use]
    pub fn allowed(&self) -> Vec<&str> {
        match (&self.allowed_imports, self.language) {
            (Some(allowed), _) => allowed.iter().map(String::as_str).collect(),
            (None, Language::Python) => python::ALLOWED_MODULES.to_vec(),
            (None, Language::JavaScript | Language::TypeScript) => javascript::ALLOWED_MODULES.to_vec(),
        }
    }
}

/// Returns whether `module` is `list` or inside it: `xml.sax` is in `xml`.
fn is_in(module: &str, list: &str) -> bool {
    module == list || module.strip_prefix(list).is_some_and(|rest| rest.starts_with(['.', '/']))
}

//! Levels, languages, and what a server or an operator may set beside them (MGP §7.2, §7.3).

use super::{javascript, python};

/// Longer code is refused unless the policy says otherwise.
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
    /// By the name that servers use. `None` is a language that nobody here can judge: from `strict` on its code is refused.
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
    /// Everything.
    Unrestricted,
    /// What is not on a list of dangers.
    Standard,
    /// What is imported from a list of allowed modules, without dangers, up to a size.
    Strict,
    /// The same, without writing.
    Readonly,
}

impl Level {
    /// By its name in MGP §7.2.
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

/// What code is judged by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How much it may do.
    pub level: Level,
    /// What it is written in.
    pub language: Language,
    /// Longer code is refused, in bytes.
    pub max_bytes: usize,
    /// Modules that are refused besides those that the level refuses.
    pub blocked_imports: Vec<String>,
    /// Texts and calls that are refused besides those that the level refuses.
    pub blocked_patterns: Vec<String>,
    /// The modules that `strict` and `readonly` allow, in place of the built-in list.
    pub allowed_imports: Option<Vec<String>>,
}

impl Policy {
    /// The built-in policy of a level.
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

    /// The built-in policy of the level `strict`.
    #[must_use]
    pub fn strict(language: Language) -> Self {
        Self::new(Level::Strict, language)
    }

    /// Whether the level asks for a list of what is allowed.
    pub(super) fn is_strict(&self) -> bool {
        self.level >= Level::Strict
    }

    /// A call that a declared pattern means, by the name that it resolves to: `eval(` or `os.system`.
    pub(super) fn called_pattern(&self, name: &str) -> Option<&str> {
        let means = |pattern: &str| {
            let pattern = pattern.trim_end_matches('(').trim_end();
            !pattern.is_empty() && (name == pattern || name.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('.')))
        };
        self.blocked_patterns.iter().map(String::as_str).find(|pattern| means(pattern))
    }

    /// Whether a module is refused by name. What a declaration allows by name is not refused by the built-in list.
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

    /// All modules that are refused by name, for the hints of a rejection.
    #[must_use]
    pub fn blocked(&self) -> Vec<&str> {
        let declared = self.blocked_imports.iter().map(String::as_str);
        declared
            .chain(self.built_in().iter().copied())
            .filter(|module| !self.allows_by_name(module))
            .collect()
    }

    /// Whether the list of a declaration names the module.
    fn allows_by_name(&self, module: &str) -> bool {
        self.allowed_imports
            .as_ref()
            .is_some_and(|allowed| allowed.iter().any(|one| one == module))
    }

    /// Whether a module is on the list that counts.
    pub(super) fn allows(&self, module: &str) -> bool {
        self.allowed().iter().any(|one| is_in(module, one))
    }

    /// Whether a module is on the list that counts by its whole name.
    pub(super) fn lists(&self, module: &str) -> bool {
        self.allowed().contains(&module)
    }

    /// The list of allowed modules that counts, for the hints of a rejection.
    #[must_use]
    pub fn allowed(&self) -> Vec<&str> {
        match (&self.allowed_imports, self.language) {
            (Some(allowed), _) => allowed.iter().map(String::as_str).collect(),
            (None, Language::Python) => python::ALLOWED_MODULES.to_vec(),
            (None, Language::JavaScript | Language::TypeScript) => javascript::ALLOWED_MODULES.to_vec(),
        }
    }
}

/// Whether `module` is `list` or inside it: `xml.sax` is in `xml`.
fn is_in(module: &str, list: &str) -> bool {
    module == list || module.strip_prefix(list).is_some_and(|rest| rest.starts_with(['.', '/']))
}

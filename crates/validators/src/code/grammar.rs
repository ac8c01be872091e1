//! Grammars, with the names in them looked up once.

use std::sync::LazyLock;

use super::Language;

/// A grammar, with the names of its nodes and fields by number.
pub(super) struct Grammar {
    pub(super) language: tree_sitter::Language,
    kinds: Vec<&'static str>,
    fields: Vec<&'static str>,
}

static PYTHON: LazyLock<Grammar> = LazyLock::new(|| Grammar::new(tree_sitter_python::LANGUAGE.into()));
static JAVASCRIPT: LazyLock<Grammar> = LazyLock::new(|| Grammar::new(tree_sitter_javascript::LANGUAGE.into()));
static TYPESCRIPT: LazyLock<Grammar> = LazyLock::new(|| Grammar::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()));

impl Grammar {
    pub(super) fn of(language: Language) -> &'static Self {
        match language {
            Language::Python => &PYTHON,
            Language::JavaScript => &JAVASCRIPT,
            Language::TypeScript => &TYPESCRIPT,
        }
    }

    fn new(language: tree_sitter::Language) -> Self {
        let numbers = |count: usize| 0..u16::try_from(count).unwrap_or(u16::MAX);
        let kinds = numbers(language.node_kind_count()).map(|number| language.node_kind_for_id(number).unwrap_or_default());
        // Fields are counted from 1.
        let fields = numbers(language.field_count() + 1).map(|number| language.field_name_for_id(number).unwrap_or_default());
        Self {
            kinds: kinds.collect(),
            fields: fields.collect(),
            language,
        }
    }

    /// Returns the name of a kind of node.
    pub(super) fn kind(&self, number: u16) -> &'static str {
        self.kinds.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// Returns the name of a field.
    pub(super) fn field(&self, number: u16) -> &'static str {
        self.fields.get(usize::from(number)).copied().unwrap_or_default()
    }
}

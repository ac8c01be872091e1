//! What a crate's code declares, imports and names, scope by scope, unresolved.

use std::collections::HashMap;

/// The number of a scope within its crate.
pub(crate) type ScopeId = usize;

/// The scopes of a crate, and the paths that its code names.
#[derive(Debug, Default)]
pub(crate) struct Crate<'a> {
    /// Its name in paths.
    pub(crate) name: String,
    /// Its modules, and its blocks that declare something.
    pub(crate) scopes: Vec<Scope<'a>>,
    /// The scope of `src/lib.rs`.
    pub(crate) library: Option<ScopeId>,
    /// Every path that its code names.
    pub(crate) mentions: Vec<Mention>,
}

/// A module, or a block that declares something.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    /// The file it stands in.
    pub(crate) file: &'a str,
    /// The scope around it.
    pub(crate) parent: Option<ScopeId>,
    /// Whether it is a module: a block sees the names around it, a module does not.
    pub(crate) is_module: bool,
    pub(crate) declared: HashMap<String, Vec<Declared>>,
    /// The paths that `use` imports, by the names they have here.
    pub(crate) imported: HashMap<String, Vec<Vec<String>>>,
    /// The paths of `use …::*`.
    pub(crate) globs: Vec<Vec<String>>,
}

/// What a scope declares under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    Module(ScopeId),
    /// A macro, which the modules below see too.
    Macro,
    /// A type, a trait, a function, a constant.
    Item,
}

/// A path in the code.
#[derive(Debug)]
pub(crate) struct Mention {
    pub(crate) scope: ScopeId,
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
    /// Whether it is re-exported, by `pub use`.
    pub(crate) is_reexport: bool,
}

impl Crate<'_> {
    /// Returns the module that a scope is or lies in.
    pub(crate) fn module_of(&self, mut scope: ScopeId) -> ScopeId {
        while let (false, Some(parent)) = (self.scopes[scope].is_module, self.scopes[scope].parent) {
            scope = parent;
        }
        scope
    }

    /// Returns the module around the one that a scope is or lies in.
    pub(crate) fn above(&self, scope: ScopeId) -> Option<ScopeId> {
        let parent = self.scopes[self.module_of(scope)].parent?;
        Some(self.module_of(parent))
    }

    /// Returns the root of the tree that a scope belongs to.
    pub(crate) fn root_of(&self, mut scope: ScopeId) -> ScopeId {
        while let Some(parent) = self.scopes[scope].parent {
            scope = parent;
        }
        scope
    }

    /// Returns whether a scope is `outer`, or lies in it.
    pub(crate) fn is_within(&self, mut scope: ScopeId, outer: ScopeId) -> bool {
        loop {
            if scope == outer {
                return true;
            }
            let Some(parent) = self.scopes[scope].parent else { return false };
            scope = parent;
        }
    }
}

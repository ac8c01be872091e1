//! Resolves the paths of a crate to the modules that define what they name, through imports and re-exports.

use super::scope::{Crate, Declared, ScopeId};

/// The target of a path within its crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Module(ScopeId),
    /// An item, by the module that defines it and its name there.
    Item(ScopeId, String),
}

/// The names that are being looked up, so that imports of each other end.
type Trail = Vec<(ScopeId, String)>;

/// Returns what a path in a scope names. Empty, if it leaves the crate.
pub(crate) fn targets(krate: &Crate<'_>, scope: ScopeId, path: &[String]) -> Vec<Target> {
    follow(krate, scope, path, &mut Trail::new())
}

fn follow(krate: &Crate<'_>, scope: ScopeId, path: &[String], trail: &mut Trail) -> Vec<Target> {
    let Some((first, rest)) = path.split_first() else {
        return Vec::new();
    };
    let mut found = start(krate, scope, first, trail);
    for name in rest {
        let modules: Vec<ScopeId> = found.iter().filter_map(Target::module).collect();
        if modules.is_empty() {
            // A variant or an associated item: the item it belongs to is what counts.
            return found;
        }
        found = modules.iter().flat_map(|module| step(krate, *module, name, trail)).collect();
    }
    found
}

fn start(krate: &Crate<'_>, scope: ScopeId, name: &str, trail: &mut Trail) -> Vec<Target> {
    match name {
        "crate" => vec![Target::Module(krate.root_of(scope))],
        "self" => vec![Target::Module(krate.module_of(scope))],
        "super" => krate.above(scope).map(Target::Module).into_iter().collect(),
        _ => visible(krate, scope, name, trail).unwrap_or_else(|| {
            let library = krate.library.filter(|_| krate.name == name);
            library.map(Target::Module).into_iter().collect()
        }),
    }
}

/// Resolves one name within a module. A name that the module does not seem to have is made by a macro there.
fn step(krate: &Crate<'_>, module: ScopeId, name: &str, trail: &mut Trail) -> Vec<Target> {
    if name == "super" {
        return krate.above(module).map(Target::Module).into_iter().collect();
    }
    match member(krate, module, name, trail) {
        Some(found) => found,
        None if is_on(trail, module, name) => Vec::new(),
        None => vec![Target::Item(module, name.to_owned())],
    }
}

/// Resolves the first name of a path, as its scope sees it.
fn visible(krate: &Crate<'_>, scope: ScopeId, name: &str, trail: &mut Trail) -> Option<Vec<Target>> {
    let mut at = scope;
    loop {
        if let Some(found) = member(krate, at, name, trail) {
            return Some(found);
        }
        match krate.scopes[at].parent {
            Some(parent) if !krate.scopes[at].is_module => at = parent,
            _ => break,
        }
    }
    let mut above = krate.above(scope);
    while let Some(module) = above {
        if krate.scopes[module]
            .declared
            .get(name)
            .is_some_and(|found| found.contains(&Declared::Macro))
        {
            return Some(vec![Target::Item(module, name.to_owned())]);
        }
        above = krate.above(module);
    }
    None
}

/// Resolves a name in a scope: declared there, imported, or imported by a glob.
fn member(krate: &Crate<'_>, scope: ScopeId, name: &str, trail: &mut Trail) -> Option<Vec<Target>> {
    if is_on(trail, scope, name) {
        // `mod one; use one::one;`: the import leads through the module of the same name.
        return declared(krate, scope, name);
    }
    trail.push((scope, name.to_owned()));
    let found = match (declared(krate, scope, name), imported(krate, scope, name, trail)) {
        (None, None) => by_glob(krate, scope, name, trail),
        (declared, imported) => Some(declared.into_iter().chain(imported).flatten().collect()),
    };
    trail.pop();
    found
}

fn declared(krate: &Crate<'_>, scope: ScopeId, name: &str) -> Option<Vec<Target>> {
    let declared = krate.scopes[scope].declared.get(name)?;
    let target = |what: &Declared| match what {
        Declared::Module(module) => Target::Module(*module),
        Declared::Macro | Declared::Item => Target::Item(krate.module_of(scope), name.to_owned()),
    };
    Some(declared.iter().map(target).collect())
}

fn imported(krate: &Crate<'_>, scope: ScopeId, name: &str, trail: &mut Trail) -> Option<Vec<Target>> {
    let paths = krate.scopes[scope].imported.get(name)?;
    Some(paths.iter().flat_map(|path| follow(krate, scope, path, trail)).collect())
}

fn by_glob(krate: &Crate<'_>, scope: ScopeId, name: &str, trail: &mut Trail) -> Option<Vec<Target>> {
    krate.scopes[scope].globs.iter().find_map(|path| {
        let modules = follow(krate, scope, path, trail);
        modules
            .iter()
            .filter_map(Target::module)
            .find_map(|module| member(krate, module, name, trail))
    })
}

/// Returns whether a name is being looked up already.
fn is_on(trail: &Trail, scope: ScopeId, name: &str) -> bool {
    trail.iter().any(|(at, of)| (*at, of.as_str()) == (scope, name))
}

impl Target {
    fn module(&self) -> Option<ScopeId> {
        match self {
            Self::Module(module) => Some(*module),
            Self::Item(..) => None,
        }
    }
}

//! Reads a crate: follows `mod` from its roots, and collects what every scope declares, imports and names.

use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use syn::visit::{self, Visit};

use super::super::syntax::{self, Trees};
use super::scope::{Crate, Declared, Mention, Scope, ScopeId};
use super::tokens;

/// Reads the crate of a folder, without its tests.
pub(crate) fn read<'a>(package: &str, folder: &str, trees: &'a Trees<'a>) -> Crate<'a> {
    let source = format!("{folder}/src/");
    let library = format!("{source}lib.rs");
    let programs = format!("{source}bin/");
    let mut krate = Crate {
        name: package.replace('-', "_"),
        ..Crate::default()
    };
    for path in trees.keys() {
        let Some(inside) = path.strip_prefix(&source) else { continue };
        let is_program = path
            .strip_prefix(&programs)
            .is_some_and(|name| !name.contains('/') || name.ends_with("/main.rs"));
        if !is_program && !["lib.rs", "main.rs"].contains(&inside) {
            continue;
        }
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let mut reader = Reader {
            krate,
            trees,
            scope: 0,
            folder,
            bound: HashSet::new(),
        };
        let root = reader.file(path, None);
        krate = reader.krate;
        if **path == *library {
            krate.library = Some(root);
        }
    }
    krate
}

struct Reader<'a> {
    krate: Crate<'a>,
    trees: &'a Trees<'a>,
    /// The scope that is being read.
    scope: ScopeId,
    /// The folder of the files of modules that are declared here, with `/` at the end.
    folder: String,
    /// The variables of the function that is being read: they name no items.
    bound: HashSet<String>,
}

impl<'a> Reader<'a> {
    fn file(&mut self, path: &'a str, parent: Option<ScopeId>) -> ScopeId {
        let scope = self.open(path, parent, true);
        if let Some(tree) = self.trees.get(path) {
            self.within(scope, |reader| reader.visit_file(tree));
        }
        scope
    }

    fn open(&mut self, file: &'a str, parent: Option<ScopeId>, is_module: bool) -> ScopeId {
        self.krate.scopes.push(Scope {
            file,
            parent,
            is_module,
            declared: HashMap::new(),
            imported: HashMap::new(),
            globs: Vec::new(),
        });
        self.krate.scopes.len() - 1
    }

    fn within(&mut self, scope: ScopeId, read: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.scope, scope);
        read(self);
        self.scope = around;
    }

    fn declare(&mut self, name: &syn::Ident, what: Declared) {
        let declared = &mut self.krate.scopes[self.scope].declared;
        declared.entry(name.to_string()).or_default().push(what);
    }

    fn mention(&mut self, path: Vec<String>, line: usize, is_reexport: bool) {
        self.krate.mentions.push(Mention {
            scope: self.scope,
            path,
            line,
            is_reexport,
        });
    }

    /// Collects the imports of one tree of a `use`, below the path that leads to it.
    fn import(&mut self, path: &[String], tree: &syn::UseTree, is_reexport: bool) {
        let to = |name: &syn::Ident| {
            let mut path = path.to_vec();
            if name != "self" || path.is_empty() {
                path.push(name.to_string());
            }
            path
        };
        let (path, name, at) = match tree {
            syn::UseTree::Path(tree) => return self.import(&to(&tree.ident), &tree.tree, is_reexport),
            syn::UseTree::Group(group) => return group.items.iter().for_each(|tree| self.import(path, tree, is_reexport)),
            syn::UseTree::Glob(glob) => {
                self.krate.scopes[self.scope].globs.push(path.to_vec());
                let line = glob.star_token.spans[0].start().line;
                return self.mention(path.to_vec(), line, is_reexport);
            }
            syn::UseTree::Name(tree) => (to(&tree.ident), None, &tree.ident),
            syn::UseTree::Rename(tree) => (to(&tree.ident), Some(tree.rename.to_string()), &tree.ident),
        };
        if let Some(name) = name.or_else(|| path.last().cloned()) {
            let imported = &mut self.krate.scopes[self.scope].imported;
            imported.entry(name).or_default().push(path.clone());
        }
        self.mention(path, at.span().start().line, is_reexport);
    }

    /// Reads a function, whose parameters and variables name no items.
    fn function(&mut self, variables: Variables, read: impl FnOnce(&mut Self)) {
        let around = self.bound.clone();
        self.bound.extend(variables.0);
        read(self);
        self.bound = around;
    }
}

impl<'a> Visit<'a> for Reader<'a> {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if syntax::is_test_only(syntax::of_item(item)) {
            return;
        }
        match item {
            syn::Item::Const(item) => self.declare(&item.ident, Declared::Item),
            syn::Item::Enum(item) => self.declare(&item.ident, Declared::Item),
            syn::Item::Fn(item) => self.declare(&item.sig.ident, Declared::Item),
            syn::Item::Static(item) => self.declare(&item.ident, Declared::Item),
            syn::Item::Struct(item) => self.declare(&item.ident, Declared::Item),
            syn::Item::Trait(item) => self.declare(&item.ident, Declared::Item),
            syn::Item::TraitAlias(item) => self.declare(&item.ident, Declared::Item),
            syn::Item::Type(item) => self.declare(&item.ident, Declared::Item),
            syn::Item::Union(item) => self.declare(&item.ident, Declared::Item),
            syn::Item::Macro(item) => item.ident.iter().for_each(|name| self.declare(name, Declared::Macro)),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'a syn::ImplItem) {
        if !syntax::is_test_only(syntax::of_impl_item(item)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'a syn::TraitItem) {
        if !syntax::is_test_only(syntax::of_trait_item(item)) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        let here = self.krate.scopes[self.scope].file;
        let below = format!("{}{}/", self.folder, item.ident);
        let around = std::mem::replace(&mut self.folder, below);
        let scope = if let Some((_, items)) = &item.content {
            let scope = self.open(here, Some(self.scope), true);
            self.within(scope, |reader| items.iter().for_each(|item| reader.visit_item(item)));
            Some(scope)
        } else {
            let places = [format!("{around}{}.rs", item.ident), format!("{}mod.rs", self.folder)];
            let path = places.iter().find_map(|place| Some(*self.trees.get_key_value(place.as_str())?.0));
            path.map(|path| self.file(path, Some(self.scope)))
        };
        self.folder = around;
        if let Some(scope) = scope {
            self.declare(&item.ident, Declared::Module(scope));
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.import(&[], &item.tree, !matches!(item.vis, syn::Visibility::Inherited));
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        let mut variables = Variables::default();
        variables.visit_item_fn(item);
        self.function(variables, |reader| visit::visit_item_fn(reader, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        let mut variables = Variables::default();
        variables.visit_impl_item_fn(item);
        self.function(variables, |reader| visit::visit_impl_item_fn(reader, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        let mut variables = Variables::default();
        variables.visit_trait_item_fn(item);
        self.function(variables, |reader| visit::visit_trait_item_fn(reader, item));
    }

    fn visit_block(&mut self, block: &'a syn::Block) {
        if block.stmts.iter().any(|statement| matches!(statement, syn::Stmt::Item(_))) {
            let scope = self.open(self.krate.scopes[self.scope].file, Some(self.scope), false);
            self.within(scope, |reader| visit::visit_block(reader, block));
        } else {
            visit::visit_block(self, block);
        }
    }

    /// A called name counts as a function, even where a variable has the same name.
    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let syn::Expr::Path(function) = &*call.func {
            self.visit_path(&function.path);
        } else {
            self.visit_expr(&call.func);
        }
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_path(&mut self, node: &'a syn::ExprPath) {
        if node.path.get_ident().is_none_or(|name| !self.bound.contains(&name.to_string())) {
            visit::visit_expr_path(self, node);
        }
    }

    /// A capitalised name in a pattern is a constant or an imported variant.
    fn visit_pat_ident(&mut self, pattern: &'a syn::PatIdent) {
        let name = pattern.ident.to_string();
        if !is_variable(&name) {
            self.mention(vec![name], pattern.ident.span().start().line, false);
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if let (None, Some(first)) = (&path.leading_colon, path.segments.first()) {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.mention(names, first.ident.span().start().line, false);
        }
        visit::visit_path(self, path);
    }

    /// The arguments of a macro are not parsed; their paths are recognised by their form.
    fn visit_token_stream(&mut self, tokens: &'a TokenStream) {
        for (path, line) in tokens::paths(tokens) {
            self.mention(path, line, false);
        }
    }

    fn visit_attribute(&mut self, attribute: &'a syn::Attribute) {
        if let (false, syn::Meta::List(list)) = (attribute.path().is_ident("derive"), &attribute.meta) {
            self.visit_token_stream(&list.tokens);
        }
    }

    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}
}

/// The variables that patterns bind.
#[derive(Default)]
struct Variables(HashSet<String>);

impl<'a> Visit<'a> for Variables {
    fn visit_pat_ident(&mut self, pattern: &'a syn::PatIdent) {
        let name = pattern.ident.to_string();
        if is_variable(&name) {
            self.0.insert(name);
        }
        visit::visit_pat_ident(self, pattern);
    }
}

fn is_variable(name: &str) -> bool {
    !name.starts_with(char::is_uppercase)
}

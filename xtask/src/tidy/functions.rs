//! Checks that a function of the product has at most a hundred lines.

use syn::visit::{self, Visit};

use super::syntax::{self, Trees};
use super::violation::Violation;

/// The most lines of a function, from `fn` to its closing brace.
const MAX_LINES: usize = 100;

/// Checks every function outside of tests.
pub(crate) fn check(trees: &Trees<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, tree) in trees {
        let mut finder = Finder { path, found: &mut found };
        finder.visit_file(tree);
    }
    found
}

struct Finder<'a> {
    path: &'a str,
    found: &'a mut Vec<Violation>,
}

impl Finder<'_> {
    fn judge(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let (first, last) = (signature.fn_token.span.start().line, body.brace_token.span.close().end().line);
        let lines = last - first + 1;
        if lines > MAX_LINES {
            let text = format!(
                "`{}` has {lines} lines, more than {MAX_LINES}: find the steps in it and give each a name",
                signature.ident
            );
            self.found.push(Violation::new(self.path, first, "function", text));
        }
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if !syntax::is_test_only(syntax::of_item(item)) {
            visit::visit_item(self, item);
        }
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

    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        self.judge(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        self.judge(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'a syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.judge(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::syntax;
    use crate::tidy::tree::File;

    /// Returns the names and lines of the functions that are refused.
    fn refused(path: &str, text: &str) -> Vec<(String, usize)> {
        let files = [File {
            path: path.to_owned(),
            text: text.to_owned(),
        }];
        let found = check(&syntax::trees(&files).expect("Rust"));
        let name = |text: &str| text.split('`').nth(1).unwrap_or_default().to_owned();
        found.into_iter().map(|violation| (name(&violation.text), violation.line)).collect()
    }

    /// Returns a function of so many lines.
    fn function(name: &str, lines: usize) -> String {
        format!("fn {name}() {{\n{}}}\n", "    f();\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_fits_a_hundred_lines() {
        let text = format!("{}/// Says why.\n#[must_use]\npub {}", function("fits", 100), function("long", 101));
        assert_eq!(refused("lib/a/src/x.rs", &text), [("long".to_owned(), 103)]);
    }

    #[test]
    fn methods_count_and_tests_do_not() {
        let text = format!(
            "impl S {{\n{}}}\ntrait T {{\n{}}}\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            function("method", 200),
            function("provided", 200),
            function("test", 200)
        );
        let names: Vec<String> = refused("lib/a/src/x.rs", &text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["method", "provided"]);
        assert!(refused("lib/a/tests/it/x.rs", &text).is_empty());
    }
}

//! Judges Python: imports with their aliases, names as they resolve, attributes, strings that are templates, and
//! dynamic access.

mod arguments;
mod calls;
mod names;
mod strings;
mod tables;

use self::names::Names;
pub(super) use self::tables::{ALLOWED_MODULES, BLOCKED_MODULES};
use super::node::{Node, span};
use super::tree::{Source, text};
use super::{Policy, refuse};
use crate::finding::Findings;

/// Judges a whole program.
pub(super) fn judge(source: &Source<'_>, policy: &Policy, findings: &mut Findings) {
    let names = Names::collect(source);
    let mut judge = Judge {
        source,
        policy,
        names,
        findings,
    };
    for node in source.nodes.iter() {
        judge.node(node);
    }
}

/// The state of a judgement.
struct Judge<'a, 'f> {
    source: &'a Source<'a>,
    policy: &'a Policy,
    names: Names,
    findings: &'f mut Findings,
}

impl Judge<'_, '_> {
    fn text(&self, node: Node<'_>) -> &str {
        text(self.source, node)
    }

    fn node(&mut self, node: Node<'_>) {
        match node.kind() {
            "import_statement" => self.import(node),
            "import_from_statement" => self.import_from(node),
            "exec_statement" => refuse::call(self.findings, span(node), "exec"),
            "identifier" => self.identifier(node),
            "attribute" => self.attribute(node),
            "call" => self.call(node),
            "string" => self.string(node),
            _ => {}
        }
    }

    // === imports ===

    fn import(&mut self, node: Node<'_>) {
        for name in node.children_by_field_name("name") {
            let module = names::imported(self.source, name);
            self.module(name, &module);
        }
    }

    fn import_from(&mut self, node: Node<'_>) {
        let Some(from) = node.child_by_field_name("module_name") else {
            return;
        };
        let module = names::squeezed(self.text(from));
        let strict = self.policy.is_strict();
        if from.kind() == "relative_import" {
            refuse::import(self.findings, span(from), &module);
            return;
        }
        if strict && node.children().any(|child| child.kind() == "wildcard_import") {
            refuse::import(self.findings, span(node), &format!("{module}.*"));
        }
        let partial = strict && tables::parts_of(&module).is_some() && !self.policy.blocks(&module);
        if !partial {
            self.module(from, &module);
        }
        for name in node.children_by_field_name("name") {
            let what = names::imported(self.source, name);
            let dotted = format!("{module}.{what}");
            let private = strict && what.starts_with('_');
            let is_other_module = tables::is_module(&what) && !self.policy.lists(&dotted) && !(partial && what == "path");
            let refused = self.policy.blocks(&dotted) || tables::is_blocked_name(&dotted);
            if refused || private || is_other_module || (partial && !tables::is_part(&dotted)) {
                refuse::import(self.findings, span(name), &dotted);
            }
        }
    }

    fn module(&mut self, node: Node<'_>, module: &str) {
        let refused = self.policy.blocks(module) || tables::is_blocked_name(module);
        let listed = self.policy.allows(module) || (self.policy.allowed_imports.is_none() && tables::parts_of(module).is_some());
        if refused || (self.policy.is_strict() && !listed && module != "__future__") {
            refuse::import(self.findings, span(node), module);
        }
    }

    // === names ===

    /// Judges every identifier, whatever its role: a name that interpreters reserve is refused anywhere.
    fn identifier(&mut self, node: Node<'_>) {
        let name = names::normalised(self.text(node));
        if tables::is_forbidden_dunder(&name) && !(tables::is_definable(&name) && Self::is_defined(node)) {
            refuse::attribute(self.findings, span(node), &name);
            return;
        }
        if tables::FRAME_ATTRIBUTES.contains(&name.as_str()) {
            refuse::attribute(self.findings, span(node), &name);
            return;
        }
        if !Self::is_reference(node) {
            return;
        }
        if tables::BLOCKED_BUILTINS.contains(&name.as_str()) && !self.is_parameter(node, &name) {
            refuse::call(self.findings, span(node), &name);
        }
        for resolved in self.names.resolve(&name) {
            if tables::is_blocked_name(&resolved) {
                refuse::call(self.findings, span(node), &resolved);
            }
            if self.policy.is_strict() && tables::parts_of(&resolved).is_some() && !Self::is_base(node) {
                refuse::attribute(self.findings, span(node), &resolved);
            }
        }
    }

    /// Returns whether a function around the place has a parameter of that name: then the name is that parameter, and
    /// not the builtin.
    fn is_parameter(&self, mut node: Node<'_>, name: &str) -> bool {
        while !node.is_root() {
            let parameters = node
                .parent()
                .child_by_field_name("parameters")
                .filter(|_| node.field() == Some("body"));
            if let Some(parameters) = parameters {
                let mut all = parameters.named_children();
                if all.any(|one| names::parameter(self.source, one).as_deref() == Some(name)) {
                    return true;
                }
            }
            node = node.parent();
        }
        false
    }

    fn attribute(&mut self, node: Node<'_>) {
        let (Some(object), Some(attribute)) = (node.child_by_field_name("object"), node.child_by_field_name("attribute")) else {
            return;
        };
        let name = names::normalised(self.text(attribute));
        let resolved = self.names.dotted(self.source, node);
        for dotted in &resolved {
            self.resolved(node, dotted);
        }
        if !self.policy.is_strict() {
            return;
        }
        if tables::RUNNERS.contains(&name.as_str()) && resolved.is_empty() {
            refuse::attribute(self.findings, span(attribute), &name);
        }
        let on_module = self
            .names
            .dotted(self.source, object)
            .iter()
            .any(|dotted| self.names.is_module(dotted));
        let leaks =
            on_module && (tables::is_module(&name) && !resolved.iter().any(|dotted| self.policy.lists(dotted)) || name.starts_with('_'));
        let is_listed = resolved.iter().any(|dotted| tables::is_part(dotted) || self.policy.lists(dotted));
        if leaks && !is_listed || !on_module && tables::is_module(&name) && Self::is_base(node) {
            refuse::attribute(self.findings, span(attribute), &name);
        }
        self.template_attribute(node, object, &name);
    }

    /// Judges a dotted name that begins with an imported module.
    fn resolved(&mut self, node: Node<'_>, dotted: &str) {
        let is_longest = node.parent().kind() != "attribute" || node.field() != Some("object");
        if tables::is_blocked_name(dotted) {
            refuse::call(self.findings, span(node), dotted);
        } else if self.policy.blocks(dotted) {
            refuse::import(self.findings, span(node), dotted);
        } else if let Some(pattern) = self.policy.called_pattern(dotted) {
            refuse::pattern(self.findings, span(node), pattern);
        } else if self.policy.is_strict()
            && is_longest
            && self.policy.allowed_imports.is_none()
            && tables::is_in_partial(dotted)
            && !tables::is_part(dotted)
        {
            refuse::attribute(self.findings, span(node), dotted);
        }
    }

    /// Returns whether an identifier refers to a value, and is not the name of an attribute, an argument or a
    /// definition.
    fn is_reference(node: Node<'_>) -> bool {
        let field = node.field();
        match node.parent().kind() {
            "attribute" => field != Some("attribute"),
            "keyword_argument" | "function_definition" | "class_definition" | "default_parameter" | "typed_default_parameter" => {
                field != Some("name")
            }
            "dotted_name" | "aliased_import" | "parameters" | "lambda_parameters" | "global_statement" | "nonlocal_statement" => false,
            "assignment" => field != Some("left"),
            _ => true,
        }
    }

    /// Returns whether the identifier is the name of a function that is defined here.
    fn is_defined(node: Node<'_>) -> bool {
        let field = node.field();
        node.parent().kind() == "function_definition" && field == Some("name")
    }

    /// Returns whether the value is subscripted, called, or has an attribute taken.
    fn is_base(node: Node<'_>) -> bool {
        let field = node.field();
        match node.parent().kind() {
            "attribute" => field == Some("object"),
            "subscript" => field == Some("value"),
            "call" => field == Some("function"),
            _ => false,
        }
    }
}

//! Python: imports with their aliases, names as they resolve, attributes, strings that are templates, and dynamic access.

mod calls;
mod names;
mod strings;
mod tables;

use tree_sitter::Node;

use self::names::Names;
pub(super) use self::tables::{ALLOWED_MODULES, BLOCKED_MODULES};
use super::tree::{Entry, Source};
use super::{Policy, refuse_attribute, refuse_call, refuse_import, span, text};
use crate::finding::Findings;

/// Judges a whole program.
pub(super) fn judge(source: &Source<'_>, entries: &[Entry<'_>], policy: &Policy, findings: &mut Findings) {
    let names = Names::collect(source, entries);
    let mut judge = Judge {
        source,
        entries,
        policy,
        names,
        findings,
    };
    for at in 0..entries.len() {
        judge.node(at);
    }
}

/// A judgement under way.
struct Judge<'a, 'f> {
    source: &'a Source<'a>,
    entries: &'a [Entry<'a>],
    policy: &'a Policy,
    names: Names,
    findings: &'f mut Findings,
}

impl Judge<'_, '_> {
    fn text(&self, node: Node<'_>) -> &str {
        text(self.source, node)
    }

    fn node(&mut self, at: usize) {
        let Entry { node, kind, .. } = self.entries[at];
        match kind {
            "import_statement" => self.import(node),
            "import_from_statement" => self.import_from(node),
            "exec_statement" => refuse_call(self.findings, span(node), "exec"),
            "identifier" => self.identifier(at),
            "attribute" => self.attribute(at),
            "call" => self.call(node),
            "string" => self.string(node),
            _ => {}
        }
    }

    // === imports ===

    fn import(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
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
            refuse_import(self.findings, span(from), &module);
            return;
        }
        let mut cursor = node.walk();
        if strict && node.children(&mut cursor).any(|child| child.kind() == "wildcard_import") {
            refuse_import(self.findings, span(node), &format!("{module}.*"));
        }
        let partial = strict && tables::parts_of(&module).is_some() && !self.policy.blocks(&module);
        if !partial {
            self.module(from, &module);
        }
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            let what = names::imported(self.source, name);
            let dotted = format!("{module}.{what}");
            let private = strict && what.starts_with('_');
            let is_other_module = tables::is_module(&what) && !self.policy.lists(&dotted) && !(partial && what == "path");
            let refused = self.policy.blocks(&dotted) || tables::is_blocked_name(&dotted);
            if refused || private || is_other_module || (partial && !tables::is_part(&dotted)) {
                refuse_import(self.findings, span(name), &dotted);
            }
        }
    }

    fn module(&mut self, node: Node<'_>, module: &str) {
        let refused = self.policy.blocks(module) || tables::is_blocked_name(module);
        let listed = self.policy.allows(module) || (self.policy.allowed_imports.is_none() && tables::parts_of(module).is_some());
        if refused || (self.policy.is_strict() && !listed && module != "__future__") {
            refuse_import(self.findings, span(node), module);
        }
    }

    // === names ===

    /// Every identifier, whatever its role: a name that interpreters keep for themselves is refused wherever it stands.
    fn identifier(&mut self, at: usize) {
        let node = self.entries[at].node;
        let name = names::normalised(self.text(node));
        if tables::is_forbidden_dunder(&name) && !(tables::is_definable(&name) && self.is_defined(at)) {
            refuse_attribute(self.findings, span(node), &name);
            return;
        }
        if tables::FRAME_ATTRIBUTES.contains(&name.as_str()) {
            refuse_attribute(self.findings, span(node), &name);
            return;
        }
        if !self.is_reference(at) {
            return;
        }
        if tables::BLOCKED_BUILTINS.contains(&name.as_str()) && !self.is_parameter(at, &name) {
            refuse_call(self.findings, span(node), &name);
        }
        for resolved in self.names.resolve(&name) {
            if tables::is_blocked_name(&resolved) {
                refuse_call(self.findings, span(node), &resolved);
            }
            if self.policy.is_strict() && tables::parts_of(&resolved).is_some() && !self.is_base(at) {
                refuse_attribute(self.findings, span(node), &resolved);
            }
        }
    }

    /// Whether a function around the place has a parameter of that name: then it is that, and not the builtin.
    fn is_parameter(&self, mut at: usize, name: &str) -> bool {
        while at > 0 {
            let Entry { parent, field, .. } = self.entries[at];
            let parameters = self.entries[parent]
                .node
                .child_by_field_name("parameters")
                .filter(|_| field == Some("body"));
            if let Some(parameters) = parameters {
                let mut cursor = parameters.walk();
                let mut all = parameters.named_children(&mut cursor);
                if all.any(|one| names::parameter(self.source, one).as_deref() == Some(name)) {
                    return true;
                }
            }
            at = parent;
        }
        false
    }

    fn attribute(&mut self, at: usize) {
        let node = self.entries[at].node;
        let (Some(object), Some(attribute)) = (node.child_by_field_name("object"), node.child_by_field_name("attribute")) else {
            return;
        };
        let name = names::normalised(self.text(attribute));
        let resolved = self.names.dotted(self.source, node);
        for dotted in &resolved {
            self.resolved(at, dotted);
        }
        if !self.policy.is_strict() {
            return;
        }
        if tables::RUNNERS.contains(&name.as_str()) && resolved.is_empty() {
            refuse_attribute(self.findings, span(attribute), &name);
        }
        let on_module = self
            .names
            .dotted(self.source, object)
            .iter()
            .any(|dotted| self.names.is_module(dotted));
        let leaks =
            on_module && (tables::is_module(&name) && !resolved.iter().any(|dotted| self.policy.lists(dotted)) || name.starts_with('_'));
        let is_listed = resolved.iter().any(|dotted| tables::is_part(dotted) || self.policy.lists(dotted));
        if leaks && !is_listed || !on_module && tables::is_module(&name) && self.is_base(at) {
            refuse_attribute(self.findings, span(attribute), &name);
        }
        self.template_attribute(at, object, &name);
    }

    /// A dotted name that begins with an imported module.
    fn resolved(&mut self, at: usize, dotted: &str) {
        let Entry { node, parent, field, .. } = self.entries[at];
        let is_longest = self.entries[parent].kind != "attribute" || field != Some("object");
        if tables::is_blocked_name(dotted) {
            refuse_call(self.findings, span(node), dotted);
        } else if self.policy.blocks(dotted) {
            refuse_import(self.findings, span(node), dotted);
        } else if let Some(pattern) = super::called_pattern(self.policy, dotted) {
            super::refuse_pattern(self.findings, span(node), pattern);
        } else if self.policy.is_strict()
            && is_longest
            && self.policy.allowed_imports.is_none()
            && tables::is_in_partial(dotted)
            && !tables::is_part(dotted)
        {
            refuse_attribute(self.findings, span(node), dotted);
        }
    }

    /// Whether an identifier stands for a value, and is not the name of an attribute, an argument or a definition.
    fn is_reference(&self, at: usize) -> bool {
        let Entry { parent, field, .. } = self.entries[at];
        match self.entries[parent].kind {
            "attribute" => field != Some("attribute"),
            "keyword_argument" | "function_definition" | "class_definition" | "default_parameter" | "typed_default_parameter" => {
                field != Some("name")
            }
            "dotted_name" | "aliased_import" | "parameters" | "lambda_parameters" | "global_statement" | "nonlocal_statement" => false,
            "assignment" => field != Some("left"),
            _ => true,
        }
    }

    /// Whether the identifier is the name of a function that is defined here.
    fn is_defined(&self, at: usize) -> bool {
        let Entry { parent, field, .. } = self.entries[at];
        self.entries[parent].kind == "function_definition" && field == Some("name")
    }

    /// Whether something is looked up in, called on or taken from the value.
    fn is_base(&self, at: usize) -> bool {
        let Entry { parent, field, .. } = self.entries[at];
        match self.entries[parent].kind {
            "attribute" => field == Some("object"),
            "subscript" => field == Some("value"),
            "call" => field == Some("function"),
            _ => false,
        }
    }
}

//! Judges JavaScript and TypeScript: modules, globals that run code, properties that reach constructors, and computed
//! names.

mod strings;
mod tables;

pub(super) use self::tables::{ALLOWED_MODULES, BLOCKED_MODULES};
use super::node::{Node, span};
use super::tree::{Source, text};
use super::{Level, Policy, refuse};
use crate::finding::Findings;

/// Judges a whole program.
pub(super) fn judge(source: &Source<'_>, policy: &Policy, findings: &mut Findings) {
    let mut judge = Judge { source, policy, findings };
    for node in source.nodes.iter() {
        judge.node(node);
    }
    judge.markup_comments();
}

struct Judge<'a, 'f> {
    source: &'a Source<'a>,
    policy: &'a Policy,
    findings: &'f mut Findings,
}

impl Judge<'_, '_> {
    fn text(&self, node: Node<'_>) -> &str {
        text(self.source, node)
    }

    fn node(&mut self, node: Node<'_>) {
        match node.kind() {
            "import_statement" | "export_statement" | "import_require_clause" => self.import(node),
            "call_expression" => self.call(node),
            "new_expression" => self.construction(node),
            "identifier" | "shorthand_property_identifier" => self.identifier(node),
            "property_identifier" | "shorthand_property_identifier_pattern" => self.property(node),
            "subscript_expression" => self.subscript(node),
            "computed_property_name" => self.computed(node, node.named_child(0)),
            "string" | "template_string" | "binary_expression" => self.string(node),
            "with_statement" => refuse::dynamic(self.findings, span(node), "with"),
            "debugger_statement" => refuse::call(self.findings, span(node), "debugger"),
            "html_comment" => refuse::dynamic(self.findings, span(node), "<!--"),
            _ => {}
        }
    }

    /// Refuses `<!--`, and `-->` at the beginning of a line: scripts take the rest of the line for a comment, modules
    /// and grammars for code.
    fn markup_comments(&mut self) {
        let text = self.source.text;
        let closing = text.match_indices("-->").filter(|(at, _)| {
            let line = text[..*at].rfind('\n').map_or(0, |newline| newline + 1);
            text[line..*at].trim().is_empty()
        });
        for (at, mark) in text.match_indices("<!--").chain(closing) {
            let kind = self.source.nodes.around(at).map_or("", Node::kind);
            if !matches!(
                kind,
                "string_fragment" | "string" | "template_string" | "comment" | "regex_pattern" | "html_comment"
            ) {
                refuse::dynamic(self.findings, at..at + mark.len(), mark);
            }
        }
    }

    // === modules ===

    fn import(&mut self, node: Node<'_>) {
        let Some(from) = node.child_by_field_name("source") else { return };
        match strings::value(self.source, from) {
            Some(module) => self.module(from, &module),
            None => refuse::dynamic(self.findings, span(from), "import"),
        }
    }

    fn module(&mut self, node: Node<'_>, module: &str) {
        let name = module.strip_prefix("node:").unwrap_or(module);
        let refused = self.policy.blocks(name) || name.contains(':');
        if refused || (self.policy.is_strict() && !self.policy.allows(name)) {
            refuse::import(self.findings, span(node), module);
        }
    }

    // === calls ===

    fn call(&mut self, node: Node<'_>) {
        let Some(function) = node.child_by_field_name("function") else {
            return;
        };
        let first = node
            .child_by_field_name("arguments")
            .filter(|arguments| arguments.kind() == "arguments")
            .and_then(|arguments| arguments.named_child(0));
        let name = self.text(function).to_owned();
        match function.kind() {
            "import" => self.load(node, first),
            "identifier" if name == "require" => self.load(node, first),
            "identifier" if matches!(name.as_str(), "setTimeout" | "setInterval" | "setImmediate") => self.timer(node, &name, first),
            "member_expression" => self.method(node, function),
            "subscript_expression" if self.policy.is_strict() => {
                let index = function.child_by_field_name("index");
                if index.is_some_and(|index| !matches!(index.kind(), "number" | "string")) {
                    refuse::dynamic(self.findings, span(function), &name);
                }
            }
            _ => {}
        }
        if let Some(pattern) = self.policy.called_pattern(&name) {
            refuse::pattern(self.findings, span(node), pattern);
        }
    }

    /// Judges `import(…)` and `require(…)`: the module has to be a literal.
    fn load(&mut self, node: Node<'_>, argument: Option<Node<'_>>) {
        match argument.and_then(|argument| strings::value(self.source, argument)) {
            Some(module) => self.module(node, &module),
            None => refuse::dynamic(self.findings, span(node), "a module known only when it runs"),
        }
    }

    /// Judges a timer: it takes a function; text would be run as code.
    fn timer(&mut self, node: Node<'_>, name: &str, argument: Option<Node<'_>>) {
        let is_text = argument.is_some_and(|argument| matches!(argument.kind(), "string" | "template_string" | "binary_expression"));
        if is_text {
            refuse::call(self.findings, span(node), &format!("{name} of text"));
        }
    }

    fn method(&mut self, node: Node<'_>, function: Node<'_>) {
        let Some(property) = function.child_by_field_name("property") else {
            return;
        };
        let name = self.text(property);
        if tables::RUNNERS.contains(&name) {
            let name = name.to_owned();
            refuse::call(self.findings, span(node), &name);
        } else if self.policy.level == Level::Readonly && tables::WRITERS.contains(&name) {
            let name = name.to_owned();
            refuse::write(self.findings, span(node), &name);
        }
    }

    fn construction(&mut self, node: Node<'_>) {
        let Some(constructor) = node.child_by_field_name("constructor") else {
            return;
        };
        if self.policy.is_strict() && constructor.kind() != "identifier" && constructor.kind() != "member_expression" {
            refuse::dynamic(self.findings, span(node), "new of what is computed");
        }
    }

    // === names ===

    fn identifier(&mut self, node: Node<'_>) {
        let name = self.text(node).to_owned();
        if name.contains('\\') {
            refuse::dynamic(self.findings, span(node), &name);
            return;
        }
        if !Self::is_reference(node) {
            return;
        }
        let blocked = tables::BLOCKED_GLOBALS.contains(&name.as_str());
        let host = self.policy.is_strict()
            && tables::HOST_GLOBALS.contains(&name.as_str())
            && !(name == "process" && self.takes_harmless_part(node));
        let required = name == "require" && !Self::is_callee(node) && self.policy.is_strict();
        if blocked || host || required {
            refuse::call(self.findings, span(node), &name);
        }
    }

    /// Returns whether only a harmless part such as `process.version` is used, which gives information about the run.
    fn takes_harmless_part(&self, node: Node<'_>) -> bool {
        let member = node.parent();
        let property = member
            .child_by_field_name("property")
            .filter(|_| member.kind() == "member_expression");
        property.is_some_and(|property| tables::PROCESS_PARTS.contains(&self.text(property)))
    }

    /// Returns whether an identifier refers to an existing value, and is not being defined here.
    fn is_reference(node: Node<'_>) -> bool {
        let field = node.field();
        match node.parent().kind() {
            "function_declaration"
            | "function_expression"
            | "class_declaration"
            | "variable_declarator"
            | "import_specifier"
            | "labeled_statement" => field != Some("name"),
            "formal_parameters" | "required_parameter" | "optional_parameter" | "rest_pattern" | "array_pattern" | "catch_clause"
            | "export_specifier" | "namespace_import" | "import_clause" => false,
            _ => true,
        }
    }

    fn is_callee(node: Node<'_>) -> bool {
        let field = node.field();
        node.parent().kind() == "call_expression" && field == Some("function")
    }

    /// Returns whether this is `x.constructor.name`, which is common in logging.
    fn is_name_of_class(&self, node: Node<'_>) -> bool {
        let member = node.parent();
        let (outer, field) = (member.parent(), member.field());
        self.text(node) == "constructor"
            && outer.kind() == "member_expression"
            && field == Some("object")
            && outer
                .child_by_field_name("property")
                .is_some_and(|property| self.text(property) == "name")
    }

    fn property(&mut self, node: Node<'_>) {
        let name = self.text(node).to_owned();
        if name.contains('\\') {
            refuse::dynamic(self.findings, span(node), &name);
            return;
        }
        let defines = matches!(
            node.parent().kind(),
            "method_definition" | "method_signature" | "public_field_definition" | "field_definition" | "property_signature"
        );
        if tables::BLOCKED_PROPERTIES.contains(&name.as_str()) && !defines && !self.is_name_of_class(node) {
            refuse::attribute(self.findings, span(node), &name);
        }
    }

    // === computed names ===

    fn subscript(&mut self, node: Node<'_>) {
        self.computed(node, node.child_by_field_name("index"));
    }

    /// Judges `object[index]`: the index may be a number, a plain variable, or a text that is not a blocked name.
    fn computed(&mut self, node: Node<'_>, index: Option<Node<'_>>) {
        let Some(index) = index else { return };
        match strings::value(self.source, index) {
            Some(name) if is_blocked_property(&name) => refuse::attribute(self.findings, span(node), &name),
            Some(_) => {}
            None if self.policy.is_strict() && !is_plain_index(self.source, index) => {
                refuse::dynamic(
                    self.findings,
                    span(node),
                    self.source.text.get(index.byte_range()).unwrap_or_default(),
                );
            }
            None => {}
        }
    }

    /// Judges a text, or a sum of texts, that is the name of a blocked property, at `strict`: its purpose is to look
    /// the property up.
    fn string(&mut self, node: Node<'_>) {
        if !self.policy.is_strict() {
            return;
        }
        if strings::value(self.source, node).is_some_and(|value| is_blocked_property(&value)) {
            let name = self.text(node).to_owned();
            refuse::attribute(self.findings, span(node), &name);
        }
    }
}

fn is_blocked_property(name: &str) -> bool {
    tables::BLOCKED_PROPERTIES.contains(&name)
}

/// Returns whether an index is a number, or a plain variable.
fn is_plain_index(source: &Source<'_>, index: Node<'_>) -> bool {
    match index.kind() {
        "number" | "identifier" | "member_expression" | "unary_expression" | "update_expression" | "this" | "subscript_expression" => true,
        "parenthesized_expression" => index.named_child(0).is_some_and(|inner| is_plain_index(source, inner)),
        // A sum of numbers and variables is accepted; a text in it makes a name.
        "binary_expression" => ["left", "right"]
            .iter()
            .all(|side| index.child_by_field_name(side).is_some_and(|side| is_plain_index(source, side))),
        "call_expression" => index.child_by_field_name("function").is_some_and(|function| {
            let name = text(source, function);
            let last = name.rsplit('.').next().unwrap_or_default();
            name.starts_with("Math.") || tables::NUMERIC.contains(&last)
        }),
        "as_expression" | "non_null_expression" | "satisfies_expression" => {
            index.named_child(0).is_some_and(|inner| is_plain_index(source, inner))
        }
        _ => false,
    }
}

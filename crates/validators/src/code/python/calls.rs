//! Judges Python calls: builtins that look up by name, files, templates, and functions that write.

use super::super::node::{Node, span};
use super::super::{Level, refuse};
use super::arguments::Arguments;
use super::{Judge, names, strings, tables};

impl Judge<'_, '_> {
    pub(super) fn call(&mut self, node: Node<'_>) {
        let Some(function) = node.child_by_field_name("function") else {
            return;
        };
        let arguments = Arguments::of(node);
        match function.kind() {
            "identifier" => {
                let name = names::normalised(self.text(function));
                let resolved = self.names.resolve(&name);
                match resolved.first() {
                    Some(dotted) => self.known_call(node, dotted, &arguments),
                    None => self.builtin(node, &name, &arguments),
                }
                if let Some(pattern) = self.policy.called_pattern(&name) {
                    refuse::pattern(self.findings, span(node), pattern);
                }
            }
            "attribute" => {
                for dotted in self.names.dotted(self.source, function) {
                    self.known_call(node, &dotted, &arguments);
                }
                self.method(node, function, &arguments);
            }
            // The result of a call, a lookup or a lambda is called: its target is unknown here.
            "call" | "subscript" | "lambda" | "parenthesized_expression" | "conditional_expression" | "await" => {}
            _ => {}
        }
    }

    /// Judges a builtin that is called by its name.
    fn builtin(&mut self, node: Node<'_>, name: &str, arguments: &Arguments<'_>) {
        match name {
            "getattr" | "setattr" | "delattr" => self.by_name(node, name, arguments.at(1)),
            "vars" | "globals" | "locals" | "dir" if self.policy.is_strict() => refuse::dynamic(self.findings, span(node), name),
            "globals" => refuse::dynamic(self.findings, span(node), name),
            "type" if arguments.count() > 1 && self.policy.is_strict() => {
                refuse::dynamic(self.findings, span(node), "type with three arguments")
            }
            "open" | "file" => self.open(node, arguments),
            _ => {}
        }
    }

    /// Judges a function of a module that looks up by name, or opens.
    fn known_call(&mut self, node: Node<'_>, dotted: &str, arguments: &Arguments<'_>) {
        match dotted {
            "operator.attrgetter" | "operator.methodcaller" => {
                for argument in arguments.all() {
                    if dotted.ends_with("getter") || arguments.at(0) == Some(argument) {
                        self.by_name(node, dotted, Some(argument));
                    }
                }
            }
            "io.open" | "codecs.open" | "os.open" => self.open(node, arguments),
            _ if self.policy.level == Level::Readonly && tables::WRITERS.contains(&dotted) => {
                refuse::write(self.findings, span(node), dotted);
            }
            _ => {}
        }
    }

    /// Judges a name given as text: it has to be a literal, and an allowed name.
    fn by_name(&mut self, node: Node<'_>, what: &str, argument: Option<Node<'_>>) {
        let Some(argument) = argument else { return };
        let Some(name) = strings::value(self.source, argument) else {
            refuse::dynamic(self.findings, span(node), what);
            return;
        };
        for part in name.split('.') {
            let part = names::normalised(part);
            let forbidden = tables::is_forbidden_dunder(&part) || tables::FRAME_ATTRIBUTES.contains(&part.as_str());
            if forbidden
                || (self.policy.is_strict()
                    && (tables::RUNNERS.contains(&part.as_str()) || tables::BLOCKED_BUILTINS.contains(&part.as_str())))
            {
                refuse::attribute(self.findings, span(argument), &part);
            }
        }
    }

    /// Judges `open`: at `strict` the file has to be inside, given by its name; at `readonly` it may only be read.
    fn open(&mut self, node: Node<'_>, arguments: &Arguments<'_>) {
        if !self.policy.is_strict() {
            return;
        }
        let path = arguments.at(0).and_then(|path| strings::value(self.source, path));
        let inside = path.as_deref().is_some_and(|path| {
            !path.starts_with(['/', '~', '\\']) && !path.contains(':') && path.split(['/', '\\']).all(|segment| segment != "..")
        });
        if !inside {
            refuse::call(self.findings, span(node), "open of a path that is not inside, or not written out");
        }
        let mode = arguments.named(self.source, "mode").or_else(|| arguments.at(1));
        let reads = mode.is_none_or(|mode| {
            strings::value(self.source, mode)
                .is_some_and(|mode| !mode.is_empty() && mode.chars().all(|c| matches!(c, 'r' | 'b' | 't' | 'U')))
        });
        if self.policy.level == Level::Readonly && (!reads || arguments.has_splat()) {
            refuse::write(self.findings, span(node), "open for writing");
        }
    }

    fn method(&mut self, node: Node<'_>, function: Node<'_>, arguments: &Arguments<'_>) {
        let Some(attribute) = function.child_by_field_name("attribute") else {
            return;
        };
        let name = names::normalised(self.text(attribute));
        if self.policy.level == Level::Readonly && tables::WRITING_METHODS.contains(&name.as_str()) {
            let object = function
                .child_by_field_name("object")
                .map(|object| self.text(object))
                .unwrap_or_default();
            if !matches!(object, "sys.stdout" | "sys.stderr") {
                refuse::write(self.findings, span(node), &name);
            }
        }
        if self.policy.is_strict() && matches!(name.as_str(), "open" | "fdopen") && self.names.dotted(self.source, function).is_empty() {
            self.open(node, arguments);
        }
    }
}

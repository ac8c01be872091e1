//! Resolves names: imports and their aliases, and names that the program defines itself.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use super::super::node::Node;
use super::super::tree::{Source, text};
use super::tables;

/// How many meanings one name may have before it counts as unknown.
const MAX_MEANINGS: usize = 16;

/// The meanings of names in a program, wherever they are defined: the order of statements is ignored.
#[derive(Debug, Default)]
pub(super) struct Names {
    meanings: HashMap<String, Vec<String>>,
    modules: HashSet<String>,
    /// The names that are only ever assigned text, with all their texts.
    texts: HashMap<String, Option<Vec<String>>>,
}

impl Names {
    pub(super) fn collect(source: &Source<'_>) -> Self {
        let mut names = Self::default();
        for node in source.nodes.iter() {
            match node.kind() {
                "import_statement" => names.import(source, node),
                "import_from_statement" => names.import_from(source, node),
                "assignment" => names.assignment(source, node),
                "for_statement"
                | "for_in_clause"
                | "named_expression"
                | "augmented_assignment"
                | "as_pattern_target"
                | "parameters"
                | "lambda_parameters" => {
                    names.not_text(source, node);
                }
                _ => {}
            }
        }
        names.ambient(source);
        names
    }

    /// Adds modules that are used without being imported: the environment that runs the program may provide them.
    fn ambient(&mut self, source: &Source<'_>) {
        let mut used: Vec<&'static str> = Vec::new();
        let mut bound: HashSet<&str> = HashSet::new();
        for node in source.nodes.iter().filter(|node| node.kind() == "identifier") {
            let name = text(source, node);
            match node.parent().kind() {
                "attribute" if node.field() == Some("object") => used.extend(tables::AMBIENT.iter().find(|one| **one == name)),
                kind if binds(kind, node.field()) => {
                    bound.insert(name);
                }
                _ => {}
            }
        }
        for name in used {
            if !bound.contains(name) && !self.meanings.contains_key(name) {
                self.modules.insert(name.to_owned());
                self.add(name.to_owned(), name.to_owned());
            }
        }
    }

    fn import(&mut self, source: &Source<'_>, node: Node<'_>) {
        for name in node.children_by_field_name("name") {
            let module = imported(source, name);
            self.modules.insert(module.clone());
            match alias(source, name) {
                Some(alias) => self.add(alias, module),
                None => {
                    let first = module.split('.').next().unwrap_or_default().to_owned();
                    self.modules.insert(first.clone());
                    self.add(first.clone(), first);
                }
            }
        }
    }

    fn import_from(&mut self, source: &Source<'_>, node: Node<'_>) {
        let Some(from) = node.child_by_field_name("module_name") else {
            return;
        };
        let module = squeezed(text(source, from));
        for name in node.children_by_field_name("name") {
            let what = imported(source, name);
            self.add(alias(source, name).unwrap_or_else(|| what.clone()), format!("{module}.{what}"));
        }
    }

    fn add(&mut self, name: String, meaning: String) {
        let meanings = self.meanings.entry(name).or_default();
        if meanings.len() < MAX_MEANINGS && !meanings.contains(&meaning) {
            meanings.push(meaning);
        }
    }

    fn assignment(&mut self, source: &Source<'_>, node: Node<'_>) {
        let (Some(left), right) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return;
        };
        if left.kind() != "identifier" {
            return self.not_text(source, left);
        }
        let name = normalised(text(source, left));
        let value = right
            .filter(|right| right.kind() == "string")
            .map(|right| text(source, right).to_owned());
        let texts = self.texts.entry(name).or_insert_with(|| Some(Vec::new()));
        match (value, texts) {
            (Some(value), Some(list)) if list.len() < MAX_MEANINGS => list.push(value),
            (_, texts) => *texts = None,
        }
    }

    /// Marks names in the first part of a statement that are assigned something unknown.
    fn not_text(&mut self, source: &Source<'_>, node: Node<'_>) {
        let part = node
            .child_by_field_name("left")
            .or_else(|| node.child_by_field_name("name"))
            .unwrap_or(node);
        let mut identifiers: Vec<Node<'_>> = part.children().filter(|child| child.kind() == "identifier").collect();
        if part.kind() == "identifier" {
            identifiers.push(part);
        }
        for identifier in identifiers {
            self.texts.insert(normalised(text(source, identifier)), None);
        }
    }

    pub(super) fn resolve(&self, name: &str) -> Vec<String> {
        self.meanings.get(name).cloned().unwrap_or_default()
    }

    pub(super) fn is_module(&self, dotted: &str) -> bool {
        self.modules.contains(dotted)
    }

    /// Returns all texts that a name can have, if it can have nothing else.
    pub(super) fn texts_of(&self, name: &str) -> Option<&[String]> {
        self.texts.get(name)?.as_deref()
    }

    /// Returns the dotted names that a chain of attributes can mean, if it begins with an imported name.
    pub(super) fn dotted(&self, source: &Source<'_>, node: Node<'_>) -> Vec<String> {
        let mut behind = Vec::new();
        let mut at = node;
        while at.kind() == "attribute" {
            let (Some(object), Some(attribute)) = (at.child_by_field_name("object"), at.child_by_field_name("attribute")) else {
                return Vec::new();
            };
            behind.push(normalised(text(source, attribute)));
            at = object;
            while at.kind() == "parenthesized_expression" && at.named_children().count() == 1 {
                let Some(inner) = at.named_child(0) else { break };
                at = inner;
            }
        }
        if at.kind() != "identifier" {
            return Vec::new();
        }
        behind.reverse();
        let complete = |meaning: String| std::iter::once(meaning).chain(behind.iter().cloned()).collect::<Vec<_>>().join(".");
        self.resolve(&normalised(text(source, at))).into_iter().map(complete).collect()
    }
}

/// Returns whether an identifier in that place is assigned a value.
fn binds(around: &str, field: Option<&str>) -> bool {
    match around {
        "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => field == Some("left"),
        "function_definition" | "class_definition" | "default_parameter" | "typed_default_parameter" | "named_expression" => {
            field == Some("name")
        }
        "parameters"
        | "lambda_parameters"
        | "typed_parameter"
        | "as_pattern_target"
        | "pattern_list"
        | "tuple_pattern"
        | "list_pattern"
        | "list_splat_pattern"
        | "dictionary_splat_pattern" => true,
        _ => false,
    }
}

/// Returns the original name of what is imported, without its alias.
pub(super) fn imported(source: &Source<'_>, node: Node<'_>) -> String {
    let name = node
        .child_by_field_name("name")
        .filter(|_| node.kind() == "aliased_import")
        .unwrap_or(node);
    squeezed(text(source, name))
}

/// Returns the name of a parameter, without its default and type.
pub(super) fn parameter(source: &Source<'_>, node: Node<'_>) -> Option<String> {
    let name = match node.kind() {
        "identifier" => node,
        "default_parameter" | "typed_default_parameter" => node.child_by_field_name("name")?,
        "typed_parameter" => node.named_child(0)?,
        _ => return None,
    };
    Some(normalised(text(source, name)))
}

fn alias(source: &Source<'_>, node: Node<'_>) -> Option<String> {
    let alias = node.child_by_field_name("alias")?;
    Some(normalised(text(source, alias)))
}

/// Returns a dotted name without the blanks, line breaks and comments in it.
pub(super) fn squeezed(text: &str) -> String {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let all: String = lines.flat_map(str::chars).filter(|c| !c.is_whitespace() && *c != '\\').collect();
    normalised(&all)
}

/// Returns an identifier in its compatibility form, as Python reads it.
pub(super) fn normalised(name: &str) -> String {
    if name.is_ascii() { name.to_owned() } else { name.nfkc().collect() }
}

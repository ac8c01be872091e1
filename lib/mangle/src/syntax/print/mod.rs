//! Formats programs in one style. Comments stay in their places, literals stay as they are written, and the meaning
//! does not change.

mod comments;
mod term;

use std::fmt::Write as _;

use super::{
    ast::{Atom, Clause, Decl, Item, Literal, Premise, Transform, Unit},
    source::{Source, Span},
};
use comments::Comments;

/// How wide a line may be before its content is split.
const WIDTH: usize = 100;

/// Formats a source. The unit was parsed from the source without errors; else the result may lack the invalid parts.
pub fn format(unit: &Unit, source: &Source) -> String {
    let mut printer = Printer {
        source,
        comments: Comments::new(&unit.comments, source),
        out: String::with_capacity(source.text().len()),
        end: unit.span.start,
    };
    if let Some(package) = &unit.package {
        printer.head("Package", &package.name.text, &package.descr, package.span);
    }
    for used in &unit.uses {
        printer.head("Use", &used.name.text, &used.descr, used.span);
    }
    unit.items.iter().for_each(|item| printer.item(item));
    printer.before(unit.span.after(), 0);
    printer.out
}

struct Printer<'s> {
    source: &'s Source,
    comments: Comments<'s>,
    out: String,
    /// The position up to which the source is printed.
    end: u32,
}

impl Printer<'_> {
    fn text(&self, span: Span) -> &str {
        self.source.text().get(self.source.range(span)).unwrap_or_default()
    }

    /// Prints the comments before a place on lines of their own, and one empty line where the source has some.
    fn before(&mut self, place: Span, indent: usize) {
        while let Some(comment) = self.comments.next_before(place.start) {
            self.gap(comment, indent);
            let text = self.text(comment).trim_end().to_owned();
            let _ = writeln!(self.out, "{:indent$}{text}", "");
            self.end = comment.end;
        }
        if place.start < self.source.span().end {
            self.gap(place, indent);
        }
    }

    fn gap(&mut self, next: Span, indent: usize) {
        let between = self.text(Span::new(self.end, next.start.max(self.end)));
        let empty = between.bytes().filter(|&byte| byte == b'\n').count() > 1;
        if empty && indent == 0 && !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// Prints a comment behind the printed text, on the same line.
    fn behind(&mut self, printed: Span) {
        self.end = printed.end;
        if let Some(comment) = self.comments.same_line(printed.end) {
            let text = self.text(comment).trim_end().to_owned();
            let _ = write!(self.out, "  {text}");
            self.end = comment.end;
        }
        self.out.push('\n');
    }

    fn head(&mut self, word: &str, name: &str, descr: &[Atom], span: Span) {
        self.before(span, 0);
        let atoms = if descr.is_empty() {
            String::new()
        } else {
            std::format!(" [{}]", self.atoms(descr))
        };
        let _ = write!(self.out, "{word} {name}{atoms}!");
        self.behind(span);
    }

    fn item(&mut self, item: &Item) {
        let span = item.span();
        self.before(span, 0);
        let inner = self.comments.any_within(span);
        match item {
            Item::Decl(decl) => self.decl(decl, inner),
            Item::Clause(clause) => self.clause(clause, inner),
        }
        self.behind(span);
    }

    fn decl(&mut self, decl: &Decl, inner: bool) {
        let temporal = if decl.temporal.is_some() { " temporal" } else { "" };
        let head = std::format!("Decl {}{temporal}", self.atom(&decl.atom));
        self.end = decl.temporal.map_or(decl.atom.span.end, |word| word.end);
        let mut parts: Vec<(Span, String)> = Vec::new();
        if let (Some(first), Some(last)) = (decl.descr.first(), decl.descr.last()) {
            parts.push((first.span.to(last.span), std::format!("descr [{}]", self.atoms(&decl.descr))));
        }
        for bounds in &decl.bounds {
            parts.push((bounds.span, std::format!("bound [{}]", self.terms(&bounds.types))));
        }
        if let (Some(first), Some(last)) = (decl.inclusion.first(), decl.inclusion.last()) {
            parts.push((
                first.span.to(last.span),
                std::format!("inclusion [{}]", self.atoms(&decl.inclusion)),
            ));
        }
        self.layout(&head, &parts, inner);
    }

    fn clause(&mut self, clause: &Clause, inner: bool) {
        let time = clause.time.as_ref().map_or_else(String::new, |time| self.annotation(time));
        let head = self.atom(&clause.head) + &time;
        self.end = clause.time.as_ref().map_or(clause.head.span.end, |time| time.span.end);
        if clause.is_fact() {
            self.out += &head;
            self.full_stop();
            return;
        }
        let last = clause.premises.len();
        let mut parts = Vec::new();
        for (index, premise) in clause.premises.iter().enumerate() {
            let comma = if index + 1 < last { "," } else { "" };
            parts.push((premise.span(), self.premise(premise) + comma));
        }
        for transform in &clause.transforms {
            parts.push((transform.span, std::format!("|> {}", self.transform(transform))));
        }
        self.layout(&(head + " :-"), &parts, inner);
    }

    /// Prints everything on one line if it fits and there is no comment inside; else each part on its own.
    fn layout(&mut self, head: &str, parts: &[(Span, String)], inner: bool) {
        let width = head.len() + parts.iter().map(|(_, part)| part.len() + 1).sum::<usize>() + 1;
        self.out += head;
        if width <= WIDTH && !inner {
            for (_, part) in parts {
                self.out.push(' ');
                self.out += part;
            }
            self.full_stop();
            return;
        }
        for (index, (span, part)) in parts.iter().enumerate() {
            self.line_end(span.before());
            self.before(*span, 2);
            let _ = write!(self.out, "  {part}");
            self.end = span.end;
            if index + 1 == parts.len() {
                self.full_stop();
            }
        }
        if parts.is_empty() {
            self.full_stop();
        }
    }

    /// Prints the full stop. After a name there has to be a space, because it would be read as part of the name.
    fn full_stop(&mut self) {
        let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~' | '%');
        let word = self.out.trim_end_matches(belongs).len();
        self.out.push_str(if self.out[word..].starts_with('/') { " ." } else { "." });
    }

    /// Ends a line within an item, with the comment that is at its end in the source.
    fn line_end(&mut self, next: Span) {
        if let Some(comment) = self.comments.same_line(self.end).filter(|comment| comment.start < next.start) {
            let text = self.text(comment).trim_end().to_owned();
            let _ = write!(self.out, "  {text}");
            self.end = comment.end;
        }
        self.out.push('\n');
    }

    fn premise(&self, premise: &Premise) -> String {
        match premise {
            Premise::Atom(literal) => self.literal(literal),
            Premise::Negated(literal) => std::format!("!{}", self.literal(literal)),
            Premise::Compare(comparison) => {
                let (left, right) = (self.term(&comparison.left), self.term(&comparison.right));
                std::format!("{left} {} {right}", comparison.op.text())
            }
        }
    }

    fn literal(&self, literal: &Literal) -> String {
        let operator = literal
            .operator
            .as_ref()
            .map_or_else(String::new, |operator| self.operator(operator));
        let time = literal.time.as_ref().map_or_else(String::new, |time| self.annotation(time));
        operator + &self.atom(&literal.atom) + &time
    }

    fn transform(&self, transform: &Transform) -> String {
        let mut parts = Vec::new();
        if let Some(group) = &transform.group {
            parts.push(std::format!("do {}", self.call(group)));
        }
        for one in &transform.lets {
            parts.push(std::format!("let {} = {}", one.variable.text, self.term(&one.value)));
        }
        parts.join(", ")
    }

    fn atoms(&self, atoms: &[Atom]) -> String {
        let parts: Vec<String> = atoms.iter().map(|atom| self.atom(atom)).collect();
        parts.join(", ")
    }

    fn atom(&self, atom: &Atom) -> String {
        std::format!("{}({})", atom.predicate.text, self.terms(&atom.args))
    }
}

#[cfg(test)]
mod tests;

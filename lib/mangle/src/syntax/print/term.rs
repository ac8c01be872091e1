//! Formats terms, types and times.

use super::{
    super::ast::{Annotation, Bound, Call, Member, Operator, Term, TermKind},
    Printer,
};

impl Printer<'_> {
    pub(super) fn terms(&self, terms: &[Term]) -> String {
        let parts: Vec<String> = terms.iter().map(|term| self.term(term)).collect();
        parts.join(", ")
    }

    pub(super) fn term(&self, term: &Term) -> String {
        match &term.kind {
            TermKind::List(items) => format!("[{}]", self.terms(items)),
            TermKind::Map(entries) => format!("[{}]", self.entries(entries)),
            TermKind::Struct(entries) => format!("{{{}}}", self.entries(entries)),
            TermKind::Call(call) => self.call(call),
            TermKind::Type(written) => {
                let members: Vec<String> = written.members.iter().map(|member| self.member(member)).collect();
                format!(".{}<{}>", written.name.text, members.join(", "))
            }
            // Numbers, strings and other literals stay as they are written.
            _ => self.text(term.span).to_owned(),
        }
    }

    fn entries(&self, entries: &[(Term, Term)]) -> String {
        let entry = |(key, value): &(Term, Term)| format!("{} : {}", self.term(key), self.term(value));
        entries.iter().map(entry).collect::<Vec<_>>().join(", ")
    }

    fn member(&self, member: &Member) -> String {
        let optional = if member.optional { "opt " } else { "" };
        let value = member
            .value
            .as_ref()
            .map_or_else(String::new, |value| format!(" : {}", self.term(value)));
        format!("{optional}{}{value}", self.term(&member.key))
    }

    pub(super) fn call(&self, call: &Call) -> String {
        format!("{}({})", call.function.text, self.terms(&call.args))
    }

    pub(super) fn annotation(&self, time: &Annotation) -> String {
        match &time.end {
            Some(end) => format!("@[{}, {}]", self.bound(&time.start), self.bound(end)),
            None => format!("@[{}]", self.bound(&time.start)),
        }
    }

    /// Formats an operator, always with two bounds: `<-[5m]` is short for `<-[0s, 5m]`, which every implementation
    /// reads.
    pub(super) fn operator(&self, operator: &Operator) -> String {
        let first = self.bound(&operator.start);
        match &operator.end {
            Some(end) => format!("{}[{first}, {}] ", operator.kind.text(), self.bound(end)),
            None => format!("{}[0s, {first}] ", operator.kind.text()),
        }
    }

    fn bound(&self, bound: &Bound) -> String {
        self.text(bound.span).to_owned()
    }
}

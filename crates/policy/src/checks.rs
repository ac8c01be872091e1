//! The validators of one tool, and their judgement of one call (MGP §4.5, §7, §17.2).

use validators::arguments::{Declaration, Facts, Kind, Plan, Resolve, Slots, Validator, Violation, refuses};
use validators::code::Level;
use validators::path::Roots;
use validators::shell::Profile;
use validators::url;

use crate::tables::ServerTable;
use crate::{Blocked, Resolved};

/// A predicate on validators.
type IsValidator = fn(&Validator) -> bool;

/// The rules that count only if their validator was configured or declared. MGP D26 refuses a call without its code argument only if
/// `code_safety` was requested, and a text that looks like an address may be the name of a resource.
const UNSURE: [(&str, IsValidator); 2] = [
    ("code.missing", |validator| matches!(validator, Validator::CodeSafety(_))),
    ("network.unknown_scheme", |validator| *validator == Validator::NetworkRestricted),
];

/// The validators of one tool, ready to judge. Building them is slow, judging is not: they are built when the tool becomes known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checks {
    plan: Plan,
    slots: Slots,
    /// The reason why no call passes, whatever its arguments.
    never: Option<&'static str>,
    /// The rules that do not count, because their validator was only inferred.
    unsure: Vec<&'static str>,
}

/// The judgement of one call by the validators.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Judged {
    /// The call may be sent.
    Clean,
    /// The call may not be sent.
    Blocked(Box<Blocked>),
    /// The names that have to be resolved first.
    Unresolved(Vec<Resolve>),
}

impl Checks {
    /// Creates checks from a plan that the caller has built.
    #[must_use]
    pub fn new(plan: Plan, slots: Slots) -> Self {
        Self {
            plan,
            slots,
            ..Self::default()
        }
    }

    /// Builds the validators of a tool: those configured for it, else for its server, else those inferred from its arguments; and those that it
    /// declares. A declaration removes none. `facts` are what `readonly` needs to know about the tool as a whole.
    #[must_use]
    pub fn of_tool(tool: &str, mut slots: Slots, declaration: Declaration, facts: Facts, table: &ServerTable) -> Self {
        let own = table.tools.get(tool);
        let configured = own.and_then(|own| own.validators.as_ref()).or(table.validators.as_ref());
        let guessed = configured.is_none() && declaration.validator.is_none();
        if guessed && table.roots == Roots::default() {
            // No roots are configured, and no validator of paths was requested.
            let paths: Vec<String> = slots
                .as_slice()
                .iter()
                .filter(|slot| slot.kind == Kind::Path)
                .map(|slot| slot.pointer.clone())
                .collect();
            paths.iter().for_each(|pointer| slots.set(pointer, Kind::Text));
        }
        let declared = declaration.validator.as_ref().and_then(|declared| declared.as_ref().ok());
        let asked = |is: IsValidator| configured.into_iter().flatten().chain(declared).any(is);
        let unsure = UNSURE.into_iter().filter(|(_, is)| !asked(*is)).map(|(rule, _)| rule).collect();
        let validators = configured.cloned().unwrap_or_else(|| guess(&slots, facts));
        let mut plan = Plan::new(validators).declared(declaration);
        plan.roots = table.roots.clone();
        plan.network = table.network.clone();
        plan.allow_commands = table.commands.clone();
        plan.dialect = table.dialect;
        let reads = plan.validators().contains(&Validator::Readonly) && !own.is_some_and(|own| own.only_reads);
        Self {
            never: if reads { refuses(facts) } else { None },
            plan,
            slots,
            unsure,
        }
    }

    /// Returns the validators, for tables that people read.
    #[must_use]
    pub fn validators(&self) -> &[Validator] {
        self.plan.validators()
    }

    /// Judges the exact text that will be sent, with the names that were resolved so far.
    pub(crate) fn judge(&self, arguments: &str, resolved: &[Resolved]) -> Judged {
        if self.never.is_some() {
            return Judged::Blocked(Box::new(Blocked {
                never: self.never,
                violations: Vec::new(),
                rejection: None,
            }));
        }
        let mut verdict = self.plan.judge(&self.slots, arguments);
        verdict
            .violations
            .retain(|violation| !self.unsure.contains(&violation.finding.rule));
        let mut left = Vec::new();
        for resolve in verdict.resolve {
            match resolved.iter().find(|one| one.name == resolve.name) {
                Some(one) => {
                    let findings = url::judge_addresses(&one.name, &one.addresses);
                    verdict.violations.extend(findings.into_iter().map(|finding| Violation {
                        argument: resolve.argument.clone(),
                        finding,
                    }));
                }
                None => left.push(resolve),
            }
        }
        if !verdict.violations.is_empty() {
            return Judged::Blocked(Box::new(Blocked {
                never: None,
                violations: verdict.violations,
                rejection: verdict.rejection,
            }));
        }
        match left.is_empty() {
            true => Judged::Clean,
            false => Judged::Unresolved(left),
        }
    }
}

/// Infers the validators of a tool for which none are configured or declared (MGP §17.2).
fn guess(slots: &Slots, facts: Facts) -> Vec<Validator> {
    let has = |wanted: fn(Kind) -> bool| slots.as_slice().iter().any(|slot| wanted(slot.kind));
    let guesses = [
        (
            has(|kind| matches!(kind, Kind::Command | Kind::Words | Kind::ShellValue)),
            Validator::Sandbox(Profile::Pipeline),
        ),
        (has(|kind| matches!(kind, Kind::Url | Kind::Host)), Validator::NetworkRestricted),
        (has(|kind| matches!(kind, Kind::Code(_))), Validator::CodeSafety(Level::Standard)),
        (facts.read_only == Some(true) && has(|kind| kind == Kind::Sql), Validator::Readonly),
    ];
    guesses.into_iter().filter(|(is, _)| *is).map(|(_, validator)| validator).collect()
}

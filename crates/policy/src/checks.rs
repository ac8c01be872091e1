//! Which validators judge the arguments of one tool, and what they say about one call (MGP §4.5, §7, §17.2).

use validators::arguments::{Declaration, Facts, Kind, Plan, Resolve, Slots, Validator, Violation, refuses};
use validators::code::Level;
use validators::path::Roots;
use validators::shell::Profile;
use validators::url;

use crate::tables::ServerTable;
use crate::{Blocked, Resolved};

/// Whether a validator is a certain one.
type IsValidator = fn(&Validator) -> bool;

/// Rules that count only where somebody asked for their validator. An argument that is code was not given: MGP D26 refuses that only where
/// `code_safety` was asked for. And what only looks like an address may be the name of a resource.
const UNSURE: [(&str, IsValidator); 2] = [
    ("code.missing", |validator| matches!(validator, Validator::CodeSafety(_))),
    ("network.unknown_scheme", |validator| *validator == Validator::NetworkRestricted),
];

/// The validators of one tool, ready to judge. Making it is slow, judging is not: it is made when the tool becomes known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checks {
    plan: Plan,
    slots: Slots,
    /// Why no call passes, whatever its arguments.
    never: Option<&'static str>,
    /// Rules that do not count, because nobody asked for their validator: the tool only looks as if it needed it.
    unsure: Vec<&'static str>,
}

/// What the validators say about one call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Judged {
    /// It may leave.
    Clean,
    /// It may not.
    Blocked(Box<Blocked>),
    /// These names have to be resolved first.
    Unresolved(Vec<Resolve>),
}

impl Checks {
    /// A plan that somebody else made.
    #[must_use]
    pub fn new(plan: Plan, slots: Slots) -> Self {
        Self {
            plan,
            slots,
            ..Self::default()
        }
    }

    /// The validators of a tool: what is configured for it, else for its server, else what its arguments look like; and what it declares on
    /// top. A declaration takes nothing away. `facts` is what `readonly` wants to know of the tool as a whole.
    #[must_use]
    pub fn of_tool(tool: &str, mut slots: Slots, declaration: Declaration, facts: Facts, table: &ServerTable) -> Self {
        let own = table.tools.get(tool);
        let configured = own.and_then(|own| own.validators.as_ref()).or(table.validators.as_ref());
        let guessed = configured.is_none() && declaration.validator.is_none();
        if guessed && table.roots == Roots::default() {
            // Nobody has said where paths may lead, nor asked for them to be judged.
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

    /// The validators, for tables that people read.
    #[must_use]
    pub fn validators(&self) -> &[Validator] {
        self.plan.validators()
    }

    /// Judges the exact text that will be sent, with the names that are resolved by now.
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

/// What a tool gets that nobody said anything about (MGP §17.2).
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

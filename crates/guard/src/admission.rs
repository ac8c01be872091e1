//! Admits tool calls: counts, judges, asks for consent and records each, and records how it ended.
//!
//! An [`Admission`] is a value that its caller drives: [`Admission::step`] goes as far as it can. Where a person has to consent it says so, and the
//! caller asks that person in its own way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jsonrpc::Raw;
use mgp::audit::{self, Ending};
use mgp::error::Refusal;
use model::{Approval, Risk, ToolId, Trace};
use policy::{Action, Call, Confirmed, Consent, Decision, Need, NotConfirmed, Policy, Query, Reason, Resolved, ToolFacts, Verdict};
use runtime::sha256;

use crate::consent::{Unasked, Unredeemed};
use crate::decisions::Shown;
use crate::guard::Guard;
use crate::permit::SendPermit;
use crate::refusal::refusal;
use crate::subject::Subject;

/// How often the policy may change under a call before it is refused.
const MOST_ROUNDS: usize = 4;
/// How long the names in one call's arguments may take to be resolved.
const RESOLVE: Duration = Duration::from_secs(5);
/// The bytes of arguments that a person is shown at most.
const SHOWN: usize = 2000;

/// A tool call that is to be admitted.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The subject that calls.
    pub subject: &'a Subject,
    /// The tool, by its server and its own name.
    pub tool: &'a ToolId,
    /// The arguments: the bytes that will be sent.
    pub arguments: Option<&'a Raw>,
    /// The trace that the call belongs to.
    pub trace: &'a Trace,
    /// Whether it is the next round of a call whose server asked for more input: the consent to the first round then holds.
    pub continues: bool,
}

/// The admission of one tool call.
#[derive(Debug)]
pub struct Admission<'a> {
    guard: &'a Arc<Guard>,
    call: ToolCall<'a>,
    resolved: Vec<Resolved>,
    consent: Option<(Call, Confirmed)>,
    rounds: usize,
}

/// The result of one step of an admission.
#[derive(Debug)]
pub enum Step {
    /// The call may be sent.
    Admitted(Admitted),
    /// The call may not be sent. The refusal is on record.
    Refused(Refusal),
    /// A person has to consent first.
    Ask(Pending),
}

/// A call that waits for a person.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The approval that the person gives or refuses.
    pub approval: Approval,
    /// What the person is shown.
    pub shown: Shown,
    call: Call,
}

/// The state of a call that waits for a person.
#[derive(Debug)]
pub enum Redeemed {
    /// A person consents, or policy has to be asked again: the caller goes on with [`Admission::step`].
    Continue,
    /// The call may not be sent. The refusal is on record.
    Refused(Refusal),
    /// Nothing is decided yet.
    Pending,
}

/// A call that may be sent.
#[derive(Debug)]
pub struct Admitted {
    /// The permit to send it.
    pub permit: SendPermit,
    notes: Notes,
}

/// The facts about an admitted call that its last event needs. If they are dropped before the call ends, its client has not waited for the end.
#[derive(Debug)]
struct Notes {
    guard: Arc<Guard>,
    subject: Subject,
    tool: ToolId,
    facts: Option<Arc<ToolFacts>>,
    revision: u64,
    trace: Trace,
    since: Instant,
    consent: Option<(Call, Confirmed)>,
    over: bool,
}

impl Guard {
    /// Begins the admission of a tool call.
    #[must_use]
    pub fn admission<'a>(self: &'a Arc<Self>, call: ToolCall<'a>) -> Admission<'a> {
        Admission {
            guard: self,
            call,
            resolved: Vec::new(),
            consent: None,
            rounds: 0,
        }
    }
}

impl Admission<'_> {
    /// Asks policy until it allows the call, refuses it, or a person has to consent.
    pub async fn step(&mut self) -> Step {
        if self.rounds == 0 {
            self.consent = self.continued();
            let arrived = self.guard.limits().arrives(runtime::now(), &self.call.subject.principal.id);
            if let Err(reason) = arrived {
                return Step::Refused(self.refuse(&reason).await);
            }
        }
        while self.rounds < MOST_ROUNDS {
            self.rounds += 1;
            let policy = self.guard.enforced.policy_full();
            let decision = self.decide(&policy, self.consent.as_ref());
            match (decision.verdict, &decision.because) {
                (Verdict::Allow, _) => return self.admitted(&policy, &decision).await,
                (Verdict::Wait(Need::Resolution), Reason::Resolve { names }) if self.resolved.is_empty() => {
                    self.resolved = self.resolve(names.iter().map(|name| name.name.as_str())).await;
                }
                (Verdict::Wait(Need::Confirmation | Need::Review), _) => match self.consent(&policy, &decision).await {
                    None => {}
                    Some(step) => return step,
                },
                _ => return Step::Refused(self.refuse(&decision.because).await),
            }
        }
        self.consent = None;
        let policy = self.guard.enforced.policy_full();
        let decision = self.decide(&policy, None);
        match decision.verdict {
            Verdict::Allow => self.admitted(&policy, &decision).await,
            _ => Step::Refused(self.refuse(&decision.because).await),
        }
    }

    /// Checks whether a person has decided about the call.
    pub async fn redeem(&mut self, pending: &Pending) -> Redeemed {
        let policy = self.guard.enforced.policy_full();
        match self.guard.redeem(&policy, &pending.call).await {
            Ok(confirmed) => {
                self.consent = Some((pending.call.clone(), confirmed));
                Redeemed::Continue
            }
            Err(Unredeemed::Unstored(refusal)) => Redeemed::Refused(refusal),
            Err(Unredeemed::Not(NotConfirmed::Denied(request, by))) => {
                let by = by.principal;
                Redeemed::Refused(self.refuse(&Reason::ApprovalDenied { request, by }).await)
            }
            Err(Unredeemed::Not(NotConfirmed::Nothing)) if pending.approval.expires.has_come(self.guard.calendar().now()) => {
                Redeemed::Refused(self.expired(pending).await)
            }
            Err(Unredeemed::Not(NotConfirmed::Nothing)) => Redeemed::Continue,
            Err(Unredeemed::Not(NotConfirmed::Pending(_))) => Redeemed::Pending,
        }
    }

    /// Refuses a call that no person has decided about in time.
    pub async fn expired(&self, pending: &Pending) -> Refusal {
        let request = pending.approval.request.clone();
        self.refuse(&Reason::ApprovalExpired { request }).await
    }

    /// Refuses a call that still waits for an operator: its client is told to send it again later.
    pub async fn come_back(&self, pending: &Pending) -> Refusal {
        let request = pending.approval.request.clone();
        self.refuse(&Reason::ApprovalPending { request }).await
    }

    /// Records a refusal, and returns what the client is told.
    pub async fn refuse(&self, reason: &Reason) -> Refusal {
        let refusal = refusal(reason);
        let record = self.guard.record();
        if record.is_kept() {
            let policy = self.guard.policy();
            let shown = Described::of(policy.tool(&self.call.tool.server, &self.call.tool.name).map(|facts| &**facts));
            let call = shown.call(self.call.subject, self.call.tool, policy.revision().0);
            let draft = call.refused(&refusal, &self.guard.redactor());
            drop(policy);
            record.after(draft, self.call.trace).await;
        }
        tracing::info!(principal = %self.call.subject.principal.id, tool = %self.call.tool, rule = reason.rule(), "refused");
        refusal
    }

    fn action(&self) -> Action<'_> {
        Action::CallTool {
            server: &self.call.tool.server,
            tool: &self.call.tool.name,
            arguments: self.call.arguments.map(|raw| &raw.bytes()[..]),
        }
    }

    fn decide(&self, policy: &Policy, consent: Option<&(Call, Confirmed)>) -> Decision {
        policy.decide(&Query {
            session: self.call.subject.session,
            token: self.call.subject.token.as_deref(),
            resolved: &self.resolved,
            consent: consent.map(|(call, confirmed)| Consent {
                confirmed,
                arguments: &call.arguments,
            }),
            ..Query::new(
                &self.call.subject.principal,
                self.action(),
                self.call.trace,
                self.guard.calendar().now(),
            )
        })
    }

    /// Counts and records a call that policy allows, and gives its permit.
    async fn admitted(&mut self, policy: &Policy, decision: &Decision) -> Step {
        let (guard, tool) = (self.guard, self.call.tool);
        let counted = guard.limits().leaves(runtime::now(), &tool.server, &tool.name);
        if let Err(reason) = counted {
            return Step::Refused(self.refuse(&reason).await);
        }
        let Some(permit) = SendPermit::given(&guard.enforced, self.call.subject, &self.action(), decision) else {
            return Step::Refused(self.refuse(&decision.because).await);
        };
        let facts = policy.tool(&tool.server, &tool.name).cloned();
        if guard.record().is_kept() {
            let request = self.consent.as_ref().map(|(_, confirmed)| confirmed.request());
            let digest = sha256(self.call.arguments.map_or(&b"{}"[..], |raw| &raw.bytes()[..]));
            let shown = Described::of(facts.as_deref());
            let call = shown.call(self.call.subject, tool, decision.revision.0);
            let draft = call.admitted(decision.because.rule(), &digest, request);
            if let Err(refusal) = guard.record().before(draft, self.call.trace).await {
                return Step::Refused(refusal);
            }
        }
        let notes = Notes {
            guard: guard.clone(),
            subject: self.call.subject.clone(),
            tool: tool.clone(),
            facts,
            revision: decision.revision.0,
            trace: self.call.trace.clone(),
            since: runtime::now(),
            consent: self.consent.take(),
            over: false,
        };
        Step::Admitted(Admitted { permit, notes })
    }

    /// Redeems the consent to the call, or adds the call to those that wait for a person; none where policy has to be asked again.
    async fn consent(&mut self, policy: &Policy, decision: &Decision) -> Option<Step> {
        let call = self.exact_call();
        match self.guard.redeem(policy, &call).await {
            Ok(confirmed) => {
                self.consent = Some((call, confirmed));
                return None;
            }
            Err(Unredeemed::Unstored(refusal)) => return Some(Step::Refused(refusal)),
            Err(Unredeemed::Not(NotConfirmed::Denied(request, by))) => {
                let by = by.principal;
                return Some(Step::Refused(self.refuse(&Reason::ApprovalDenied { request, by }).await));
            }
            Err(Unredeemed::Not(NotConfirmed::Nothing | NotConfirmed::Pending(_))) => {}
        }
        let shown = Shown {
            because: why(&decision.because),
            arguments: shown(self.guard, self.call.arguments),
        };
        let asked = self.guard.ask(self.call.subject, self.call.trace, policy, &call, shown.clone());
        match asked.await {
            Ok(approval) => Some(Step::Ask(Pending { approval, shown, call })),
            Err(Unasked::Refused(reason)) => Some(Step::Refused(self.refuse(&reason).await)),
            Err(Unasked::Unstored(refusal)) => Some(Step::Refused(refusal)),
            Err(Unasked::Again) => None,
        }
    }

    /// Resolves the names in the arguments, all at the same time.
    async fn resolve(&self, names: impl Iterator<Item = &str>) -> Vec<Resolved> {
        let looking = names.map(async |name| {
            let found = tokio::time::timeout(RESOLVE, self.guard.resolver.addresses(name)).await;
            Resolved {
                name: name.to_owned(),
                addresses: found.unwrap_or_default(),
            }
        });
        futures_util::future::join_all(looking).await
    }

    /// Takes the consent that an earlier round of this call had; its server has answered that round with a question.
    fn continued(&self) -> Option<(Call, Confirmed)> {
        if !self.call.continues {
            return None;
        }
        let call = self.exact_call();
        let confirmed = self.guard.decisions.continued().take(runtime::now(), &call)?;
        Some((call, confirmed))
    }

    /// Returns the exact call, as consents are bound to it.
    fn exact_call(&self) -> Call {
        let canonical = self.call.arguments.map_or_else(|| b"{}".to_vec(), Raw::canonical);
        Call {
            principal: self.call.subject.principal.id.clone(),
            tool: self.call.tool.clone(),
            arguments: sha256(&canonical),
        }
    }
}

impl Admitted {
    /// Returns the tool that is called.
    #[must_use]
    pub fn tool(&self) -> &ToolId {
        &self.notes.tool
    }

    /// Records how the call ended.
    pub async fn ended(mut self, ending: Ending<'_>) {
        let notes = &mut self.notes;
        notes.over = true;
        if notes.guard.record().is_kept() {
            notes.guard.record().after(notes.ended(ending), &notes.trace).await;
        }
    }

    /// Keeps the consent to a call whose server asks for more input, for the next round of that call.
    pub fn continues(mut self, for_as_long_as: Duration) {
        let notes = &mut self.notes;
        notes.over = true;
        if let Some((call, confirmed)) = notes.consent.take() {
            let until = runtime::now() + for_as_long_as;
            notes.guard.decisions.continued().put(until, call, confirmed);
        }
    }
}

impl Notes {
    fn ended(&self, ending: Ending<'_>) -> audit::Draft {
        let shown = Described::of(self.facts.as_deref());
        let took = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let redactor = self.guard.redactor();
        shown.call(&self.subject, &self.tool, self.revision).ended(ending, took, &redactor)
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        let record = self.guard.record();
        if !self.over && record.is_kept() && !record.after_now(self.ended(Ending::Lost("its client cancelled it")), &self.trace) {
            tracing::error!(tool = %self.tool, "there was no room to record the end of a call");
        }
    }
}

/// The description of a tool in the audit.
struct Described {
    risk: Option<Risk>,
    validators: Vec<&'static str>,
}

impl Described {
    fn of(facts: Option<&ToolFacts>) -> Self {
        let mut validators: Vec<&'static str> = Vec::new();
        for validator in facts.map(|facts| facts.checks.validators()).unwrap_or_default() {
            // What a tool declares may have been inferred as well.
            if !validators.contains(&validator.name()) {
                validators.push(validator.name());
            }
        }
        Self {
            risk: facts.map(|facts| facts.risk),
            validators,
        }
    }

    fn call<'a>(&'a self, subject: &'a Subject, tool: &'a ToolId, revision: u64) -> audit::Call<'a> {
        audit::Call {
            principal: &subject.principal.id,
            role: subject.principal.role,
            tool,
            risk: self.risk,
            validators: &self.validators,
            revision,
        }
    }
}

/// Returns the text that tells a person why consent is needed; it follows the name of what is called.
fn why(reason: &Reason) -> String {
    match reason {
        Reason::Confirm { risk, .. } => format!("it is {risk}, and asks for consent"),
        Reason::Review { .. } => "it is not what it was when it was approved".to_owned(),
        other => other.to_string(),
    }
}

fn shown(guard: &Guard, arguments: Option<&Raw>) -> String {
    let redacted = arguments.map_or_else(Raw::object_empty, |arguments| guard.redactor().redact(arguments));
    let text = redacted.text();
    match text.len() <= SHOWN {
        true => text.to_owned(),
        false => format!("{}… ({} bytes)", &text[..text.floor_char_boundary(SHOWN)], text.len()),
    }
}

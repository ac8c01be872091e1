//! The way of a tool call to its leave: counted, judged, consented to, recorded. And what the record says when it is over.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use jsonrpc::Raw;
use mcp::exchange::{Outcome, Request};
use memchr::memmem::Finder;
use mgp::audit::{self, Ending};
use mgp::error::Refusal;
use model::{Risk, Ticket, ToolId, Trace};
use policy::{Action, Call, Confirmed, Consent, Decision, Need, Policy, Query, Reason, Resolved, ToolFacts, Verdict};

use super::consent::{self, Consented, Stop};
use super::refusal;
use crate::client::Client;
use crate::gate::Permit;
use crate::sha256::sha256;

/// How often the policy may change under a call before it is given up.
const MOST_ROUNDS: usize = 4;
/// How long the names of one call may take to be found.
const RESOLVE: Duration = Duration::from_secs(5);

/// Finds the member that says that a tool failed.
static NAMES_ERROR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"isError\""));

/// A call that may leave.
pub(crate) struct Admitted {
    pub(crate) permit: Permit,
    notes: Notes,
}

/// What is kept of an admitted call until it is over. Dropped before that, its client did not wait for the end.
struct Notes {
    client: Arc<Client>,
    tool: ToolId,
    facts: Option<Arc<ToolFacts>>,
    revision: u64,
    trace: Trace,
    since: Instant,
    consent: Option<(Call, Confirmed)>,
    over: bool,
}

/// A call that wants to leave.
pub(super) struct Asking<'a> {
    pub(super) client: &'a Arc<Client>,
    pub(super) ticket: Ticket,
    pub(super) request: &'a Request,
    pub(super) tool: &'a ToolId,
    pub(super) arguments: Option<Raw>,
}

/// Asks for leave to call a tool.
///
/// # Errors
/// What its client is answered instead: a refusal, or the question whether a person consents.
pub(crate) async fn admit(client: &Arc<Client>, ticket: Ticket, request: &mut Request, tool: ToolId) -> Result<Admitted, Outcome> {
    let answered = consent::take_answer(client, request, &tool).await;
    let asking = Asking {
        client,
        ticket,
        request,
        tool: &tool,
        arguments: request.member("arguments").cloned(),
    };
    if let Err(stop) = answered {
        return Err(asking.stopped(stop).await);
    }
    let (decision, facts, consented) = asking.leave().await?;
    let guard = &client.inner.guard;
    if let Err(reason) = guard.leaves(&tool) {
        return Err(asking.refused(&reason).await);
    }
    let Some(permit) = Permit::given(client, &asking.action(), &decision) else {
        return Err(asking.refused(&decision.because).await);
    };
    if guard.ledger.is_some() {
        let request = consented.as_ref().map(|(_, confirmed)| confirmed.request());
        let digest = sha256(asking.arguments.as_ref().map_or(&b"{}"[..], |raw| &raw.bytes()[..]));
        let shown = Shown::of(facts.as_deref());
        let admitted = shown
            .call(client, &tool, decision.revision.0)
            .admitted(decision.because.rule(), &digest, request);
        if let Err(refusal) = guard.before(admitted, &asking.request.trace).await {
            return Err(asking.answer(&refusal));
        }
    }
    let trace = asking.request.trace.clone();
    let notes = Notes {
        client: client.clone(),
        tool,
        facts,
        revision: decision.revision.0,
        trace,
        since: crate::now(),
        consent: consented,
        over: false,
    };
    Ok(Admitted { permit, notes })
}

impl Asking<'_> {
    pub(super) fn action(&self) -> Action<'_> {
        Action::CallTool {
            server: &self.tool.server,
            tool: &self.tool.name,
            arguments: self.arguments.as_ref().map(|raw| &raw.bytes()[..]),
        }
    }

    /// Asks policy until it allows the call or refuses it, and fetches what it needs in between.
    async fn leave(&self) -> Result<(Decision, Option<Arc<ToolFacts>>, Option<(Call, Confirmed)>), Outcome> {
        let guard = &self.client.inner.guard;
        let mut resolved: Vec<Resolved> = Vec::new();
        let mut consented = self.continued();
        if let Err(reason) = guard.arrives(&self.client.principal.id) {
            return Err(self.refused(&reason).await);
        }
        for _ in 0..MOST_ROUNDS {
            let policy = guard.policy.load_full();
            let decision = self.decide(&policy, &resolved, consented.as_ref());
            let facts = policy.tool(&self.tool.server, &self.tool.name).cloned();
            match (decision.verdict, &decision.because) {
                (Verdict::Allow, _) => return Ok((decision, facts, consented)),
                (Verdict::Wait(Need::Resolution), Reason::Resolve { names }) if resolved.is_empty() => {
                    resolved = self.resolve(names.iter().map(|name| name.name.as_str())).await;
                }
                (Verdict::Wait(Need::Confirmation | Need::Review), _) => match consent::obtain(self, &policy, &decision).await {
                    Consented::Yes(call, confirmed) => consented = Some((call, confirmed)),
                    Consented::No(stop) => return Err(self.stopped(stop).await),
                    Consented::Again => {}
                    Consented::Ask(outcome) => return Err(outcome),
                },
                _ => return Err(self.refused(&decision.because).await),
            }
        }
        let because = self.decide(&guard.policy(), &resolved, None).because;
        Err(self.refused(&because).await)
    }

    fn decide(&self, policy: &Policy, resolved: &[Resolved], consent: Option<&(Call, Confirmed)>) -> Decision {
        policy.decide(&Query {
            session: Some(self.client.number),
            token: self.client.bearer.as_deref(),
            resolved,
            consent: consent.map(|(call, confirmed)| Consent {
                confirmed,
                arguments: &call.arguments,
            }),
            ..Query::new(
                &self.client.principal,
                self.action(),
                &self.request.trace,
                self.client.inner.guard.calendar.now(),
            )
        })
    }

    /// The addresses of names in the arguments, all looked up at the same time.
    async fn resolve(&self, names: impl Iterator<Item = &str>) -> Vec<Resolved> {
        let resolver = &self.client.inner.guard.resolver;
        let looking = names.map(async |name| {
            let found = tokio::time::timeout(RESOLVE, resolver.addresses(name)).await;
            Resolved {
                name: name.to_owned(),
                addresses: found.unwrap_or_default(),
            }
        });
        futures_util::future::join_all(looking).await
    }

    /// The consent that an earlier round of this very call had, which its server has answered with a question.
    fn continued(&self) -> Option<(Call, Confirmed)> {
        self.request.retry.as_ref()?;
        let call = self.call();
        let confirmed = self.client.inner.guard.continued().take(crate::now(), &call)?;
        Some((call, confirmed))
    }

    /// The exact call, as consents are bound to it.
    pub(super) fn call(&self) -> Call {
        let canonical = self.arguments.as_ref().map_or_else(|| b"{}".to_vec(), Raw::canonical);
        Call {
            principal: self.client.principal.id.clone(),
            tool: self.tool.clone(),
            arguments: sha256(&canonical),
        }
    }

    /// What a client is told whose call was stopped on the way to a consent.
    async fn stopped(&self, stop: Stop) -> Outcome {
        match stop {
            Stop::Refused(reason) => self.refused(&reason).await,
            Stop::Unstored(refusal) => self.answer(&refusal),
        }
    }

    /// Records a refusal, and tells the client.
    async fn refused(&self, reason: &Reason) -> Outcome {
        let guard = &self.client.inner.guard;
        let refusal = refusal(reason);
        if guard.ledger.is_some() {
            let policy = guard.policy.load_full();
            let shown = Shown::of(policy.tool(&self.tool.server, &self.tool.name).map(|facts| &**facts));
            let call = shown.call(self.client, self.tool, policy.revision().0);
            guard.after(call.refused(&refusal, &guard.redactor()), &self.request.trace).await;
        }
        tracing::info!(principal = %self.client.principal.id, tool = %self.tool, rule = reason.rule(), "refused");
        self.answer(&refusal)
    }

    /// D18: an error where errors were negotiated, else a result that a model reads.
    fn answer(&self, refusal: &Refusal) -> Outcome {
        match refusal.answer(true, self.client.has_error_handling(&self.request.peer)) {
            Ok(result) => Outcome::own(result),
            Err(error) => Outcome::refused(error),
        }
    }
}

impl Admitted {
    pub(crate) fn tool(&self) -> &ToolId {
        &self.notes.tool
    }

    /// Records how the call ended; a consent to one whose server asks for more is kept for its next round.
    pub(crate) async fn ended(mut self, outcome: &Outcome) {
        let notes = &mut self.notes;
        notes.over = true;
        let guard = &notes.client.inner.guard;
        let ending = match outcome {
            Outcome::InputRequired(_) => {
                if let Some((call, confirmed)) = notes.consent.take() {
                    let until = crate::now() + notes.client.inner.settings().park_ttl;
                    guard.continued().put(until, call, confirmed);
                }
                return;
            }
            Outcome::Result(answered) if says_error(&answered.result) => Ending::ToolError,
            Outcome::Result(_) => Ending::Result,
            Outcome::Error(failed) if failed.message.is_none() => Ending::Lost(&failed.error.message),
            Outcome::Error(failed) => Ending::Error(&failed.error),
        };
        if guard.ledger.is_some() {
            guard.after(notes.ended(ending), &notes.trace).await;
        }
    }
}

impl Notes {
    fn ended(&self, ending: Ending<'_>) -> audit::Draft {
        let shown = Shown::of(self.facts.as_deref());
        let took = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let redactor = self.client.inner.guard.redactor();
        shown.call(&self.client, &self.tool, self.revision).ended(ending, took, &redactor)
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        let guard = &self.client.inner.guard;
        if !self.over && guard.ledger.is_some() && !guard.after_now(self.ended(Ending::Lost("its client cancelled it")), &self.trace) {
            tracing::error!(tool = %self.tool, "there was no room to record the end of a call");
        }
    }
}

/// What the audit says of a tool.
struct Shown {
    risk: Option<Risk>,
    validators: Vec<&'static str>,
}

impl Shown {
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

    fn call<'a>(&'a self, client: &'a Client, tool: &'a ToolId, revision: u64) -> audit::Call<'a> {
        audit::Call {
            principal: &client.principal.id,
            role: client.principal.role,
            tool,
            risk: self.risk,
            validators: &self.validators,
            revision,
        }
    }
}

fn says_error(result: &Raw) -> bool {
    NAMES_ERROR.find(result.bytes()).is_some() && result.get("isError").is_some_and(|says| says.as_bool() == Some(true))
}

//! The rules of a decision, in the order of evaluation. The first rule that does not let a call pass decides.
//!
//! Cheap and telling rules come first. A person comes last, so that no person is asked about a call that would be refused anyway.

use std::sync::{Arc, LazyLock};

use model::{Access, Permission, Principal, RequestId, Risk, Role, ServerId, Timestamp};

use crate::checks::Judged;
use crate::facts::KERNEL;
use crate::index::{Held, PermissionState, PinState, PolicyIndex, Server, Standing};
use crate::reason::Target;
use crate::tables::{OnChange, OnDangerous, OnModerate, PermissionPolicy, ServerTable};
use crate::{Action, Consent, Need, Query, Reason, Revision, ToolFacts, Verdict};

/// The verdict and the reason that end a decision.
type Stop = (Verdict, Reason);

/// The id [`KERNEL`].
static GATEWAY: LazyLock<ServerId> = LazyLock::new(|| ServerId::new(KERNEL).expect("six letters"));

fn deny(reason: Reason) -> Stop {
    (Verdict::Deny, reason)
}

/// Returns the decision of a configured policy.
pub(crate) fn decide(index: &PolicyIndex, query: &Query<'_>) -> Stop {
    rules(index, query).map_or_else(|stop| stop, |reason| (Verdict::Allow, reason))
}

fn rules(index: &PolicyIndex, query: &Query<'_>) -> Result<Reason, Stop> {
    if let Some(token) = query.token {
        let server = match query.action {
            // Operations concern the gateway itself: a token that is limited to servers does not admit to them.
            Action::Operate { .. } => Some(&*GATEWAY),
            _ => query.action.server(),
        };
        let refused = index.token(token, query.principal, server, query.now);
        refused.map_err(|refusal| deny(Reason::Token(refusal)))?;
    }
    let held = index.held(&query.principal.id);
    match query.action {
        Action::SetLogLevel => Ok(Reason::Own),
        Action::Operate { .. } => operator(query.principal, Role::Operator, &query.action).map(|()| Reason::Operator),
        Action::CallTool { server, tool, arguments } => {
            let call = Call {
                index,
                query,
                server,
                tool,
                arguments,
            };
            call.rules(held)
        }
        // Messages within a call, or that belong to no call: allowed for principals that may use anything of the server.
        Action::UseTask { server, .. } | Action::Notify { server, .. } | Action::Ask { server, .. } => {
            access(query, server, None, index.reach(held, server, query.now)).map(of_access)
        }
        Action::GetPrompt { server, .. }
        | Action::ReadResource { server, .. }
        | Action::Subscribe { server, .. }
        | Action::Complete { server, .. }
        | Action::Extension { server, .. } => {
            let standing = access(query, server, None, index.standing(held, server, None, query.now))?;
            let target = || Target::of(server, None);
            let known = index.server(server).ok_or_else(|| deny(Reason::Unknown { target: target() }))?;
            Granted::new(index, server, known, query.now).gate(&target)?;
            Ok(of_access(standing))
        }
    }
}

fn of_access(standing: Standing) -> Reason {
    Reason::Access { standing, consent: None }
}

/// Checks the role of a principal (MGP D15).
fn operator(principal: &Principal, needed: Role, action: &Action<'_>) -> Result<(), Stop> {
    if principal.role >= needed {
        return Ok(());
    }
    Err(deny(Reason::OperatorOnly {
        action: action.to_string(),
    }))
}

/// Checks the access of a principal: by grants of the tool, grants of the server, or the default (MGP §5.2).
fn access(query: &Query<'_>, server: &ServerId, tool: Option<&str>, standing: Standing) -> Result<Standing, Stop> {
    match standing.access {
        Access::Allow => Ok(standing),
        Access::Deny => Err(deny(Reason::NoAccess {
            principal: query.principal.id.clone(),
            target: Target::of(server, tool),
            standing,
        })),
    }
}

/// The permissions of a server (MGP §3, MGP D2, MGP D4).
struct Granted<'a> {
    server: &'a Server,
    policy: PermissionPolicy,
    approved: &'a [Permission],
    strict: bool,
    now: Timestamp,
}

impl<'a> Granted<'a> {
    fn new(index: &'a PolicyIndex, id: &ServerId, server: &'a Server, now: Timestamp) -> Self {
        let table = index.tables.server(id);
        Self {
            server,
            policy: table.permissions.unwrap_or(index.tables.permissions),
            approved: &table.approved,
            strict: table.strict,
            now,
        }
    }

    fn state(&self, permission: &Permission) -> PermissionState {
        self.server.permissions.state(permission, self.policy, self.approved, self.now)
    }

    /// Checks that a server's own requests for permissions are decided: before that nothing is sent to it (MGP D2).
    fn gate(&self, target: &dyn Fn() -> Target) -> Result<(), Stop> {
        self.server
            .facts
            .permissions
            .iter()
            .try_for_each(|permission| match self.state(permission) {
                PermissionState::Undecided(request) => Err(pending(target(), permission, request)),
                _ => Ok(()),
            })
    }

    /// Checks the permissions that a tool requires (MGP D4). A tool that names none is judged by what its server wants: it waits until all of that is
    /// decided, and after a partial denial the server has to do without (MGP §3.6).
    fn tool(&self, facts: &ToolFacts, target: &dyn Fn() -> Target) -> Result<(), Stop> {
        let names_none = facts.permissions.is_empty();
        let required = if names_none {
            &self.server.facts.permissions
        } else {
            &facts.permissions
        };
        let (mut denied, mut missing) = (None, 0);
        for permission in required {
            let policy = match self.state(permission) {
                PermissionState::Approved => continue,
                PermissionState::Undecided(request) | PermissionState::Deferred(request) => {
                    return Err(pending(target(), permission, request));
                }
                PermissionState::Denied => None,
                PermissionState::Barred(policy) => Some(policy),
            };
            denied = denied.or(Some((permission, policy)));
            missing += 1;
        }
        match denied {
            Some((permission, policy)) if !names_none || self.strict || missing == required.len() => Err(deny(Reason::PermissionDenied {
                target: target(),
                permission: permission.clone(),
                policy,
            })),
            _ => Ok(()),
        }
    }
}

fn pending(target: Target, permission: &Permission, request: Option<RequestId>) -> Stop {
    deny(Reason::PermissionPending {
        target,
        permission: permission.clone(),
        request,
    })
}

/// A tool call under decision.
struct Call<'a> {
    index: &'a PolicyIndex,
    query: &'a Query<'a>,
    server: &'a ServerId,
    tool: &'a str,
    arguments: Option<&'a [u8]>,
}

impl Call<'_> {
    fn rules(&self, held: Option<&Arc<Held>>) -> Result<Reason, Stop> {
        let standing = self.index.standing(held, self.server, Some(self.tool), self.query.now);
        let standing = access(self.query, self.server, Some(self.tool), standing)?;
        let unknown = || deny(Reason::Unknown { target: self.target() });
        let server = self.index.server(self.server).ok_or_else(unknown)?;
        let facts = &server.tool(self.tool).ok_or_else(unknown)?.facts;
        operator(self.query.principal, facts.role, &self.query.action)?;
        let table = self.index.tables.server(self.server);
        let granted = Granted::new(self.index, self.server, server, self.query.now);
        granted.gate(&|| self.target())?;
        granted.tool(facts, &|| self.target())?;
        self.arguments(facts)?;
        self.person(server, facts, table, standing)
    }

    fn target(&self) -> Target {
        Target::of(self.server, Some(self.tool))
    }

    /// Runs the validators on the exact bytes of the arguments (MGP §4.5).
    fn arguments(&self, facts: &ToolFacts) -> Result<(), Stop> {
        let arguments = std::str::from_utf8(self.arguments.unwrap_or(b"{}")).map_err(|_| deny(Reason::NotText))?;
        match facts.checks.judge(arguments, self.query.resolved) {
            Judged::Clean => Ok(()),
            Judged::Blocked(blocked) => Err(deny(Reason::Blocked(blocked))),
            Judged::Unresolved(names) => Err((Verdict::Wait(Need::Resolution), Reason::Resolve { names })),
        }
    }

    /// Checks whether a person has to consent to the call, or has consented (MGP §4.4).
    fn person(&self, server: &Server, facts: &ToolFacts, table: &ServerTable, standing: Standing) -> Result<Reason, Stop> {
        let tables = &self.index.tables;
        let target = || self.target();
        let review = match (server.pin_state(facts), table.changed.unwrap_or(tables.changed)) {
            (PinState::Changed { .. }, OnChange::Refuse) => return Err(deny(Reason::Changed { target: target() })),
            (PinState::Changed { approved, now }, OnChange::Review) => Some((approved.digest, now)),
            _ => None,
        };
        let moderate = table.moderate.unwrap_or(tables.moderate);
        let confirm = facts.confirm || facts.risk == Risk::Dangerous || (facts.risk == Risk::Moderate && moderate == OnModerate::Confirm);
        if review.is_none() && (!confirm || standing.confirms()) {
            return Ok(of_access(standing));
        }
        let dangerous = table.dangerous.unwrap_or(tables.dangerous);
        if facts.risk == Risk::Dangerous && dangerous == OnDangerous::Refuse && !standing.confirms() {
            return Err(deny(Reason::Dangerous { target: target() }));
        }
        if let Some(consent) = self.query.consent.filter(|consent| self.is_bound(consent)) {
            return Ok(Reason::Access {
                standing,
                consent: Some(consent.confirmed.request().clone()),
            });
        }
        Err(match review {
            Some((approved, found)) => {
                let target = target();
                (Verdict::Wait(Need::Review), Reason::Review { target, approved, found })
            }
            None => {
                let (target, risk) = (target(), facts.risk);
                (Verdict::Wait(Need::Confirmation), Reason::Confirm { target, risk })
            }
        })
    }

    /// Returns whether a consent is for this exact call, and its policy still holds.
    fn is_bound(&self, consent: &Consent<'_>) -> bool {
        let call = consent.confirmed.call();
        call.principal == self.query.principal.id
            && call.tool.server == *self.server
            && *call.tool.name == *self.tool
            && call.arguments == *consent.arguments
            && self.stands(consent.confirmed.revision())
    }

    /// Returns whether nothing that concerns the call has changed since a revision. The token is left out: it was judged before, and the person who
    /// was asked did not see it.
    fn stands(&self, since: Revision) -> bool {
        self.index.changed(&self.query.principal.id, None, &self.query.action) <= since
    }
}

/// The rules by which a list shows entries to one principal. It is created once for a list, and asked for each entry.
#[derive(Debug)]
pub(crate) struct Visibility<'a> {
    pub(crate) index: &'a PolicyIndex,
    pub(crate) held: Option<&'a Arc<Held>>,
    pub(crate) principal: &'a Principal,
    pub(crate) token: Option<&'a str>,
    pub(crate) now: Timestamp,
}

impl Visibility<'_> {
    /// Returns whether token, role and access allow the principal to see a tool. A tool that waits for a permission or a person is shown (MGP D2).
    pub(crate) fn tool(&self, server: &ServerId, tool: &str) -> bool {
        let role = self
            .index
            .server(server)
            .and_then(|known| known.tool(tool))
            .map(|offered| offered.facts.role);
        role.is_none_or(|role| self.principal.role >= role)
            && self.index.standing(self.held, server, Some(tool), self.now).access == Access::Allow
            && self.is_let_in(server)
    }

    /// Returns whether token and access allow the principal to see what belongs to a server as a whole: prompts and resources.
    pub(crate) fn server(&self, server: &ServerId) -> bool {
        self.index.standing(self.held, server, None, self.now).access == Access::Allow && self.is_let_in(server)
    }

    /// Returns the revision of the last change that concerns what the principal may see of a server.
    pub(crate) fn changed(&self, server: &ServerId) -> Revision {
        self.index.seen_changed(self.held, self.token, server)
    }

    fn is_let_in(&self, server: &ServerId) -> bool {
        self.token
            .is_none_or(|token| self.index.token(token, self.principal, Some(server), self.now).is_ok())
    }
}

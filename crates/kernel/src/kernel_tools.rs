//! The gateway's own tools: what they are to policy and to lists, and what a call of one does (MGP §5.4, D10, D14 to D17).

use std::sync::Arc;

use catalog::{Item, Offer};
use jsonrpc::Raw;
use mcp::exchange::{Advertised, Outcome, Peer, Request};
use mcp::method::ListKind;
use mcp::revision::Revision;
use mgp::error::{Code, Refusal};
use mgp::kernel_tool::{self, AccessSource, AccessState, Decisions, KernelTool, Operation, Replay};
use mgp::permission::Standing;
use model::{Access, By, GrantScope, PrincipalId, RequestId, Risk, Role, ServerId, Ticket, ToolId};
use policy::{Checks, KERNEL, ToolFacts};
use store::AuditQuery;

use crate::client::Client;
use crate::guard::calls;
use crate::inner::Inner;
use crate::office::{NewGrant, Office, OfficeError};
use crate::sha256::sha256;

/// The id of the server that the gateway's tools belong to.
pub(crate) fn server() -> ServerId {
    ServerId::new(KERNEL).expect("six letters")
}

/// What policy has to know of them.
pub(crate) fn facts() -> Vec<ToolFacts> {
    let facts = |tool: KernelTool| ToolFacts {
        name: tool.name().into(),
        risk: Risk::Safe,
        confirm: false,
        role: if tool.may_call(Role::Agent) { Role::Agent } else { Role::Operator },
        permissions: Vec::new(),
        digest: sha256(tool.name().as_bytes()),
        checks: Arc::new(Checks::default()),
    };
    KernelTool::ALL.into_iter().map(facts).collect()
}

/// What they look like in lists, to a client that negotiated MGP; nothing to others (DESIGN 6).
pub(crate) fn offer(inner: &Inner, peer: &Peer) -> Option<Arc<Offer>> {
    inner.mgp().with_client(peer.capabilities.raw()).agreement?;
    let advertised = Advertised {
        capabilities: Raw::object_empty().edit().set(&["tools"], &Raw::object_empty()).finish(),
        info: inner.own_info.clone(),
        instructions: None,
    };
    let mut offer = Offer::new(server(), false, Revision::LATEST_LEGACY, advertised);
    let underscored = inner.guard.with_security(|security| security.underscored_tools).unwrap_or_default();
    let items = KernelTool::ALL.into_iter().map(|tool| tool.definition(underscored));
    offer.tools.items = items.filter_map(|raw| Item::read(ListKind::Tools, &raw)).collect();
    Some(Arc::new(offer))
}

/// The name by which policy knows a tool of the gateway's, where lists show it to somebody of that role.
pub(crate) fn listed(name: &str, role: Role) -> Option<&'static str> {
    KernelTool::find(name).filter(|tool| tool.is_listed(role)).map(KernelTool::name)
}

/// The tool that a name means, in a gateway that has any.
pub(crate) fn find(inner: &Inner, wire: &str) -> Option<KernelTool> {
    KernelTool::find(wire).filter(|_| !inner.mgp().extensions.is_empty())
}

/// A call of one.
pub(crate) async fn call(client: &Arc<Client>, ticket: Ticket, mut request: Box<Request>, tool: KernelTool) -> Outcome {
    let id = ToolId {
        server: server(),
        name: tool.name().into(),
    };
    let admitted = match calls::admit(client, ticket, &mut request, id).await {
        Ok(admitted) => admitted,
        Err(outcome) => return outcome,
    };
    let outcome = match answer(client, &request, tool).await {
        Ok(structured) => Outcome::own(kernel_tool::result(&structured)),
        Err(refusal) => match refusal.answer(true, client.has_error_handling(&request.peer)) {
            Ok(result) => Outcome::own(result),
            Err(error) => Outcome::refused(error),
        },
    };
    admitted.ended(&outcome).await;
    outcome
}

async fn answer(client: &Arc<Client>, request: &Request, tool: KernelTool) -> Result<Raw, Refusal> {
    let operation = kernel_tool::parse(
        tool,
        &client.principal,
        request.member("arguments"),
        client.inner.guard.calendar.now(),
    )?;
    if let Operation::AccessQuery(query) = &operation {
        return Ok(access(&client.inner, &query.agent, &query.scope));
    }
    let office = Office::open(client.inner.clone(), client.principal.clone(), client.bearer.as_deref()).map_err(|error| refused(&error))?;
    operate(client, &office, operation).await.map_err(|error| refused(&error))
}

fn access(inner: &Inner, agent: &PrincipalId, scope: &GrantScope) -> Raw {
    let (server, tool) = match scope {
        GrantScope::Tool(tool) => (&tool.server, Some(&*tool.name)),
        GrantScope::Server(server) => (server, None),
    };
    let standing = inner.guard.policy().access(agent, server, tool, inner.guard.calendar.now());
    let source = match &standing.grant {
        Some(grant) => AccessSource::Grant(grant),
        None => AccessSource::DefaultPolicy(standing.access),
    };
    AccessState(source).to_raw()
}

async fn operate(client: &Arc<Client>, office: &Office, operation: Operation) -> Result<Raw, OfficeError> {
    match operation {
        Operation::AccessQuery(query) => Ok(access(&client.inner, &query.agent, &query.scope)),
        Operation::AccessGrant(grant) => {
            let new = NewGrant {
                principal: grant.agent,
                scope: grant.scope,
                access: grant.access,
                confirms: false,
                expires: grant.expires,
                justification: grant.justification.as_deref().map(str::to_owned),
            };
            Ok(kernel_tool::granted(&office.grant(new).await?))
        }
        Operation::AccessRevoke(revoke) => match office.revoke(&revoke.agent, &revoke.scope).await {
            Ok(taken) => {
                let denied = taken.iter().find(|grant| grant.access == Access::Deny);
                Ok(kernel_tool::revoked(denied.or(taken.first())))
            }
            Err(OfficeError::Unknown(_)) => Ok(kernel_tool::revoked(None)),
            Err(error) => Err(error),
        },
        Operation::PermissionList(list) => Ok(permissions(&client.inner, list.server.as_ref(), list.standing)),
        Operation::PermissionDecide(decide) => {
            let server = match &decide.about {
                Decisions::Server(server) => server.clone(),
                Decisions::Request(request) => server_of(office, request).await?,
            };
            for (permission, answer) in &decide.grants {
                let expires = decide.expires.filter(|_| *answer == model::PermissionAnswer::Approved);
                office.decide_permission(&server, permission, *answer, expires).await?;
            }
            let by = By {
                principal: client.principal.id.clone(),
                at: client.inner.guard.calendar.now(),
            };
            Ok(kernel_tool::decided(&server, &decide.grants, &by, decide.expires))
        }
        Operation::AuditReplay(replay) => {
            let limit = usize::try_from(replay.limit).unwrap_or(usize::MAX);
            let store = office.store()?;
            let chunk = store.replay(replay.after + 1, limit).await?;
            let newest = AuditQuery {
                limit: 1,
                ..AuditQuery::default()
            };
            let newest = store.query(newest).await?.events.first().map_or(0, |event| event.seq);
            let event = |stored: &store::Stored| {
                let raw = Raw::parse(stored.body.clone(), &jsonrpc::Limits::default()).ok()?;
                Some((stored.seq, raw))
            };
            let replayed = Replay {
                events: chunk.events.iter().filter_map(event).collect(),
                latest: newest,
                oldest: Some(chunk.kept_from),
            };
            Ok(replayed.to_raw(replay.after))
        }
    }
}

fn permissions(inner: &Inner, server: Option<&ServerId>, standing: Option<Standing>) -> Raw {
    let servers = inner.servers();
    let wanted = servers.iter().filter(|known| server.is_none_or(|id| *id == known.spec.id));
    let listed = wanted.map(|known| (known.spec.id.clone(), known.desk.list(inner.guard.calendar.now())));
    let listed: Vec<_> = listed.collect();
    let all = listed.iter().flat_map(|(id, list)| list.iter().map(move |one| (id, one)));
    kernel_tool::permissions(all.filter(|(_, one)| standing.is_none_or(|standing| one.standing == standing)))
}

async fn server_of(office: &Office, request: &RequestId) -> Result<ServerId, OfficeError> {
    let permissions = office.permissions().await?;
    let waiting = permissions
        .waiting
        .iter()
        .find(|waiting| waiting.request == *request)
        .map(|one| &one.server);
    let decided = permissions
        .decided
        .iter()
        .find(|decided| decided.request == *request)
        .map(|one| &one.server);
    let unknown = || OfficeError::Unknown(format!("the request `{request}`: list the permissions to see what there is"));
    waiting.or(decided).cloned().ok_or_else(unknown)
}

fn refused(error: &OfficeError) -> Refusal {
    let code = match error {
        OfficeError::NotOperator => Code::PermissionDenied,
        OfficeError::NoStore | OfficeError::Store(_) => Code::ResourceExhausted,
        OfficeError::Decide(_) | OfficeError::Grant(_) | OfficeError::Unknown(_) | OfficeError::Invalid(_) | OfficeError::Conflict(_) => {
            Code::InvalidToolArgs
        }
    };
    Refusal::new(code, format!("failed to {error}"))
}

//! Carries out calls of the gateway's own tools (MGP §5.4, MGP D10, MGP D14 to MGP D17).

use std::sync::Arc;

use guard::Subject;
use jsonrpc::Raw;
use mgp::error::{Code, Refusal};
use mgp::kernel_tool::{self, AccessSource, AccessState, AuditReplay, Decisions, KernelTool, Operation, Replay};
use mgp::permission::Standing;
use model::{Access, By, GrantScope, PrincipalId, RequestId, ServerId};
use runtime::BoxFuture;
use store::AuditQuery;

use super::operations::{NewGrant, Operations, OperatorError};
use super::room::OperatorRoom;
use crate::calls::OwnTools;

/// The implementation of the gateway's own tools.
pub(crate) struct OperatorTools(pub(crate) Arc<OperatorRoom>);

impl OwnTools for OperatorTools {
    fn call<'a>(&'a self, subject: &'a Subject, tool: KernelTool, arguments: Option<&'a Raw>) -> BoxFuture<'a, Result<Raw, Refusal>> {
        Box::pin(answer(&self.0, subject, tool, arguments))
    }
}

async fn answer(room: &Arc<OperatorRoom>, subject: &Subject, tool: KernelTool, arguments: Option<&Raw>) -> Result<Raw, Refusal> {
    let operation = kernel_tool::parse(tool, &subject.principal, arguments, room.guard.calendar().now())?;
    if let Operation::AccessQuery(query) = &operation {
        return Ok(access(room, &query.agent, &query.scope));
    }
    let operations = Operations::open(room, subject).map_err(|error| refused(&error))?;
    operate(room, &operations, operation).await.map_err(|error| refused(&error))
}

fn access(room: &OperatorRoom, agent: &PrincipalId, scope: &GrantScope) -> Raw {
    let (server, tool) = match scope {
        GrantScope::Tool(tool) => (&tool.server, Some(&*tool.name)),
        GrantScope::Server(server) => (server, None),
    };
    let standing = room.guard.policy().access(agent, server, tool, room.guard.calendar().now());
    let source = match &standing.grant {
        Some(grant) => AccessSource::Grant(grant),
        None => AccessSource::DefaultPolicy(standing.access),
    };
    AccessState(source).to_raw()
}

async fn operate(room: &OperatorRoom, operations: &Operations, operation: Operation) -> Result<Raw, OperatorError> {
    match operation {
        Operation::AccessQuery(query) => Ok(access(room, &query.agent, &query.scope)),
        Operation::AccessGrant(grant) => {
            let new = NewGrant {
                principal: grant.agent,
                scope: grant.scope,
                access: grant.access,
                confirms: false,
                expires: grant.expires,
                justification: grant.justification.as_deref().map(str::to_owned),
            };
            Ok(kernel_tool::granted(&operations.grant(new).await?))
        }
        Operation::AccessRevoke(revoke) => match operations.revoke(&revoke.agent, &revoke.scope).await {
            Ok(taken) => {
                let denied = taken.iter().find(|grant| grant.access == Access::Deny);
                Ok(kernel_tool::revoked(denied.or(taken.first())))
            }
            Err(OperatorError::Unknown(_)) => Ok(kernel_tool::revoked(None)),
            Err(error) => Err(error),
        },
        Operation::PermissionList(list) => Ok(permissions(room, list.server.as_ref(), list.standing)),
        Operation::PermissionDecide(decide) => {
            let server = match &decide.about {
                Decisions::Server(server) => server.clone(),
                Decisions::Request(request) => server_of(operations, request).await?,
            };
            for (permission, answer) in &decide.grants {
                let expires = decide.expires.filter(|_| *answer == model::PermissionAnswer::Approved);
                operations.decide_permission(&server, permission, *answer, expires).await?;
            }
            let by = By {
                principal: operations.operator().id.clone(),
                at: room.guard.calendar().now(),
            };
            Ok(kernel_tool::decided(&server, &decide.grants, &by, decide.expires))
        }
        Operation::AuditReplay(replay) => replayed(operations, &replay).await,
    }
}

async fn replayed(operations: &Operations, replay: &AuditReplay) -> Result<Raw, OperatorError> {
    let limit = usize::try_from(replay.limit).unwrap_or(usize::MAX);
    let store = operations.store()?;
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

fn permissions(room: &OperatorRoom, server: Option<&ServerId>, standing: Option<Standing>) -> Raw {
    let servers = room.upstream.servers();
    let wanted = servers.iter().filter(|known| server.is_none_or(|id| *id == known.spec().id));
    let listed = wanted.map(|known| (known.spec().id.clone(), room.broker.list(&known.spec().id)));
    let listed: Vec<_> = listed.collect();
    let all = listed.iter().flat_map(|(id, list)| list.iter().map(move |one| (id, one)));
    kernel_tool::permissions(all.filter(|(_, one)| standing.is_none_or(|standing| one.standing == standing)))
}

async fn server_of(operations: &Operations, request: &RequestId) -> Result<ServerId, OperatorError> {
    let permissions = operations.permissions().await?;
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
    let unknown = || OperatorError::Unknown(format!("the request `{request}`: list the permissions to see what there is"));
    waiting.or(decided).cloned().ok_or_else(unknown)
}

fn refused(error: &OperatorError) -> Refusal {
    let code = match error {
        OperatorError::NotOperator => Code::PermissionDenied,
        OperatorError::NoStore | OperatorError::Store(_) => Code::ResourceExhausted,
        OperatorError::Decide(_)
        | OperatorError::Grant(_)
        | OperatorError::Unknown(_)
        | OperatorError::Invalid(_)
        | OperatorError::Conflict(_) => Code::InvalidToolArgs,
    };
    Refusal::new(code, format!("failed to {error}"))
}

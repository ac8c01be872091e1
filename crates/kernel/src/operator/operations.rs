//! The operations of one operator: decisions about calls and permissions, grants, tokens, and the audit.
//!
//! Law: only operators get [`Operations`]. A change is stored before it is answered, and in force when it is answered (DESIGN 8, 9).

use std::sync::Arc;

use guard::{AnswerError, Guard, Subject, about_grant, details, event, granted};
use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use mgp::permission::Input;
use model::{
    Access, Approval, By, Digest, Grant, GrantScope, Permission, PermissionAnswer, PermissionDecision, Pin, Principal, PrincipalId,
    RequestId, Role, Secret, ServerId, Timestamp, Token, ToolId, Trace,
};
use policy::{Answer, DecideError, GrantProblem, PermissionState, PinState, Standing};
use runtime::sha256;
use store::{Change, Commit, CommitError, Conflict, PermissionRequest, Store, StoreError};
use tokio::sync::watch;
use upstream::Server;

use super::judged::JudgedTool;
use super::room::OperatorRoom;
use crate::status::ServerStatus;

/// The prefix of a token's text, by which people and scanners recognise it.
pub const TOKEN_PREFIX: &str = "chancery_";

/// The operations of one operator. Everything is done in that operator's name.
#[derive(Clone, Debug)]
pub struct Operations {
    room: Arc<OperatorRoom>,
    operator: Principal,
}

/// The error of an operation. Its text completes the sentence "failed to …".
#[derive(Clone, Debug, thiserror::Error)]
pub enum OperatorError {
    /// The principal is not an operator.
    #[error("do this: only an operator may; use a token of the role `operator`")]
    NotOperator,
    /// The gateway has no store, so that nothing can be kept.
    #[error("keep this: the gateway runs without a store")]
    NoStore,
    /// The request waits no longer, or never did.
    #[error("decide: {0}")]
    Decide(#[from] DecideError),
    /// The grant would have no effect.
    #[error("grant this: {0}")]
    Grant(#[from] GrantProblem),
    /// A named thing does not exist.
    #[error("find {0}")]
    Unknown(String),
    /// The input is invalid.
    #[error("do this: {0}")]
    Invalid(String),
    /// The change contradicts the stored state.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CommitError> for OperatorError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Conflict(conflict) => Self::Conflict(conflict),
            CommitError::Store(error) => Self::Store(error),
        }
    }
}

impl From<AnswerError> for OperatorError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Decide(error) => Self::Decide(error),
            AnswerError::Store(error) => error.into(),
        }
    }
}

/// A call that waits for a person.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The approval: the principal, the tool, and since when it waits.
    pub approval: Approval,
    /// The reason why a person is asked.
    pub because: String,
    /// The arguments, without secrets, and shortened if they are long.
    pub arguments: String,
}

/// A token to create.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Its id, which is not secret. One is generated if there is none.
    pub id: Option<String>,
    /// The principal that will hold it.
    pub principal: PrincipalId,
    /// The role of its holder.
    pub role: Role,
    /// The servers that it is limited to; none for everything that its holder may use.
    pub scopes: Vec<ServerId>,
    /// The time at which it expires.
    pub expires: Option<Timestamp>,
}

/// A grant to make.
#[derive(Clone, Debug)]
pub struct NewGrant {
    /// The principal.
    pub principal: PrincipalId,
    /// The scope: a server or a tool.
    pub scope: GrantScope,
    /// The access: allowed or denied.
    pub access: Access,
    /// Whether it also stands for the confirmation that a dangerous tool needs.
    pub confirms: bool,
    /// The time at which it expires.
    pub expires: Option<Timestamp>,
    /// The justification.
    pub justification: Option<String>,
}

/// The permissions of servers: decisions and requests.
#[derive(Clone, Debug)]
pub struct Permissions {
    /// The last decision about each permission of each server.
    pub decided: Vec<PermissionDecision>,
    /// The requests that wait for a decision, the oldest first.
    pub waiting: Vec<PermissionRequest>,
}

impl Operations {
    /// Returns the operations of a subject.
    pub(crate) fn open(room: &Arc<OperatorRoom>, subject: &Subject) -> Result<Self, OperatorError> {
        match subject.principal.role == Role::Operator && room.guard.may_operate(subject) {
            true => Ok(Self {
                room: room.clone(),
                operator: subject.principal.clone(),
            }),
            false => Err(OperatorError::NotOperator),
        }
    }

    /// Returns the operator.
    #[must_use]
    pub fn operator(&self) -> &Principal {
        &self.operator
    }

    fn guard(&self) -> &Arc<Guard> {
        &self.room.guard
    }

    fn by(&self) -> By {
        By {
            principal: self.operator.id.clone(),
            at: self.guard().calendar().now(),
        }
    }

    fn actor(&self) -> Actor {
        Actor::principal(&self.operator.id, self.operator.role)
    }

    /// Returns the store, for reading the audit.
    ///
    /// # Errors
    /// [`OperatorError::NoStore`].
    pub fn store(&self) -> Result<&Arc<dyn Store>, OperatorError> {
        self.guard().record().store().ok_or(OperatorError::NoStore)
    }

    // === calls that wait

    /// Lists the calls that wait for a person, in the order of asking.
    #[must_use]
    pub fn approvals(&self) -> Vec<Waiting> {
        let waiting = self.guard().waiting().into_iter();
        let shown = waiting.map(|(approval, shown)| {
            let (because, arguments) = shown.map(|shown| (shown.because, shown.arguments)).unwrap_or_default();
            Waiting {
                approval,
                because,
                arguments,
            }
        });
        shown.collect()
    }

    /// Returns a receiver that changes when a call begins to wait, or a person has decided about one.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.guard().decisions()
    }

    /// Decides about a call that waits.
    ///
    /// # Errors
    /// When no call waits under that id, another person was first, or the answer could not be stored.
    pub async fn decide(&self, request: &RequestId, answer: Answer) -> Result<Approval, OperatorError> {
        let approval = self.guard().answer(&self.operator, request, answer).await?;
        Ok(approval)
    }

    // === tokens

    /// Lists every token, by id, including revoked and expired ones.
    ///
    /// # Errors
    /// When the store cannot be read, or there is none.
    pub async fn tokens(&self) -> Result<Vec<Token>, OperatorError> {
        Ok(self.store()?.load().await?.tokens)
    }

    /// Creates a token. Its text is shown only this once.
    ///
    /// # Errors
    /// When its id is taken, its scopes name an unknown server, or it could not be stored.
    pub async fn create_token(&self, new: NewToken) -> Result<(Token, Secret), OperatorError> {
        self.store()?;
        if new.principal.as_str().is_empty() {
            return Err(OperatorError::Invalid("a token needs the name of a principal".to_owned()));
        }
        if new.expires.is_some_and(|at| at.has_come(self.guard().calendar().now())) {
            return Err(OperatorError::Invalid("the token would have expired already".to_owned()));
        }
        for scope in &new.scopes {
            self.known(scope)?;
        }
        let secret = format!("{TOKEN_PREFIX}{}{}", runtime::token(), runtime::token());
        let id = new.id.unwrap_or_else(|| format!("t-{}", &runtime::token()[..8]));
        let token = Token {
            id: id.into(),
            digest: sha256(secret.as_bytes()),
            principal: new.principal,
            role: new.role,
            scopes: new.scopes,
            created: self.by(),
            expires: new.expires,
            revoked: None,
        };
        let event = self.token_event(EventType::TOKEN_CREATED, &token.id, Some(&token.principal));
        let commit = Commit::new(vec![Change::PutToken(token.clone())], vec![event]);
        let kept = token.clone();
        self.changed(commit, move |edit| {
            edit.token(kept);
        })
        .await?;
        Ok((token, Secret::new(secret)))
    }

    /// Revokes a token. Clients that were authenticated with it may do nothing more.
    ///
    /// # Errors
    /// When there is no token with that id, it was revoked before, or the change could not be stored.
    pub async fn revoke_token(&self, id: &str) -> Result<Token, OperatorError> {
        let known = self.tokens().await?.into_iter().find(|token| &*token.id == id);
        let token = known.ok_or_else(|| OperatorError::Conflict(Conflict::TokenUnknown(id.into())))?;
        let by = self.by();
        let event = self.token_event(EventType::TOKEN_REVOKED, &token.id, Some(&token.principal));
        let change = Change::RevokeToken {
            id: token.id.clone(),
            by: by.clone(),
        };
        let revoked = Token {
            revoked: Some(by),
            ..token
        };
        let kept = revoked.clone();
        self.changed(Commit::new(vec![change], vec![event]), move |edit| {
            edit.token(kept);
        })
        .await?;
        self.room.clients.dismiss_unwelcome();
        Ok(revoked)
    }

    fn token_event(&self, kind: EventType, id: &str, principal: Option<&PrincipalId>) -> store::Event {
        let principal = principal.map(PrincipalId::as_str).unwrap_or_default();
        let details = details(&[("token", id), ("principal", principal)]);
        let draft = Draft::new(kind, self.actor(), Target::kernel(), Outcome::Success).details(details);
        event(draft, &Trace::default())
    }

    // === access

    /// Lists every grant that operators made, by principal and scope, without those of the configuration.
    ///
    /// # Errors
    /// When the store cannot be read, or there is none.
    pub async fn grants(&self) -> Result<Vec<Grant>, OperatorError> {
        Ok(self.store()?.load().await?.grants)
    }

    /// Returns whether a principal has access to a server or a tool, and by which grant.
    #[must_use]
    pub fn access(&self, principal: &PrincipalId, server: &ServerId, tool: Option<&str>) -> Standing {
        self.guard().policy().access(principal, server, tool, self.guard().calendar().now())
    }

    /// Makes a grant. It replaces one with the same principal, scope and access.
    ///
    /// # Errors
    /// When it would have no effect, or could not be stored.
    pub async fn grant(&self, new: NewGrant) -> Result<Grant, OperatorError> {
        let grant = Grant {
            principal: new.principal,
            scope: new.scope,
            access: new.access,
            confirms: new.confirms,
            granted: self.by(),
            expires: new.expires,
            justification: new.justification.map(Into::into),
        };
        if grant.principal.as_str().is_empty() {
            return Err(OperatorError::Invalid("a grant needs the name of a principal".to_owned()));
        }
        self.guard().policy().check_grant(&grant, self.guard().calendar().now())?;
        let commit = Commit::new(vec![Change::PutGrant(grant.clone())], vec![granted(&self.operator, &grant)]);
        let kept = grant.clone();
        self.changed(commit, move |edit| {
            edit.grant(kept);
        })
        .await?;
        Ok(grant)
    }

    /// Revokes a principal's grants and denials in one scope, and returns them.
    ///
    /// # Errors
    /// When there were none, or the change could not be stored.
    pub async fn revoke(&self, principal: &PrincipalId, scope: &GrantScope) -> Result<Vec<Grant>, OperatorError> {
        let grants = self.grants().await?;
        let theirs = grants
            .into_iter()
            .filter(|grant| grant.principal == *principal && grant.scope == *scope);
        let theirs: Vec<Grant> = theirs.collect();
        if theirs.is_empty() {
            return Err(OperatorError::Unknown(format!(
                "a grant of `{}` to `{principal}` that was made here: list the grants to see what there is",
                shown(scope)
            )));
        }
        let changes = theirs.iter().map(|grant| Change::RevokeGrant {
            principal: principal.clone(),
            scope: scope.clone(),
            access: grant.access,
        });
        let events = theirs
            .iter()
            .map(|grant| about_grant(&self.operator, EventType::AccessRevoked, grant));
        let commit = Commit::new(changes.collect(), events.collect());
        let (principal, scope) = (principal.clone(), scope.clone());
        self.changed(commit, move |edit| {
            edit.revoke(&principal, &scope);
        })
        .await?;
        Ok(theirs)
    }

    // === permissions of servers

    /// Returns the permissions of servers: decisions and requests.
    ///
    /// # Errors
    /// When the store cannot be read, or there is none.
    pub async fn permissions(&self) -> Result<Permissions, OperatorError> {
        let remembered = self.store()?.load().await?;
        Ok(Permissions {
            decided: remembered.permissions,
            waiting: remembered.requests,
        })
    }

    /// Returns the state of a server's permission.
    #[must_use]
    pub fn permission(&self, server: &ServerId, permission: &Permission) -> PermissionState {
        self.guard().policy().permission(server, permission, self.guard().calendar().now())
    }

    /// Decides about a permission of a server, whether it was asked for or not.
    ///
    /// # Errors
    /// When there is no such server, or it could not be stored.
    pub async fn decide_permission(
        &self,
        server: &ServerId,
        permission: &Permission,
        answer: PermissionAnswer,
        expires: Option<Timestamp>,
    ) -> Result<PermissionDecision, OperatorError> {
        self.known(server)?;
        if expires.is_some_and(|at| at.has_come(self.guard().calendar().now())) {
            return Err(OperatorError::Invalid("the decision would have expired already".to_owned()));
        }
        let waiting = self.permissions().await?.waiting;
        let open = waiting
            .iter()
            .find(|request| request.server == *server && request.permission == *permission);
        let decision = PermissionDecision {
            request: open.map_or_else(|| RequestId::new(&runtime::token()), |open| open.request.clone()),
            server: server.clone(),
            permission: permission.clone(),
            answer,
            decided: self.by(),
            expires,
        };
        let drafts = self.room.broker.events(server, std::slice::from_ref(&decision));
        let events = drafts.into_iter().map(|draft| event(draft, &Trace::default()));
        let change = match open {
            Some(_) => Change::AnswerPermission(decision.clone()),
            None => Change::SetPermission(decision.clone()),
        };
        let kept = decision.clone();
        self.changed(Commit::new(vec![change], events.collect()), move |edit| {
            edit.permission(kept);
        })
        .await?;
        self.room.broker.tell(server.clone(), Input::Decided(vec![decision.clone()]));
        Ok(decision)
    }

    // === servers and tools

    /// Returns the present status of each server.
    #[must_use]
    pub fn servers(&self) -> Vec<ServerStatus> {
        self.room.statuses()
    }

    /// Returns the judgement of every tool of every server, with its reasons.
    #[must_use]
    pub fn tools(&self) -> Vec<JudgedTool> {
        self.room.judged(None)
    }

    /// Approves the present definition of a tool.
    ///
    /// # Errors
    /// When there is no such tool, or it could not be stored.
    pub async fn approve_tool(&self, tool: &ToolId) -> Result<Pin, OperatorError> {
        let (digest, before) = {
            let policy = self.guard().policy();
            let known = policy.pins(&tool.server).find(|(facts, _)| facts.name == tool.name);
            let (facts, state) =
                known.ok_or_else(|| OperatorError::Unknown(format!("the tool `{tool}`: list the tools to see what there is")))?;
            let before: Option<Digest> = match state {
                PinState::Unpinned => None,
                PinState::Same => Some(facts.digest),
                PinState::Changed { approved, .. } => Some(approved.digest),
            };
            (facts.digest, before)
        };
        let pin = Pin {
            tool: tool.clone(),
            digest,
            pinned: self.by(),
        };
        let details = details(&[("definition_sha256", &digest.to_string())]);
        let draft = Draft::new(EventType::TOOL_PINNED, self.actor(), Target::tool(tool), Outcome::Success).details(details);
        let change = Change::PutPin {
            pin: pin.clone(),
            instead_of: before,
        };
        let (kept, event) = (pin.clone(), event(draft, &Trace::default()));
        self.changed(Commit::new(vec![change], vec![event]), move |edit| {
            edit.pin(kept);
        })
        .await?;
        Ok(pin)
    }

    // === inside

    /// Stores a change, puts it in force, and tells clients that lists may have changed.
    async fn changed(&self, commit: Commit, change: impl FnOnce(&mut policy::Edit) + Send + 'static) -> Result<(), OperatorError> {
        self.guard().change(commit, change).await?;
        self.room.all_lists_changed();
        Ok(())
    }

    fn known(&self, server: &ServerId) -> Result<Arc<Server>, OperatorError> {
        let unknown = || OperatorError::Grant(GrantProblem::UnknownServer(server.clone()));
        self.room.upstream.server(server).ok_or_else(unknown)
    }
}

fn shown(scope: &GrantScope) -> String {
    match scope {
        GrantScope::Tool(tool) => tool.to_string(),
        GrantScope::Server(server) => server.to_string(),
    }
}

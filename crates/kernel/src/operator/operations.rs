//! What operators do: decide about calls and permissions, grant and revoke, make tokens, read the audit. The operator API and the command
//! line are two ways to it, and there is no third.
//!
//! Law: who is no operator gets nothing here. What changes is stored before it is answered, and in force when it is answered (DESIGN 8, 9).

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

/// How a token's text begins, so that people and scanners know what they see.
pub const TOKEN_PREFIX: &str = "chancery_";

/// The office of one operator. What it does is done in that operator's name.
#[derive(Clone, Debug)]
pub struct Operations {
    room: Arc<OperatorRoom>,
    operator: Principal,
}

/// Why something was not done. As text it completes the sentence "failed to …".
#[derive(Clone, Debug, thiserror::Error)]
pub enum OperatorError {
    /// Only operators may.
    #[error("do this: only an operator may; use a token of the role `operator`")]
    NotOperator,
    /// The gateway has no store, so that nothing can be kept.
    #[error("keep this: the gateway runs without a store")]
    NoStore,
    /// There is nothing to decide, any more.
    #[error("decide: {0}")]
    Decide(#[from] DecideError),
    /// Nothing could come of the grant.
    #[error("grant this: {0}")]
    Grant(#[from] GrantProblem),
    /// Something that is named is not there.
    #[error("find {0}")]
    Unknown(String),
    /// What is asked for can't be.
    #[error("do this: {0}")]
    Invalid(String),
    /// It contradicts what is remembered.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The store could not.
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
    /// Who wants to call what, and since when.
    pub approval: Approval,
    /// Why a person is asked.
    pub because: String,
    /// The arguments, without secrets and cut where they are long.
    pub arguments: String,
}

/// A token that is to be made.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Its name: not secret. One is made up where there is none.
    pub id: Option<String>,
    /// Who will hold it.
    pub principal: PrincipalId,
    /// What its holder is.
    pub role: Role,
    /// The servers it is for; none for everything that its holder may.
    pub scopes: Vec<ServerId>,
    /// From when on it lets nobody in.
    pub expires: Option<Timestamp>,
}

/// A grant that is to be made.
#[derive(Clone, Debug)]
pub struct NewGrant {
    /// Whom it is about.
    pub principal: PrincipalId,
    /// What it is about.
    pub scope: GrantScope,
    /// What it says.
    pub access: Access,
    /// Whether it also stands for the confirmation that a dangerous tool needs.
    pub confirms: bool,
    /// From when on it no longer holds.
    pub expires: Option<Timestamp>,
    /// Why.
    pub justification: Option<String>,
}

/// What a server was, is and wants to be permitted.
#[derive(Clone, Debug)]
pub struct Permissions {
    /// What was decided, the last decision about each permission of each server.
    pub decided: Vec<PermissionDecision>,
    /// What waits for a decision, the oldest first.
    pub waiting: Vec<PermissionRequest>,
}

impl Operations {
    /// Opens it for a subject.
    pub(crate) fn open(room: &Arc<OperatorRoom>, subject: &Subject) -> Result<Self, OperatorError> {
        match subject.principal.role == Role::Operator && room.guard.may_operate(subject) {
            true => Ok(Self {
                room: room.clone(),
                operator: subject.principal.clone(),
            }),
            false => Err(OperatorError::NotOperator),
        }
    }

    /// Who it is.
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

    /// Where everything is kept: for reading the audit.
    ///
    /// # Errors
    /// [`OperatorError::NoStore`].
    pub fn store(&self) -> Result<&Arc<dyn Store>, OperatorError> {
        self.guard().record().store().ok_or(OperatorError::NoStore)
    }

    // === calls that wait

    /// The calls that wait for a person, in the order of asking.
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

    /// Changes when a call begins to wait, or somebody has decided about one.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.guard().decisions()
    }

    /// Decides about a call that waits.
    ///
    /// # Errors
    /// When nothing waits under that name, somebody was first, or it could not be stored.
    pub async fn decide(&self, request: &RequestId, answer: Answer) -> Result<Approval, OperatorError> {
        let approval = self.guard().answer(&self.operator, request, answer).await?;
        Ok(approval)
    }

    // === tokens

    /// Every token, by id, also those that admit no client any more.
    ///
    /// # Errors
    /// When the store cannot be read, or there is none.
    pub async fn tokens(&self) -> Result<Vec<Token>, OperatorError> {
        Ok(self.store()?.load().await?.tokens)
    }

    /// Makes a token. Its text is shown this once.
    ///
    /// # Errors
    /// When its name is taken or names an unknown server, or it could not be stored.
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

    /// Takes a token back. Who came in with it is let do nothing more.
    ///
    /// # Errors
    /// When there is none of that id, it was revoked before, or it could not be stored.
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
        self.room.clients.dismiss_unwelcome(self.guard());
        Ok(revoked)
    }

    fn token_event(&self, kind: EventType, id: &str, principal: Option<&PrincipalId>) -> store::Event {
        let principal = principal.map(PrincipalId::as_str).unwrap_or_default();
        let details = details(&[("token", id), ("principal", principal)]);
        let draft = Draft::new(kind, self.actor(), Target::kernel(), Outcome::Success).details(details);
        event(draft, &Trace::default())
    }

    // === access

    /// Every grant that was made here, by principal and scope; those of the configuration are not among them.
    ///
    /// # Errors
    /// When the store cannot be read, or there is none.
    pub async fn grants(&self) -> Result<Vec<Grant>, OperatorError> {
        Ok(self.store()?.load().await?.grants)
    }

    /// Whether a principal has access to a server or a tool, and what says so.
    #[must_use]
    pub fn access(&self, principal: &PrincipalId, server: &ServerId, tool: Option<&str>) -> Standing {
        self.guard().policy().access(principal, server, tool, self.guard().calendar().now())
    }

    /// Makes a grant. It takes the place of one with the same principal, scope and access.
    ///
    /// # Errors
    /// When nothing could come of it, or it could not be stored.
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

    /// Takes back what a principal was granted and denied in one scope. What was taken back.
    ///
    /// # Errors
    /// When there was nothing, or it could not be stored.
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
        let configured = self.guard().configured_grants(principal, scope);
        let (principal, scope) = (principal.clone(), scope.clone());
        self.changed(commit, move |edit| {
            edit.revoke(&principal, &scope);
            for grant in configured {
                edit.grant(grant);
            }
        })
        .await?;
        Ok(theirs)
    }

    // === permissions of servers

    /// What servers were permitted, and what they wait for.
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

    /// How it stands with a permission of a server.
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

    /// How each server does, by what is known now.
    #[must_use]
    pub fn servers(&self) -> Vec<ServerStatus> {
        self.room.statuses()
    }

    /// Every tool of every server, how it is judged and why.
    #[must_use]
    pub fn tools(&self) -> Vec<JudgedTool> {
        self.room.judged(None)
    }

    /// Approves a tool as it is now.
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

    /// Stores a change, puts it in force, and tells clients that lists may look different.
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

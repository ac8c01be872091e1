//! The principal of a bearer token: the remembered tokens are asked for its digest.

use model::{Principal, Timestamp};
use policy::{Policy, TokenRefusal};
use runtime::sha256;

use crate::front::Credential;

/// Finds the principal that shows a token. Tokens are random, so how long a look-up by digest takes tells nothing about any of them.
pub(crate) fn authenticate(policy: &Policy, bearer: &str, now: Timestamp) -> Result<Credential, TokenRefusal> {
    let token = policy.authenticate(&sha256(bearer.as_bytes()), now)?;
    Ok(Credential {
        principal: Principal {
            id: token.principal.clone(),
            role: token.role,
        },
        token: Some(token.id.clone()),
    })
}

//! Authenticates bearer tokens: the stored tokens are looked up by digest.

use model::{Principal, Timestamp};
use policy::{Policy, TokenRefusal};
use runtime::sha256;

use crate::front::Credential;

/// Finds the principal of a token. Tokens are random, so the duration of a look-up by digest reveals nothing about any of them.
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

//! Who shows a bearer token: the remembered tokens are asked for its digest.

use aws_lc_rs::digest::{SHA256, digest};
use model::{Digest, Principal};
use policy::{Policy, TokenRefusal};
use store::Clock;

use crate::front::Credential;

/// The digest that stands for a token wherever it is remembered.
#[must_use]
pub(crate) fn digest_of(bearer: &str) -> Digest {
    let digest = digest(&SHA256, bearer.as_bytes());
    Digest(digest.as_ref().try_into().expect("SHA-256 has 32 bytes"))
}

/// Who shows it. Tokens are random, so how long a look-up by digest takes tells nothing about any of them.
pub(crate) fn authenticate(policy: &Policy, bearer: &str) -> Result<Credential, TokenRefusal> {
    let token = policy.authenticate(&digest_of(bearer), Clock::system().now())?;
    Ok(Credential {
        principal: Principal {
            id: token.principal.clone(),
            role: token.role,
        },
        token: Some(token.id.clone()),
    })
}

//! What is done with each request.

mod access;
mod approvals;
mod audit;
mod permissions;
mod stream;
mod tokens;
mod tools;

use kernel::desk::{Answer, Request};
use kernel::office::Office;

use crate::Problem;
use crate::input::Query;
use crate::page::whole;
use crate::routes::{Found, Operation};

/// Carries a request out.
pub(crate) async fn answer(office: &Office, found: &Found, request: &Request) -> Result<Answer, Problem> {
    let query = Query::read(found.route, request.query.as_deref())?;
    match found.route.operation {
        Operation::OpenApi => Ok(whole(200, &crate::document())),
        Operation::ListApprovals => approvals::list(office, found, &query),
        Operation::StreamApprovals => Ok(approvals::stream(office)),
        Operation::DecideApproval => approvals::decide(office, found, request).await,
        Operation::ListPermissions => permissions::list(office, found, &query).await,
        Operation::DecidePermission => permissions::decide(office, request).await,
        Operation::ListGrants => access::list(office, found, &query).await,
        Operation::CheckAccess => access::check(office, &query),
        Operation::PutGrant => access::grant(office, request).await,
        Operation::RevokeGrant => access::revoke(office, &query).await,
        Operation::ListTokens => tokens::list(office, found, &query).await,
        Operation::CreateToken => tokens::create(office, request).await,
        Operation::RevokeToken => tokens::revoke(office, found).await,
        Operation::QueryAudit => audit::query(office, &query).await,
        Operation::StreamAudit => audit::stream(office, &query, request),
        Operation::ListServers => tools::servers(office, found, &query),
        Operation::ListTools => tools::list(office, found, &query),
        Operation::ApproveTool => tools::approve(office, request).await,
    }
}

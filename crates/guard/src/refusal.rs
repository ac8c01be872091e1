//! Turns a policy's reason into an error of MGP (MGP §14, MGP D18).

use jsonrpc::Raw;
use mgp::error::{Code, Refusal};
use policy::Reason;

/// The number of retries of a refused call if the reason does not say.
const RETRIES: u32 = 3;
/// The milliseconds after which to try again if the reason does not say.
const SOON: u64 = 1_000;

/// Turns a reason of policy into the refusal that a client is told.
pub fn refusal(reason: &Reason) -> Refusal {
    let code = reason.code().and_then(|number| Code::of(i64::from(number)));
    let refusal = Refusal::new(code.unwrap_or(Code::PermissionDenied), reason.to_string());
    let refusal = match reason.hint() {
        Some(hint) => refusal.with_hint(hint),
        None => refusal,
    };
    let refusal = match reason {
        Reason::Blocked(blocked) => {
            let found = blocked.violations.iter().map(|violation| {
                let (argument, finding) = (&violation.argument, &violation.finding);
                format!("`{argument}`: {} ({})", finding.reason, finding.rule)
            });
            // A finding in code is reported with its line (§7.4).
            let code = blocked.rejection.as_ref();
            let lines = code.and_then(|code| code.get("violations")?.as_array());
            let lines = lines.map(|lines| lines.iter().filter_map(|line| line.as_str().map(str::to_owned)).collect());
            let violations: Vec<String> = lines.unwrap_or_else(|| found.collect());
            refusal.with_violations(violations, code.and_then(|code| code.get("hints")).map(Raw::of))
        }
        _ => refusal,
    };
    match (reason.request(), reason.retry_after_ms()) {
        (Some(request), _) if reason.is_retryable() => refusal.waiting_for(request),
        (_, Some(wait)) => refusal.retry_after(wait, RETRIES),
        (None, None) if reason.is_retryable() => refusal.retry_after(SOON, RETRIES),
        _ => refusal,
    }
}

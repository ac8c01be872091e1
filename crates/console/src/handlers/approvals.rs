//! The handlers of calls that wait for a person.

use kernel::operator::Operations;
use model::RequestId;

use crate::input::{Input, Nothing};
use crate::page::{Page, page};
use crate::problem::Problem;
use crate::shapes::approvals::{Approval, ApprovalDecision, Approvals, DecidedApproval, Decision, Filter, Path};
use crate::stream::Stream;

fn waiting(operations: &Operations) -> impl Iterator<Item = Approval> {
    operations.approvals().into_iter().map(Approval::from)
}

pub(crate) fn list(operations: &Operations, input: Input<Nothing, Filter>) -> Result<Page<Approval>, Problem> {
    page(
        &input.query,
        waiting(operations).map(|approval| (approval.request_id.clone(), approval)),
    )
}

pub(crate) fn stream(operations: &Operations, _: Input) -> Result<Stream<Approvals>, Problem> {
    let (operations, mut changes) = (operations.clone(), operations.changes());
    Ok(Stream::of(|sender| async move {
        loop {
            changes.mark_unchanged();
            let items = waiting(&operations).collect();
            if sender.send(None, Approvals { items }).await.is_err() || changes.changed().await.is_err() {
                return;
            }
        }
    }))
}

pub(crate) async fn decide(operations: Operations, input: Input<Path, Nothing, ApprovalDecision>) -> Result<DecidedApproval, Problem> {
    let answer = answer(&input.body)?;
    let approval = operations.decide(&RequestId::new(&input.path.request_id), answer).await?;
    Ok(DecidedApproval::from(&approval))
}

fn answer(decision: &ApprovalDecision) -> Result<policy::Answer, Problem> {
    let until = decision.until.map(|until| until.0);
    match (decision.decision, decision.always) {
        (Decision::Approve, true) => Ok(policy::Answer::Always { until }),
        (Decision::Approve, false) if until.is_none() => Ok(policy::Answer::Approve),
        (Decision::Approve, false) => Err(Problem::invalid("`until` says how long `always` holds; give both, or neither")),
        (Decision::Deny, false) if until.is_none() => Ok(policy::Answer::Deny),
        (Decision::Deny, _) => Err(Problem::invalid(
            "a denial is of this one call; to deny all of them, put a grant with `access` `deny`",
        )),
    }
}

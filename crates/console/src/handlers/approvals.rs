//! Calls that wait for a person.

use kernel::office::Office;
use model::RequestId;

use crate::input::{Input, Nothing};
use crate::page::{Page, page};
use crate::problem::Problem;
use crate::shapes::approvals::{Approval, ApprovalDecision, Approvals, DecidedApproval, Decision, Filter, Path};
use crate::stream::Stream;

fn waiting(office: &Office) -> impl Iterator<Item = Approval> {
    office.approvals().into_iter().map(Approval::from)
}

pub(crate) fn list(office: &Office, input: Input<Nothing, Filter>) -> Result<Page<Approval>, Problem> {
    page(
        &input.query,
        waiting(office).map(|approval| (approval.request_id.clone(), approval)),
    )
}

pub(crate) fn stream(office: &Office, _: Input) -> Result<Stream<Approvals>, Problem> {
    let (office, mut changes) = (office.clone(), office.changes());
    Ok(Stream::of(|sender| async move {
        loop {
            changes.mark_unchanged();
            let items = waiting(&office).collect();
            if sender.send(None, Approvals { items }).await.is_err() || changes.changed().await.is_err() {
                return;
            }
        }
    }))
}

pub(crate) async fn decide(office: Office, input: Input<Path, Nothing, ApprovalDecision>) -> Result<DecidedApproval, Problem> {
    let answer = answer(&input.body)?;
    let approval = office.decide(&RequestId::new(&input.path.request_id), answer).await?;
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

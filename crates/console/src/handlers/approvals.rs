//! Calls that wait for a person.

use kernel::desk::{Answer, Request};
use kernel::office::Office;
use model::RequestId;
use serde_json::{Value, json};

use super::stream;
use crate::Problem;
use crate::input::{Body, Query};
use crate::page::{page, whole};
use crate::routes::Found;
use crate::show;

pub(super) fn list(office: &Office, found: &Found, query: &Query) -> Result<Answer, Problem> {
    let waiting = office.approvals();
    let entries = waiting
        .iter()
        .map(|waiting| (waiting.approval.request.as_str().to_owned(), show::waiting(waiting)));
    page(found.route, query, entries.collect::<Vec<_>>())
}

pub(super) fn stream(office: &Office) -> Answer {
    let (office, mut changes) = (office.clone(), office.changes());
    stream::of(|sender| async move {
        loop {
            changes.mark_unchanged();
            let waiting: Vec<Value> = office.approvals().iter().map(show::waiting).collect();
            let sent = sender.send(stream::event(None, &json!({ "items": waiting }))).await;
            if sent.is_err() || changes.changed().await.is_err() {
                return;
            }
        }
    })
}

pub(super) async fn decide(office: &Office, found: &Found, request: &Request) -> Result<Answer, Problem> {
    let body = Body::read(request, &["decision", "always", "until"])?;
    let (always, until) = (body.flag("always")?, body.instant("until")?);
    let answer = match (body.required("decision")?, always) {
        ("approve", true) => policy::Answer::Always { until },
        ("approve", false) if until.is_none() => policy::Answer::Approve,
        ("approve", false) => return Err(Problem::invalid("`until` says how long `always` holds; give both, or neither")),
        ("deny", false) if until.is_none() => policy::Answer::Deny,
        ("deny", _) => {
            return Err(Problem::invalid(
                "a denial is of this one call; to deny all of them, put a grant with `access` `deny`",
            ));
        }
        (other, _) => {
            return Err(Problem::invalid(format!(
                "`decision` can't be `{other}`: it is `approve` or `deny`"
            )));
        }
    };
    let approval = office.decide(&RequestId::new(&found.segment), answer).await?;
    Ok(whole(200, &show::decided(&approval)))
}

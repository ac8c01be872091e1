//! Tests that memory and the number of steps stay within bounds for any input.

use std::time::{Duration, Instant};

use model::{PrincipalId, RequestId, ServerId, Timestamp, ToolId};
use policy::{Answer, Approvals, Bounds, Call, Limits, Policy, Rate, Rates, Reason};

use crate::stage::digest;

fn call(principal: usize, argument: usize) -> Call {
    Call {
        principal: PrincipalId::new(&format!("p{principal}")),
        tool: ToolId {
            server: ServerId::new("fs").expect("an id"),
            name: "rm".into(),
        },
        arguments: digest(&argument.to_string()),
    }
}

#[test]
fn a_thousand_approvals_wait_and_not_one_more() {
    let (policy, bounds) = (Policy::allow_all(), Bounds::default());
    let mut approvals = Approvals::new(bounds);
    let mut ask = |principal, argument| {
        let id = RequestId::new(&format!("{principal}-{argument}"));
        approvals.ask(Timestamp(0), &policy, id, call(principal, argument), 1000).map(drop)
    };
    for argument in 0..100 {
        ask(0, argument).expect("room for a hundred");
    }
    assert_eq!(ask(0, 100), Err(Reason::ApprovalsFull { own: true, most: 100 }));
    for principal in 1..10 {
        (0..100)
            .try_for_each(|argument| ask(principal, argument))
            .expect("room for a thousand");
    }
    assert_eq!(ask(10, 0), Err(Reason::ApprovalsFull { own: false, most: 1000 }));
    assert_eq!(ask(0, 0), Ok(()), "what waits already needs no room");
    assert_eq!(approvals.waiting().len(), 1000);
    assert_eq!(approvals.next_expiry(), Some(Timestamp(1000)));
    assert_eq!(approvals.over(Timestamp(1000)).len(), 1000);
    assert_eq!((approvals.waiting().len(), approvals.next_expiry()), (0, None));
}

#[test]
fn what_is_decided_is_not_remembered_without_end() {
    let (policy, root) = (Policy::allow_all(), PrincipalId::new("root"));
    let mut approvals = Approvals::new(Bounds {
        decided: 50,
        ..Bounds::default()
    });
    let mut over = 0;
    for round in 0..2000 {
        let id = RequestId::new(&format!("r-{round}"));
        approvals
            .ask(Timestamp(0), &policy, id.clone(), call(0, round), 1_000_000)
            .expect("room");
        let answer = if round % 2 == 0 { Answer::Approve } else { Answer::Deny };
        approvals.decide(Timestamp(1), &id, answer, root.clone()).expect("it waits");
        over += approvals.over(Timestamp(1)).len();
    }
    let remembered = (0..2000)
        .filter(|round| approvals.get(&RequestId::new(&format!("r-{round}"))).is_some())
        .count();
    assert_eq!(remembered, 50);
    assert_eq!(over, 1000 - 25, "consents that were crowded out are over; refusals are forgotten");
}

#[test]
fn limits_count_a_bounded_number_of_keys_and_forget_only_what_is_idle() {
    let rate = Rate {
        calls: 1,
        per: Duration::from_secs(1),
    };
    let mut limits = Limits::new(Rates {
        principal: Some(rate),
        ..Rates::default()
    });
    let start = Instant::now();
    let principal = |number: u32| PrincipalId::new(&format!("p{number}"));
    for number in 0..16_384 {
        limits.arrives(start, &principal(number)).expect("room");
    }
    let full = limits.arrives(start, &principal(99_999)).expect_err("no room");
    assert_eq!((full.code(), full.retry_after_ms()), (Some(policy::code::RATE_LIMITED), Some(1000)));
    // A counted principal stays so; another one waits until a counted one is idle.
    limits.arrives(start, &principal(5)).expect_err("one a second");
    let later = start + Duration::from_secs(1);
    limits.arrives(later, &principal(99_999)).expect("all are idle by now");
    limits.arrives(later, &principal(5)).expect("a second later");
    limits.arrives(later, &principal(99_999)).expect_err("it is counted");
}

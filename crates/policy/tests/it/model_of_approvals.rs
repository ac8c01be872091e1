//! Tests the machine of approvals against a naive model: a list of all approvals, searched from end to end.

use model::{ApprovalState, PrincipalId, RequestId, ServerId, Timestamp, ToolId};
use policy::{Answer, Approvals, Bounds, Call, DecideError, NotConfirmed, Policy, Reason, Revision, Tables};
use proptest::prelude::*;

use crate::parse::{self, Words};
use crate::stage::digest;

const BOUNDS: Bounds = Bounds {
    pending: 5,
    pending_each: 3,
    // This bound is never reached here; displaced approvals have a test of their own.
    decided: 1000,
};
const LASTS: i64 = 20;

#[derive(Clone, Debug)]
enum Step {
    Ask(usize),
    /// The number of the request, the person, and whether to approve.
    Decide(usize, bool, bool),
    Redeem(usize),
    Pass(i64),
    /// The policy about a principal's calls changes, or about a principal without calls.
    Change(usize),
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_usize..12).prop_map(Step::Ask),
        4 => (0_usize..60, any::<bool>(), any::<bool>()).prop_map(|(at, first, yes)| Step::Decide(at, first, yes)),
        4 => (0_usize..12).prop_map(Step::Redeem),
        // Clocks may also jump back.
        1 => (-5_i64..15).prop_map(Step::Pass),
        1 => (0_usize..3).prop_map(Step::Change),
    ]
}

fn call(at: usize) -> Call {
    Call {
        principal: PrincipalId::new(["alice", "bob"][at % 2]),
        tool: ToolId {
            server: ServerId::new("fs").expect("an id"),
            name: ["rm", "mv"][at / 2 % 2].into(),
        },
        arguments: digest(&(at / 4).to_string()),
    }
}

/// An approval of the model.
struct Noted {
    id: RequestId,
    call: Call,
    expires: i64,
    /// The version of the policy about its principal.
    era: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Pending,
    Approved,
    Denied,
    Used,
    Gone,
}

#[derive(Default)]
struct Naive {
    list: Vec<Noted>,
    now: i64,
    /// The number of changes of the policy about alice and bob.
    eras: [usize; 2],
    over: usize,
}

fn who(call: &Call) -> usize {
    usize::from(call.principal.as_str() == "bob")
}

impl Naive {
    fn pass(&mut self, to: i64) {
        self.now = self.now.max(to);
        for one in self
            .list
            .iter_mut()
            .filter(|one| one.state != State::Gone && one.expires <= self.now)
        {
            self.over += usize::from(matches!(one.state, State::Pending | State::Approved));
            one.state = State::Gone;
        }
    }

    /// Returns the approval that holds for a call.
    fn live(&mut self, call: &Call) -> Option<&mut Noted> {
        let eras = self.eras;
        let speaks = |one: &&mut Noted| one.call == *call && matches!(one.state, State::Pending | State::Approved | State::Denied);
        let found = self.list.iter_mut().find(speaks)?;
        if found.era != eras[who(call)] {
            found.state = State::Gone;
            self.over += 1;
            return None;
        }
        Some(found)
    }

    fn waiting(&self, principal: Option<usize>) -> usize {
        let waits = |one: &&Noted| one.state == State::Pending && principal.is_none_or(|principal| who(&one.call) == principal);
        self.list.iter().filter(waits).count()
    }
}

fn state(state: &ApprovalState) -> State {
    match state {
        ApprovalState::Pending => State::Pending,
        ApprovalState::Approved(_) => State::Approved,
        ApprovalState::Denied(_) => State::Denied,
        ApprovalState::Used(_) => State::Used,
    }
}

fn run(steps: Vec<Step>) {
    let (mut naive, mut clock, mut asked) = (Naive::default(), 0_i64, 0_usize);
    let mut approvals = Approvals::new(BOUNDS);
    // Both begin at one instant, because the clock may jump back at once.
    assert!(approvals.over(Timestamp(0)).is_empty());
    let mut policy = Policy::begin(Tables::default(), Revision(0)).finish();
    let mut over = 0;
    for step in steps {
        let now = Timestamp(clock);
        match step {
            Step::Pass(by) => clock += by,
            Step::Change(at) => {
                let line = format!("grant {} fs", ["alice", "bob", "carol"][at]);
                let mut edit = policy.edit();
                edit.grant(parse::grant(&Words::of(&line)));
                policy = edit.finish();
                if let Some(era) = naive.eras.get_mut(at) {
                    *era += 1;
                }
            }
            Step::Ask(at) => {
                naive.pass(clock);
                let call = call(at);
                let id = RequestId::new(&format!("r{asked}"));
                let got = approvals.ask(now, &policy, id.clone(), call.clone(), LASTS);
                if let Some(live) = naive.live(&call) {
                    let got = got.expect("it is there already");
                    assert_eq!(
                        (got.is_new, got.approval.request, state(&got.approval.state)),
                        (false, live.id.clone(), live.state)
                    );
                } else if naive.waiting(Some(who(&call))) >= BOUNDS.pending_each {
                    assert!(matches!(got, Err(Reason::ApprovalsFull { own: true, .. })));
                } else if naive.waiting(None) >= BOUNDS.pending {
                    assert!(matches!(got, Err(Reason::ApprovalsFull { own: false, .. })));
                } else {
                    let got = got.expect("there is room");
                    assert!(got.is_new && got.approval.request == id);
                    let (era, expires) = (naive.eras[who(&call)], naive.now + LASTS);
                    let state = State::Pending;
                    naive.list.push(Noted {
                        id,
                        call,
                        expires,
                        era,
                        state,
                    });
                    asked += 1;
                }
            }
            Step::Decide(at, first, yes) => {
                let id = RequestId::new(&format!("r{at}"));
                let before = naive.list.iter().find(|one| one.id == id).map(|one| one.state);
                naive.pass(clock);
                let by = PrincipalId::new(if first { "root" } else { "toor" });
                let answer = if yes { Answer::Approve } else { Answer::Deny };
                let got = approvals.decide(now, &id, answer, by);
                let noted = naive.list.iter_mut().find(|one| one.id == id);
                match (before, noted) {
                    (Some(State::Pending), Some(one)) if one.state == State::Pending => {
                        one.state = if yes { State::Approved } else { State::Denied };
                        assert_eq!(state(&got.expect("it waits").approval.state), one.state);
                    }
                    (Some(State::Pending), _) => assert_eq!(got, Err(DecideError::Expired(id))),
                    (None | Some(State::Gone), _) => assert_eq!(got, Err(DecideError::Unknown(id))),
                    (Some(before), _) => match got {
                        Err(DecideError::Already(_, already)) => assert_eq!(state(&already), before),
                        got => panic!("{before:?} was decided again: {got:?}"),
                    },
                }
            }
            Step::Redeem(at) => {
                naive.pass(clock);
                let call = call(at);
                let got = approvals.redeem(now, &policy, &call);
                match naive.live(&call) {
                    None => assert_eq!(got, Err(NotConfirmed::Nothing)),
                    Some(one) => match (one.state, got) {
                        (State::Pending, Err(NotConfirmed::Pending(id))) | (State::Denied, Err(NotConfirmed::Denied(id, _))) => {
                            assert_eq!(id, one.id)
                        }
                        (State::Approved, Ok((confirmed, record))) => {
                            assert_eq!((confirmed.call(), confirmed.request()), (&call, &one.id));
                            assert_eq!(state(&record.state), State::Used);
                            one.state = State::Used;
                        }
                        (state, got) => panic!("{state:?} gave {got:?}"),
                    },
                }
            }
        }
        naive.pass(clock);
        over += approvals.over(Timestamp(clock)).len();
        assert_eq!(over, naive.over);
        let waiting: Vec<&RequestId> = approvals.waiting().into_iter().map(|one| &one.request).collect();
        assert_eq!(waiting.len(), naive.waiting(None));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_the_order_each_consent_is_given_once_and_used_once(steps in prop::collection::vec(steps(), 0..120)) {
        run(steps);
    }
}

#[test]
fn a_step_that_could_not_be_stored_is_taken_back() {
    let policy = Policy::allow_all();
    let mut approvals = Approvals::new(BOUNDS);
    let (id, root, now) = (RequestId::new("r"), PrincipalId::new("root"), Timestamp(0));
    let asked = approvals.ask(now, &policy, id.clone(), call(0), 9).expect("room");
    let decided = approvals.decide(now, &id, Answer::Deny, root.clone()).expect("it waits");
    assert_eq!(decided.before, asked.approval);
    approvals.undo(decided.before);
    assert_eq!(approvals.redeem(now, &policy, &call(0)), Err(NotConfirmed::Pending(id.clone())));
    let decided = approvals.decide(now, &id, Answer::Approve, root).expect("it waits again");
    let (_, used) = approvals.redeem(now, &policy, &call(0)).expect("approved");
    assert!(matches!(used.state, ApprovalState::Used(_)));
    approvals.undo(decided.approval);
    assert!(
        approvals.redeem(now, &policy, &call(0)).is_ok(),
        "the use was not stored: it can be used"
    );
    assert!(approvals.withdraw(&id).is_some() && approvals.get(&id).is_none());
    approvals.undo(used);
    assert!(approvals.get(&id).is_none(), "what is over stays over");
}

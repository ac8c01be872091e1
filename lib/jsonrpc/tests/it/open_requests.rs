//! Tests of the tables of open requests in both directions.

use std::time::{Duration, Instant};

use jsonrpc::{Full, Id, InFlight, Pending, Refused};

#[test]
fn pending_requests_are_settled_once() {
    let mut pending = Pending::new(2);
    assert_eq!((pending.next_id(), pending.is_empty()), (1, true));
    assert_eq!(pending.insert(None, "a"), Ok(1));
    assert_eq!(pending.insert(None, "b"), Ok(2));
    assert_eq!(pending.insert(None, "c"), Err(Full("c")), "no room; the value comes back");
    assert_eq!((pending.len(), pending.next_id()), (2, 3), "a refused request uses no id");
    assert_eq!(pending.get(1), Some(&"a"));
    *pending.get_mut(2).expect("waits") = "B";
    assert_eq!((pending.take(2), pending.take(2), pending.take(9)), (Some("B"), None, None));
    assert_eq!(pending.insert(None, "d"), Ok(3), "an id is never given twice");
    assert_eq!(pending.iter().collect::<Vec<_>>(), [(1, &"a"), (3, &"d")]);
    assert_eq!(pending.drain().collect::<Vec<_>>(), [(1, "a"), (3, "d")]);
    assert_eq!((pending.len(), pending.insert(None, "e")), (0, Ok(4)));
}

#[test]
fn deadlines_come_in_their_order() {
    let start = Instant::now();
    let at = |seconds| start + Duration::from_secs(seconds);
    let mut pending = Pending::new(10);
    for (deadline, value) in [(Some(30), "c"), (Some(10), "a"), (None, "never"), (Some(20), "b"), (Some(20), "b2")] {
        pending.insert(deadline.map(at), value).expect("there is room");
    }
    assert_eq!(pending.next_deadline(), Some(at(10)));
    assert_eq!(pending.expired(at(9)), []);
    assert_eq!(
        pending.expired(at(20)),
        [(2, "a"), (4, "b"), (5, "b2")],
        "a deadline is over when it is reached"
    );
    assert_eq!(pending.expired(at(20)), []);
    assert_eq!(pending.next_deadline(), Some(at(30)));
    assert!(pending.set_deadline(1, Some(at(60))) && pending.set_deadline(3, Some(at(50))));
    assert!(!pending.set_deadline(2, Some(at(70))), "it is gone");
    assert_eq!(pending.next_deadline(), Some(at(50)));
    assert!(pending.set_deadline(3, None));
    assert_eq!(
        (pending.take(1), pending.next_deadline()),
        (Some("c"), None),
        "a settled request has no deadline"
    );
    assert_eq!((pending.expired(at(1000)), pending.len()), (vec![], 1));
    pending.set_deadline(3, Some(at(1)));
    assert_eq!((pending.drain().count(), pending.next_deadline()), (1, None));
}

#[test]
fn an_id_in_flight_is_not_taken_twice() {
    let mut in_flight = InFlight::new(2);
    let (a, b, c) = (Id::string("a"), Id::number(1), Id::string("1"));
    assert_eq!(in_flight.insert(a.clone(), 1), Ok(()));
    assert_eq!(in_flight.insert(a.clone(), 2), Err(Refused::Duplicate));
    assert_eq!(in_flight.insert(b.clone(), 3), Ok(()));
    assert_eq!(
        in_flight.insert(b.clone(), 4),
        Err(Refused::Duplicate),
        "counts before there being no room"
    );
    assert_eq!(in_flight.insert(c.clone(), 5), Err(Refused::Full));
    assert_eq!((in_flight.get(&a), in_flight.len()), (Some(&1), 2), "the first one stays");
    assert_eq!((in_flight.take(&a), in_flight.take(&a)), (Some(1), None));
    assert_eq!(in_flight.insert(a.clone(), 6), Ok(()), "an answered id may come again");
    *in_flight.get_mut(&a).expect("open") += 1;
    let mut open: Vec<_> = in_flight.iter().map(|(id, value)| (id.raw().text().to_owned(), *value)).collect();
    open.sort();
    assert_eq!(open, [("\"a\"".to_owned(), 7), ("1".to_owned(), 3)]);
    assert_eq!((in_flight.drain().count(), in_flight.is_empty()), (2, true));
}

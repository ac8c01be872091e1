//! Tests rate limits against a naive model: a bucket that fills evenly.

use std::time::{Duration, Instant};

use model::PrincipalId;
use policy::{Limits, Rate, Rates};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_limit_is_a_bucket_that_fills_evenly(
        calls in 1_u32..8,
        each in 1_u64..50,
        pauses in prop::collection::vec(0_u64..120, 0..80),
    ) {
        let rate = Rate { calls, per: Duration::from_millis(each * u64::from(calls)) };
        let mut limits = Limits::new(Rates { principal: Some(rate), ..Rates::default() });
        let (alice, start) = (PrincipalId::new("alice"), Instant::now());
        // The content of the bucket, in milliseconds of filling.
        let most = each * u64::from(calls);
        let (mut bucket, mut now) = (most, 0);
        for pause in pauses {
            now += pause;
            bucket = (bucket + pause).min(most);
            let got = limits.arrives(start + Duration::from_millis(now), &alice);
            if bucket >= each {
                bucket -= each;
                prop_assert!(got.is_ok());
            } else {
                let reason = got.expect_err("the bucket is empty");
                prop_assert_eq!(reason.retry_after_ms(), Some(each - bucket));
            }
        }
    }
}

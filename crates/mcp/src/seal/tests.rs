//! The content of the seal, with a sealer that does not encrypt.

use jsonrpc::Limits;
use proptest::prelude::*;

use super::*;

/// A sealer that writes hexadecimal, so that the result is a text.
struct Glass;

impl Sealer for Glass {
    fn seal(&self, plain: &[u8]) -> String {
        use std::fmt::Write as _;
        plain.iter().fold(String::new(), |mut out, byte| {
            write!(out, "{byte:02x}").expect("a string takes all");
            out
        })
    }

    fn open(&self, sealed: &str) -> Option<Vec<u8>> {
        let digits: Vec<u8> = sealed.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
        Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
    }
}

fn call(then: Continuation) -> SealedCall {
    let server = ServerId::new("files").expect("an id");
    SealedCall {
        server,
        principal: PrincipalId::new("alice"),
        expires: 1000,
        digest: vec![1; 32],
        then,
    }
}

#[test]
fn what_is_encoded_comes_back() {
    let all = [
        Continuation::Parked { call: u64::MAX },
        Continuation::Upstream { state: None },
        Continuation::Upstream {
            state: Some(String::new()),
        },
        Continuation::Upstream {
            state: Some("ü".repeat(2000)),
        },
        Continuation::Again,
    ];
    for then in all {
        let call = call(then);
        let plain = call.encode().expect("it fits");
        assert_eq!(SealedCall::decode(&plain).as_ref(), Some(&call));
        assert_eq!(SealedTask::decode(&plain), None);
        for cut in 0..plain.len() {
            assert_eq!(SealedCall::decode(&plain[..cut]), None, "cut at {cut}");
        }
        assert_eq!(SealedCall::decode(&[&plain[..], b"x"].concat()), None);
    }
    let task = SealedTask {
        server: ServerId::new("s").expect("an id"),
        principal: PrincipalId::new("p"),
        task: "t".to_owned(),
    };
    assert_eq!(SealedTask::decode(&task.encode().expect("it fits")), Some(task));
}

#[test]
fn what_is_too_large_is_not_sealed() {
    for length in [MAX_PLAIN, 65_536, 70_000] {
        let call = call(Continuation::Upstream {
            state: Some("x".repeat(length)),
        });
        assert_eq!(call.encode(), Err(SealError::TooLarge), "{length}");
    }
    // A nonce of 12, a tag of 16, a key's name of 4, in Base64.
    assert!((MAX_PLAIN + 32).div_ceil(3) * 4 <= MAX_SEALED);
}

#[test]
fn a_state_holds_for_its_principal_its_request_and_its_time() {
    let call = call(Continuation::Again);
    let (alice, mallory) = (PrincipalId::new("alice"), PrincipalId::new("mallory"));
    assert_eq!(call.check(&alice, 999, &[1; 32]), Ok(()));
    assert_eq!(call.check(&mallory, 999, &[1; 32]), Err(SealError::OtherPrincipal));
    assert_eq!(call.check(&alice, 999, &[2; 32]), Err(SealError::OtherRequest));
    assert_eq!(call.check(&alice, 1000, &[1; 32]), Err(SealError::Expired));

    let sealed = Glass.seal(&call.encode().expect("it fits"));
    assert_eq!(SealedCall::open(&Glass, &sealed, &alice, 0, &[1; 32]), Ok(call));
    for foreign in ["", "zz", "00", &sealed[2..], &"0".repeat(MAX_SEALED + 1)] {
        assert_eq!(SealedCall::open(&Glass, foreign, &alice, 0, &[1; 32]), Err(SealError::Foreign));
    }
    let task = SealedTask {
        server: ServerId::new("s").expect("an id"),
        principal: alice.clone(),
        task: "t".to_owned(),
    };
    let sealed = Glass.seal(&task.encode().expect("it fits"));
    assert_eq!(SealedTask::open(&Glass, &sealed, &mallory), Err(SealError::OtherPrincipal));
    assert_eq!(SealedTask::open(&Glass, &sealed, &alice), Ok(task));
}

#[test]
fn digests_cover_what_is_asked_and_nothing_else() {
    let input = |json: &str| {
        request_digest_input(
            "tools/call",
            Some(&Raw::parse(json.as_bytes().to_vec(), &Limits::default()).expect("JSON")),
        )
    };
    let first = input(r#"{"name":"t","arguments":{"a":1,"b":"x"},"_meta":{"progressToken":1}}"#);
    let same = [
        r#"{"arguments":{"b":"\u0078", "a":1},"name":"t"}"#,
        r#"{"name":"t","arguments":{"a":1,"b":"x"},"inputResponses":{"k":{}},"requestState":"s","_meta":{"x":2}}"#,
    ];
    for json in same {
        assert_eq!(input(json), first, "{json}");
    }
    let other = [
        r#"{"name":"u","arguments":{"a":1,"b":"x"}}"#,
        r#"{"uri":"t","arguments":{"a":1,"b":"x"}}"#,
        r#"{"name":"t","arguments":{"a":1.0,"b":"x"}}"#,
        r#"{"name":"t"}"#,
    ];
    for json in other {
        assert_ne!(input(json), first, "{json}");
    }
    assert_ne!(request_digest_input("tools/call", None), request_digest_input("prompts/get", None));
}

proptest! {
    #[test]
    fn no_bytes_make_it_stumble(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for kind in [CALL, TASK] {
            let plain = [&[kind][..], &bytes].concat();
            if let Some(call) = SealedCall::decode(&plain) {
                prop_assert_eq!(call.encode().expect("it was short"), plain.clone());
            }
            if let Some(task) = SealedTask::decode(&plain) {
                prop_assert_eq!(task.encode().expect("it was short"), plain);
            }
        }
    }
}

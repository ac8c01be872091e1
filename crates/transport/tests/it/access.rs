//! Which requests a listener admits.

use std::net::{Ipv4Addr, SocketAddr};

use kernel::front::{Credential, TokenRefusal};
use model::{Principal, PrincipalId, Role, Secret};
use transport::http::{Anonymous, ListenError, ListenOptions, Listener, Token};

use crate::front::{Gateway, Seen};
use crate::raw::{ask, post};

#[tokio::test]
async fn names_and_origins_of_others_are_refused() {
    let gateway = Gateway::ok(ListenOptions {
        hosts: vec!["gate.example".to_owned()],
        origins: vec!["https://app.example".to_owned()],
        ..ListenOptions::default()
    })
    .await;
    for (headers, status) in [
        ("Host: localhost\r\n", 200),
        ("Host: LOCALHOST:1234\r\n", 200),
        ("Host: 127.0.0.1:80\r\n", 200),
        ("Host: [::1]:80\r\n", 200),
        ("Host: gate.example\r\n", 200),
        ("Host: gate.example:444\r\n", 200),
        ("Host: evil.example\r\n", 403),
        ("Host: localhost.evil.example\r\n", 403),
        ("Host: 127.0.0.1.evil.example\r\n", 403),
        ("Host: 127.0.0.1@evil.example\r\n", 403),
        ("Host: \r\n", 403),
        ("Host: localhost\r\nHost: evil.example\r\n", 400),
        ("Host: localhost\r\nOrigin: http://localhost:3000\r\n", 200),
        ("Host: localhost\r\nOrigin: http://127.0.0.1\r\n", 200),
        ("Host: localhost\r\nOrigin: http://[::1]:5\r\n", 200),
        ("Host: localhost\r\nOrigin: https://app.example\r\n", 200),
        ("Host: localhost\r\nOrigin: http://app.example\r\n", 403),
        ("Host: localhost\r\nOrigin: https://app.example.evil.example\r\n", 403),
        ("Host: localhost\r\nOrigin: http://localhost.evil.example\r\n", 403),
        ("Host: localhost\r\nOrigin: http://evil.example\r\n", 403),
        ("Host: localhost\r\nOrigin: null\r\n", 403),
        ("Host: localhost\r\nOrigin: \r\n", 403),
        (
            "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n",
            400,
        ),
        ("Host: evil.example\r\nOrigin: http://evil.example\r\n", 403),
    ] {
        let response = ask(gateway.address, post(headers, "{}")).await;
        assert_eq!(response.status, status, "{headers:?}: {response:?}");
        if status == 403 {
            assert!(
                response.body.starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":""#),
                "{response:?}"
            );
        }
    }
}

#[tokio::test]
async fn without_configured_origins_there_is_no_cors() {
    let gateway = Gateway::ok(ListenOptions::default()).await;
    let response = ask(gateway.address, post("Origin: http://localhost:5\r\n", "{}")).await;
    assert_eq!((response.status, response.header("access-control-allow-origin")), (200, None));
    let preflight = "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:5\r\nAccess-Control-Request-Method: POST\r\n\r\n";
    let response = ask(gateway.address, preflight).await;
    assert_eq!((response.status, response.header("allow")), (405, Some("post, get, delete")));
}

#[tokio::test]
async fn a_configured_origin_may_preflight_and_read() {
    let gateway = Gateway::ok(ListenOptions {
        origins: vec!["https://app.example/".to_owned()],
        tokens: vec![token("secret", "alice")],
        ..ListenOptions::default()
    })
    .await;
    let preflight = "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n\
        Access-Control-Request-Headers: authorization, content-type, mcp-param-region\r\n\r\n";
    let response = ask(gateway.address, preflight).await;
    assert_eq!(response.status, 204);
    assert_eq!(response.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(
        response.header("access-control-allow-headers"),
        Some("authorization, content-type, mcp-param-region")
    );
    let response = ask(
        gateway.address,
        post("Origin: https://app.example\r\nAuthorization: Bearer secret\r\n", "{}"),
    )
    .await;
    assert_eq!(
        (response.status, response.header("access-control-allow-origin")),
        (200, Some("https://app.example"))
    );
    assert!(
        response
            .header("access-control-expose-headers")
            .is_some_and(|list| list.contains("mcp-session-id"))
    );
    // A page may see why it is refused.
    let response = ask(gateway.address, post("Origin: https://app.example\r\n", "{}")).await;
    assert_eq!(
        (response.status, response.header("access-control-allow-origin")),
        (401, Some("https://app.example"))
    );
}

fn token(secret: &str, name: &str) -> Token {
    Token {
        secret: Secret::new(secret),
        principal: Principal::named(name),
    }
}

#[tokio::test]
async fn bearer_tokens_name_their_principals() {
    let options = ListenOptions {
        tokens: vec![token("alices-secret", "alice"), token("bobs-secret", "bob")],
        ..ListenOptions::default()
    };
    assert!(!format!("{options:?}").contains("secret-"), "secrets are not shown");
    let mut gateway = Gateway::ok(options).await;
    for (header, principal) in [
        ("Authorization: Bearer alices-secret\r\n", Some("alice")),
        ("authorization: bearer   bobs-secret \r\n", Some("bob")),
        ("", None),
        ("Authorization: Bearer wrong\r\n", None),
        ("Authorization: Bearer \r\n", None),
        ("Authorization: Bearer alices-secret2\r\n", None),
        ("Authorization: Basic YWxpY2U6YWxpY2Vz\r\n", None),
        ("Authorization: alices-secret\r\n", None),
    ] {
        let response = ask(gateway.address, post(header, "{}")).await;
        if let Some(name) = principal {
            assert_eq!(response.status, 200, "{header}");
            let Seen::Post(seen) = gateway.next().await else { panic!("a POST") };
            assert_eq!(seen.who.principal, Principal::named(name));
        } else {
            assert_eq!(response.status, 401, "{header}");
            assert!(
                response
                    .header("www-authenticate")
                    .is_some_and(|challenge| challenge.starts_with("bearer")),
                "{response:?}"
            );
        }
    }
    let twice = "Authorization: Bearer alices-secret\r\nAuthorization: Bearer bobs-secret\r\n";
    assert_eq!(ask(gateway.address, post(twice, "{}")).await.status, 400);
    // Metrics are for principals that may connect, probes for every client.
    assert_eq!(
        ask(gateway.address, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await
            .status,
        401
    );
    assert_eq!(
        ask(gateway.address, "GET /healthz HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n").await.status,
        200
    );
}

#[tokio::test]
async fn strangers_are_not_let_in_by_accident() {
    let open = |options: ListenOptions| {
        Listener::bind(ListenOptions {
            address: SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            ..options
        })
    };
    let error = open(ListenOptions::default()).await.expect_err("a refusal");
    assert!(matches!(error, ListenError::Insecure(_)));
    assert!(error.to_string().contains("insecure_bind"), "{error}");
    let insecure = ListenOptions {
        insecure_bind: true,
        ..ListenOptions::default()
    };
    open(insecure).await.expect("what was asked for");
    let guarded = ListenOptions {
        tokens: vec![token("secret", "alice")],
        ..ListenOptions::default()
    };
    let listener = open(guarded).await.expect("with a token");
    assert!(listener.url().starts_with("http://127.0.0.1:"), "{}", listener.url());
}

#[tokio::test]
async fn an_address_in_use_is_a_clear_error() {
    let first = Listener::bind(ListenOptions::default()).await.expect("a free port");
    let second = Listener::bind(ListenOptions {
        address: first.local_addr(),
        ..ListenOptions::default()
    });
    let error = second.await.expect_err("it is taken").to_string();
    assert!(
        error.contains(&first.local_addr().to_string()) && error.contains("another port"),
        "{error}"
    );
}

#[tokio::test]
async fn remembered_tokens_let_in_until_they_do_not() {
    let mut gateway = Gateway::ok(ListenOptions {
        tokens: vec![token("configured", "alice")],
        ..ListenOptions::default()
    })
    .await;
    let bob = Credential {
        principal: Principal {
            id: PrincipalId::new("bob"),
            role: Role::Operator,
        },
        token: Some("t-1".into()),
    };
    let set = |bearer: &str, what| drop(gateway.script.remembered.lock().unwrap().insert(bearer.to_owned(), what));
    set("bobs", Ok(bob.clone()));
    set("old", Err(TokenRefusal::Expired));
    set("gone", Err(TokenRefusal::Revoked));
    for (bearer, told) in [("old", "expired"), ("gone", "taken back"), ("never", "not valid")] {
        let response = ask(gateway.address, post(&format!("Authorization: Bearer {bearer}\r\n"), "{}")).await;
        assert_eq!(response.status, 401, "{bearer}");
        assert!(response.body.contains(told), "{}", response.body);
    }
    assert_eq!(ask(gateway.address, post("Authorization: Bearer bobs\r\n", "{}")).await.status, 200);
    let Seen::Post(seen) = gateway.next().await else { panic!("a POST") };
    assert_eq!(seen.who, bob, "the token goes with every request");
    assert_eq!(
        ask(gateway.address, post("Authorization: Bearer configured\r\n", "{}"))
            .await
            .status,
        200
    );
    let Seen::Post(seen) = gateway.next().await else { panic!("a POST") };
    assert_eq!(seen.who, Principal::named("alice").into());
    // The token is revoked between two requests: the next one is refused.
    gateway
        .script
        .remembered
        .lock()
        .unwrap()
        .insert("bobs".to_owned(), Err(TokenRefusal::Revoked));
    assert_eq!(ask(gateway.address, post("Authorization: Bearer bobs\r\n", "{}")).await.status, 401);
}

#[tokio::test]
async fn without_a_token_only_where_nobody_has_one_or_it_was_said() {
    let statuses = async |anonymous, remembered: bool, bearer: &str| {
        let gateway = Gateway::ok(ListenOptions {
            anonymous,
            ..ListenOptions::default()
        })
        .await;
        if remembered {
            let alice = Ok(Principal::named("alice").into());
            gateway.script.remembered.lock().unwrap().insert("alices".to_owned(), alice);
        }
        ask(gateway.address, post(bearer, "{}")).await.status
    };
    const WRONG: &str = "Authorization: Bearer wrong\r\n";
    for (anonymous, without, with) in [
        (Anonymous::WithoutTokens, 200, 401),
        (Anonymous::Loopback, 200, 200),
        (Anonymous::Never, 401, 401),
    ] {
        for bearer in ["", WRONG] {
            assert_eq!(statuses(anonymous, false, bearer).await, without, "{anonymous:?} {bearer}");
            assert_eq!(statuses(anonymous, true, bearer).await, with, "{anonymous:?} {bearer}");
        }
    }
    let everywhere = ListenOptions {
        address: SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        anonymous: Anonymous::Never,
        ..ListenOptions::default()
    };
    Listener::bind(everywhere).await.expect("nobody gets in by accident");
}

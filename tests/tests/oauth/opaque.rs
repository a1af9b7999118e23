//! Tokens that are no JWT: the issuer is asked about them.

use std::time::Duration;

use hooks_sdk::http::{Issuer, OAuth};
use hooks_tests::{
    client::{ask, call, said},
    toy_server::Served,
};
use serde_json::{Value, json};

use crate::rig::{Authority, RESOURCE, bearer, now, serve};

async fn served(authority: &Authority) -> Served {
    let issuer = Issuer::new(&*authority.url).introspection("notes id", "s:cret");
    let login = OAuth::new(RESOURCE).issuer(issuer).scopes(["notes:read"]);
    serve([], |server| server.oauth(login)).await
}

async fn status(served: &Served, token: &str) -> u16 {
    let request = call("work", json!({}), &[("authorization", &bearer(token))]);
    ask(served.address, request).await.status.as_u16()
}

#[tokio::test]
async fn the_answer_about_a_token_is_checked_as_a_token_is() {
    let authority = Authority::start().await;
    let served = served(&authority).await;
    let good = json!({"active": true, "sub": "ann", "aud": RESOURCE, "scope": "notes:read"});
    let with = |name: &str, value: Value| {
        let mut answer = good.clone();
        answer[name] = value;
        answer
    };
    let kinds = [
        ("good", good.clone(), 200),
        ("good-array", with("aud", json!(["a", RESOURCE])), 200),
        ("inactive", with("active", false.into()), 401),
        ("text", with("active", "true".into()), 401),
        ("no-aud", with("aud", Value::Null), 401),
        (
            "other-aud",
            with("aud", "https://other.example.com".into()),
            401,
        ),
        ("no-sub", with("sub", Value::Null), 401),
        (
            "other-iss",
            with("iss", "https://other.example.com".into()),
            401,
        ),
        ("expired", with("exp", (now() - 60).into()), 401),
        ("early", with("nbf", (now() + 600).into()), 401),
        ("bound", with("cnf", json!({})), 401),
        ("scopes", with("scope", "other".into()), 403),
    ];
    authority.mood(|mood| {
        let answers = kinds
            .iter()
            .map(|(token, answer, _)| (format!("token={token}-token&"), answer.clone()));
        mood.active = answers.collect();
    });
    for (token, _, expected) in &kinds {
        assert_eq!(
            status(&served, &format!("{token}-token")).await,
            *expected,
            "{token}"
        );
    }
    assert_eq!(status(&served, "unknown-token").await, 401);
    // A JWT is still checked by the keys.
    assert_eq!(status(&served, &authority.token("ann")).await, 200);
    assert!(
        authority
            .introspections()
            .iter()
            .all(|body| body.ends_with("&token_type_hint=access_token"))
    );
}

#[tokio::test]
async fn a_good_answer_is_remembered_and_wrong_tokens_do_not_block_known_ones() {
    let authority = Authority::start().await;
    let served = served(&authority).await;
    let good = json!({"active": true, "sub": "ann", "aud": RESOURCE, "scope": "notes:read"});
    authority.mood(|mood| mood.active = vec![("token=known&".to_owned(), good)]);
    for _ in 0..5 {
        assert_eq!(status(&served, "known").await, 200);
    }
    assert_eq!(authority.introspections().len(), 1);
    authority.mood(|mood| mood.delay = Duration::from_secs(2));
    let wrong = (0..200).map(|at| {
        let served = &served;
        async move { status(served, &format!("wrong-{at}")).await }
    });
    let flood = futures::future::join_all(wrong);
    let known = async {
        for _ in 0..20 {
            let request = call("work", json!({}), &[("authorization", "Bearer known")]);
            assert_eq!(said(&ask(served.address, request).await), "worked");
        }
    };
    let (flood, ()) = tokio::join!(flood, known);
    assert!(
        flood.iter().all(|status| [401, 503].contains(status)),
        "{flood:?}"
    );
    assert!(flood.contains(&503), "at most 32 questions run at a time");
    assert!(authority.introspections().len() <= 1 + 200);
}

//! The keys of an issuer: fetched late, rotated, slow, away, rubbish; and a flood of wrong tokens.

use std::{process::Command, time::Duration};

use hooks_sdk::http::{Issuer, OAuth};
use hooks_tests::{
    client::{ask, call, connect, on, said},
    clock::passes,
    skipped,
    toy_server::{Served, one},
};
use ring::{
    rand::SystemRandom,
    rsa::{KeyPair, PublicKeyComponents},
    signature::{RSA_PKCS1_SHA256, RSA_PSS_SHA384, RsaEncoding},
};
use serde_json::{Value, json};

use crate::rig::{Authority, RESOURCE, SigningKey, base64, bearer, now, serve, unsigned};

/// The shortest time between two fetches of keys.
const FETCH_EVERY: Duration = Duration::from_secs(10);

/// The longest time of a fetch.
const LONGEST_FETCH: Duration = Duration::from_secs(5);

/// Returns the status of a call with a token.
async fn status(served: &Served, token: &str) -> u16 {
    let request = call("work", json!({}), &[("authorization", &bearer(token))]);
    ask(served.address, request).await.status.as_u16()
}

async fn served(authority: &Authority) -> Served {
    serve([], |server| server.oauth(authority.login())).await
}

#[tokio::test]
async fn keys_are_fetched_when_a_token_needs_them_and_once_for_all_tokens() {
    let authority = Authority::start().await;
    let served = served(&authority).await;
    assert_eq!(authority.fetches(), 0);
    authority.mood(|mood| mood.delay = Duration::from_millis(200));
    let token = authority.token("ann");
    let all = (0..20).map(|_| status(&served, &token));
    let all = futures::future::join_all(all).await;
    assert_eq!(all, [200; 20]);
    assert_eq!(authority.fetches(), 1);
}

#[tokio::test]
async fn a_new_key_is_fetched_at_once_and_an_unknown_one_is_not_fetched_again_soon() {
    let authority = Authority::start().await;
    let served = served(&authority).await;
    let (old, new) = (authority.token("ann"), SigningKey::new("new"));
    // The first fetch is the one that finds the new key.
    authority.publish(vec![authority.key.jwk(), new.jwk()]);
    assert_eq!(
        status(&served, &new.token(&authority.claims("ann"))).await,
        200
    );
    assert_eq!(status(&served, &old).await, 200);
    for id in 0..20 {
        let unknown = SigningKey::new(&id.to_string());
        assert_eq!(
            status(&served, &unknown.token(&authority.claims("ann"))).await,
            401
        );
    }
    assert_eq!(authority.fetches(), 1);
}

#[tokio::test]
async fn after_the_pause_a_rotated_key_is_found_and_the_withdrawn_one_is_gone() {
    let authority = Authority::start().await;
    let served = served(&authority).await;
    let old = authority.token("ann");
    assert_eq!(status(&served, &old).await, 200);
    let new = SigningKey::new("new");
    authority.publish(vec![new.jwk()]);
    let new = new.token(&authority.claims("ann"));
    assert_eq!(status(&served, &new).await, 401);
    passes(FETCH_EVERY).await;
    assert_eq!(status(&served, &new).await, 200);
    assert_eq!(status(&served, &old).await, 401);
    assert_eq!(authority.fetches(), 2);
}

#[tokio::test]
async fn only_a_key_whose_use_and_operations_allow_it_verifies() {
    for (member, value, expected) in [
        ("use", json!("sig"), 200),
        ("use", json!("enc"), 401),
        ("key_ops", json!(["verify"]), 200),
        ("key_ops", json!(["sign", "verify"]), 200),
        ("key_ops", json!(["encrypt"]), 401),
        ("key_ops", json!(["sign"]), 401),
        ("key_ops", json!([]), 401),
        ("key_ops", json!("verify"), 401),
    ] {
        let authority = Authority::start().await;
        let key = SigningKey::new("judged");
        let mut jwk = key.jwk();
        jwk.as_object_mut().expect("a key").remove("use");
        jwk[member] = value;
        // Another key keeps the set usable.
        authority.publish(vec![authority.key.jwk(), jwk.clone()]);
        let served = served(&authority).await;
        let token = key.token(&authority.claims("ann"));
        assert_eq!(status(&served, &token).await, expected, "{jwk}");
    }
}

#[tokio::test]
async fn without_keys_a_token_is_answered_with_503_and_never_401() {
    for rubbish in [
        (500, ""),
        (302, ""),
        (200, "<html>"),
        (200, "[]"),
        (200, r#"{"keys": []}"#),
        (
            200,
            r#"{"keys": [{"kty": "oct", "k": "AAAA", "kid": "one"}]}"#,
        ),
    ] {
        let authority = Authority::start().await;
        let served = served(&authority).await;
        authority.mood(|mood| mood.rubbish = Some((rubbish.0, rubbish.1.to_owned())));
        let request = call(
            "work",
            json!({}),
            &[("authorization", &bearer(&authority.token("ann")))],
        );
        let answer = ask(served.address, request).await;
        assert_eq!(answer.status, 503, "{rubbish:?}");
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert_eq!(answer.header("www-authenticate"), None);
        assert_eq!(
            answer.refusal(),
            "the token cannot be checked: the keys of the issuer cannot be fetched now; send the request again"
        );
        // A token that is wrong in itself is told so.
        assert_eq!(status(&served, "opaque").await, 401);
    }
}

#[tokio::test]
async fn known_keys_are_kept_while_the_issuer_is_away_slow_or_talks_rubbish() {
    let authority = Authority::start().await;
    let served = served(&authority).await;
    let token = authority.token("ann");
    assert_eq!(status(&served, &token).await, 200);
    let huge = format!(r#"{{"keys": [{}]}}"#, vec!["{}"; 200_000].join(","));
    let unknown = SigningKey::new("new").token(&authority.claims("ann"));
    for (status_code, rubbish) in [(500, ""), (200, "rubbish"), (200, &huge)] {
        authority.mood(|mood| mood.rubbish = Some((status_code, rubbish.to_owned())));
        passes(FETCH_EVERY).await;
        assert_eq!(status(&served, &unknown).await, 401);
        assert_eq!(status(&served, &token).await, 200);
    }
    assert_eq!(authority.fetches(), 4);
    authority.mood(|mood| mood.delay = Duration::from_secs(60));
    passes(FETCH_EVERY).await;
    let known = async {
        one(authority.delayed()).await;
        let known = status(&served, &token).await;
        passes(LONGEST_FETCH).await;
        known
    };
    let (slow, known) = tokio::join!(status(&served, &unknown), known);
    assert_eq!((slow, known), (401, 200));
}

#[tokio::test]
async fn an_issuer_that_spells_itself_otherwise_is_not_trusted() {
    for spelling in ["/", "x"] {
        let authority = Authority::start().await;
        let served = served(&authority).await;
        authority.mood(|mood| mood.spelling = Some(format!("{}{spelling}", authority.url)));
        assert_eq!(status(&served, &authority.token("ann")).await, 503);
        assert_eq!(authority.fetches(), 0);
    }
}

#[tokio::test]
async fn each_of_several_issuers_signs_for_itself_only() {
    let (one, other) = (Authority::start().await, Authority::start().await);
    let keys = format!("{}/keys", other.url);
    let login = OAuth::new(RESOURCE)
        .issuer(&*one.url)
        .issuer(Issuer::new(&*other.url).keys_at(keys));
    let served = serve([], |server| server.oauth(login)).await;
    assert_eq!(status(&served, &one.token("ann")).await, 200);
    assert_eq!(status(&served, &other.token("ann")).await, 200);
    // Both keys have the same id.
    assert_eq!(
        status(&served, &one.key.token(&other.claims("ann"))).await,
        401
    );
}

#[tokio::test]
async fn a_thousand_wrong_tokens_a_second_cost_the_others_nothing() {
    let authority = Authority::start().await;
    let login = authority.login();
    // Fewer places than senders of wrong tokens: they take none.
    let served = serve([], |server| server.oauth(login).max_requests(4)).await;
    let good = bearer(&authority.token("ann"));
    let mut ours = connect(served.address).await;
    let work = || call("work", json!({}), &[("authorization", &good)]);
    assert_eq!(said(&on(&mut ours, work()).await), "worked");
    authority.mood(|mood| mood.delay = Duration::from_secs(2));
    let stranger = SigningKey::new("one");
    let claims = authority.claims("ann");
    let floods = (0..20).map(|flood| {
        let unknown = SigningKey::new(&format!("unknown {flood}"));
        let wrong = [
            unknown.token(&claims),
            stranger.token(&claims),
            "opaque".to_owned(),
        ];
        let address = served.address;
        async move {
            let mut sender = connect(address).await;
            for at in 0..50 {
                let value = bearer(&wrong[at % wrong.len()]);
                let request = call("work", json!({}), &[("authorization", &value)]);
                let answer = on(&mut sender, request).await;
                assert_eq!(answer.status, 401, "{answer:?}");
            }
        }
    });
    let flood = futures::future::join_all(floods);
    let calls = async {
        for _ in 0..100 {
            assert_eq!(said(&on(&mut ours, work()).await), "worked");
        }
    };
    tokio::join!(flood, calls);
    assert!(authority.fetches() <= 2, "{}", authority.fetches());
}

/// Makes a key of RSA with `openssl`.
fn rsa_key() -> Option<KeyPair> {
    let made = Command::new("openssl")
        .args([
            "genpkey",
            "-algorithm",
            "RSA",
            "-pkeyopt",
            "rsa_keygen_bits:2048",
        ])
        .args(["-outform", "DER"])
        .output()
        .ok()?;
    // OpenSSL 3.0 writes PKCS #1, and later ones PKCS #8.
    let key = KeyPair::from_pkcs8(&made.stdout);
    key.or_else(|_| KeyPair::from_der(&made.stdout)).ok()
}

fn rsa_token(
    key: &KeyPair,
    algorithm: &str,
    padding: &'static dyn RsaEncoding,
    claims: &Value,
) -> String {
    let header = json!({"alg": algorithm, "typ": "at+jwt", "kid": "rsa"});
    let message = unsigned(&header, claims);
    let mut signed = vec![0; key.public().modulus_len()];
    let signing = key.sign(
        padding,
        &SystemRandom::new(),
        message.as_bytes(),
        &mut signed,
    );
    signing.expect("a signature");
    format!("{message}.{}", base64(signed))
}

/// The six checks that the conformance suite proposes for resource servers, with its algorithm.
#[tokio::test]
async fn the_six_checks_of_audience_validation() {
    let (Some(key), Some(untrusted)) = (rsa_key(), rsa_key()) else {
        return skipped(
            "`openssl` is not on the PATH, or older than 3.0 (apt-get install openssl)",
        );
    };
    let authority = Authority::start().await;
    let public: PublicKeyComponents<Vec<u8>> = key.public().into();
    let [n, e] = [public.n, public.e];
    authority.publish(vec![
        json!({"kty": "RSA", "kid": "rsa", "n": base64(n), "e": base64(e)}),
    ]);
    let served = served(&authority).await;
    let good = authority.claims("ann");
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        claims
    };
    let sign = |claims: &Value| rsa_token(&key, "RS256", &RSA_PKCS1_SHA256, claims);
    let none = ask(served.address, call("work", json!({}), &[])).await;
    assert_eq!(none.status, 401);
    assert_eq!(authority.fetches(), 0);
    let mut without = good.clone();
    without.as_object_mut().expect("claims").remove("aud");
    for (token, expected) in [
        (sign(&good), 200),
        (sign(&with("aud", "https://other.example.com".into())), 401),
        (sign(&without), 401),
        (sign(&with("exp", (now() - 3600).into())), 401),
        (
            rsa_token(&untrusted, "RS256", &RSA_PKCS1_SHA256, &good),
            401,
        ),
        (rsa_token(&key, "PS384", &RSA_PSS_SHA384, &good), 200),
    ] {
        assert_eq!(status(&served, &token).await, expected);
    }
}

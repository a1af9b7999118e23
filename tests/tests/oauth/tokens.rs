//! Each kind of token, on both generations, with the exact answer. The table is in the book.

use std::{env, fs, path::Path};

use hooks_tests::client::{POST, Reply, ask, call, initialize, request};
use hyper::{Method, header::HeaderValue};
use ring::hmac;
use serde_json::{Value, json};

use crate::rig::{Authority, POINTER, SigningKey, base64, bearer, now, serve, unsigned};

/// A kind of token: its words in the book, the values of `Authorization`, and the answer.
struct Sent {
    token: &'static str,
    values: Vec<String>,
    status: u16,
    /// What `WWW-Authenticate` has before the pointer; `None` for no such header.
    challenge: Option<&'static str>,
}

fn invalid(token: &'static str, value: &str, why: &'static str) -> Sent {
    Sent {
        token,
        values: vec![bearer(value)],
        status: 401,
        challenge: Some(why),
    }
}

/// Returns every kind of token.
fn all(authority: &Authority) -> Vec<Sent> {
    let key = &authority.key;
    let good = authority.claims("ann");
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        key.token(&claims)
    };
    let without = |name: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().expect("claims").remove(name);
        key.token(&claims)
    };
    let header = |name: &str, value: Value| {
        let mut header = key.header();
        header[name] = value;
        key.sign(&header, &good)
    };
    let stranger = SigningKey::new("one");
    let unknown = SigningKey::new("two");
    let token = key.token(&good);
    let (message, signature) = token.rsplit_once('.').expect("three parts");
    let other_claims = unsigned(&key.header(), &authority.claims("root"));
    let none = unsigned(&json!({"alg": "none", "typ": "at+jwt"}), &good);
    let symmetric = unsigned(
        &json!({"alg": "HS256", "typ": "at+jwt", "kid": "one"}),
        &good,
    );
    let hmac = hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, key.public()),
        symmetric.as_bytes(),
    );
    let header_of_rsa = unsigned(
        &json!({"alg": "RS256", "typ": "at+jwt", "kid": "one"}),
        &good,
    );
    let mut own_key = stranger.header();
    own_key["jwk"] = stranger.jwk();
    let mut own_url = unknown.header();
    own_url["jku"] = "http://127.0.0.1:1/keys".into();
    own_url["x5u"] = "http://127.0.0.1:1/certificate".into();
    let traversal = SigningKey::new("../../../../dev/null");
    let bare = |token, values: Vec<String>| Sent {
        token,
        values,
        status: 401,
        challenge: Some(""),
    };
    let good_one = |token, value: &str| Sent {
        token,
        values: vec![bearer(value)],
        status: 200,
        challenge: None,
    };
    vec![
        bare("none", vec![]),
        bare("of another scheme", vec!["Basic YTpi".to_owned()]),
        bare("in the query only", vec![]),
        Sent {
            token: "two headers with good tokens",
            values: vec![bearer(&token), bearer(&token)],
            status: 401,
            challenge: Some("the request has two tokens"),
        },
        bare("empty", vec!["Bearer ".to_owned()]),
        invalid(
            "two in one header",
            &format!("{token}, {token}"),
            "it is empty, or has a character that no token has",
        ),
        invalid(
            "longer than 16 KiB",
            &"a".repeat(16 * 1024 + 1),
            "it is too long",
        ),
        invalid(
            "opaque, without introspection",
            "opaque",
            "its header cannot be read, or names no known algorithm",
        ),
        invalid(
            "with a part too many",
            &format!("{token}.a"),
            "its header cannot be read, or names no known algorithm",
        ),
        invalid(
            "with a part that is no base64",
            "a.b.c",
            "its header cannot be read, or names no known algorithm",
        ),
        invalid(
            "`alg: none`",
            &format!("{none}."),
            "its header cannot be read, or names no known algorithm",
        ),
        invalid(
            "`alg: none` with a signature",
            &format!("{none}.{signature}"),
            "its header cannot be read, or names no known algorithm",
        ),
        invalid(
            "HS256 with the public key as the secret",
            &format!("{symmetric}.{}", base64(hmac)),
            "its algorithm is not allowed",
        ),
        invalid(
            "RS256 for a key of ES256",
            &format!("{header_of_rsa}.{signature}"),
            "its key is not one of its issuer's",
        ),
        invalid(
            "an unknown `kid`",
            &unknown.token(&good),
            "its key is not one of its issuer's",
        ),
        invalid(
            "a `kid` that is a path",
            &traversal.token(&good),
            "its key is not one of its issuer's",
        ),
        invalid(
            "another key under a known `kid`",
            &stranger.token(&good),
            "its signature is wrong",
        ),
        invalid(
            "its own key in `jwk`",
            &stranger.sign(&own_key, &good),
            "its signature is wrong",
        ),
        invalid(
            "its own key at `jku` and `x5u`",
            &unknown.sign(&own_url, &good),
            "its key is not one of its issuer's",
        ),
        invalid(
            "changed claims",
            &format!("{other_claims}.{signature}"),
            "its signature is wrong",
        ),
        invalid(
            "a cut signature",
            &format!("{message}.{}", &signature[..40]),
            "its signature is wrong",
        ),
        invalid(
            "expired a minute ago",
            &with("exp", (now() - 60).into()),
            "it has expired",
        ),
        invalid(
            "no `exp`",
            &without("exp"),
            "it has no time at which it expires",
        ),
        invalid(
            "`exp` is a text",
            &with("exp", (now() + 600).to_string().into()),
            "it has no time at which it expires",
        ),
        invalid(
            "`nbf` in an hour",
            &with("nbf", (now() + 3600).into()),
            "it is not valid yet",
        ),
        invalid(
            "`nbf` is a text",
            &with("nbf", "soon".into()),
            "a claim cannot be read",
        ),
        invalid(
            "another issuer",
            &with("iss", "https://login.example.com".into()),
            "its issuer is not trusted here",
        ),
        invalid(
            "the issuer with `/` behind it",
            &with("iss", format!("{}/", authority.url).into()),
            "its issuer is not trusted here",
        ),
        invalid(
            "no `iss`",
            &without("iss"),
            "its issuer is not trusted here",
        ),
        invalid(
            "`iss` is an array",
            &with("iss", json!([authority.url])),
            "its issuer is not trusted here",
        ),
        invalid(
            "another audience",
            &with("aud", "https://other.example.com/mcp".into()),
            "it is for another server",
        ),
        invalid("no `aud`", &without("aud"), "it has no audience"),
        invalid(
            "`aud` is an empty array",
            &with("aud", json!([])),
            "it is for another server",
        ),
        invalid(
            "`aud` is the beginning of the resource",
            &with("aud", "https://mcp.example.com".into()),
            "it is for another server",
        ),
        invalid(
            "`aud` goes on behind the resource",
            &with("aud", "https://mcp.example.com/mcp/x".into()),
            "it is for another server",
        ),
        invalid("no `sub`", &without("sub"), "it has no subject"),
        invalid(
            "an empty `sub`",
            &with("sub", "".into()),
            "its subject is empty or too long",
        ),
        invalid(
            "an ID token: `typ: id+jwt`",
            &header("typ", "id+jwt".into()),
            "it is no access token",
        ),
        invalid(
            "an unknown `crit`",
            &header("crit", json!(["x"])),
            "it has an extension that is not known",
        ),
        invalid(
            "`cnf`: bound to a key",
            &with("cnf", json!({"jkt": "x"})),
            "it is bound to a key, and no bearer token",
        ),
        Sent {
            token: "good, without the scope of the server",
            values: vec![bearer(&with("scope", "notes:write".into()))],
            status: 403,
            challenge: Some("scope"),
        },
        good_one("good", &token),
        good_one("good, `typ: JWT`", &header("typ", "JWT".into())),
        good_one(
            "good, with several audiences",
            &with(
                "aud",
                json!(["https://other.example.com", "https://mcp.example.com/mcp"]),
            ),
        ),
        good_one(
            "good, without `kid` at an issuer with one key",
            &key.sign(&json!({"alg": "ES256"}), &good),
        ),
        good_one("good, `scp` as an array", &{
            let mut claims = good.clone();
            claims.as_object_mut().expect("claims").remove("scope");
            claims["scp"] = json!(["notes:read"]);
            key.token(&claims)
        }),
    ]
}

/// Returns the header that a kind of token is answered with.
fn expected(sent: &Sent, pointer: &str) -> Option<String> {
    let challenge = sent.challenge?;
    Some(match (challenge, sent.status) {
        ("", _) => format!("Bearer {pointer}"),
        (_, 403) => {
            let (metadata, scope) = pointer.split_once(", ").unwrap_or((pointer, ""));
            format!("Bearer error=\"insufficient_scope\", {scope}, {metadata}")
        }
        (why, _) => {
            format!("Bearer error=\"invalid_token\", error_description=\"{why}\", {pointer}")
        }
    })
}

#[tokio::test]
async fn each_kind_of_token_has_its_answer_on_both_generations() {
    let authority = Authority::start().await;
    let served = serve([], |server| server.oauth(authority.login())).await;
    let mut rows = String::from("| token | status | `WWW-Authenticate` |\n|---|---|---|\n");
    for sent in all(&authority) {
        for stateless in [true, false] {
            let mut request = match stateless {
                true => call("work", json!({}), &[]),
                false => initialize(),
            };
            for value in &sent.values {
                let value = HeaderValue::try_from(value).expect("a value");
                request.headers_mut().append("authorization", value);
            }
            if sent.token == "in the query only" {
                let token = authority.token("ann");
                let uri = format!("/mcp?access_token={token}&token={token}");
                *request.uri_mut() = uri.parse().expect("a URI");
            }
            let answer = ask(served.address, request).await;
            assert_eq!(answer.status, sent.status, "{}: {answer:?}", sent.token);
            let challenge = answer.header("www-authenticate").map(str::to_owned);
            assert_eq!(challenge, expected(&sent, POINTER), "{}", sent.token);
        }
        let header = match sent.challenge {
            None => String::new(),
            Some(_) if sent.status == 403 => format!("`{}`", expected(&sent, POINTER).unwrap()),
            Some(_) => format!("`{}`", expected(&sent, "…").unwrap()),
        };
        rows += &format!("| {} | {} | {header} |\n", sent.token, sent.status);
    }
    written(&rows);
}

/// Compares the book's table with this one. Writes it with `HOOKS_DOCS=overwrite`.
fn written(rows: &str) {
    const BEGIN: &str = "<!-- made by `--test oauth`: tokens -->\n";
    const END: &str = "<!-- end of tokens -->";
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/reference/login-details.md");
    let text = fs::read_to_string(&page).expect("the page");
    let (before, rest) = text.split_once(BEGIN).expect("the begin of the table");
    let (table, after) = rest.split_once(END).expect("the end of the table");
    if table != rows && env::var("HOOKS_DOCS").is_ok_and(|value| value == "overwrite") {
        fs::write(&page, format!("{before}{BEGIN}{rows}{END}{after}")).expect("the page");
        return;
    }
    assert!(
        table == rows,
        "write the table anew with HOOKS_DOCS=overwrite:\n{rows}"
    );
}

#[tokio::test]
async fn a_session_id_alone_opens_nothing() {
    let authority = Authority::start().await;
    let served = serve([], |server| server.oauth(authority.login())).await;
    let token = bearer(&authority.token("ann"));
    let mut opening = initialize();
    let value = HeaderValue::try_from(&token).expect("a value");
    opening.headers_mut().insert("authorization", value);
    let opened = ask(served.address, opening).await;
    let id = opened
        .header("mcp-session-id")
        .expect("a session")
        .to_owned();
    let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    for (method, body) in [
        (Method::POST, ping),
        (Method::GET, ""),
        (Method::DELETE, ""),
    ] {
        let headers = [
            &POST[..],
            &[("mcp-session-id", &*id), ("last-event-id", "0")],
        ]
        .concat();
        let answer: Reply = ask(served.address, request(method, "/mcp", &headers, body)).await;
        assert_eq!(answer.status, 401);
        let expected = format!("Bearer {POINTER}");
        assert_eq!(answer.header("www-authenticate"), Some(&*expected));
    }
    for path in ["/healthz", "/readyz"] {
        let probe = request(Method::GET, path, &[], "");
        assert_eq!(ask(served.address, probe).await.status, 200);
    }
}

//! No byte of a token is in a log, a span, the decision log, a guardian's question, a page, or where hooks and tools can see it.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use hooks_sdk::{
    Collected, Policy,
    core::{Registry, Verdict},
    http::{self, Issuer, OAuth},
    log::{DecisionLog, Posture},
    plugin::{PluginHook, ToolCall, point},
};
use hooks_tests::{
    client::{ask, ask_http2, call, get, initialize, said},
    toy_server::Served,
};
use hyper::{header::HeaderValue, http::request::Parts};
use serde_json::json;
use tracing_subscriber::fmt::{MakeWriter, format::FmtSpan};

use crate::rig::{Authority, RESOURCE, SigningKey, bearer, desk};

/// The parts of a token, each of which would give it away. The header is the same in every token.
fn secrets(token: &str) -> Vec<String> {
    let mut parts = token
        .split('.')
        .skip(1)
        .map(str::to_owned)
        .collect::<Vec<_>>();
    if parts.is_empty() {
        parts.push(token.to_owned());
    }
    parts
}

#[tokio::test]
async fn nothing_of_a_token_is_written_anywhere() {
    let log = Written::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::FULL)
        .with_writer(log.clone())
        .finish();
    // A subscriber of one thread misses events that another thread was the first to come by.
    tracing::subscriber::set_global_default(subscriber).expect("no other test sets one");
    let authority = Authority::start().await;
    let opaque = "opaque-4711-secret";
    authority.mood(|mood| {
        let answer = json!({"active": true, "sub": "ann", "aud": RESOURCE, "scope": "notes:read"});
        mood.active = vec![(format!("token={opaque}&"), answer)];
    });
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("log.jsonl");
    let seen: Arc<Mutex<String>> = Arc::default();
    let (by_hook, by_tool, by_header_hook) = (seen.clone(), seen.clone(), seen.clone());
    let hook = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "looks",
        point::tool_pre_invoke,
        move |call, cx| {
            *by_hook.lock().unwrap() += &format!("{call:?} {cx:?}");
            Box::pin(async { Verdict::Allow })
        },
    );
    let headers = PluginHook::answering_any::<_, Verdict<hooks_sdk::plugin::HttpHeaders>>(
        "headers",
        point::http_pre_request,
        move |request, cx| {
            *by_header_hook.lock().unwrap() += &format!("{request:?} {cx:?}");
            Box::pin(async { Verdict::Allow })
        },
    );
    let desk = desk().tool("look", move |call| {
        let parts = call.cx.extensions.get::<Parts>().expect("the request");
        *by_tool.lock().unwrap() += &format!("{parts:?}");
        async { "looked".to_owned() }
    });
    let registry = Registry::builder()
        .add(hook.into())
        .add(headers.into())
        .build();
    let collected = Collected::of(registry.expect("sound hooks")).expect("sound hooks");
    let policy = Policy::new().expose_header("authorization");
    let hooked = collected.policy(policy).wrap(desk.clone());
    let decisions = DecisionLog::to(&file, Posture::Deny);
    let hooked = hooked.expect("sound hooks").log(decisions.clone());
    let issuer = Issuer::new(&*authority.url).introspection("id", "client-secret-0815");
    let login = OAuth::new(RESOURCE).issuer(issuer).scopes(["notes:read"]);
    let served = Served::start(desk, http::Server::new(hooked).oauth(login)).await;

    let good = authority.token("ann");
    let claims = authority.claims("bob");
    let wrong = [
        SigningKey::new("one").token(&claims),
        SigningKey::new("two").token(&claims),
        authority.scoped("cid", "other"),
        "wrong-opaque-0815".to_owned(),
        "wrong opaque 0815".to_owned(),
    ];
    let mut bodies = String::new();
    for token in [&good, &opaque.to_owned()] {
        let answer = ask(
            served.address,
            call("look", json!({}), &[("authorization", &bearer(token))]),
        )
        .await;
        assert_eq!(said(&answer), "looked");
        bodies += &format!("{answer:?}");
    }
    for token in wrong.iter().chain([&good]) {
        let value = HeaderValue::try_from(bearer(token)).expect("a value");
        let mut request = initialize();
        request.headers_mut().insert("authorization", value);
        bodies += &format!("{:?}", ask(served.address, request).await);
    }
    let over_http2 = wrong
        .iter()
        .chain([&good])
        .map(|token| call("look", json!({}), &[("authorization", &bearer(token))]));
    bodies += &format!(
        "{:?}",
        ask_http2(served.address, over_http2.collect()).await
    );
    for path in [
        "/healthz",
        "/readyz",
        "/.well-known/oauth-protected-resource",
    ] {
        bodies += &format!("{:?}", ask(served.address, get(path, "localhost")).await);
    }
    served.end().await;
    decisions.close(std::time::Duration::from_secs(5));

    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(log.contains("a request was refused"), "the log is written");
    let audit = std::fs::read_to_string(&file).expect("a decision log");
    assert!(audit.contains("looks"), "{audit}");
    let seen = seen.lock().unwrap().clone();
    assert!(seen.contains("mcp-protocol-version"), "{seen}");
    for token in wrong
        .iter()
        .chain([&good, &opaque.to_owned(), &"client-secret-0815".to_owned()])
    {
        for secret in secrets(token) {
            for (place, text) in [
                ("log", &log),
                ("decision log", &audit),
                ("hooks", &seen),
                ("bodies", &bodies),
            ] {
                let at = text
                    .find(&secret)
                    .map(|at| &text[at.saturating_sub(300)..at]);
                assert_eq!(at, None, "{secret} in {place}");
            }
        }
    }
}

/// What was logged.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Written {
    type Writer = Written;

    fn make_writer(&'w self) -> Written {
        self.clone()
    }
}

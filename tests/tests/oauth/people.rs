//! Two users with good tokens reach nothing of each other.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use hooks_sdk::{
    Collected,
    aos::{self, Agent, AosHook, Guardian, Posture, StepInfo, ToolCallRequest},
    core::{Registry, Verdict},
    http::{self, OAuth},
    plugin::{PluginHook, ToolCall, point},
    server::Sessions,
    session::SessionState,
};
use hooks_tests::{
    client::{Client, LEGACY, POST, ask, call, initialize, listen, request, said, text},
    faulty_store::FaultyStore,
    toy_server::Served,
};
use http_body_util::Full;
use hyper::{Method, Request, StatusCode, body::Bytes, header::HeaderValue};
use serde_json::json;

use crate::rig::{Authority, RESOURCE, bearer, desk, serve};

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

fn by(mut request: Request<Full<Bytes>>, token: &str) -> Request<Full<Bytes>> {
    let value = HeaderValue::try_from(bearer(token)).expect("a value");
    request.headers_mut().insert("authorization", value);
    request
}

#[tokio::test]
async fn a_handle_is_of_one_issuer_and_subject_whatever_the_token() {
    let (one, other) = (Authority::start().await, Authority::start().await);
    let desk = desk();
    let login = OAuth::new(RESOURCE).issuer(&*one.url).issuer(&*other.url);
    let server = http::Server::new(desk.bare().session::<Stage>()).oauth(login);
    let served = Served::start(desk, server).await;
    let opened = ask(
        served.address,
        by(call("session_init", json!({}), &[]), &one.token("ann")),
    )
    .await;
    let opened = opened.json();
    let handle = &opened["result"]["_meta"]["hooks-sdk/session"];
    assert!(handle.is_string(), "{opened}");
    let work = || call("work", json!({"hooks-sdk/session": handle}), &[]);
    // A fresh token of the same user, with other scopes.
    let fresh = one.scoped("ann", "notes:read notes:write");
    assert_eq!(
        said(&ask(served.address, by(work(), &fresh)).await),
        "worked"
    );
    for foreign in [one.token("bob"), other.token("ann"), one.token("ann ")] {
        let answer = ask(served.address, by(work(), &foreign)).await.json();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
}

#[tokio::test]
async fn a_session_of_the_transport_is_unknown_to_others_and_lives_on_with_a_fresh_token() {
    let authority = Authority::start().await;
    let served = serve([], |server| server.oauth(authority.login())).await;
    let [ann, bob] = ["ann", "bob"].map(|user| authority.token(user));
    let opened = ask(served.address, by(initialize(), &ann)).await;
    let id = opened
        .header("mcp-session-id")
        .expect("a session")
        .to_owned();
    let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    let of_session = [("mcp-session-id", &*id), ("mcp-protocol-version", LEGACY)];
    let headers = [&POST[..], &of_session].concat();
    for (method, body) in [(Method::POST, ping), (Method::DELETE, "")] {
        let foreign = ask(
            served.address,
            by(request(method, "/mcp", &headers, body), &bob),
        )
        .await;
        assert_eq!(foreign.status, StatusCode::NOT_FOUND);
    }
    for last in [None, Some("0")] {
        let mut foreign = by(listen(&id), &bob);
        if let Some(last) = last {
            let value = HeaderValue::from_static(last);
            foreign.headers_mut().insert("last-event-id", value);
        }
        assert_eq!(
            ask(served.address, foreign).await.status,
            StatusCode::NOT_FOUND
        );
    }
    let fresh = authority.scoped("ann", "notes:read more");
    let own = ask(
        served.address,
        by(request(Method::POST, "/mcp", &headers, ping), &fresh),
    )
    .await;
    assert_eq!(own.status, StatusCode::OK);
}

#[tokio::test]
async fn hooks_know_the_sender_as_issuer_and_subject() {
    let authority = Authority::start().await;
    let expected = format!("{}#ann", authority.url);
    let whose = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "whose",
        point::tool_pre_invoke,
        move |call, cx| {
            let mut call = call.clone();
            let user = cx.global.user.clone();
            call.args.insert("user".into(), json!(user));
            Box::pin(async move { Verdict::Modify(call) })
        },
    );
    let served = serve([whose], |server| server.oauth(authority.login())).await;
    let request = by(call("work", json!({}), &[]), &authority.token("ann"));
    assert_eq!(said(&ask(served.address, request).await), "worked");
    assert_eq!(
        served.server.calls(),
        [("work".to_owned(), json!({"user": expected}))]
    );
}

#[tokio::test]
async fn two_replicas_know_the_same_users() {
    let authority = Authority::start().await;
    let store = FaultyStore::default();
    let replica = async || {
        let desk = desk();
        let sessions = Sessions::of::<Stage>().store(store.clone());
        let server = http::Server::new(desk.sessions(sessions));
        let server = server.store(store.clone()).oauth(authority.login());
        Served::start(desk, server).await
    };
    let (a, b) = (replica().await, replica().await);
    let client = |at: &Served, token: &str| {
        Client::stranger(at.address).with("authorization", bearer(token))
    };
    let (ann, _) = client(&a, &authority.token("ann")).shake_hands().await;
    assert_eq!(text(&ann.call("session_init", json!({})).await), "opened");
    // A fresh token of the same user continues at the other replica, and another user does not.
    let at = |token: &str| {
        let mut client = client(&b, token);
        client.session = ann.session.clone();
        client
    };
    let fresh = at(&authority.scoped("ann", "notes:read more"));
    assert_eq!(text(&fresh.call("work", json!({})).await), "worked");
    for (foreign, status) in [(authority.token("bob"), 404), ("wrong".to_owned(), 401)] {
        let answer = at(&foreign).start("work", json!({})).await;
        assert_eq!(answer.status, status);
    }
    // The handle of a client without sessions does the same.
    let stateless = |at: &Served, user: &str| {
        Client::stateless(at.address).with("authorization", bearer(&authority.token(user)))
    };
    let opened = stateless(&a, "ann").call("session_init", json!({})).await;
    let handle = json!({"hooks-sdk/session": opened["_meta"]["hooks-sdk/session"]});
    for (user, is_refused) in [("ann", false), ("bob", true)] {
        let params = json!({"arguments": {}, "_meta": handle});
        let worked = stateless(&b, user).call_with("work", params).await;
        assert_eq!(worked["isError"] == true, is_refused, "{worked}");
    }
}

#[tokio::test]
async fn a_guardian_is_told_the_claims_and_nothing_of_the_token() {
    let authority = Authority::start().await;
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = seen.clone();
    let step = AosHook::answering_any(
        "step",
        aos::point::tool_call_request,
        move |request: &ToolCallRequest, step: &StepInfo| {
            let context = step.context().expect("a context");
            let user = context.user.as_ref().expect("a user");
            let told = json!({"user": user, "context": context, "request": request});
            noted.lock().unwrap().push(told.to_string());
            Box::pin(async { Verdict::<Infallible>::Allow })
        },
    );
    let result = AosHook::answering_any("result", aos::point::tool_call_result, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let guardian = [step, result].into_iter();
    let guardian = guardian.fold(Registry::builder(), |all, hook| all.add(hook.into()));
    let guardian = guardian.build();
    let agent = Agent::new("desk", "Desk").provider("Example", "https://example.com");
    let guardian = Guardian::local_with(Guardian::with((), guardian.expect("sound hooks")));
    let guardian = guardian.agent(agent).posture(Posture::Deny);
    let desk = desk();
    let collected = Collected::of(Registry::default()).expect("no hooks");
    let hooked = collected
        .wrap(desk.clone())
        .expect("no hooks")
        .guardian(guardian);
    let served = Served::start(desk, http::Server::new(hooked).oauth(authority.login())).await;
    let token = authority.token("ann");
    let answer = ask(served.address, by(call("work", json!({}), &[]), &token)).await;
    assert_eq!(said(&answer), "worked");
    let seen = seen.lock().unwrap().concat();
    let user = format!("{}#ann", authority.url);
    assert!(seen.contains(&user), "{seen}");
    assert!(seen.contains(r#""department":"staff""#), "{seen}");
    for part in token.split('.').skip(1) {
        assert!(!seen.contains(part), "{seen}");
    }
}

//! The order of the points, and what the hooks of one HTTP request share with the call in it.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::json;

use super::rig::{self, Log, Serving, desk, serve_hooked};
use hooks_sdk::{
    Policy,
    core::Verdict,
    plugin::{
        ForwardedRequest, HttpHeaders, HttpRequest, HttpResponse, Outcome, PluginContext,
        PluginHook, PluginPoint, Question, ToolCall, point,
    },
};

/// A hook that writes down its point and what earlier hooks of the request left, and adds its own word.
fn tracing<P: PluginPoint>(point: P, log: &Log) -> PluginHook {
    let log = log.clone();
    let word = P::METHOD;
    // One id, so that the hooks are one plugin.
    PluginHook::answering_any(
        "tracer",
        point,
        move |_: &P::Payload, cx: &mut PluginContext| {
            let path = cx.global.state.get("path").and_then(|path| path.as_str());
            let path = format!("{}{word} ", path.unwrap_or_default());
            let own = cx.get_state("times").and_then(|times| times.as_u64());
            let own = own.unwrap_or_default();
            log.add(format!("{} {path}{own}", cx.global.request_id));
            cx.global.state.insert("path".to_owned(), path.into());
            cx.set_state("times", own + 1);
            Box::pin(async { Verdict::<Infallible>::Allow })
        },
    )
}

fn tracers(log: &Log) -> [PluginHook; 6] {
    [
        tracing(point::http_pre_request, log),
        tracing(point::http_pre_forwarding_call, log),
        tracing(point::tool_pre_invoke, log),
        tracing(point::tool_post_invoke, log),
        tracing(point::http_post_forwarding_call, log),
        tracing(point::http_post_request, log),
    ]
}

#[tokio::test]
async fn the_hooks_of_a_request_share_one_context_with_the_call_in_it() {
    let points = [
        "http_pre_request",
        "http_pre_forwarding_call",
        "tool_pre_invoke",
        "tool_post_invoke",
        "http_post_forwarding_call",
        "http_post_request",
    ];
    let log = Log::default();
    let address = serve_hooked(&desk(), Serving::Json, tracers(&log), Policy::new()).await;
    let mut ids = Vec::new();
    for client in rig::both(address, Serving::Json).await {
        let answer = rig::call(&client).await;
        assert_eq!(answer.header("content-type"), Some("application/json"));
        rig::received(&answer);
        let lines = log.take();
        let id = lines[0].split(' ').next().unwrap().to_owned();
        let expected: Vec<String> = (0..points.len())
            .map(|at| format!("{id} {} {at}", points[..=at].join(" ")))
            .collect();
        assert_eq!(lines, expected);
        ids.push(id);
    }
    assert_ne!(ids[0], ids[1]);
}

#[tokio::test]
async fn an_answer_that_streams_passes_the_hooks_before_its_first_byte() {
    let log = Log::default();
    let address = serve_hooked(&desk(), Serving::Events, tracers(&log), Policy::new()).await;
    for client in rig::both(address, Serving::Events).await {
        log.take();
        let answer = rig::call(&client).await;
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        rig::received(&answer);
        let lines = log.take();
        assert_eq!(lines.len(), 6, "{lines:?}");
        let id = lines[0].split(' ').next().unwrap();
        assert!(lines.iter().all(|line| line.starts_with(id)), "{lines:?}");
        // The call saw what the hooks before it wrote, whatever became of the head of the answer meanwhile.
        let before = format!("{id} http_pre_request http_pre_forwarding_call tool_pre_invoke  2");
        let before = before.replace("  ", " ");
        assert!(lines.contains(&before), "{lines:?}");
    }
}

#[tokio::test]
async fn hooks_see_the_request_its_sender_and_the_status() {
    let log = Log::default();
    let (pre, post) = (log.clone(), log.clone());
    let pre = PluginHook::answering_any(
        "pre",
        point::http_pre_request,
        move |request: &HttpRequest, cx: &mut PluginContext| {
            let HttpRequest {
                path,
                method,
                client_host,
                client_port,
                ..
            } = request;
            pre.add(format!(
                "{method} {path} {client_host:?} {}",
                client_port.is_some()
            ));
            pre.add(format!("{:?} {:?}", cx.global.user, cx.global.tenant_id));
            Box::pin(async {})
        },
    );
    let post = PluginHook::answering_any(
        "post",
        point::http_post_request,
        move |response: &HttpResponse, cx: &mut PluginContext| {
            let kind = response
                .response_headers
                .get("Content-Type")
                .map(str::to_owned);
            let asked = response.request.headers.get("x-asked").map(str::to_owned);
            post.add(format!(
                "{} {:?} {kind:?} {asked:?}",
                response.request.path, response.status_code
            ));
            assert_eq!(cx.global.user.as_deref(), Some("alice"));
            Box::pin(async {})
        },
    );
    let set = PluginHook::answering_any(
        "set",
        point::http_pre_forwarding_call,
        |request: &ForwardedRequest, _: &mut PluginContext| {
            let mut headers = request.root.clone();
            headers.set("X-Asked", "twice");
            Box::pin(async move { Verdict::<HttpHeaders>::Modify(headers) })
        },
    );
    let called = log.clone();
    let tool = PluginHook::answering_any(
        "tool",
        point::tool_pre_invoke,
        move |call: &ToolCall, cx: &mut PluginContext| {
            let asked = call
                .headers
                .as_ref()
                .and_then(|headers| headers.get("x-asked"));
            called.add(format!(
                "{:?} {:?} {asked:?}",
                cx.global.user, cx.global.tenant_id
            ));
            Box::pin(async {})
        },
    );
    let address = serve_hooked(
        &desk(),
        Serving::Json,
        [pre, post, set, tool],
        Policy::new(),
    )
    .await;
    let client = rig::stateless(address).with("x-user", "alice");
    rig::received(&rig::call(&client).await);
    assert_eq!(
        log.take(),
        [
            "POST /mcp Some(\"127.0.0.1\") true",
            "Some(\"alice\") Some(\"enterprise-7\")",
            "Some(\"alice\") Some(\"enterprise-7\") Some(\"twice\")",
            "/mcp Some(200) Some(\"application/json\") Some(\"twice\")",
        ]
    );
}

#[tokio::test]
async fn a_retry_has_what_its_own_request_wrote_and_what_the_call_kept() {
    let log = Log::default();
    let written = Arc::new(AtomicUsize::new(0));
    let outer = PluginHook::answering_any(
        "outer",
        point::http_pre_request,
        move |_: &HttpRequest, cx: &mut PluginContext| {
            let at = written.fetch_add(1, Ordering::SeqCst);
            cx.global.state.insert("request".to_owned(), at.into());
            Box::pin(async {})
        },
    );
    let seen = log.clone();
    let asks = PluginHook::answering_any(
        "asks",
        point::tool_pre_invoke,
        move |_: &ToolCall, cx: &mut PluginContext| {
            let (request, own) = (&cx.global.state["request"], cx.get_state("asked"));
            seen.add(format!("{request} {own:?}"));
            let outcome = if cx.elicitation_responses.is_empty() {
                cx.set_state("asked", true);
                Outcome::<ToolCall>::ask(Question::confirm("Sure?"))
            } else {
                Outcome::allow()
            };
            Box::pin(async move { outcome })
        },
    );
    let desk = desk();
    let address = serve_hooked(&desk, Serving::Json, [outer, asks], Policy::new()).await;
    let client = rig::stateless(address);
    let asked = rig::call(&client).await.message()["result"].take();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let retry = json!({
        "requestState": asked["requestState"],
        "inputResponses": {"hook:asks": {"action": "accept", "content": {"confirm": true}}},
    });
    rig::received(&rig::call_with(&client, retry).await);
    assert_eq!(log.take(), ["0 None", "1 Some(Bool(true))"]);
    assert_eq!(desk.ran().len(), 1);
}

//! The spans of requests, hooks and steps.

use std::sync::{Mutex, Once};

use hooks_sdk::{
    aos::Posture,
    core::observe::{Observe, TraceContext},
    testing::{McplHost, TestHost, mcpl::Turn},
};
use hooks_tests::{client::Client, toy_server};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    keeper::{CONTENTS, PARENT, TRACES, call, reasoned, server},
    recorder::Recorder,
};

const SHOWN: &[&str] = &[
    "otel.name",
    "otel.kind",
    "hooks.protocol",
    "hooks.point",
    "hooks.outcome",
    "error.type",
    "gen_ai.tool.name",
    "acs.exit_status",
    "acs.results.count",
    "acs.decision",
    "acs.reason_codes",
    "acs.failure.class",
    "acs.failure.posture",
];

/// The traces that requests named, since the process began.
static JOINED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn observe() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let join = |_: &tracing::Span, context: &TraceContext| {
            JOINED.lock().unwrap().push(context.parent().to_owned());
        };
        let current = |span: &tracing::Span| {
            let id = span.id()?.into_u64();
            let parent = format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{id:016x}-01");
            TraceContext::new(&parent, None)
        };
        Observe::new().traces(join, current).install().unwrap();
        assert!(Observe::new().contents(1).install().is_err());
    });
}

#[tokio::test]
async fn a_call_through_every_protocol_is_one_tree_without_contents() {
    observe();
    let (recorder, _guard) = Recorder::listen();
    let host = McplHost::connect(server(Posture::Deny)).await.unwrap();
    recorder.clear();
    let answer = call(&host, "remember", json!({"text": CONTENTS})).await;
    assert!(answer.to_string().contains("stored"), "{answer}");
    assert_eq!(
        recorder.tree(SHOWN),
        "\
mcp.request tools/call remember server remember
  hook hook check plugin tool_pre_invoke modified
  acs.turn internal
    gen_ai.tool.call internal remember
      hook hook known aos tool_call_request allowed
      acs.decision allow
    acs.memory.store internal 1
      hook hook keys aos memory_store allowed
      acs.decision allow
    gen_ai.tool.result internal remember success
      hook hook result aos tool_call_result allowed
      acs.decision allow
  hook hook look plugin tool_post_invoke allowed
  hook hook after-a-note guidance action_end answered
acs.session internal
"
    );
    // The session lasts as long as the connection.
    assert!(recorder.all_closed_but("acs.session"));
    let field = |span: &str, name: &str| {
        let spans = recorder.named(span);
        spans[0].fields.get(name).cloned().expect("a field")
    };
    let (turn, result) = ("acs.turn", "gen_ai.tool.result");
    assert_eq!(field(turn, "acs.turn.triggered_by"), "agent_loop");
    for name in ["acs.turn.id", "acs.session.id"] {
        assert_eq!(field(turn, name), field(result, name));
    }
    let session = field("acs.session", "acs.session.id");
    assert_eq!(field(turn, "acs.session.id"), session);
    let asked = field("gen_ai.tool.call", "acs.request_id");
    assert_eq!(field(result, "acs.request_id_ref"), asked);
    assert_ne!(field(result, "acs.request_id"), asked);
    assert_eq!(field(result, "llm.model.name"), "large");
    assert_eq!(field(result, "llm.provider.name"), "Models");
    assert!(
        !recorder.values().contains(CONTENTS),
        "{}",
        recorder.values()
    );
    let joined = JOINED.lock().unwrap();
    assert!(joined.iter().any(|parent| parent == PARENT), "{joined:?}");
    // The guardian's parent is the span of the question, in the client's trace.
    let asked = TRACES.lock().unwrap();
    let is_own = |trace: &String| trace[..36] == PARENT[..36] && trace != PARENT;
    assert!(asked.iter().any(is_own), "{asked:?}");
}

#[tokio::test]
async fn the_reason_of_a_whole_message_is_not_in_its_span() {
    let (recorder, _guard) = Recorder::listen();
    let step = reasoned(&recorder).await;
    assert!(!step.contains_key("agent.reasoning"), "{step:?}");
    assert!(
        !recorder.values().contains(CONTENTS),
        "{}",
        recorder.values()
    );
}

#[tokio::test]
async fn failures_have_a_type_and_no_message() {
    observe();
    let (recorder, _guard) = Recorder::listen();
    let host = McplHost::connect(server(Posture::Proceed)).await.unwrap();
    recorder.clear();
    let lost = call(&host, "lose", json!({})).await;
    assert_eq!(lost["isError"], true, "{lost}");
    let denied = call(&host, "remember", json!({"text": "forbidden"})).await;
    assert_eq!(denied["isError"], true, "{denied}");
    let bypassed = call(&host, "remember", json!({"text": "broken"})).await;
    assert!(bypassed.to_string().contains("stored"), "{bypassed}");
    assert_eq!(
        recorder.tree(SHOWN),
        "\
mcp.request tools/call lose server tool_error lose
  hook hook check plugin tool_pre_invoke allowed
  hook hook broken plugin tool_pre_invoke failed panic
  acs.turn internal
    gen_ai.tool.call internal lose
      hook hook known aos tool_call_request allowed
      acs.decision allow
    gen_ai.tool.result internal lose failure
      hook hook result aos tool_call_result allowed
      acs.decision allow
acs.session internal
mcp.request tools/call remember server tool_error remember
  hook hook check plugin tool_pre_invoke modified
  acs.turn internal
    gen_ai.tool.call internal remember
      hook hook known aos tool_call_request allowed
      acs.decision allow
    acs.memory.store internal 1
      hook hook keys aos memory_store denied
      acs.decision deny SECRET
mcp.request tools/call remember server remember
  hook hook check plugin tool_pre_invoke modified
  acs.turn internal
    gen_ai.tool.call internal remember
      hook hook known aos tool_call_request allowed
      acs.decision allow
    acs.memory.store internal guardian_error 1
      hook hook keys aos memory_store failed panic
      acs.decision.failure guardian_error proceed
    gen_ai.tool.result internal remember success
      hook hook result aos tool_call_result allowed
      acs.decision allow
  hook hook look plugin tool_post_invoke allowed
  hook hook after-a-note guidance action_end answered
"
    );
    assert!(
        !recorder.values().contains(CONTENTS),
        "{}",
        recorder.values()
    );
}

#[tokio::test]
async fn hooks_of_clients_and_hosts_have_spans_in_their_requests() {
    let (recorder, _guard) = Recorder::listen();
    let host = McplHost::connect(server(Posture::Proceed)).await.unwrap();
    recorder.clear();
    let turn = Turn::new("conv_1").user(CONTENTS);
    assert!(!host.before_inference(&turn).await.injections.is_empty());
    call(&host, "recall", json!({})).await;
    assert_eq!(
        recorder.tree(&SHOWN[..6]),
        "\
mcp.request context/beforeInference server
  hook hook context mcpl context/beforeInference answered
mcp.request tools/call recall server
  hook hook check plugin tool_pre_invoke allowed
  acs.turn internal
    gen_ai.tool.call internal
      hook hook known aos tool_call_request allowed
      acs.decision
    gen_ai.tool.result internal
      hook hook result aos tool_call_result allowed
      acs.decision
  hook hook recall lifecycle session_start answered
acs.session internal
"
    );
    assert!(
        !recorder.values().contains(CONTENTS),
        "{}",
        recorder.values()
    );
}

#[tokio::test]
async fn a_request_says_what_it_is() {
    let (recorder, _guard) = Recorder::listen();
    let host = TestHost::connect(server(Posture::Proceed)).await.unwrap();
    let long = "x".repeat(10_000);
    for (method, params) in [
        (
            "resources/read",
            json!({"uri": format!("memo://one?key={CONTENTS}")}),
        ),
        ("acme/nothing", json!({})),
        ("tools/call", json!({"name": long})),
    ] {
        assert!(host.request(method, params).await.is_err());
    }
    let spans = recorder.named("mcp.request");
    let field = |at: usize, name: &str| spans[at].fields.get(name).map(String::as_str);
    assert_eq!(field(0, "otel.name"), Some("initialize"));
    assert_eq!(field(0, "error.type"), None);
    assert_eq!(field(1, "mcp.resource.uri"), Some("memo://one"));
    assert_eq!(field(1, "mcp.protocol.version"), Some("2025-11-25"));
    assert_eq!(field(1, "network.transport"), Some("pipe"));
    assert!(field(1, "jsonrpc.request.id").is_some());
    assert_eq!(field(1, "rpc.response.status_code"), field(1, "error.type"));
    assert_eq!(field(2, "otel.name"), Some("custom request"));
    assert_eq!(field(2, "mcp.method.name"), Some("acme/nothing"));
    assert_eq!(field(2, "error.type"), Some("-32601"));
    assert_eq!(field(3, "otel.name"), Some("tools/call"));
    assert_eq!(field(3, "gen_ai.tool.name").map(str::len), Some(256));
    assert!(!recorder.values().contains(CONTENTS));
}

#[tokio::test]
async fn a_session_of_http_has_its_digest_in_spans_and_never_its_id() {
    let (recorder, _guard) = Recorder::listen();
    let address = toy_server::serve(hooks_sdk::http::Server::new(server(Posture::Proceed))).await;
    let client = Client::legacy(address).await;
    let session = client.session.clone().expect("a session");
    client.call("remember", json!({"text": "a"})).await;
    // A refused request names its session, too.
    client.ask("tools/call", json!({"name": "nothing"})).await;
    client.ask("acme/nothing", json!({})).await;
    let digest: String = Sha256::digest(&session)[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let spans = recorder.named("mcp.request");
    let of: Vec<_> = spans
        .iter()
        .map(|span| {
            (
                &*span.fields["mcp.method.name"],
                span.fields.get("mcp.session.id"),
            )
        })
        .collect();
    assert_eq!(of.len(), 4, "{of:?}");
    // The session begins with the answer to this one.
    assert_eq!(of[0], ("initialize", None));
    for (method, id) in &of[1..] {
        assert_eq!(*id, Some(&digest), "{method}");
    }
    assert!(!recorder.values().contains(&session));
}

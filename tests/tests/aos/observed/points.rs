//! Every kind of step, as it is sent.

use hooks_sdk::aos::{
    A2aMessage, AgentTrigger, AosAt, CompletedToolCall, FileContent, GuardianClient,
    KnowledgeResult, KnowledgeStep, McpMessage, Memory, MessageStep, Method, Part, Posture, Source,
    StepOutcome, StepRole, TextPart, ToolOutput, TriggerEvent, point,
};
use serde_json::{Map, Value, json};

use super::{
    call, client_of,
    stand_in::{Question, StandIn},
};

fn object(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).expect("an object")
}

/// Asks about a step of each kind, and checks that all of them are allowed.
pub(super) async fn ask_about_each(client: &GuardianClient) {
    macro_rules! allowed {
        ($($point:ident: $payload:expr;)+) => {{
            $(
                let ruled = client.ask(point::$point, $payload).await;
                assert!(matches!(ruled, StepOutcome::Allowed), "{}: {ruled:?}", stringify!($point));
            )+
            [$(stringify!($point)),+]
        }};
    }
    let message = |role| MessageStep::text("message", role, "words");
    let a2a = |method: &str| {
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "id": "t" } });
        A2aMessage::new(object(message))
    };
    let mcp =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "x" } });
    let asked = allowed! {
        agent_trigger: AgentTrigger::new(TriggerEvent::new("email", "7"), vec![
            Part::text("words"),
            Part::data(object(json!({ "a": null, "b": [1.5] }))),
            Part::file(FileContent::uri("file:///a").name("a").mime_type("text/plain")),
            Part::file(FileContent::bytes("AAAA")),
        ]);
        tool_call_request: call("words");
        tool_call_result: CompletedToolCall::new(
            "execution",
            ToolOutput::new(vec![TextPart::new("words")], false),
        );
        user_message: message(StepRole::User);
        agent_response: message(StepRole::Agent).citations(vec![
            Source::file("1", "a"),
            Source::site("https://example.com"),
        ]);
        system_message: message(StepRole::System);
        memory_context_retrieval: Memory::new(["words"]);
        memory_store: Memory::new(Vec::<String>::new());
        knowledge_retrieval: KnowledgeStep::new(vec![
            KnowledgeResult::new("1", "words").mime_type("text/plain"),
        ]).query("?").keywords(vec!["word".to_owned()]);
        mcp: McpMessage::new(object(mcp));
        a2a: a2a("message/send");
        message_send: a2a("message/send");
        message_stream: a2a("message/stream");
        tasks_get: a2a("tasks/get");
        tasks_cancel: a2a("tasks/cancel");
        tasks_resubscribe: a2a("tasks/resubscribe");
        tasks_push_notification_config_set: a2a("tasks/pushNotificationConfig/set");
        tasks_push_notification_config_get: a2a("tasks/pushNotificationConfig/get");
    };
    let all: Vec<&str> = AosAt::ALL.iter().map(|at| at.as_str()).collect();
    assert_eq!(asked.as_slice(), all);
}

#[tokio::test]
async fn each_is_a_request_of_its_method() {
    let guardian = StandIn::start(Question::allow).await;
    let client = client_of(&guardian.url()).posture(Posture::Deny);
    ask_about_each(&client).await;
    let questions = guardian.questions();
    let methods = questions.iter().map(|question| &question.body["method"]);
    let methods: Vec<&str> = methods.map(|method| method.as_str().unwrap()).collect();
    let expected: Vec<&str> = AosAt::ALL.iter().map(|at| at.method().as_str()).collect();
    assert_eq!(methods, expected);
    for question in &questions {
        let method = Method::named(question.body["method"].as_str().unwrap()).unwrap();
        let context = &question.body["params"]["context"];
        assert_eq!(
            context["agent"]["id"] == "notes",
            method.is_native(),
            "{method}"
        );
    }
}

//! Requests of every kind, made by the constructors, with members that the document does not define.

use hooks_sdk::aos::{
    A2aMessage, Agent, AgentTrigger, AosRequest, CompletedToolCall, FileContent, KnowledgeResult,
    KnowledgeStep, McpMessage, Memory, MessageStep, Method, Part, Source, StepContext, StepMessage,
    StepPayload, StepRole, TextPart, ToolCallRequest, ToolInput, ToolOutput, TriggerEvent, User,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Map, Value, json};

/// Any JSON.
pub(super) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        text().prop_map(Value::from),
        select(
            &[
                "2.0",
                "text",
                "file",
                "user",
                "allow",
                "modify",
                "ping",
                "autonomous"
            ][..]
        )
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let name = select(
            &[
                "kind", "id", "name", "text", "uri", "jsonrpc", "method", "a",
            ][..],
        );
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((name, inner), 0..4).prop_map(object),
        ]
    })
}

fn object(members: Vec<(&str, Value)>) -> Value {
    let members = members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Value::Object(members.collect())
}

fn text() -> impl Strategy<Value = String> {
    ".{0,12}"
}

/// Members that no type defines.
fn other() -> impl Strategy<Value = Map<String, Value>> {
    vec(("x-[a-z]{1,3}", any_json()), 0..3).prop_map(|members| members.into_iter().collect())
}

fn metadata() -> impl Strategy<Value = Option<Option<Map<String, Value>>>> {
    option::of(option::of(other()))
}

prop_compose! {
    fn text_part()(text in text(), metadata in metadata(), other in other()) -> TextPart {
        let mut part = TextPart::new(text);
        (part.metadata, part.other) = (metadata, other);
        part
    }
}

fn part() -> impl Strategy<Value = Part> {
    let file = (any::<bool>(), text(), option::of(text())).prop_map(|(uri, text, name)| {
        let mut file = if uri {
            FileContent::uri(text)
        } else {
            FileContent::bytes(text)
        };
        file.name = name;
        Part::file(file)
    });
    prop_oneof![
        text_part().prop_map(Part::Text),
        other().prop_map(Part::data),
        file,
    ]
}

prop_compose! {
    fn context()(
        ids in vec(text(), 6),
        user in option::of((text(), option::of(text()), metadata(), other())),
        session in metadata(),
        other in other(),
    ) -> StepContext {
        let agent = Agent::new(&*ids[0], &*ids[1]).instructions(&*ids[2]).provider(&*ids[3], "u");
        let mut context = StepContext::new(agent, &*ids[3], &*ids[4], &*ids[5]);
        context.session.metadata = session;
        context.other = other;
        context.user = user.map(|(id, email, metadata, other)| {
            let mut user = User::new(id);
            (user.email, user.metadata, user.other) = (email, metadata, other);
            user
        });
        context
    }
}

/// A message of JSON-RPC.
fn raw() -> impl Strategy<Value = Map<String, Value>> {
    let kinds = select(&["method", "result", "error"][..]);
    (kinds, text(), any::<i64>(), other(), other()).prop_map(|(kind, text, id, inner, other)| {
        let mut raw = other;
        raw.insert("jsonrpc".to_owned(), json!("2.0"));
        raw.insert("id".to_owned(), json!(id));
        let value = if kind == "method" {
            json!(text)
        } else {
            Value::Object(inner)
        };
        raw.insert(kind.to_owned(), value);
        raw
    })
}

fn message() -> impl Strategy<Value = MessageStep> {
    let roles = select(&[StepRole::User, StepRole::Agent, StepRole::System][..]);
    let sources = option::of(vec(
        prop_oneof![
            (text(), text()).prop_map(|(id, name)| Source::file(id, name)),
            text().prop_map(Source::site),
        ],
        0..3,
    ));
    (text(), roles, vec(part(), 1..4), sources).prop_map(|(id, role, content, sources)| {
        let mut step = MessageStep::new(StepMessage::new(id, role, content));
        step.citations = sources;
        step
    })
}

fn of<T: StepPayload>(
    method: Method,
    payload: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<AosRequest> {
    let request = (
        payload,
        text(),
        option::of(text()),
        context(),
        other(),
        other(),
    );
    let request = request.prop_map(move |(payload, id, reasoning, context, params, other)| {
        let mut request = AosRequest::new(id, method, payload);
        if method.is_native() {
            request = request.context(context);
        }
        // A message of MCP that stands alone has no room for what is said beside it.
        if method != Method::Mcp || reasoning.is_some() {
            request.other_params = params;
        }
        (request.reasoning, request.other) = (reasoning, other);
        request
    });
    request.boxed()
}

/// A request of any kind.
pub(super) fn request() -> impl Strategy<Value = AosRequest> {
    let trigger =
        (text(), text(), vec(part(), 1..3), metadata()).prop_map(|(kind, id, parts, metadata)| {
            let mut trigger = AgentTrigger::new(TriggerEvent::new(kind, id), parts);
            trigger.metadata = metadata;
            trigger
        });
    let inputs = vec((text(), any_json(), other()), 0..4).prop_map(|inputs| {
        let input = |(name, value, other)| {
            let mut input = ToolInput::new(name, value);
            input.other = other;
            input
        };
        inputs.into_iter().map(input).collect()
    });
    let call = (text(), text(), inputs)
        .prop_map(|(x, tool, inputs)| ToolCallRequest::new(x, tool, inputs));
    let result =
        (text(), vec(text_part(), 0..3), any::<bool>()).prop_map(|(x, outputs, is_error)| {
            CompletedToolCall::new(x, ToolOutput::new(outputs, is_error))
        });
    let memory = || vec(text(), 0..3).prop_map(Memory::new);
    let found =
        (text(), text(), option::of(text()), other()).prop_map(|(id, content, kind, other)| {
            let mut result = KnowledgeResult::new(id, content);
            (result.mime_type, result.other) = (kind, other);
            result
        });
    let knowledge = (
        vec(found, 0..3),
        option::of(text()),
        option::of(vec(text(), 0..3)),
    );
    let knowledge = knowledge.prop_map(|(results, query, keywords)| {
        let mut step = KnowledgeStep::new(results);
        (step.query, step.keywords) = (query, keywords);
        step
    });
    let a2a = || raw().prop_map(A2aMessage::new);
    prop_oneof![
        of(Method::AgentTrigger, trigger),
        of(Method::ToolCallRequest, call),
        of(Method::ToolCallResult, result),
        of(Method::Message, message()),
        of(Method::MemoryContextRetrieval, memory()),
        of(Method::MemoryStore, memory()),
        of(Method::KnowledgeRetrieval, knowledge),
        of(Method::Mcp, raw().prop_map(McpMessage::new)),
        of(Method::MessageSend, a2a()),
        of(Method::TasksCancel, a2a()),
    ]
}

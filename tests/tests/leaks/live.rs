//! What a server sends to an MCPL host, and asks it.

use hooks_sdk::{
    core::Hook,
    mcpl::{
        self, Author as Sender, BeforeInference, Call, ChannelDescriptor, Context, Direction,
        EventId, IncomingMessage, Inference, Injection, McplHook, Position, Push, point,
    },
    rmcp::{RoleServer, service::RequestContext},
};
use serde_json::{Map, Value, json};

use crate::{
    author::{Author, Plan},
    output::Output,
};

/// Tells and asks the host
#[mcpl::feature_set(
    "desk.live",
    sends(push, inference, register, incoming),
    server = Author
)]
struct Live;

/// What an MCPL host says of itself in the handshake.
pub(crate) fn host() -> Value {
    json!({
        "version": "0.4",
        "pushEvents": true,
        "contextHooks": {"beforeInference": true},
        "inferenceRequest": {"streaming": false},
        "featureSets": true,
        "channels": {"register": true, "incoming": true},
    })
}

/// The feature set, and its hook before a turn.
pub(crate) fn hooks() -> [Hook; 2] {
    let inject = McplHook::answering::<Live, Author, _, _>(
        "inject",
        point::before_inference,
        |author: &Author, turn: &BeforeInference, _: &Context| {
            let number = turn.conversation_id.parse().ok();
            let plan = number.and_then(|at: usize| author.plans.lock().unwrap().get(at).copied());
            let injection = plan.map(|plan| {
                let metadata = Map::from_iter([("note".to_owned(), plan.form.value())]);
                Injection::new("desk", Position::BeforeUser, plan.form.text()).metadata(metadata)
            });
            Box::pin(async move { injection })
        },
    );
    let inject = inject.inject(&[Position::BeforeUser]);
    [McplHook::feature_set::<Live>().into(), inject.into()]
}

/// Sends what the plan of a call wants. Whether the host takes it is nothing to the call.
pub(crate) async fn send(
    author: &Author,
    number: usize,
    plan: Plan,
    cx: &RequestContext<RoleServer>,
) {
    let Some(call) = cx.extensions.get::<Call>() else {
        return;
    };
    let (host, text) = (call.host(), plan.form.text());
    let said = match plan.output {
        Output::Pushed => {
            let mut push = Push::new(EventId::of("desk", number as u32), text);
            push = push.origin(Map::from_iter([("note".to_owned(), plan.form.value())]));
            format!("{:?}", host.push::<Live>(&push).await)
        }
        Output::Inferred => {
            let inference = Inference::prompt(text);
            format!("{:?}", host.infer::<Live>(&inference).await)
        }
        Output::Channel => {
            let id = format!("desk:{number}");
            let channel = ChannelDescriptor::new(id, "desk", text, Direction::Outbound);
            format!("{:?}", host.register_channels::<Live>(vec![channel]).await)
        }
        _ => {
            let kim = Sender::new("u1", "Kim");
            let message = IncomingMessage::new("desk:0", number.to_string(), kim, text);
            format!("{:?}", host.incoming::<Live>(vec![message]).await)
        }
    };
    author.hears(said);
}

//! One visit of a host: it connects, does things, and goes, well or badly.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use hooks_sdk::testing::{
    ConnectError, McplHost, RequestError,
    mcpl::{Chunks, Reaction},
};
use serde_json::{Value, json};

use crate::{Tally, chance::Chance, server::Soaked};

/// How long a request may wait for its answer; hooks have their own deadlines, all of them shorter.
const PATIENCE: Duration = Duration::from_secs(60);

/// Connects, does up to forty things, and goes.
pub(crate) async fn visit(chance: &mut Chance, tally: &Tally, stop: &AtomicBool) {
    let server = Soaked::collected().wrap(Soaked::new()).expect("it fits");
    let version = if chance.one_in(2) {
        "0.4"
    } else {
        "0.5.0-draft"
    };
    let reactions = Mutex::new(Chance::new(chance.next()));
    let builder = McplHost::builder()
        .version(version)
        .timeout(PATIENCE)
        .hook_timeouts(PATIENCE, PATIENCE)
        .keep(0)
        .behaviour(move |_, _| reaction(&mut reactions.lock().expect("no panic inside")));
    let builder = if chance.one_in(5) {
        builder.silent()
    } else {
        builder
    };
    tally.connections.fetch_add(1, Ordering::Relaxed);
    let host = match builder.connect(server).await {
        Ok(host) => host,
        Err(error) => {
            let late = matches!(&error, ConnectError::Handshake(RequestError::TimedOut(_)));
            count(if late { &tally.unanswered } else { &tally.cut });
            return;
        }
    };
    for _ in 0..chance.below(40) {
        if stop.load(Ordering::Relaxed) || act(&host, chance, tally).await.is_none() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(chance.below(400))).await;
    }
    if chance.one_in(2) {
        _ = host.close().await;
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// What the host does with a request of the server's.
fn reaction(chance: &mut Chance) -> Reaction {
    match chance.below(40) {
        0 => Reaction::never(),
        1 => Reaction::good().twice(),
        2 => Reaction::wrong_shape(),
        3 => Reaction::neither(),
        4 => Reaction::under_another_id(),
        5 => Reaction::good().after(Duration::from_millis(chance.below(100))),
        6 => Reaction::good().chunks(Chunks::Mixed),
        7 => Reaction::good().chunks(Chunks::Shuffled),
        8 => Reaction::good().chunks(Chunks::Late),
        9 => Reaction::disconnect(),
        10 => Reaction::lost(),
        _ => Reaction::good(),
    }
}

/// One request or notification; `None` when the connection is gone.
async fn act(host: &McplHost, chance: &mut Chance, tally: &Tally) -> Option<()> {
    let turn = chance.below(100);
    let message = json!({
        "inferenceId": format!("inf_{turn}"),
        "conversationId": "conv",
        "turnIndex": turn,
        "userMessage": "hello",
        "assistantMessage": "hello yourself",
        "model": {},
        "usage": { "inputTokens": 1, "outputTokens": 1 },
    });
    let publish = json!({
        "conversationId": "conv",
        "channelId": "soak:room",
        "content": [{ "type": "text", "text": "hello" }],
    });
    let asked = match chance.below(16) {
        0 | 1 => ("context/beforeInference", message),
        2 | 3 => ("context/afterInference", message),
        4 => {
            return tell(host, "context/afterInference", message).await;
        }
        5 => ("tools/call", json!({ "name": "ask", "arguments": {} })),
        6 => ("tools/call", json!({ "name": "add", "arguments": {} })),
        7 => {
            let state = json!({ "n": [1, 2, 3] });
            let call = json!({ "name": "add", "arguments": {}, "state": state });
            ("tools/call", call)
        }
        8 => {
            let rollback = json!({ "featureSet": "soak.state", "checkpoint": "chk_none" });
            ("state/rollback", rollback)
        }
        9 => ("channels/open", json!({ "type": "soak", "address": {} })),
        10 => {
            // Nothing can be published to a channel that nobody opened.
            let open = json!({ "type": "soak", "address": {} });
            _ = host.request("channels/open", open).await;
            ("channels/publish", publish)
        }
        11 => {
            return tell(host, "channels/publish", publish).await;
        }
        12 => {
            let chunk = json!({
                "inferenceId": "inf",
                "conversationId": "conv",
                "channelId": "soak:room",
                "index": turn,
                "delta": "he",
            });
            return tell(host, "channels/outgoing/chunk", chunk).await;
        }
        13 => {
            let sets = ["soak.*", "soak.asking", "soak.channels"];
            let set = sets[usize::try_from(chance.below(3)).unwrap_or(0)];
            let update = if chance.one_in(2) {
                json!({ "enabled": [set] })
            } else {
                json!({ "disabled": [set] })
            };
            return tell(host, "featureSets/update", update).await;
        }
        14 => ("channels/close", json!({ "channelId": 7 })),
        _ => {
            host.send_line(b"{\"jsonrpc\": not json").await.ok()?;
            return Some(());
        }
    };
    let (method, params) = asked;
    let answered = |how: usize| {
        let mut methods = tally.methods.lock().expect("no panic inside");
        methods.entry(method).or_default()[how] += 1;
    };
    match host.request(method, params).await {
        Ok(_) => {
            answered(0);
            count(&tally.answered);
        }
        Err(RequestError::Refused { .. }) => {
            answered(1);
            count(&tally.refused);
        }
        Err(RequestError::TimedOut(_)) => {
            eprintln!("no answer to {method}");
            count(&tally.unanswered);
        }
        Err(_) => {
            count(&tally.cut);
            return None;
        }
    }
    Some(())
}

async fn tell(host: &McplHost, method: &str, params: Value) -> Option<()> {
    host.notify(method, params).await.ok()
}

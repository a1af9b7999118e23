//! What the server sends of its own accord, dealt with in its order while the connection is read.

use std::sync::{Arc, Weak};

use crate::connection::{Side, WeakConnection};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::{
    answers,
    audit::{AuditOutcome, OperationSubject},
    reaction::{Behaviour, Reaction, WireStep},
    shared::SharedHost,
};
use hooks_mcpl::{Version, wire::method};

/// What is done with each message that is not an answer.
///
/// Nothing here waits: answers are sent by a task of their own, so that a server that does not read cannot
/// keep its host from reading.
pub(super) fn receiving(
    line: &Arc<WeakConnection>,
    shared: Arc<SharedHost>,
) -> impl FnMut(&Value) + Send + use<> {
    let (sending, jobs) = mpsc::unbounded_channel();
    tokio::spawn(send_all(Arc::downgrade(line), jobs));
    let line = Arc::downgrade(line);
    move |message| {
        let Some(method) = message["method"].as_str() else {
            return;
        };
        let params = message.get("params").unwrap_or(&Value::Null);
        match message.get("id") {
            Some(id) if !id.is_null() => {
                let steps = reaction(&shared, method, params)
                    .play(id, || answers::to(&shared, method, params));
                // The receiver is gone only when the host is.
                _ = sending.send(steps);
            }
            _ => {
                answers::told(&shared, method, params);
                if method == method::MANIFEST_CHANGED {
                    fetch_manifest(line.clone(), shared.clone());
                }
            }
        }
    }
}

fn reaction(shared: &SharedHost, method: &str, params: &Value) -> Reaction {
    let next = shared.state().script.next(method);
    let behave = |behaviour: Option<Behaviour>| match behaviour {
        // Called while nothing is locked, so that it may look at the host.
        Some(behaviour) => behaviour(method, params),
        None => Reaction::good(),
    };
    next.unwrap_or_else(behave)
}

async fn send_all(line: Weak<WeakConnection>, mut jobs: mpsc::UnboundedReceiver<Vec<WireStep>>) {
    while let Some(steps) = jobs.recv().await {
        if steps.iter().any(|step| matches!(step, WireStep::Wait(_))) {
            tokio::spawn(send(line.clone(), steps));
        } else {
            send(line.clone(), steps).await;
        }
    }
}

async fn send(line: Weak<WeakConnection>, steps: Vec<WireStep>) {
    for step in steps {
        if let WireStep::Wait(delay) = step {
            tokio::time::sleep(delay).await;
            continue;
        }
        let Some(line) = line.upgrade() else {
            return;
        };
        match step {
            // A stream that failed shows where the test looks for what should have come over it.
            WireStep::Send(message) => _ = line.send(message).await,
            WireStep::Cut(half) => line.cut(&half).await,
            WireStep::Wait(_) => {}
        }
    }
}

/// Reads what the server declares now (MCPL 0.5), in a task of its own.
fn fetch_manifest(line: Weak<WeakConnection>, shared: Arc<SharedHost>) {
    if shared.config.version != Version::V05 || shared.state().gate.declared().is_none() {
        return;
    }
    tokio::spawn(async move {
        let Some(line) = line.upgrade() else {
            return;
        };
        let reader = shared.clone();
        let then = move |answer: &Value| {
            if let Some(manifest) = answer.get("result") {
                reader.declare(method::MANIFEST, Some(manifest));
            }
        };
        let answer = line.request_then(method::MANIFEST, Map::new(), then).await;
        let outcome =
            answer.map_or_else(|error| AuditOutcome::of(&error), |_| AuditOutcome::Success);
        shared.log(
            Side::Host,
            method::MANIFEST,
            OperationSubject::default(),
            outcome,
        );
    });
}

//! What is no request, and what is no decision.

use std::{env, fs, path::Path};

use hooks_sdk::aos::{AosResponse, Received};
use serde_json::{Value, json};

use super::{each, scripted};
use crate::vectors::{Mismatch, Outcome};

/// Each body gets the code and the id that it is recorded with.
pub(super) fn requests(file: &Value) -> Vec<Outcome> {
    let guardian = scripted::guardian(AosResponse::allow("allowed"));
    each(file, |vector| {
        let body = vector["body"].as_str().unwrap_or_default();
        let answer = scripted::answer(&guardian, body.as_bytes());
        let expect = &vector["expect"];
        Mismatch::compare(
            &json!({
                "jsonrpc": "2.0",
                "id": expect["id_echo"],
                "code": expect["error_code"],
                "decides": null,
                "says": true,
            }),
            &json!({
                "jsonrpc": answer["jsonrpc"],
                "id": answer["id"],
                "code": answer["error"]["code"],
                "decides": answer["result"],
                "says": answer["error"]["data"]["reason"].is_string(),
            }),
        )
    })
}

/// Each body is the decision that it is recorded with, strictly and leniently, or none.
pub(super) fn responses(file: &Value) -> Vec<Outcome> {
    each(file, |vector| {
        let request = asked(vector["to_request"].as_str().unwrap_or_default());
        let Some(Received::Step(request)) = request.and_then(|it| Received::read_value(it).ok())
        else {
            return Err(Mismatch {
                expected: "a pair with the request".to_owned(),
                got: vector["to_request"].to_string(),
            });
        };
        let body = vector["body"].as_str().unwrap_or_default();
        let read = |lenient| {
            let decided = request.read_answer(body.as_bytes(), lenient);
            decided.map_or("failure", |decided| decided.decision().as_str())
        };
        let expect = &vector["expect"];
        Mismatch::compare(
            &json!([expect["strict"], expect["lenient"]]),
            &json!([read(false), read(true)]),
        )
    })
}

/// The request of the pair whose id begins so, here or beside the vectors that are run.
fn asked(pair: &str) -> Option<Value> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let more = env::var_os("HOOKS_VECTORS").map(|folder| package.join("..").join(folder));
    let folders = [Some(package.join("vectors")), more];
    folders.into_iter().flatten().find_map(|folder| {
        let text = fs::read_to_string(folder.join("aos/pairs.json")).ok()?;
        let pairs: Value = serde_json::from_str(&text).ok()?;
        let mut pairs = pairs["vectors"].as_array()?.iter();
        let named = |it: &&Value| {
            it["id"]
                .as_str()
                .is_some_and(|id| !pair.is_empty() && id.starts_with(pair))
        };
        Some(pairs.find(named)?["request"].clone())
    })
}

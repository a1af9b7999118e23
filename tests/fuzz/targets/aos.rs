//! Any body gets one answer, any answer is a decision or none, and what was read is written so that it reads the same.

use futures::FutureExt;
use hooks_sdk::{
    aos::{AosRequest, Guardian, Received, Transported},
    core::Registry,
};
use serde_json::{Value, from_slice, to_value};

fn read(value: Value) -> Option<AosRequest> {
    match Received::read_value(value) {
        Ok(Received::Step(step)) => Some(*step),
        _ => None,
    }
}

/// Panics when a body gets no answer, or when a request reads what it wrote differently.
pub(crate) fn check(input: &[u8]) {
    let guardian = Guardian::with((), Registry::default());
    let answered = guardian
        .answer(input, Transported::default())
        .now_or_never();
    let answer: Value = from_slice(&answered.expect("no hook waits")).expect("an answer is JSON");
    assert!(answer.get("result").is_some() != answer.get("error").is_some());
    let Ok(sent) = from_slice::<Value>(input) else {
        return;
    };
    // An input is a request, or a pair of a request and an answer to it.
    let request = sent.get("request").unwrap_or(&sent);
    let Some(request) = read(request.clone()) else {
        return;
    };
    let written = to_value(&request).expect("what was read can be written");
    assert_eq!(read(written).expect("and read again"), request);
    if let Some(response) = sent.get("response") {
        for lenient in [false, true] {
            let decided = request.read_answer(response.to_string().as_bytes(), lenient);
            if let Some(modified) = decided.ok().as_ref().and_then(|it| it.modified_request()) {
                assert_eq!(
                    (&modified.id, modified.method),
                    (&request.id, request.method)
                );
            }
        }
    }
}

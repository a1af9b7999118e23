//! The limit on questions under way, and the circuit breaker.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hooks_sdk::aos::{FailureClass, GuardianClient, Posture, StepOutcome, Unaskable, point};
use tokio::sync::Semaphore;

use super::{
    SHORT, ask, call, client_of, denied,
    stand_in::{Act, Question, StandIn},
};

/// An allowing answer, once a test lets it go.
fn held(gate: &Arc<Semaphore>, question: &Question) -> Act {
    let gate = Arc::clone(gate);
    let opened = Box::pin(async move { gate.acquire().await.expect("it stays open").forget() });
    Act::After(opened, Box::new(question.allow()))
}

/// Waits until the guardian has heard this many questions.
async fn heard(guardian: &StandIn, questions: usize) {
    let heard = async {
        while guardian.questions().len() < questions {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(super::PATIENCE, heard)
        .await
        .expect("the questions");
}

fn class(ruled: StepOutcome<impl std::fmt::Debug>) -> FailureClass {
    denied(ruled).failure.expect("there is no decision")
}

#[tokio::test]
async fn no_more_questions_are_under_way_than_may_be() {
    let gate = Arc::new(Semaphore::new(0));
    let opens = Arc::clone(&gate);
    let guardian = StandIn::start(move |question| held(&opens, question)).await;
    let client = client_of(&guardian.url()).max_concurrent(4);
    let client = client.posture(Posture::Deny);
    let asked: Vec<_> = (0..40)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { ask(&client).await })
        })
        .collect();
    heard(&guardian, 4).await;
    gate.add_permits(40);
    for asked in asked {
        assert_eq!(asked.await.unwrap(), StepOutcome::Allowed);
    }
    assert_eq!(guardian.questions().len(), 40);
    assert_eq!(guardian.most_at_once(), 4);
    assert!(guardian.connections() <= 4);
}

#[tokio::test]
async fn a_question_that_gets_no_place_in_time_is_refused_under_both_postures() {
    let gate = Arc::new(Semaphore::new(0));
    let opens = Arc::clone(&gate);
    let guardian = StandIn::start(move |question| held(&opens, question)).await;
    let client = client_of(&guardian.url()).max_concurrent(1);
    let patient = client.clone().posture(Posture::Deny);
    let first = tokio::spawn(async move { ask(&patient).await });
    heard(&guardian, 1).await;
    let hurried = client.timeout(SHORT);
    super::unaskable::is_refused(&hurried, Unaskable::TooMany, call("secret")).await;
    gate.add_permits(1);
    assert_eq!(first.await.unwrap(), StepOutcome::Allowed);
    assert_eq!(guardian.questions().len(), 1);
}

#[tokio::test]
async fn an_open_circuit_asks_nobody_and_opens_no_door() {
    let guardian = StandIn::start(|_| Act::Close(Vec::new())).await;
    let client = client_of(&guardian.url()).circuit(2, Duration::MAX);
    let careful = client.clone().posture(Posture::Deny);
    for _ in 0..2 {
        assert_eq!(class(ask(&careful).await), FailureClass::Unreachable);
    }
    for _ in 0..20 {
        assert_eq!(class(ask(&careful).await), FailureClass::CircuitOpen);
    }
    // The other posture shares the circuit, and each of its bypasses is recorded.
    super::fails(client, FailureClass::CircuitOpen).await;
    assert_eq!(guardian.questions().len(), 2);
    let counts = careful.counts();
    assert_eq!(counts.failed(FailureClass::Unreachable), 2);
    assert_eq!((counts.refused, counts.bypassed), (23, 1));
}

#[tokio::test]
async fn one_question_probes_a_guardian_that_was_gone() {
    let gate = Arc::new(Semaphore::new(0));
    let (opens, gone) = (Arc::clone(&gate), Arc::new(AtomicBool::new(true)));
    let is_gone = Arc::clone(&gone);
    let guardian = StandIn::start(move |question| match is_gone.load(Ordering::SeqCst) {
        true => Act::Close(Vec::new()),
        false => held(&opens, question),
    })
    .await;
    let client = client_of(&guardian.url()).circuit(1, Duration::ZERO);
    let client = client.posture(Posture::Deny);
    assert_eq!(class(ask(&client).await), FailureClass::Unreachable);
    // A probe that fails opens the circuit again.
    assert_eq!(class(ask(&client).await), FailureClass::Unreachable);
    gone.store(false, Ordering::SeqCst);
    let probe = tokio::spawn({
        let client = client.clone();
        async move { ask(&client).await }
    });
    heard(&guardian, 3).await;
    assert_eq!(class(ask(&client).await), FailureClass::CircuitOpen);
    gate.add_permits(2);
    assert_eq!(probe.await.unwrap(), StepOutcome::Allowed);
    assert_eq!(ask(&client).await, StepOutcome::Allowed);
    assert_eq!(guardian.questions().len(), 4);
}

#[tokio::test]
async fn a_probe_that_is_given_up_leaves_the_next_one_free() {
    let gate = Arc::new(Semaphore::new(0));
    let opens = Arc::clone(&gate);
    let guardian = StandIn::start(move |question| match question.number {
        0 => Act::Close(Vec::new()),
        _ => held(&opens, question),
    })
    .await;
    let client = client_of(&guardian.url()).circuit(1, Duration::ZERO);
    let client = client.posture(Posture::Deny);
    assert_eq!(class(ask(&client).await), FailureClass::Unreachable);
    let probe = tokio::spawn({
        let client = client.clone();
        async move { ask(&client).await }
    });
    heard(&guardian, 2).await;
    probe.abort();
    probe.await.unwrap_err();
    gate.add_permits(2);
    assert_eq!(ask(&client).await, StepOutcome::Allowed);
}

#[tokio::test]
async fn answers_that_are_no_decision_leave_the_circuit_closed() {
    let guardian = StandIn::start(|_| Act::json("{}")).await;
    let client = client_of(&guardian.url()).circuit(1, Duration::MAX);
    let client = client.posture(Posture::Deny);
    for _ in 0..5 {
        assert_eq!(class(ask(&client).await), FailureClass::MalformedResponse);
    }
    assert_eq!(guardian.questions().len(), 5);
}

#[tokio::test]
async fn a_guardian_that_comes_back_is_asked_again() {
    let first = StandIn::start(Question::allow).await;
    let address = first.address();
    let client = client_of(&first.url()).circuit(0, Duration::ZERO);
    let client: GuardianClient = client.posture(Posture::Deny);
    assert_eq!(ask(&client).await, StepOutcome::Allowed);
    first.stop().await;
    let gone = client.ask(point::tool_call_request, call("secret")).await;
    assert_eq!(class(gone), FailureClass::Unreachable);
    let second = StandIn::start_at(address, Question::allow).await;
    assert_eq!(ask(&client).await, StepOutcome::Allowed);
    assert_eq!(second.questions().len(), 1);
}

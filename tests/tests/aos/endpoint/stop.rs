//! How many requests the guardian takes at once, and how it stops.

use hooks_tests::{
    client::{connect, on},
    toy_server::one,
};
use http::StatusCode;

use super::{
    client::{GuardianReply, ask_about, post, step},
    keeper::serve,
};

#[tokio::test]
async fn steps_that_are_being_decided_get_their_answers() {
    let served = serve(|server| server).await;
    let address = served.address;
    let waiting = tokio::spawn(async move { ask_about(address, "wait").await });
    one(&served.keeper.begun).await;
    let mut idle = connect(address).await;
    assert_eq!(
        on(&mut idle, post(step("search").to_string(), &[]))
            .await
            .decision(),
        "allow"
    );
    served.stop.cancel();
    // The guardian tells the others to come again. It may still accept a moment longer.
    let refused = loop {
        let answer = ask_about(address, "search").await;
        if answer.status != StatusCode::OK {
            break answer;
        }
    };
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(
        refused.refused(),
        "the guardian is stopping: send the request again"
    );
    served.keeper.leave.add_permits(1);
    assert_eq!(waiting.await.expect("no panic").decision(), "allow");
    served.end().await;
}

#[tokio::test]
async fn more_requests_at_once_than_there_may_be_are_refused() {
    let served = serve(|server| server.max_requests(1)).await;
    let address = served.address;
    let waiting = tokio::spawn(async move { ask_about(address, "wait").await });
    one(&served.keeper.begun).await;
    let refused = ask_about(address, "search").await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(
        refused
            .refused()
            .ends_with("sets the number with `max_requests`"),
        "{refused:?}"
    );
    served.keeper.leave.add_permits(1);
    assert_eq!(waiting.await.expect("no panic").decision(), "allow");
    assert_eq!(ask_about(address, "search").await.decision(), "allow");
}

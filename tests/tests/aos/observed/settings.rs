//! What is checked when a server starts, and what is never shown.

use std::time::Duration;

use hooks_sdk::aos::{Agent, Guardian, GuardianClient, Posture, Unseen};

use super::{agent, client_of};

fn problems<P>(client: &GuardianClient<P>) -> String {
    client.check().unwrap_err().to_string()
}

#[test]
fn an_agent_with_a_provider_is_required() {
    let url = "http://127.0.0.1:9/aos";
    Guardian::http(url).agent(agent()).check().unwrap();
    let message = problems(&Guardian::http(url));
    assert!(message.contains("which agent it guards"), "{message}");
    assert!(message.contains(".agent(Agent::new("), "{message}");
    let nameless = Agent::new("", "").provider("Example", "");
    let message = problems(&Guardian::http(url).agent(nameless));
    assert!(message.starts_with("3 problems"), "{message}");
    assert!(message.contains("no provider's URL"), "{message}");
}

#[test]
fn a_url_is_one_of_http_without_a_secret_in_it() {
    for good in [
        "http://127.0.0.1:8790",
        "http://[::1]:1/aos?tenant=7",
        "https://guardian.example/aos",
    ] {
        client_of(good).check().unwrap();
    }
    for (bad, words) in [
        ("", "cannot be read"),
        ("127.0.0.1:8790/hunter2", "cannot be read"),
        ("guardian.example", "cannot be read"),
        ("http://", "cannot be read"),
        (
            "ftp://guardian.example/hunter2",
            "not one of `http` or `https`",
        ),
        ("unix:/run/hunter2", "not one of `http` or `https`"),
        (
            "https://user:hunter2@guardian.example",
            "has a user or a password",
        ),
        (
            "https://hunter2@guardian.example",
            "has a user or a password",
        ),
    ] {
        let client = client_of(bad);
        let message = problems(&client);
        assert!(message.contains(words), "{bad}: {message}");
        assert!(!message.contains("hunter2"), "{message}");
        assert!(!format!("{client:?}").contains("hunter2"), "{client:?}");
    }
}

#[test]
fn plain_http_to_another_computer_is_an_error_unless_it_is_allowed() {
    for (url, is_open) in [
        ("http://guardian.example/aos", true),
        ("http://192.0.2.1/aos", true),
        ("http://[2001:db8::1]/aos", true),
        ("http://localhost.example/aos", true),
        ("http://localhost:8787/aos", false),
        ("http://127.0.0.2/aos", false),
        ("http://[::1]/aos", false),
        ("https://guardian.example/aos", false),
    ] {
        for client in [client_of(url), client_of(url).bearer("hunter2")] {
            match is_open {
                true => {
                    let message = problems(&client);
                    assert!(message.contains("unencrypted"), "{url}: {message}");
                    assert!(message.contains(".allow_plain_http()"), "{message}");
                }
                false => client.check().unwrap(),
            }
            client.allow_plain_http().check().unwrap();
        }
    }
}

#[tokio::test]
async fn a_client_that_was_not_checked_fails_by_its_posture() {
    super::fails(client_of("nowhere"), hooks_sdk::aos::FailureClass::Other).await;
    let no_agent = Guardian::http("http://127.0.0.1:9");
    super::fails(no_agent, hooks_sdk::aos::FailureClass::Other).await;
}

#[test]
fn a_secret_is_never_shown() {
    let url = "https://guardian.example/aos?key=hunter2";
    let client = client_of(url).bearer("hunter2").posture(Posture::Deny);
    client.check().unwrap();
    assert!(
        !format!("{client:?} {client:#?}").contains("hunter2"),
        "{client:?}"
    );
    for unusable in ["", "a b", "a\r\nx-evil: 1", "geheimnis\u{e4}"] {
        let message = problems(&client_of(url).bearer(unusable));
        assert!(message.contains("the bearer secret"), "{message}");
        assert!(
            unusable.is_empty() || !message.contains(unusable),
            "{message}"
        );
    }
}

#[test]
fn a_timeout_has_a_length() {
    let message = problems(&client_of("http://127.0.0.1:9").timeout(Duration::ZERO));
    assert!(message.contains("timeout is zero"), "{message}");
}

#[test]
fn what_passes_unseen_is_said() {
    let client = client_of("http://127.0.0.1:9");
    assert!(Unseen::ALL.iter().all(|kind| !client.passes_unseen(*kind)));
    let client = client.pass_unseen([Unseen::Image]).posture(Posture::Deny);
    assert!(client.passes_unseen(Unseen::Image) && !client.passes_unseen(Unseen::Audio));
    assert_eq!(client.posture(), Posture::Deny);
}

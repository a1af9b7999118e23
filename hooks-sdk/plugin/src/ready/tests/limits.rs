//! `rate_limit` and `size_limit`.

use serde_json::{from_value, json};

use super::*;
use crate::ready::{RateKey, RateLimit, SizeLimit};

#[tokio::test]
async fn calls_beyond_the_rate_are_told_when_to_try_again() {
    let chain = chain([RateLimit::new().per_hour(2).tool("search*").into()]);
    let mut contexts = contexts();
    for _ in 0..2 {
        assert_eq!(
            stopped(&chain, "search", json!({}), &mut contexts).await,
            None
        );
    }
    let violation = stopped(&chain, "search", json!({}), &mut contexts)
        .await
        .unwrap();
    assert_eq!(violation.code, "rate_limited");
    assert_eq!(
        violation.reason,
        "`search` is called too often; at most 2 calls an hour are allowed"
    );
    let wait = violation.details["retry_after_ms"].as_u64().unwrap();
    assert!((1..=1_800_000).contains(&wait), "{wait}");
    assert!(
        violation.description.starts_with("try again in "),
        "{}",
        violation.description
    );
    assert_eq!(
        stopped(&chain, "read", json!({}), &mut contexts).await,
        None,
        "no such tool is limited"
    );
    assert_eq!(
        stopped(&chain, "search_all", json!({}), &mut contexts).await,
        None,
        "counted apart"
    );
}

#[tokio::test]
async fn users_are_counted_apart_and_sessions_that_a_client_chooses_are_not() {
    for (by, refused) in [
        (
            vec![RateKey::User, RateKey::Tool],
            [false, true, false, true],
        ),
        (vec![RateKey::User], [false, true, false, true]),
        (vec![RateKey::Tool], [false, true, true, true]),
        (vec![], [false, true, true, true]),
    ] {
        let chain = chain([RateLimit::new().per_hour(1).by(by.clone()).into()]);
        let requests = [("kim", "a"), ("kim", "b"), ("lee", "a"), ("kim", "a")];
        for ((user, session), refused) in requests.into_iter().zip(refused) {
            let mut contexts = of_user(user);
            contexts.global.session = Some(session.to_owned());
            let violation = stopped(&chain, "search", json!({}), &mut contexts).await;
            assert_eq!(violation.is_some(), refused, "{by:?} {user} {session}");
        }
    }
}

#[tokio::test]
async fn calls_without_a_user_are_counted_by_their_sender() {
    let chain = chain([RateLimit::new().per_hour(1).into()]);
    let sent = [
        (Some((1, 1)), false),
        (Some((1, 1)), true),
        (Some((2, 1)), false),
        (Some((1, 2)), false),
        (None, false),
        (None, true),
    ];
    for (caller, refused) in sent {
        let mut global = GlobalContext::new("1");
        if let Some((peer, session)) = caller {
            global = global.sent_by(peer, session);
        }
        global.session = Some(format!("{caller:?} {refused}"));
        let mut contexts = Contexts::new(global);
        let violation = stopped(&chain, "search", json!({}), &mut contexts).await;
        assert_eq!(violation.is_some(), refused, "{caller:?}");
    }
}

#[tokio::test]
async fn tools_that_do_not_exist_share_a_count_and_long_names_are_cut() {
    let chain = chain([RateLimit::new().per_hour(1).into()]);
    let nothing = || Contexts::new(GlobalContext::new("1").defined_by(|| None));
    let long = &*"x".repeat(1 << 20).leak();
    let mut refused = Vec::new();
    for tool in ["a", "b", long] {
        refused.push(stopped(&chain, tool, json!({}), &mut nothing()).await);
    }
    assert!(refused[0].is_none() && refused[1].is_some());
    let reason = &refused[2].as_ref().unwrap().reason;
    assert!(reason.len() < 256, "{}", reason.len());
    let known = stopped(&chain, "search", json!({}), &mut defined(json!({}))).await;
    assert_eq!(known, None);
}

#[test]
fn a_rate_is_read_from_a_file() {
    let limit: RateLimit =
        from_value(json!({"calls": 5, "per": "second", "burst": 1, "tools": "a", "by": ["user"]}))
            .unwrap();
    assert!(
        format!("{limit:?}").contains("calls: 5, per: Second, burst: Some(1)"),
        "{limit:?}"
    );
    for config in [
        json!({"calls": 0}),
        json!({"per": "day"}),
        json!({"per_minute": 5}),
        json!({"by": ["session"]}),
    ] {
        assert!(from_value::<RateLimit>(config.clone()).is_err(), "{config}");
    }
}

#[tokio::test]
async fn an_answer_is_warned_of_from_80_percent_and_refused_beyond_its_limit() {
    let chain = chain([SizeLimit::new().characters(200).tokens(1000).into()]);
    // The characters around the text.
    let around = text("").to_string().len();
    for (length, warned, refused) in [
        (10, false, false),
        (159 - around, false, false),
        (160 - around, true, false),
        (200 - around, true, false),
        (201 - around, false, true),
    ] {
        for letter in ["a", "漢"] {
            let (result, ran) =
                answered(&chain, text(&letter.repeat(length)), &mut contexts()).await;
            let told = result["_meta"]["hooks-sdk/size_limit"].is_string();
            assert_eq!(told, warned, "{length} {letter}");
            assert_eq!(
                ran.metadata.contains_key("size_limit"),
                warned,
                "{length} {letter}"
            );
            let violation = violation(ran);
            assert_eq!(violation.is_some(), refused, "{length} {letter}");
            assert!(violation.is_none_or(|violation| violation.code == "answer_too_large"));
        }
    }
}

#[tokio::test]
async fn tokens_are_estimated_and_numbers_count() {
    let chain = chain([SizeLimit::new().tokens(100).into()]);
    let (_, ran) = answered(&chain, text(&"word ".repeat(60)), &mut contexts()).await;
    let warning = ran.metadata["size_limit"].as_str().unwrap();
    assert!(
        warning.starts_with("the answer has about 8") && warning.contains(" tokens of 100;"),
        "{warning}"
    );
    let numbers = json!({"structuredContent": {"all": vec![1234567; 100]}});
    let violation = violation(answered(&chain, numbers, &mut contexts()).await.1).unwrap();
    assert!(
        violation.reason.contains("tokens, and 100 are allowed"),
        "{}",
        violation.reason
    );
}

//! No listed secret survives, and what has none stays as it is.

use std::time::{Duration, Instant};

use compliance_server::{FindingKind, MAX_ANSWER, REDACTED, find, redact};
use proptest::prelude::*;

fn kind(kind: FindingKind, secret: &str) -> impl Strategy<Value = (FindingKind, String)> + use<> {
    let secret = proptest::string::string_regex(secret).unwrap();
    secret.prop_map(move |secret| (kind, secret))
}

fn luhn(digits: Vec<u8>) -> String {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let doubled = u32::from(*digit) * if at % 2 == 0 { 2 } else { 1 };
            doubled / 10 + doubled % 10
        })
        .sum();
    let digits: String = digits.iter().map(u8::to_string).collect();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

fn card() -> impl Strategy<Value = (FindingKind, String)> {
    let digits = (2_u8..=6, proptest::collection::vec(0_u8..=9, 11..=17));
    (digits, prop_oneof![Just(""), Just(" "), Just("-")]).prop_map(
        |((first, mut rest), between)| {
            rest.insert(0, first);
            let number = luhn(rest);
            let groups: Vec<&str> = (0..number.len())
                .step_by(4)
                .map(|at| &number[at..number.len().min(at + 4)])
                .collect();
            (FindingKind::CreditCard, groups.join(between))
        },
    )
}

fn iban() -> impl Strategy<Value = (FindingKind, String)> {
    "[0-9]{18}".prop_map(|account| {
        let digits = format!("{account}131400");
        let rest = digits
            .bytes()
            .fold(0, |sum, digit| (sum * 10 + u32::from(digit - b'0')) % 97);
        (FindingKind::Iban, format!("DE{:02}{account}", 98 - rest))
    })
}

fn secret() -> impl Strategy<Value = (FindingKind, String)> {
    prop_oneof![
        kind(
            FindingKind::ApiKey,
            "sk-(proj-|ant-api03-|or-v1-)?[A-Za-z0-9]{15,60}[0-9]"
        ),
        kind(
            FindingKind::ApiKey,
            "(sk|rk)_(live|test)_[A-Za-z0-9]{24,99}"
        ),
        kind(FindingKind::ApiKey, "AIza[A-Za-z0-9_-]{35}"),
        kind(FindingKind::ApiKey, "hf_[A-Za-z0-9]{34}"),
        kind(FindingKind::ApiKey, "glpat-[A-Za-z0-9_-]{20}"),
        kind(
            FindingKind::ApiKey,
            "SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}"
        ),
        kind(FindingKind::AwsAccessKeyId, "(AKIA|ASIA)[A-Z2-7]{16}"),
        kind(FindingKind::GithubToken, "gh[opsru]_[A-Za-z0-9]{36}"),
        kind(
            FindingKind::GithubToken,
            "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"
        ),
        kind(
            FindingKind::SlackToken,
            "xox[bpars]-[0-9]{10,13}-[A-Za-z0-9]{20,30}"
        ),
        kind(
            FindingKind::Jwt,
            "eyJ[A-Za-z0-9_-]{20,40}\\.eyJ[A-Za-z0-9_-]{20,90}\\.[A-Za-z0-9_-]{43}"
        ),
        kind(
            FindingKind::PrivateKey,
            "-----BEGIN (RSA |EC |OPENSSH |)PRIVATE KEY-----\n([A-Za-z0-9+/]{64}\n){1,9}-----END PRIVATE KEY-----"
        ),
        kind(
            FindingKind::EmailAddress,
            "[a-z0-9._+-]{1,20}@[a-z0-9]{1,20}\\.[a-z]{2,9}"
        ),
        kind(
            FindingKind::PhoneNumber,
            "\\+[1-9][0-9] \\([0-9]{3}\\) [0-9]{3}-[0-9]{4}"
        ),
        kind(FindingKind::PhoneNumber, "\\+[1-9][0-9]{9,14}"),
        kind(FindingKind::UsSsn, "[1-5][0-9]{2}-[1-9][0-9]-[1-9][0-9]{3}"),
        card(),
        iban(),
    ]
}

/// Text in which nothing can be a secret: no digit, none of the signs that secrets need, and no short label of one.
fn plain() -> impl Strategy<Value = String> {
    let text = "[a-zA-ZäöüßéЖ漢🦀 .,;:!?()\n\t'-]{0,80}";
    text.prop_filter("it may say what a secret is", |text| {
        !text.to_lowercase().contains("pw")
    })
}

fn edge() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just(" "),
        Just("\n"),
        Just("\""),
        Just("`"),
        Just("漢"),
        Just("<")
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_secret_survives(before in plain(), (kind, secret) in secret(), edges in (edge(), edge()), after in plain()) {
        let text = format!("{before}{}{secret}{}{after}", edges.0, edges.1);
        let spans = find(&text);
        let redacted = redact(&text, &spans);
        prop_assert!(!redacted.contains(&secret), "{redacted}");
        prop_assert!(redacted.contains(REDACTED));
        let at = before.len() + edges.0.len();
        let found = spans.iter().find(|span| span.start <= at && span.end >= at + secret.len());
        prop_assert!(found.is_some_and(|span| span.kind == kind || span.start < at), "{spans:?}");
    }

    #[test]
    fn text_without_secrets_stays_as_it_is(text in plain()) {
        let spans = find(&text);
        prop_assert!(spans.is_empty());
        prop_assert_eq!(redact(&text, &spans), text);
    }

    #[test]
    fn spans_are_apart_and_in_order(text in "[sk0-9A-Z@.+ \\-eyJ_a-f=:/漢\n]{0,200}") {
        let spans = find(&text);
        for span in &spans {
            prop_assert!(span.start < span.end && text.get(span.start..span.end).is_some());
        }
        prop_assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
}

#[test]
fn ordinary_text_is_no_secret() {
    for text in [
        "sk-learn-documentation-pages are at sk-learn",
        "Version 1.2.3-45 of 2026-11-21, 12:30:00.123456789",
        "the task-1234567890abcdefghij and the risk-1234567890abcdefghij",
        "3+4=7, +5 points, and 10000000000000000000 stars",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "a @mention and user@localhost",
        "-----BEGIN CERTIFICATE-----",
    ] {
        assert_eq!(find(text), [], "{text}");
    }
}

#[test]
fn what_overlaps_is_one() {
    let text = "mail sk-1234567890abcdef@example.org now";
    let spans = find(text);
    assert_eq!(redact(text, &spans), "mail [REDACTED] now");
    assert_eq!(spans.len(), 1);
    assert_eq!(spans[0].kind, FindingKind::EmailAddress);
}

#[test]
fn the_worst_texts_take_their_length() {
    for unit in [
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nA: b\n",
        "a",
        "1",
        "1 ",
        "@",
        "a@",
        "a@a.",
        "eyJaaaaa.",
        "eyJaaaaa.eyJaaaaa.",
        "+1",
        "+1(",
        "sk-",
        "DE89",
        "DE89 ",
        "xoxb-",
        "password:",
        "password:((((",
        "password: “",
        "password of ",
        "pw ",
        "legal ",
        "://a:",
    ] {
        // Unoptimized, a quarter takes about as long as all of it does in a release.
        let text = unit.repeat(MAX_ANSWER / 4 / unit.len());
        let began = Instant::now();
        let spans = find(&text);
        let redacted = redact(&text, &spans);
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{unit}: {:?}",
            began.elapsed()
        );
        assert!(redacted.len() <= text.len() + spans.len() * REDACTED.len());
    }
}

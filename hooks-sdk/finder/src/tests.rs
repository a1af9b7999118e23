//! Tokens of each service, numbers with check digits, and what looks like them and is none.

use super::{FindingKind, find, find_where, looks_secret, redact, scan};

/// The rule and the text of each finding.
fn found(text: &str) -> Vec<(&'static str, &str)> {
    find(text)
        .iter()
        .map(|one| (one.rule, &text[one.start..one.end]))
        .collect()
}

/// So many letters and digits.
fn body(length: usize) -> String {
    "a1B2c3D4e5F6g7H8".chars().cycle().take(length).collect()
}

fn hex(length: usize) -> String {
    "0f1e2d3c".chars().cycle().take(length).collect()
}

#[test]
fn tokens_of_services_are_found_under_their_rule() {
    let upper = "IOSFODNN7EXAMPLE";
    for (rule, token) in [
        ("github-pat", format!("ghp_{}", body(36))),
        ("github-oauth", format!("gho_{}", body(36))),
        ("github-app-token", format!("ghs_{}", body(36))),
        ("github-refresh-token", format!("ghr_{}", body(36))),
        (
            "github-fine-grained-pat",
            format!("github_pat_{}_{}", body(22), body(59)),
        ),
        ("gitlab-pat", format!("glpat-{}", body(20))),
        (
            "gitlab-pat-routable",
            format!("glpat-{}.01.0{}", body(27), body(8)),
        ),
        (
            "gitlab-runner-authentication-token",
            format!("glrt-{}", body(20)),
        ),
        ("gitlab-cicd-job-token", format!("glcbt-64_{}", body(20))),
        (
            "slack-bot-token",
            format!("xoxb-1234567890-1234567890-{}", body(24)),
        ),
        (
            "slack-config-access-token",
            format!("xoxe.xoxp-1-{}", body(60)),
        ),
        ("slack-app-token", format!("xapp-1-A012-345-{}", body(20))),
        (
            "slack-webhook-url",
            format!("hooks.slack.com/services/T0/B0/{}", body(24)),
        ),
        ("aws-access-token", format!("AKIA{upper}")),
        ("aws-access-token", format!("ASIA{upper}")),
        ("gcp-api-key", format!("AIza{}", body(35))),
        ("huggingface-access-token", format!("hf_{}", body(34))),
        ("stripe-access-token", format!("sk_live_{}", body(24))),
        ("openai-api-key", format!("sk-proj-{}", body(48))),
        ("anthropic-api-key", format!("sk-ant-api03-{}", body(95))),
        ("generic-api-key", format!("sk-or-v1-{}", hex(64))),
        ("npm-access-token", format!("npm_{}", body(36))),
        (
            "pypi-upload-token",
            format!("pypi-AgEIcHlwaS5vcmc{}", body(60)),
        ),
        ("crates-io-token", format!("cio{}", body(32))),
        (
            "jwt",
            format!("eyJ{}.eyJ{}.{}", body(20), body(30), body(43)),
        ),
        (
            "sendgrid-api-token",
            format!("SG.{}.{}", body(22), body(43)),
        ),
        ("twilio-api-key", format!("SK{}", hex(32))),
        ("digitalocean-pat", format!("dop_v1_{}", hex(64))),
        (
            "private-key",
            format!(
                "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
                body(64)
            ),
        ),
        ("credit-card", "4111 1111 1111 1111".to_owned()),
        ("us-ssn", "123-45-6789".to_owned()),
        ("iban", "DE89 3704 0044 0532 0130 00".to_owned()),
        ("email-address", "kim@example.org".to_owned()),
        ("phone-number", "+49 30 123456".to_owned()),
    ] {
        for text in [
            token.clone(),
            format!("see `{token}`, please"),
            format!("漢{token}\n"),
        ] {
            assert_eq!(found(&text), [(rule, &*token)], "{text}");
        }
    }
}

#[test]
fn hashes_and_prose_are_no_findings() {
    for text in [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD -> main)",
        "index 83db48f..bf269f4 100644",
        "uuid 123e4567-e89b-12d3-a456-426614174000, 0192f0c1-2b3c-7d4e-8f90-123456789abc",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "\"checksum\": \"c982642fa9e8606056828ee9a8505737230110bb1099153c79efe865c59d12ba\"",
        "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "v1.2.3-rc.1+build.5, 2026-11-22T17:11:57.123456789Z, 10.0.0.1:8080",
        "let task_sk_live = sk_live_mode(); risk-based-approach-1234567890123456",
        "the disk-cache-directory and ask-me-about-it",
        "src/finder/scan.rs:123:45, line 1234567890123",
        "SKU-12345 and order 2026-1122-3344-5566, tel. 555-0100",
        "a + b = c, x@y, @decorator, a@b, ++i, +1",
        "https://example.org:8080/a/b?c=d&e=f#g@h",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "eyJhbGciOiJIUzI1NiJ9 alone is a header",
        "xghp_a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8a1B2, _npm_a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8a1B2",
        "AKIA is how they begin, and AKIAIOSFODNN7EXAMPLE1 is too long",
        "The session token expires, the access code is required, and the API is private.",
        "user src/auth2.rs, account 5 / 2024, next_page_token: abc123def, max_tokens=4096",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn what_is_not_wanted_hides_nothing_that_is() {
    let text = "mail sk-1234567890abcdef@example.org now";
    assert_eq!(
        found(text),
        [("email-address", "sk-1234567890abcdef@example.org")]
    );
    let secrets = find_where(text, FindingKind::is_secret);
    assert_eq!(redact(text, &secrets), "mail [REDACTED]@example.org now");
    assert!(find_where("kim@example.org, +49 30 123456", |kind| kind.is_secret()).is_empty());
}

#[test]
fn a_token_within_a_token_is_redacted_whole() {
    let text = format!("sk-{}-SG.{}.{} end", body(20), body(20), body(20));
    assert_eq!(redact(&text, &find(&text)), "[REDACTED] end");
}

#[test]
fn labels_in_any_case_are_found() {
    for label in [
        "Kennwörter",
        "KENNWÖRTER",
        "API-SCHLÜSSEL",
        "Mein Zugriffsschlüssel",
        "dbPassword",
    ] {
        let text = format!("{label}: hunter22");
        assert_eq!(redact(&text, &find(&text)), format!("{label}: [REDACTED]"));
    }
}

#[test]
fn many_beginnings_take_their_length() {
    for unit in [
        "-----BEGIN PRIVATE KEY-----\nA: b\n",
        "a@a.",
        "+1(",
        "DE89 ",
        "password:((((",
        "password of ",
        "://a:",
        "-eyJ",
        "-sk-",
        "-eyJ.eyJaaaaaa",
        "-SG.a",
        "-ghp_",
        "password password ",
        "\"password\":\"",
        "\\n\\\\n",
        "login a / ",
    ] {
        let text = unit.repeat(200_000 / unit.len());
        let spans = find(&text);
        assert!(
            spans.windows(2).all(|pair| pair[0].end <= pair[1].start),
            "{unit}"
        );
    }
}

#[test]
fn every_text_without_a_token_borrows_nothing() {
    assert!(scan::find("").is_empty());
    assert_eq!(redact("", &[]), "");
}

/// Checks that each secret between `[` and `]` is found, and nothing else.
fn all_found(lines: &[&str]) {
    for line in lines {
        let (before, rest) = line.split_once('[').expect("a secret");
        let (secret, after) = rest.split_once(']').expect("its end");
        let text = format!("{before}{secret}{after}");
        let shown = redact(&text, &find(&text));
        assert_eq!(shown, format!("{before}[REDACTED]{after}"), "{text}");
        assert!(looks_secret(&text), "{text}");
    }
}

#[test]
fn values_behind_labels_are_found_in_english_and_german() {
    all_found(&[
        "password: [hunter2]",
        "The password is [hunter2].",
        "My password's [hunter2]",
        "the admin password of the shop database: [Tr0ub4dor&3]",
        "pw [hunter2]",
        "pw [sunflower]",
        "pwd=[hunter2]",
        "pass: [hunter2]",
        "pass is [hunter2]",
        "pass=[sunflower]",
        "login kim / [hunter2]",
        "login: kim@example / [hunter2]",
        "credentials kim / [hunter2]",
        "user kim.lee / [Sommer12]",
        "DB_PASSWORD=[hunter2]",
        "{\"password\": \"[correct horse battery staple]\"}",
        "**Password:** [hunter2]",
        "I changed the password to [hunter2]",
        "user kim, password [hunter2]",
        "the API key for maps is [abcd1234efgh]",
        "the token is now [abcd1234]",
        "API_KEY=[abc]",
        "AccountKey=[YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo0bw==];",
        "my PIN: [4711]",
        "CVV [123]",
        "SSN: [078051120]",
        "Authorization: Bearer [abc12345]",
        "auth header Basic [a2ltOmh1bnRlcjI=]",
        "the header was Basic [a2ltOmh1bnRlcg==] yesterday",
        "passphrase: \"[correct horse battery staple]\"",
        "client_secret: [s3cr3tvalue]",
        "postgres://kim:[hunter2]@db/shop",
        "Passwort: [sommer12]",
        "Passwort: [Sonnenblume]",
        "Das WLAN-Passwort ist [Sommer2024!]",
        "Mein Kennwort heißt „[geheime Katze]“",
        "Adminpasswort = [hunter2]",
        "Das Passwort auf [hunter2] geändert",
        "Zugangsdaten: kim / [sommer12]",
        "Die Geheimzahl lautet [0815].",
    ]);
    for text in [
        "The password is wrong.",
        "the password field is masked",
        "Password: required",
        "tokens expire after an hour",
        "The token limit is 4096",
        "The secret is patience",
        "tests pass: 12, fail: 3",
        "fn login(user: &str, password: &str) -> Token",
        "password = os.environ[\"DB_PASSWORD\"]",
        "if password == other { return Token::new(); }",
        "export TOKEN=$GITHUB_TOKEN",
        "{\"password\": {\"type\": \"string\"}}",
        "password: <your password>",
        "pin: blue, and the GPIO pin is high",
        "the password is rotated monthly",
        "basic auth and a bearer of bad news",
        "C:\\new\\temp is a folder",
    ] {
        assert_eq!(find(text), [], "{text}");
    }
}

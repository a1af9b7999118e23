//! Secrets that a user or a model says in a conversation are not kept: an export shows none of them.

use hooks_sdk::testing::{McplHost, mcpl::Turn};

use super::{fresh, met, no_failures, of_conversation, store};

/// Lines with a secret, and the part that must not be kept.
const SECRETS: &[(&str, &str)] = &[
    ("pass: hunter2", "hunter2"),
    ("pass is hunter2", "hunter2"),
    ("auth header Basic a2ltOmh1bnRlcjI=", "a2ltOmh1bnRlcjI"),
    ("login kim / hunter2", "hunter2"),
    ("the password is hunter2", "hunter2"),
    ("password=hunter2", "hunter2"),
    ("the admin password was changed to hunter2", "hunter2"),
    ("Passwort: sommer12", "sommer12"),
    ("das WLAN-Passwort lautet sommer12", "sommer12"),
    ("Kennwort sommer12", "sommer12"),
    ("pw hunter2", "hunter2"),
    ("pwd: hunter2", "hunter2"),
    ("db_password: hunter2", "hunter2"),
    ("DB_PASSWORD=hunter2", "hunter2"),
    ("the passphrase is horsebattery12", "horsebattery12"),
    ("passcode: 771199", "771199"),
    ("PIN: 4711", "4711"),
    ("the pin is 4711", "4711"),
    ("API_KEY=abcdef", "abcdef"),
    ("api key: abcdef123", "abcdef123"),
    ("the API key for the shop is abcdef123", "abcdef123"),
    ("apiKey: abcdef123", "abcdef123"),
    ("client secret: abcdef123", "abcdef123"),
    ("secret: s3cr3tvalue", "s3cr3tvalue"),
    ("token: abcdef123", "abcdef123"),
    ("the access token is abcdef123", "abcdef123"),
    ("Authorization: Bearer abcdef123", "abcdef123"),
    ("Authorization: Basic a2ltOmh1bnRlcjI=", "a2ltOmh1bnRlcjI"),
    (
        "use Bearer abcdef1234567890 for the API",
        "abcdef1234567890",
    ),
    ("the database is postgres://kim:hunter2@db/shop", "hunter2"),
    ("redis://:hunter2@cache:6379", "hunter2"),
    ("https://kim:hunter2@example.org/git", "hunter2"),
    ("the key is sk-abc123def456", "sk-abc123def456"),
    ("sk_live_51Habcdef", "51Habcdef"),
    ("ghp_0123456789abcdefghij works", "0123456789abcdefghij"),
    ("github_pat_11ABCDEFG0abcdef", "11ABCDEFG0abcdef"),
    ("glpat-abcdef123456", "abcdef123456"),
    ("xoxb-1234567890-abcdef", "1234567890-abcdef"),
    ("AKIAIOSFODNN7EXAMPLE is the id", "IOSFODNN7EXAMPLE"),
    ("AIzaSyA0123456789abcdef", "SyA0123456789abcdef"),
    (
        "the digest 0123456789abcdef0123456789abcdef opens it",
        "0123456789abcdef0123",
    ),
    ("card 4111 1111 1111 1111", "1111 1111"),
    ("the account is DE89 3704 0044 0532 0130 00", "0532 0130"),
    ("-----BEGIN RSA PRIVATE KEY----- MIIEow", "MIIEow"),
    ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "c2ln"),
    ("creds: kim / hunter2", "hunter2"),
    ("username kim, password hunter2", "hunter2"),
    ("the account kim has the password hunter2", "hunter2"),
    ("private key: MIIEowabc", "MIIEowabc"),
    ("cvc 123 of the card", "123"),
];

#[tokio::test(start_paused = true)]
async fn no_secret_of_a_conversation_is_exported() {
    let (folder, path) = fresh();
    let host = met(McplHost::builder(), &path).await;
    for (said, _) in SECRETS {
        let user = format!("Remember: {said}");
        let model = format!("Fine.\n- Finding: {said}\nDecision: {said}");
        let turn = Turn::new("conv_1").user(user).assistant(model);
        host.notify_after_inference(&turn).await.unwrap();
    }
    // The last turn tells that all before it are read.
    let turn = Turn::new("conv_1")
        .user("Remember: the till closes at six")
        .assistant("Fine.");
    host.notify_after_inference(&turn).await.unwrap();
    let memories = store(&path);
    let mut learned = Vec::new();
    for _ in 0..500 {
        learned = of_conversation(&memories, "conv_1").await;
        if learned.iter().any(|one| one.content.contains("till")) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let contents: Vec<&str> = learned.iter().map(|one| &*one.content).collect();
    assert_eq!(contents, ["the till closes at six"]);
    let file = folder.path().join("export.jsonl");
    let out = std::fs::File::create(&file).unwrap();
    memories.export(None, out).await.unwrap();
    let exported = std::fs::read_to_string(&file).unwrap();
    assert!(exported.contains("the till closes at six"), "{exported}");
    let kept: Vec<_> = SECRETS
        .iter()
        .filter(|(_, secret)| exported.contains(secret))
        .collect();
    assert!(kept.is_empty(), "{kept:#?}");
    no_failures(&host);
}

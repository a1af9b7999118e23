//! Connections with TLS, to servers whose certificate an authority of our own has signed.

use std::{env, path::Path, process::Command};

use hooks_sdk::store::{PostgresStore, RedisStore, Store};
use hooks_tests::{
    certificates::certificates, postgres::Postgres, process::free_port, redis::Redis,
};
use tokio_postgres::NoTls;

use super::{key, must_put, soon, text, unreachable};

/// Holds the addresses for the process that trusts the authority.
const ADDRESSES: &str = "HOOKS_TESTS_TLS";

async fn works(store: impl Store, address: &str) {
    let key = &key(address);
    must_put(&store, key, None, "1").await;
    assert_eq!(text(&store, key).await.as_deref(), Some("1"));
}

/// The part of the next test that runs in a process of its own: which authorities are trusted is asked once.
#[tokio::test]
async fn trusted() {
    let Ok(addresses) = env::var(ADDRESSES) else {
        return;
    };
    for address in addresses.split_whitespace() {
        match address.starts_with("redis") {
            true => works(RedisStore::connect(address).await.unwrap(), address).await,
            false => works(PostgresStore::connect(address).await.unwrap(), address).await,
        }
    }
}

#[tokio::test]
async fn a_signed_certificate_is_needed_and_enough() {
    let folder = tempfile::tempdir().unwrap();
    if !certificates(folder.path()) {
        hooks_tests::skipped(
            "`openssl` is not on the PATH, or older than 3.0 (apt-get install openssl)",
        );
        return;
    }
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let port = free_port().to_string();
    let (certificate, private) = (file("server.crt"), file("server.key"));
    let settings = [
        "--tls-port",
        &port,
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &private,
        "--tls-auth-clients",
        "no",
    ];
    let (Some(_redis), Some(postgres)) = (Redis::start_with(&settings), Postgres::start()) else {
        return;
    };
    postgres.give(folder.path());
    postgres.give(Path::new(&private));
    let plain = postgres.url();
    let (client, connection) = tokio_postgres::connect(&plain, NoTls).await.unwrap();
    tokio::spawn(connection);
    for setting in [
        format!("ssl_cert_file = '{certificate}'"),
        format!("ssl_key_file = '{private}'"),
        "ssl = on".to_owned(),
    ] {
        let set = format!("ALTER SYSTEM SET {setting}");
        client.batch_execute(&set).await.unwrap();
    }
    client
        .batch_execute("SELECT pg_reload_conf()")
        .await
        .unwrap();
    let with_tls = [
        format!("rediss://127.0.0.1:{port}"),
        plain.replace("sslmode=disable", "sslmode=require"),
        plain
            .replace("127.0.0.1", "localhost")
            .replace("sslmode=disable", "sslmode=require"),
    ];
    let waits_for_settings = async {
        let mut error = String::new();
        while !error.contains("certificate") {
            error = unreachable(PostgresStore::connect(&with_tls[1]).await);
        }
        error
    };
    let refusal = soon(waits_for_settings).await;
    assert!(refusal.contains("UnknownIssuer"), "{refusal}");
    let refusal = unreachable(RedisStore::connect(&with_tls[0]).await);
    assert!(refusal.contains("UnknownIssuer"), "{refusal}");
    let trusting = Command::new(env::current_exe().unwrap())
        .args(["--exact", "tls::trusted", "--nocapture"])
        .env("SSL_CERT_FILE", file("ca.crt"))
        .env(ADDRESSES, with_tls.join(" "))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&trusting.stderr);
    assert!(trusting.status.success(), "{said}");
}

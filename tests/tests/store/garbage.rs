//! Servers that answer wrongly.

use std::net::Ipv4Addr;

use futures::future::join_all;
use hooks_sdk::store::{RedisStore, Store};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::{key, put, soon, unreachable};

/// Starts a server that answers the greeting as Redis does, and everything after it with `answer`.
async fn liar(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut read = [0; 65536];
                while let Ok(len @ 1..) = stream.read(&mut read).await {
                    let asked = String::from_utf8_lossy(&read[..len]).into_owned();
                    let greetings = asked.matches("SETINFO").count();
                    let sent = match (greetings, asked.contains("INFO\r\n")) {
                        (0, false) => stream.write_all(answer).await,
                        (0, true) => stream.write_all(b"$0\r\n\r\n").await,
                        (greetings, _) => stream.write_all(&b"+OK\r\n".repeat(greetings)).await,
                    };
                    if sent.is_err() {
                        return;
                    }
                }
            });
        }
    });
    format!("redis://127.0.0.1:{port}")
}

async fn is_wrong(answer: &'static [u8]) {
    let store = RedisStore::connect(&liar(answer).await).await.unwrap();
    let a = key("a");
    unreachable(store.load(&a).await);
    unreachable(put(&store, &a, None, "1").await);
    unreachable(store.delete(&a, None).await);
}

#[tokio::test]
async fn wrong_answers_are_errors() {
    let answers = [
        b"+OK\r\n" as &[u8],
        b"$-1\r\n",
        b":1\r\n",
        b"*0\r\n",
        b"*-1\r\n",
        b"*3\r\n$1\r\n7\r\n$-1\r\n:-2\r\n",
        b"*2\r\n$1\r\n",
        b"-ERR no\r\n",
        b"-NOSCRIPT no\r\n",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\xFF\xFE\x00",
        b"$99999999999999999999\r\n",
        b"*2147483647\r\n",
        b"+OK\r\n+OK\r\n+OK\r\n+OK\r\n",
    ];
    soon(join_all(answers.map(is_wrong))).await;
}

#[tokio::test]
async fn servers_that_close_or_keep_silent_are_unreachable() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let kept = tokio::spawn(async move {
        let mut streams = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            streams.push(stream);
        }
    });
    unreachable(soon(RedisStore::connect(&format!("redis://127.0.0.1:{port}"))).await);
    let url = format!("postgres://a@127.0.0.1:{port}/a");
    unreachable(soon(hooks_sdk::store::PostgresStore::connect(&url)).await);
    kept.abort();
    unreachable(soon(RedisStore::connect(&format!("rediss://127.0.0.1:{port}"))).await);
}

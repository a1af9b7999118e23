//! One connection to Redis for all questions of a store, which is made anew when it breaks.

use std::time::Duration;

use redis::{
    AsyncConnectionConfig, Client, ErrorKind, RedisError, Script, ServerErrorKind, Value,
    aio::MultiplexedConnection,
};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use crate::macros::debugs;
use crate::store::{
    StoreError,
    shared::{self, PATIENCE},
};

/// The first pause after a failed connection; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest pause after failed connections.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Sends the questions of all callers over one connection.
///
/// redis's own `ConnectionManager` is not used. It stays broken forever if the server once answers a new connection
/// with an error, and it keeps a connection to a server that a failover made read-only.
pub(super) struct Link {
    client: Client,
    state: Mutex<LinkState>,
}

#[derive(Default)]
struct LinkState {
    connection: Option<MultiplexedConnection>,
    /// The number of connections that were made: tells the present one from one that broke.
    number: u64,
    failed: Option<FailedAttempt>,
}

/// The last attempt to connect failed. Until `until`, callers get its error and no one connects.
struct FailedAttempt {
    error: RedisError,
    pause: Duration,
    until: Instant,
}

/// Whether a question may be asked again on another connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// It changes nothing, so it may.
    Read,
    /// It may not: the first one may have been carried out.
    Write,
}

impl Link {
    pub(super) fn new(client: Client) -> Link {
        Link {
            client,
            state: Mutex::default(),
        }
    }

    /// Runs a script on one key, and returns what it returned after the nonce. Takes at most [`PATIENCE`] twice.
    pub(super) async fn run(
        &self,
        ask: Retry,
        script: &Script,
        key: &str,
        arguments: &[&[u8]],
    ) -> Result<Vec<Value>, StoreError> {
        let done = timeout(PATIENCE * 2, self.attempt(ask, script, key, arguments));
        done.await.unwrap_or_else(|_| Err(silent()))
    }

    async fn attempt(
        &self,
        ask: Retry,
        script: &Script,
        key: &str,
        arguments: &[&[u8]],
    ) -> Result<Vec<Value>, StoreError> {
        let mut first = true;
        loop {
            let (number, mut connection) =
                self.connection().await.map_err(|error| clear(&error))?;
            // Answers come in the order of the questions. If the server ever sends one too many, every later caller
            // would get another session's answer: the nonce shows it.
            let nonce = shared::draw_version()?.0.to_string();
            let mut call = script.prepare_invoke();
            call.key(key).arg(&nonce);
            for argument in arguments {
                call.arg(*argument);
            }
            let answer = timeout(PATIENCE, call.invoke_async::<Value>(&mut connection)).await;
            match answer {
                Ok(Ok(Value::Array(values))) if values.first() == Some(&bulk(&nonce)) => {
                    return Ok(values.into_iter().skip(1).collect());
                }
                Ok(Ok(_)) => {
                    self.drop_connection(number).await;
                    return Err(StoreError::unreachable(
                        "Redis sent another answer than to this question; it is connected anew",
                    ));
                }
                Ok(Err(error)) => {
                    if breaks(&error) {
                        self.drop_connection(number).await;
                    }
                    // Servers and proxies close connections that nobody uses.
                    if first && ask == Retry::Read && error.is_connection_dropped() {
                        first = false;
                        continue;
                    }
                    return Err(clear(&error));
                }
                Err(_) => {
                    self.drop_connection(number).await;
                    return Err(silent());
                }
            }
        }
    }

    /// Returns the present connection, and makes it if there is none.
    pub(super) async fn connection(&self) -> Result<(u64, MultiplexedConnection), RedisError> {
        let mut state = self.state.lock().await;
        if let Some(connection) = &state.connection {
            return Ok((state.number, connection.clone()));
        }
        let pause = match &state.failed {
            Some(failed) if Instant::now() < failed.until => return Err(failed.error.clone()),
            Some(failed) => (failed.pause * 2).min(LONGEST_PAUSE),
            None => FIRST_PAUSE,
        };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(None);
        let client = &self.client;
        match client
            .get_multiplexed_async_connection_with_config(&config)
            .await
        {
            Ok(connection) => {
                state.number += 1;
                state.failed = None;
                state.connection = Some(connection.clone());
                Ok((state.number, connection))
            }
            Err(error) => {
                let until = Instant::now() + pause;
                state.failed = Some(FailedAttempt {
                    error: error.clone(),
                    pause,
                    until,
                });
                Err(error)
            }
        }
    }

    async fn drop_connection(&self, number: u64) {
        let mut state = self.state.lock().await;
        if state.number == number {
            state.connection = None;
        }
    }
}

debugs!(Link {});

fn silent() -> StoreError {
    StoreError::unreachable(format!("Redis did not answer within {PATIENCE:?}"))
}

fn bulk(text: &str) -> Value {
    Value::BulkString(text.as_bytes().to_vec())
}

/// Returns whether another connection may work although this one does not.
fn breaks(error: &RedisError) -> bool {
    use ServerErrorKind::{Ask, BusyLoading, ClusterDown, MasterDown, Moved, ReadOnly};
    let is_broken = match error.kind() {
        ErrorKind::Server(kind) => matches!(
            kind,
            Ask | BusyLoading | ClusterDown | MasterDown | Moved | ReadOnly
        ),
        ErrorKind::Extension => false,
        _ => true,
    };
    // Before version 7, Redis wraps the errors of scripts.
    is_broken || error.to_string().contains("READONLY")
}

/// Says what is wrong, and what mends it.
pub(super) fn clear(error: &RedisError) -> StoreError {
    // Before version 7, Redis wraps the errors of scripts: their code is then in the text.
    let text = format!("{} {error}", error.code().unwrap_or_default());
    let advice = [
        (
            "OOM",
            "Redis has no memory left: raise its `maxmemory`, or give it less to keep",
        ),
        (
            "READONLY",
            "this Redis is a replica and takes no writes: name the primary's address",
        ),
        ("LOADING", "Redis is still loading its data: try again"),
        (
            "CLUSTERDOWN",
            "the Redis cluster does not serve this slot: try again when it is whole",
        ),
        (
            "MOVED",
            "this Redis is one node of a cluster: name a single server, or a proxy in front of the cluster",
        ),
        (
            "WRONGTYPE",
            "another program wrote to this SDK's keys: give each program a database of its own",
        ),
        (
            "NOAUTH",
            "Redis asks for a password: name it in the address",
        ),
    ];
    let advice = advice.iter().find(|(word, _)| text.contains(word));
    match advice {
        Some((_, advice)) => StoreError::unreachable(format!("{advice} ({error})")),
        None => shared::unreachable(error),
    }
}

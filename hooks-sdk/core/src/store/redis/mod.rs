//! The store in Redis, for many replicas.

mod link;
mod scripts;

use std::time::Duration;

use redis::{Client, ConnectionAddr, InfoDict, Script, Value};

use self::link::{Link, Retry, clear};
use super::{
    Bytes, EntryVersion, Key, Store, StoreError, StoreFuture, Stored, Swap,
    digest::digest,
    shared::{draw_version, millis},
};
use crate::macros::debugs;

/// The first byte of every entry: the number of its layout.
const LAYOUT: u8 = 1;

/// The layout's number and the version.
const HEAD: usize = 9;

/// Keeps entries in Redis, version 5 or later, for every process that names the same server and database.
///
/// - Keys are `hooks-sdk:entry:{…}` with the SHA-256 of the SDK's key. A reader of Redis cannot take over a session. Each
///   question touches one key, so that a proxy in front of a cluster serves it.
/// - Two servers that shall not share sessions name two databases of one Redis: `redis://host/1`.
/// - Redis's clock decides what has expired.
/// - A question takes at most 2 seconds, and a further 2 if the connection has to be made. Then it fails with
///   [`StoreError::Unreachable`]. After such an error of a write, nobody knows whether the write was made: look it up.
/// - The capacity is Redis's `maxmemory`. Its `maxmemory-policy` should be `noeviction`: with every other policy Redis
///   drops live sessions.
/// - `rediss://` connects with TLS, and trusts the certificates of the operating system or of the file that the
///   environment variable `SSL_CERT_FILE` names.
/// - A primary sends its writes to its replicas later. If it is lost, a replica that takes over may lack the last
///   writes. Versions do not repeat even then.
/// - A role of Redis (`ACL`) needs `+evalsha +script|load +get +getrange +set +del +pttl +ping +info +client|setinfo`, on
///   `~hooks-sdk:*`.
///
/// ```no_run,standalone_crate
/// use hooks_sdk::store::RedisStore;
///
/// # async fn open() -> Result<(), hooks_sdk::store::StoreError> {
/// let store = RedisStore::connect("redis://127.0.0.1:6379/0").await?;
/// # Ok(())
/// # }
/// ```
pub struct RedisStore {
    link: Link,
    scripts: Scripts,
}

struct Scripts {
    load: Script,
    swap: Script,
    delete: Script,
}

impl RedisStore {
    /// Connects to the Redis at an address such as `redis://:password@host:6379/0`. Call it in a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`]: the address is wrong, or no Redis answers there.
    pub async fn connect(url: &str) -> Result<RedisStore, StoreError> {
        let client = Client::open(url).map_err(|error| clear(&error))?;
        if let ConnectionAddr::TcpTls { .. } = client.get_connection_info().addr() {
            // With several providers in one program, rustls panics if none is chosen. A choice that is made stays.
            _ = rustls::crypto::ring::default_provider().install_default();
        }
        let link = Link::new(client);
        let (_, mut connection) = link.connection().await.map_err(|error| clear(&error))?;
        warn_of_eviction(&mut connection).await;
        Ok(RedisStore {
            link,
            scripts: Scripts {
                load: Script::new(scripts::LOAD),
                swap: Script::new(scripts::SWAP),
                delete: Script::new(scripts::DELETE),
            },
        })
    }
}

/// Logs a warning if Redis drops live entries when its memory is full.
async fn warn_of_eviction(connection: &mut redis::aio::MultiplexedConnection) {
    let info: Result<InfoDict, _> = redis::cmd("INFO")
        .arg("memory")
        .query_async(connection)
        .await;
    match info.map(|info| info.get::<String>("maxmemory_policy")) {
        Ok(Some(policy)) if policy != "noeviction" => tracing::warn!(
            target: "hooks_sdk::store",
            "Redis has the `maxmemory-policy` `{policy}`, so it drops live sessions when its memory is full; set `noeviction`"
        ),
        Ok(_) => {}
        Err(error) => tracing::debug!(
            target: "hooks_sdk::store",
            "Redis does not tell its `maxmemory-policy`: {error}"
        ),
    }
}

impl Store for RedisStore {
    fn load<'a>(&'a self, key: &'a Key) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            let script = &self.scripts.load;
            let found = self.link.run(Retry::Read, script, &name(key), &[]).await?;
            stored(found)
        })
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, Swap> {
        Box::pin(async move {
            bytes.check_size()?;
            let version = draw_version()?;
            let expected = expected.map(head);
            // Redis refuses a time to live of 0.
            let ttl = millis(ttl).max(1).to_string();
            let arguments: [&[u8]; 3] = [
                expected.as_ref().map_or(&[], |head| head),
                &[&head(version), bytes.as_slice()].concat(),
                ttl.as_bytes(),
            ];
            let script = &self.scripts.swap;
            let found = self
                .link
                .run(Retry::Write, script, &name(key), &arguments)
                .await?;
            Ok(match found.is_empty() {
                true => Swap::Done(version),
                false => Swap::Conflict(stored(found)?),
            })
        })
    }

    fn delete<'a>(&'a self, key: &'a Key, version: Option<EntryVersion>) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let head = version.map(head);
            let head: &[u8] = head.as_ref().map_or(&[], |head| head);
            let script = &self.scripts.delete;
            self.link
                .run(Retry::Write, script, &name(key), &[head])
                .await?;
            Ok(())
        })
    }
}

fn name(key: &Key) -> String {
    format!("hooks-sdk:entry:{{{}}}", crate::internal::hex(&digest(key)))
}

fn head(version: EntryVersion) -> [u8; HEAD] {
    let mut head = [LAYOUT; HEAD];
    head[1..].copy_from_slice(&version.0.to_be_bytes());
    head
}

/// Reads an entry and its time to live in milliseconds.
fn stored(found: Vec<Value>) -> Result<Option<Stored>, StoreError> {
    match <[Value; 2]>::try_from(found) {
        Ok([Value::Nil, _]) => Ok(None),
        // Between its two looks the entry expired.
        Ok([Value::BulkString(_), Value::Int(-2)]) => Ok(None),
        Ok([Value::BulkString(entry), Value::Int(left)]) => match entry.split_first_chunk() {
            Some((&[LAYOUT, a, b, c, d, e, f, g, h], bytes)) => Ok(Some(Stored {
                bytes: Bytes::from(bytes),
                version: EntryVersion(u64::from_be_bytes([a, b, c, d, e, f, g, h])),
                // An operator may have taken its end from the entry.
                left: u64::try_from(left).map_or(Duration::MAX, Duration::from_millis),
            })),
            _ => Err(strange()),
        },
        _ => Err(strange()),
    }
}

fn strange() -> StoreError {
    StoreError::unreachable(
        "Redis holds something under this SDK's key that the SDK did not write; give each program a database of its own",
    )
}

debugs!(RedisStore {});

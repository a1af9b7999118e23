//! The store in PostgreSQL, for many replicas.

mod link;
mod sweep;
mod tables;

use std::time::Duration;

use deadpool_postgres::Pool;
use tokio_postgres::{Error, Row, types::ToSql};

use self::sweep::Sweep;
use super::{
    Bytes, EntryVersion, Key, Store, StoreError, StoreFuture, Stored, Swap,
    digest::digest,
    shared::{self, draw_version, millis},
};
use crate::macros::debugs;

const LOAD: &str = "
    SELECT bytes, version, (extract(epoch FROM expires - now()) * 1000)::bigint
    FROM hooks_sdk_entry WHERE key = $1 AND expires > now()";

/// Replaces the live entry of the version `$5`.
const REPLACE: &str = "
    UPDATE hooks_sdk_entry SET bytes = $2, version = $3, expires = now() + $4::bigint * interval '1 millisecond'
    WHERE key = $1 AND version = $5 AND expires > now() RETURNING 1";

/// Adds an entry, if there is no live one.
const ADD: &str = "
    INSERT INTO hooks_sdk_entry AS present VALUES ($1, $2, $3, now() + $4::bigint * interval '1 millisecond')
    ON CONFLICT (key) DO UPDATE SET bytes = $2, version = $3, expires = excluded.expires
    WHERE present.expires <= now() RETURNING 1";

const DELETE: &str =
    "DELETE FROM hooks_sdk_entry WHERE key = $1 AND version = coalesce($2, version) RETURNING 1";

/// Keeps entries in PostgreSQL, version 12 or later, for every process that names the same database.
///
/// - The first process makes the tables `hooks_sdk_…` in the first schema of the `search_path`. They hold the SHA-256 of
///   each key, so that a reader of the database cannot take over a session.
/// - The database's clock decides what has expired.
/// - A process has at most 16 connections. A question waits at most 2 seconds each for a connection, for its making and
///   for the answer. Then it fails with [`StoreError::Unreachable`]. After such an error of a write, nobody knows whether
///   the write was made: look it up.
/// - A store has no capacity of its own: what the database's disk has room for. Each process deletes expired rows, at
///   most once a minute.
/// - `sslmode=require` connects with TLS, and trusts the certificates of the operating system or of the file that the
///   environment variable `SSL_CERT_FILE` names. Without `sslmode`, a server on another computer is asked for TLS, and
///   one on this computer is not.
/// - Between the program and the database there must be no pooler that gives each transaction another connection.
pub struct PostgresStore {
    pool: Pool,
    sweep: Sweep,
}

impl PostgresStore {
    /// Connects to the PostgreSQL at an address such as `postgres://user:password@host/database`, and makes the tables
    /// if there are none. Call it in a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`]: the address is wrong, no PostgreSQL answers there, the tables cannot be made, or a
    /// newer version of this SDK has made them.
    pub async fn connect(url: &str) -> Result<PostgresStore, StoreError> {
        let config = link::config(url)?;
        let tls = link::tls(&config)?;
        let pool = link::pool(config, tls)?;
        tables::prepare(&*link::connection(&pool).await?).await?;
        Ok(PostgresStore {
            pool,
            sweep: Sweep::default(),
        })
    }
}

impl Store for PostgresStore {
    fn load<'a>(&'a self, key: &'a Key) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            let key = &digest(key)[..];
            let found = link::query(&self.pool, LOAD, &[&key]).await?;
            found.first().map(stored).transpose()
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
            let (name, bytes, ttl) = (&digest(key)[..], bytes.as_slice(), millis(ttl));
            let number = version.0.cast_signed();
            let written = match expected {
                Some(expected) => {
                    let expected = expected.0.cast_signed();
                    let parameters: [&(dyn ToSql + Sync); 5] =
                        [&name, &bytes, &number, &ttl, &expected];
                    link::query(&self.pool, REPLACE, &parameters).await?
                }
                None => {
                    self.sweep.start(&self.pool);
                    link::query(&self.pool, ADD, &[&name, &bytes, &number, &ttl]).await?
                }
            };
            Ok(match written.is_empty() {
                false => Swap::Done(version),
                true => Swap::Conflict(self.load(key).await?),
            })
        })
    }

    fn delete<'a>(&'a self, key: &'a Key, version: Option<EntryVersion>) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let key = &digest(key)[..];
            let version = version.map(|version| version.0.cast_signed());
            link::query(&self.pool, DELETE, &[&key, &version]).await?;
            Ok(())
        })
    }
}

fn stored(row: &Row) -> Result<Stored, StoreError> {
    let read = || -> Result<Stored, Error> {
        Ok(Stored {
            bytes: Bytes::from(row.try_get::<_, &[u8]>(0)?),
            version: EntryVersion(row.try_get::<_, i64>(1)?.cast_unsigned()),
            left: Duration::from_millis(row.try_get::<_, i64>(2)?.max(0).unsigned_abs()),
        })
    };
    read().map_err(|error| shared::unreachable(&error))
}

debugs!(PostgresStore {});

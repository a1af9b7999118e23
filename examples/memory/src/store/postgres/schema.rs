//! The tables in PostgreSQL, and how an older database becomes the present one.

use tokio_postgres::Client;

use super::LOCK;
use crate::store::error::{Error, Trouble};

/// One script per version; a script that has been released is never edited.
const MIGRATIONS: [&str; 2] = [include_str!("schema_1.sql"), include_str!("schema_2.sql")];

/// The schema version this program writes.
const VERSION: i64 = MIGRATIONS.len() as i64;

pub(super) async fn migrate(client: &Client) -> Result<(), Error> {
    if version(client).await? == Some(VERSION) {
        return Ok(());
    }
    // Two processes may find the same version: the second waits here, and finds what the first has made.
    let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})");
    client.batch_execute(&begin).await?;
    let outcome = bring_up_to_date(client).await;
    let end = if outcome.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    client.batch_execute(end).await?;
    outcome
}

async fn bring_up_to_date(client: &Client) -> Result<(), Error> {
    let encoding: String = client
        .query_one("SHOW server_encoding", &[])
        .await?
        .try_get(0)?;
    if encoding != "UTF8" {
        return Err(Error::refused(
            format!("the PostgreSQL database keeps texts in {encoding}"),
            "make one with `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`, and name that with `--database`",
        ));
    }
    let found = match version(client).await? {
        Some(found) => found,
        None => {
            // A schema of this name with tables of somebody else's.
            let taken = "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'memory_server')";
            if client.query_one(taken, &[]).await?.try_get(0)? {
                return Err(Error::storage(Trouble::Foreign));
            }
            let empty = "CREATE SCHEMA IF NOT EXISTS memory_server;
                         CREATE TABLE memory_server.version (version BIGINT NOT NULL);
                         INSERT INTO memory_server.version VALUES (0)";
            client.batch_execute(empty).await?;
            0
        }
    };
    if found > VERSION {
        return Err(Error::storage(Trouble::TooNew));
    }
    for script in MIGRATIONS
        .iter()
        .skip(usize::try_from(found).unwrap_or_default())
    {
        client.batch_execute(script).await?;
    }
    client
        .execute("UPDATE memory_server.version SET version = $1", &[&VERSION])
        .await?;
    Ok(())
}

/// The version of the tables; `None` where there are none.
async fn version(client: &Client) -> Result<Option<i64>, Error> {
    // This reads the catalog. The session resolves names from a cache, and that cache may be older than the lock.
    let there = "SELECT EXISTS (
                     SELECT FROM pg_tables WHERE schemaname = 'memory_server' AND tablename = 'version'
                 )";
    if !client.query_one(there, &[]).await?.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    let found = client
        .query_opt("SELECT version FROM memory_server.version", &[])
        .await?;
    Ok(found.map(|row| row.try_get(0)).transpose()?)
}

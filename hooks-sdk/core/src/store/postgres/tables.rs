//! The tables in PostgreSQL, and how they are made.

use tokio_postgres::{Client, Error, error::SqlState};

use crate::store::{StoreError, shared};

/// The number of the tables' layout.
const LAYOUT: i32 = 1;

/// Two replicas may get here at once: the first to take the lock makes the tables. The lock's number is `hooks-sd` in
/// ASCII.
const CREATE: &str = "
    BEGIN;
    SELECT pg_advisory_xact_lock(7525356009643930468);
    CREATE TABLE IF NOT EXISTS hooks_sdk_entry (
        key bytea PRIMARY KEY, bytes bytea NOT NULL, version bigint NOT NULL, expires timestamptz NOT NULL
    );
    CREATE INDEX IF NOT EXISTS hooks_sdk_entry_expires ON hooks_sdk_entry (expires);
    CREATE TABLE IF NOT EXISTS hooks_sdk_layout (one int PRIMARY KEY CHECK (one = 1), layout int NOT NULL);
    INSERT INTO hooks_sdk_layout VALUES (1, 1) ON CONFLICT DO NOTHING;
    COMMIT;";

/// Makes the tables if there are none, and checks their layout. A role without the right to create needs none later.
pub(super) async fn prepare(client: &Client) -> Result<(), StoreError> {
    let found = match layout(client).await {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
            let created = client.batch_execute(CREATE).await;
            created.map_err(|error| shared::unreachable(&error))?;
            layout(client).await
        }
        found => found,
    };
    match found.map_err(|error| shared::unreachable(&error))? {
        LAYOUT => Ok(()),
        other => Err(StoreError::unreachable(format!(
            "the tables `hooks_sdk_…` have layout {other}, and this program reads layout {LAYOUT}; use another schema, such as with `options=-csearch_path%3Dname` in the address"
        ))),
    }
}

async fn layout(client: &Client) -> Result<i32, Error> {
    let row = client
        .query_one("SELECT layout FROM hooks_sdk_layout", &[])
        .await?;
    row.try_get(0)
}

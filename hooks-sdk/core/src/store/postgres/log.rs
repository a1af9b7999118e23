//! The append log in PostgreSQL.

use std::time::Duration;

use tokio_postgres::{Error, Row, types::ToSql};

use super::{PostgresStore, line, link};
use crate::store::{
    Bytes, Key, LONGEST_STREAM, Log, LogEntry, LogPosition, StoreError, StoreFuture,
    digest::digest,
    shared::{self, millis},
};

/// Appends `$2` to the stream `$1`, which then keeps `$4` entries for `$3` milliseconds, and reports it on `$5`.
///
/// An appender waits for the row of the stream until the one before has committed. So entries become visible in the
/// order of their positions. A new stream begins with the time in microseconds, so that a stream that was swept does
/// not begin again.
const APPEND: &str = "
    WITH head AS (
        INSERT INTO hooks_sdk_stream AS present
        SELECT $1::bytea, start, start, now() + $3::bigint * interval '1 millisecond'
        FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS start) AS clock
        ON CONFLICT (stream) DO UPDATE SET last = present.last + 1, expires = excluded.expires,
            first = CASE WHEN present.expires <= now() THEN present.last + 1
                ELSE greatest(present.first, present.last + 2 - $4::bigint) END
        RETURNING first, last
    ), dropped AS (
        DELETE FROM hooks_sdk_log USING head WHERE stream = $1 AND position < head.first
    ), added AS (
        INSERT INTO hooks_sdk_log SELECT $1, last, $2::bytea FROM head
    )
    SELECT last, pg_notify($5, '') FROM head";

const READ: &str = "
    SELECT position, bytes FROM hooks_sdk_stream JOIN hooks_sdk_log USING (stream)
    WHERE stream = $1 AND expires > now() AND position > $2 AND position >= first ORDER BY position LIMIT $3";

const NEWEST: &str = "SELECT last FROM hooks_sdk_stream WHERE stream = $1 AND expires > now()";

impl Log for PostgresStore {
    fn append<'a>(
        &'a self,
        stream: &'a Key,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, LogPosition> {
        Box::pin(async move {
            bytes.check_size()?;
            self.sweep.start(&self.pool);
            let digest = digest(stream);
            let channel = line::channel(&digest);
            let (stream, bytes, ttl) = (&digest[..], bytes.as_slice(), millis(ttl));
            let most = LONGEST_STREAM as i64;
            let parameters: [&(dyn ToSql + Sync); 5] = [&stream, &bytes, &ttl, &most, &channel];
            let appended = link::query(&self.pool, APPEND, &parameters).await?;
            let last = appended.first().map(position).transpose();
            last.map_err(|error| shared::unreachable(&error))?
                .ok_or_else(|| StoreError::unreachable("PostgreSQL returned no position"))
        })
    }

    fn read<'a>(
        &'a self,
        stream: &'a Key,
        after: LogPosition,
        most: usize,
    ) -> StoreFuture<'a, Vec<LogEntry>> {
        Box::pin(async move {
            let stream = &digest(stream)[..];
            let after = i64::try_from(after.0).unwrap_or(i64::MAX);
            let most = most.min(LONGEST_STREAM) as i64;
            let rows = link::query(&self.pool, READ, &[&stream, &after, &most]).await?;
            let entries: Result<_, Error> = rows.iter().map(entry).collect();
            entries.map_err(|error| shared::unreachable(&error))
        })
    }

    fn newest<'a>(&'a self, stream: &'a Key) -> StoreFuture<'a, LogPosition> {
        Box::pin(async move {
            let stream = &digest(stream)[..];
            let rows = link::query(&self.pool, NEWEST, &[&stream]).await?;
            let newest = rows.first().map_or(Ok(LogPosition::START), position);
            newest.map_err(|error| shared::unreachable(&error))
        })
    }

    fn changed<'a>(&'a self, stream: &'a Key, after: LogPosition) -> StoreFuture<'a, ()> {
        let newest = self.newest(stream);
        let channel = line::channel(&digest(stream));
        Box::pin(self.waits.changed(channel, after, newest))
    }
}

fn position(row: &Row) -> Result<LogPosition, Error> {
    Ok(LogPosition(row.try_get::<_, i64>(0)?.cast_unsigned()))
}

fn entry(row: &Row) -> Result<LogEntry, Error> {
    Ok(LogEntry {
        position: position(row)?,
        bytes: Bytes::from(row.try_get::<_, &[u8]>(1)?),
    })
}

//! The append log in Redis: one Redis stream for each stream.

use std::time::Duration;

use redis::Value;

use super::{RedisStore, link::Retry, strange};
use crate::store::{
    Bytes, Key, LONGEST_STREAM, Log, LogEntry, LogPosition, StoreError, StoreFuture,
    digest::{digest, hex},
    shared::millis,
};

impl Log for RedisStore {
    fn append<'a>(
        &'a self,
        stream: &'a Key,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, LogPosition> {
        Box::pin(async move {
            bytes.check_size()?;
            let ttl = millis(ttl).max(1).to_string();
            let longest = LONGEST_STREAM.to_string();
            let arguments: [&[u8]; 3] = [bytes.as_slice(), ttl.as_bytes(), longest.as_bytes()];
            let script = &self.scripts.append;
            let appended = self
                .link
                .run(Retry::Write, script, &name(stream), &arguments)
                .await?;
            appended.first().and_then(position).ok_or_else(strange)
        })
    }

    fn read<'a>(
        &'a self,
        stream: &'a Key,
        after: LogPosition,
        most: usize,
    ) -> StoreFuture<'a, Vec<LogEntry>> {
        Box::pin(async move {
            // Redis has no list for a count of 0.
            if most == 0 {
                return Ok(Vec::new());
            }
            let from = after.0.saturating_add(1).to_string();
            let most = most.min(LONGEST_STREAM).to_string();
            let arguments: [&[u8]; 2] = [from.as_bytes(), most.as_bytes()];
            let script = &self.scripts.read;
            let found = self
                .link
                .run(Retry::Read, script, &name(stream), &arguments)
                .await?;
            match <[Value; 1]>::try_from(found) {
                Ok([Value::Array(found)]) => found.into_iter().map(entry).collect(),
                _ => Err(strange()),
            }
        })
    }

    fn newest<'a>(&'a self, stream: &'a Key) -> StoreFuture<'a, LogPosition> {
        Box::pin(async move {
            let script = &self.scripts.newest;
            let found = self
                .link
                .run(Retry::Read, script, &name(stream), &[])
                .await?;
            match found.first() {
                None | Some(Value::Nil) => Ok(LogPosition::START),
                Some(found) => position(found).ok_or_else(strange),
            }
        })
    }

    fn changed<'a>(&'a self, stream: &'a Key, after: LogPosition) -> StoreFuture<'a, ()> {
        let newest = self.newest(stream);
        Box::pin(self.waits.changed(name(stream), after, newest))
    }
}

fn name(stream: &Key) -> String {
    format!("hooks-sdk:log:{{{}}}", hex(&digest(stream)))
}

/// Reads a position from the name of an entry, `<position>-0`, or from a position alone.
fn position(name: &Value) -> Option<LogPosition> {
    let Value::BulkString(name) = name else {
        return None;
    };
    let name = std::str::from_utf8(name).ok()?;
    let number = name.split_once('-').map_or(name, |(number, _)| number);
    number.parse().ok().map(LogPosition)
}

/// Reads `[name, [field, bytes]]`.
fn entry(found: Value) -> Result<LogEntry, StoreError> {
    let pair = |value| match value {
        Value::Array(values) => <[Value; 2]>::try_from(values).ok(),
        _ => None,
    };
    let read = || {
        let [name, fields] = pair(found)?;
        let [_, Value::BulkString(bytes)] = pair(fields)? else {
            return None;
        };
        Some(LogEntry {
            position: position(&name)?,
            bytes: Bytes::from(&bytes[..]),
        })
    };
    read().ok_or_else(strange)
}

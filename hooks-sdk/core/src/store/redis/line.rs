//! The connection on which Redis reports new entries.

use futures::{StreamExt, future::BoxFuture};
use redis::{
    Client,
    aio::{PubSubSink, PubSubStream},
};

use super::link::clear;
use crate::store::{
    StoreFuture,
    waits::{Line, OpenConnection},
};

/// Subscribes to one channel for each stream.
struct RedisLine {
    sink: PubSubSink,
    reports: PubSubStream,
}

pub(super) fn open(client: Client) -> OpenConnection {
    Box::new(move || {
        let client = client.clone();
        Box::pin(async move {
            let opened = client.get_async_pubsub().await;
            let (sink, reports) = opened.map_err(|error| clear(&error))?.split();
            Ok(Box::new(RedisLine { sink, reports }) as Box<dyn Line>)
        })
    })
}

impl Line for RedisLine {
    fn join<'a>(&'a mut self, stream: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let joined = self.sink.subscribe(stream).await;
            joined.map_err(|error| clear(&error))
        })
    }

    fn leave<'a>(&'a mut self, stream: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let left = self.sink.unsubscribe(stream).await;
            left.map_err(|error| clear(&error))
        })
    }

    fn next(&mut self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async move {
            let report = self.reports.next().await?;
            Some(report.get_channel_name().to_owned())
        })
    }

    fn check(&mut self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let answer = self.sink.ping::<redis::Value>().await;
            answer.map(drop).map_err(|error| clear(&error))
        })
    }
}

//! `inference/request`, plain and streaming (MCPL 0.4.1 §11).

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures::{FutureExt, Stream, future::BoxFuture};
use serde_json::Value;

use super::{Host, decoded, written};
use crate::{
    Inference, InferenceResult, SendError, Sends,
    link::transport::{ChunkSink, Chunked},
    sender,
    wire::{InferenceChunk, method, path},
};
use hooks_core::internal::debugs;

impl Host {
    /// Requests an inference from the host.
    ///
    /// # Errors
    ///
    /// A [`SendError`], as for every request.
    pub fn infer<'a, F: Sends<sender::inference>>(
        &'a self,
        inference: &'a Inference,
    ) -> BoxFuture<'a, Result<InferenceResult, SendError>> {
        const { F::DECLARED };
        async move {
            let link = self.sender::<F>(method::INFERENCE_REQUEST)?;
            let params = written(&inference.request(F::DEFINITION.name, false));
            let deadline = link.settings.inference_deadline();
            let answer = link.send(method::INFERENCE_REQUEST, params, deadline, None);
            decoded(method::INFERENCE_REQUEST, answer.await?)
        }
        .boxed()
    }

    /// Requests an inference whose text arrives in chunks. The request is sent when the stream is first polled.
    ///
    /// Some hosts do not stream: they have not granted `inferenceRequest.streaming` (0.5), or advertised `streaming:
    /// false`. Such a host is asked for an answer without chunks. The stream then ends without an item, and
    /// [`finish`](InferenceStream::finish) returns the answer.
    ///
    /// # Errors
    ///
    /// The request may not be sent. [`InferenceStream::finish`] reports later failures.
    pub fn infer_streaming<F: Sends<sender::inference>>(
        &self,
        inference: &Inference,
    ) -> Result<InferenceStream, SendError> {
        const { F::DECLARED };
        let link = self.sender::<F>(method::INFERENCE_REQUEST)?;
        let name = F::DEFINITION.name;
        let inference = inference.clone();
        let (chunks, chunked) = ChunkSink::new();
        let link = link.clone();
        let answer = async move {
            // The host may have revoked the permission since the call.
            link.may_send(name, method::INFERENCE_REQUEST)?;
            let streams = link.may_use(path::INFERENCE_STREAMING);
            let params = written(&inference.request(name, streams));
            let deadline = link.settings.inference_deadline();
            let chunks = streams.then_some(chunks);
            link.send(method::INFERENCE_REQUEST, params, deadline, chunks)
                .await
        };
        Ok(InferenceStream {
            chunked,
            answer: Some(answer.boxed()),
            answered: None,
        })
    }
}

/// The chunks of an inference, in the order of their arrival. Then [`finish`](InferenceStream::finish) returns the
/// whole answer.
///
/// The stream ends when the answer has arrived. If a reader is more than 16 MiB behind, it misses chunks, and the SDK
/// logs it; the answer is complete in any case. Dropping the stream cancels the request.
pub struct InferenceStream {
    chunked: Chunked,
    answer: Option<BoxFuture<'static, Result<Value, SendError>>>,
    answered: Option<Result<Value, SendError>>,
}

impl InferenceStream {
    /// Returns the final answer. Skips the chunks that are not read yet.
    ///
    /// # Errors
    ///
    /// A [`SendError`], as for every request.
    pub async fn finish(mut self) -> Result<InferenceResult, SendError> {
        let answered = match (self.answered.take(), self.answer.take()) {
            (Some(answered), _) => answered,
            (None, Some(answer)) => {
                // Chunks are no longer read.
                self.chunked.from.close();
                answer.await
            }
            (None, None) => Err(SendError::Closed),
        };
        decoded(method::INFERENCE_REQUEST, answered?)
    }
}

impl Stream for InferenceStream {
    type Item = InferenceChunk;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<InferenceChunk>> {
        let this = self.get_mut();
        if let Some(answer) = &mut this.answer
            && let Poll::Ready(answered) = answer.as_mut().poll(cx)
        {
            this.answer = None;
            this.answered = Some(answered);
        }
        let next = if this.answer.is_some() {
            this.chunked.from.poll_recv(cx)
        } else {
            // All chunks of the answer arrived before it.
            Poll::Ready(this.chunked.from.try_recv().ok())
        };
        if let Poll::Ready(Some(chunk)) = &next {
            this.chunked.taken(chunk);
        }
        next
    }
}

debugs!(InferenceStream {});

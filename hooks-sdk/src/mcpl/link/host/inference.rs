//! `inference/request`, plain and streaming (MCPL 0.4.1 §11).

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use futures::{FutureExt, Stream, future::BoxFuture};
use serde_json::Value;

use super::{Host, decoded, written};
use crate::mcpl::{
    Inference, InferenceResult, SendError, Sends,
    link::transport::{Chunked, Chunks},
    sender,
    wire::{InferenceChunk, method, path},
};

impl Host {
    /// Asks the host for an inference.
    ///
    /// # Errors
    ///
    /// As every request.
    pub fn infer<'a, F: Sends<sender::inference>>(
        &'a self,
        inference: &'a Inference,
    ) -> BoxFuture<'a, Result<InferenceResult, SendError>> {
        self.infer_unboxed::<F>(inference).boxed()
    }

    async fn infer_unboxed<F: Sends<sender::inference>>(
        &self,
        inference: &Inference,
    ) -> Result<InferenceResult, SendError> {
        const { F::DECLARED };
        let link = self.asked(method::INFERENCE_REQUEST)?;
        let name = F::DEFINITION.name;
        link.gate(name, Some(path::INFERENCE_REQUEST))?;
        let params = written(&inference.request(name, false));
        let deadline = link.settings.inference_deadline();
        let answer = link.send(method::INFERENCE_REQUEST, params, deadline, None);
        decoded(method::INFERENCE_REQUEST, answer.await?)
    }

    /// Asks the host for an inference whose text comes in chunks. It is sent when the stream is first polled.
    ///
    /// A host that has not granted `inferenceRequest.streaming` (0.5), or that advertised `streaming: false`, is asked
    /// for the answer without chunks: the stream ends without an item, and [`finish`](InferenceStream::finish) gives the
    /// answer.
    ///
    /// # Errors
    ///
    /// That it may not be sent. What happens later, [`InferenceStream::finish`] tells.
    pub fn infer_streaming<F: Sends<sender::inference>>(
        &self,
        inference: &Inference,
    ) -> Result<InferenceStream, SendError> {
        const { F::DECLARED };
        let link = self.asked(method::INFERENCE_REQUEST)?;
        let name = F::DEFINITION.name;
        link.gate(name, Some(path::INFERENCE_REQUEST))?;
        let inference = inference.clone();
        let (chunks, chunked) = Chunks::new();
        let link = link.clone();
        let answer = async move {
            // Between the call and now the host may have revoked it.
            link.gate(name, Some(path::INFERENCE_REQUEST))?;
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

/// The chunks of an inference, in the order in which they arrive; then [`finish`](InferenceStream::finish) gives the
/// whole answer.
///
/// The stream ends when the answer has come. A reader that falls 16 MiB behind misses chunks, which the log says; the
/// answer is whole in any case. Dropping the stream cancels the request.
pub struct InferenceStream {
    chunked: Chunked,
    answer: Option<BoxFuture<'static, Result<Value, SendError>>>,
    answered: Option<Result<Value, SendError>>,
}

impl InferenceStream {
    /// The final answer; chunks not read yet are passed over.
    ///
    /// # Errors
    ///
    /// As every request.
    pub async fn finish(mut self) -> Result<InferenceResult, SendError> {
        let answered = match (self.answered.take(), self.answer.take()) {
            (Some(answered), _) => answered,
            (None, Some(answer)) => {
                // Nobody reads chunks any more.
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
            // What belongs to the answer came before it.
            Poll::Ready(this.chunked.from.try_recv().ok())
        };
        if let Poll::Ready(Some(chunk)) = &next {
            this.chunked.taken(chunk);
        }
        next
    }
}

impl fmt::Debug for InferenceStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InferenceStream")
            .field("answered", &self.answered.is_some())
            .finish_non_exhaustive()
    }
}

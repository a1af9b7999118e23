//! The direct path of HTTP messages: without the feature `aos` no middleware decides about them, so nothing here is called.

use axum::body::Body;
use bytes::Bytes;
use http::{Response, request::Parts};
use rmcp::model::Extensions;

use crate::server::carried::MessageFilter;

pub(super) async fn arrives(
    decider: &MessageFilter,
    _: Bytes,
    _: &mut Parts,
) -> Result<(Bytes, bool), Response<Body>> {
    match *decider {}
}

pub(super) async fn forwarded(decider: &MessageFilter, _: &str, _: Bytes) -> Option<Bytes> {
    match *decider {}
}

pub(super) fn mark(decider: &MessageFilter, _: &mut Extensions) {
    match *decider {}
}

/// The answer to a request, about whose messages a middleware decides. There is none.
pub(super) enum AskingAnswer {}

impl AskingAnswer {
    pub(super) fn of<S>(
        decider: &MessageFilter,
        _: &Parts,
        _: &S,
        _: bool,
    ) -> Option<AskingAnswer> {
        match *decider {}
    }

    pub(super) async fn answer(self, _: Response<Body>) -> Response<Body> {
        match self {}
    }
}

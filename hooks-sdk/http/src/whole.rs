//! Reads a body to its end.

use std::pin::pin;

use bytes::{Bytes, BytesMut};
use http_body::Body;
use http_body_util::BodyExt;

/// Returns the bytes of a body. Most bodies are one frame, which is not copied.
///
/// # Errors
///
/// The body breaks off.
pub async fn whole<B: Body<Data = Bytes>>(body: B) -> Result<Bytes, B::Error> {
    let mut body = pin!(body);
    let mut first = Bytes::new();
    while !body.is_end_stream()
        && let Some(frame) = body.frame().await
    {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        if first.is_empty() {
            first = data;
            continue;
        }
        let mut all = BytesMut::from(first);
        all.extend_from_slice(&data);
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame?.into_data() {
                all.extend_from_slice(&data);
            }
        }
        return Ok(all.freeze());
    }
    Ok(first)
}

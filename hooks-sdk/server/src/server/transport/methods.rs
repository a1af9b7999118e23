//! Words the error for params of the wrong shape.

use rmcp::{
    ErrorData,
    model::{CustomRequest, ErrorCode},
};

use crate::server::methods::{Generations, of_client, table};

macro_rules! shapes {
    (
        requests { $($request:literal: $kind:ident($($asked:ident: $params_of:ty)?) -> $result:ty = $function:ident
            [$asks:ident $shape:literal] $facts:tt;)* }
        listen { $listen:literal [$listens:ident $listen_shape:literal] $listen_facts:tt; }
        custom $custom:tt
        $($rest:tt)*
    ) => {
        /// Returns the shape of the params of a request, for an error message.
        fn shape(method: &str) -> Option<&'static str> {
            Some(match method {
                $($request => $shape,)*
                $listen => $listen_shape,
                _ => return None,
            })
        }
    };
}
table!(shapes);

/// Returns the error for a request of MCP with params of the wrong shape.
///
/// rmcp reads such a request as a custom request of that name. A method that `is_stateless` lacks is unknown there,
/// whatever its params are.
pub(in crate::server) fn wrong_shape(
    request: &CustomRequest,
    is_stateless: bool,
) -> Option<ErrorData> {
    let method = request.method.as_str();
    let row = of_client(method);
    let is_removed = row.is_some_and(|row| row.generations == Generations::Sessions);
    if is_stateless && is_removed {
        let message = format!("`{method}` is not in protocol 2026-07-28");
        return Some(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
    }
    if method.starts_with("notifications/") {
        return Some(ErrorData::invalid_request(
            format!("`{method}` is a notification and is sent without an `id`"),
            None,
        ));
    }
    let shape = shape(method)?;
    Some(ErrorData::invalid_params(
        format!("the params of `{method}` have the wrong shape; expected: {shape}"),
        None,
    ))
}

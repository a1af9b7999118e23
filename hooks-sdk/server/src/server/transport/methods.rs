//! Reads the params of each method that MCP defines, and words the error for params of another shape.

use rmcp::{
    ErrorData,
    model::{
        ClientNotification, ClientRequest, CustomRequest, ErrorCode, Notification,
        NotificationNoParam, Request, RequestNoParam, RequestOptionalParam,
    },
};
use serde::de::MapAccess;

use super::read::params::Params;
use crate::server::methods::{Generations, of_client, table};

/// A request or a notification that MCP defines.
#[expect(clippy::large_enum_variant, reason = "a box costs more than a move")]
pub(in crate::server) enum Standard {
    Request(ClientRequest),
    Notification(ClientNotification),
}

macro_rules! reading {
    (
        requests { $($request:literal: $kind:ident($($asked:ident: $params_of:ty)?) -> $result:ty = $function:ident
            [$asks:ident by $read_request:ident $shape:literal] $facts:tt;)* }
        listen { $listen:literal [$listens:ident by $read_listen:ident $listen_shape:literal] $listen_facts:tt; }
        custom $custom:tt
        client_notifications { $($notification:literal [$tells:ident by $read_notification:ident] $told_facts:tt;)* }
        $($rest:tt)*
    ) => {
        declared! {
            requests {
                $($request $asks $read_request $shape)*
                $listen $listens $read_listen $listen_shape
            }
            notifications { $($notification $tells $read_notification)* }
        }
    };
}

/// Declares the methods. Each line is: name, rmcp's variant, how its params are read, and for a request their shape.
macro_rules! declared {
    (
        requests { $($request:literal $asks:ident $read_request:ident $shape:literal)* }
        notifications { $($notification:literal $tells:ident $read_notification:ident)* }
    ) => {
        /// A method that MCP defines.
        #[derive(Clone, Copy, Debug)]
        pub(in crate::server) enum Method {
            $($asks,)*
            $($tells,)*
        }

        impl Method {
            pub(in crate::server) fn of(name: &str) -> Option<Method> {
                Some(match name {
                    $($request => Method::$asks,)*
                    $($notification => Method::$tells,)*
                    _ => return None,
                })
            }

            /// Returns the shape of the params of a request, for an error message.
            fn shape(self) -> Option<&'static str> {
                match self {
                    $(Method::$asks => Some($shape),)*
                    _ => None,
                }
            }

            /// Reads the params as the type that rmcp has for this method.
            pub(in crate::server) fn read<'de, A: MapAccess<'de>>(
                self,
                params: Params<'_, A>,
            ) -> Result<Standard, A::Error> {
                Ok(match self {
                    $(Method::$asks => {
                        Standard::Request(ClientRequest::$asks($read_request!(params)))
                    })*
                    $(Method::$tells => {
                        Standard::Notification(ClientNotification::$tells($read_notification!(params)))
                    })*
                })
            }

            /// Returns the message of this method without params, if the method allows that.
            pub(in crate::server) fn without_params(self) -> Option<Standard> {
                match self {
                    $(Method::$asks => {
                        let request = $read_request!().map(ClientRequest::$asks);
                        request.map(Standard::Request)
                    })*
                    $(Method::$tells => {
                        let notification = $read_notification!().map(ClientNotification::$tells);
                        notification.map(Standard::Notification)
                    })*
                }
            }
        }

        #[cfg(test)]
        pub(super) const NAMES: &[&str] = &[$($request,)* $($notification,)*];
    };
}

macro_rules! request {
    ($params:ident) => {
        Request::new($params.flat()?)
    };
    () => {
        None
    };
}

/// Reads params that hold structs. serde skips unknown members of a struct without checking them.
macro_rules! nested_request {
    ($params:ident) => {
        Request::new($params.nested()?)
    };
    () => {
        None
    };
}

macro_rules! request_optional_param {
    ($params:ident) => {
        RequestOptionalParam::with_param($params.flat()?)
    };
    () => {
        Some(RequestOptionalParam::default())
    };
}

macro_rules! request_no_param {
    ($params:ident) => {{
        $params.none()?;
        RequestNoParam::default()
    }};
    () => {
        Some(RequestNoParam::default())
    };
}

macro_rules! notification {
    ($params:ident) => {
        Notification::new($params.flat()?)
    };
    () => {
        None
    };
}

macro_rules! notification_no_param {
    ($params:ident) => {{
        $params.none()?;
        NotificationNoParam::default()
    }};
    () => {
        Some(NotificationNoParam::default())
    };
}

table!(reading);

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
    let shape = Method::of(method)?.shape()?;
    Some(ErrorData::invalid_params(
        format!("the params of `{method}` have the wrong shape; expected: {shape}"),
        None,
    ))
}

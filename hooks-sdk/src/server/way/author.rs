//! The author's server without its type: the only generic code on the way of a request.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::any::Any;

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{ServerConfig, Tool},
    service::RequestContext,
};

use super::{
    asked::{Answer, Asked, requests},
    failed,
};
use crate::core::dispatch::catch_panic_now;

/// The author's server. As [`Any`] it is for functions that were written for its type.
pub(in crate::server) trait Author: Any + Send + Sync {
    /// What the author's `get_tool` returns; `None` also when it panics, which is logged.
    fn tool(&self, name: &str) -> Option<Tool>;

    /// What the author's `get_info` returns.
    ///
    /// # Errors
    ///
    /// It panicked.
    fn info(&self) -> Result<ServerConfig, ErrorData>;

    /// Lets the author's server answer. The driver catches a panic of the future.
    fn ask<'a>(
        &'a self,
        asked: Asked,
        cx: RequestContext<RoleServer>,
    ) -> BoxFuture<'a, Result<Answer, ErrorData>>;
}

impl<H: ServerHandler> Author for H {
    fn tool(&self, name: &str) -> Option<Tool> {
        let tool = catch_panic_now(|| self.get_tool(name));
        tool.map_err(|failure| failed("get_tool", &failure))
            .ok()
            .flatten()
    }

    fn info(&self) -> Result<ServerConfig, ErrorData> {
        catch_panic_now(|| self.get_info()).map_err(|failure| failed("get_info", &failure))
    }

    fn ask<'a>(
        &'a self,
        asked: Asked,
        cx: RequestContext<RoleServer>,
    ) -> BoxFuture<'a, Result<Answer, ErrorData>> {
        macro_rules! ask {
            ($($method:literal: $kind:ident($($request:ident: $params:ty)?) -> $result:ty = $function:ident;)*) => {
                match asked {
                    $(Asked::$kind($($request)?) => Box::pin(async move {
                        self.$function($($request,)? cx).await.map(Answer::$kind)
                    }),)*
                }
            };
        }
        requests!(ask)
    }
}

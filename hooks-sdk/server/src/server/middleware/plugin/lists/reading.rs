//! Reading the author's lists, at most once in a while.

use std::time::Duration;

use rmcp::{RoleServer, model::PaginatedRequestParams, service::RequestContext};
use serde_json::Value;
use tokio::time::Instant;

use super::Lists;
use crate::server::{
    middleware::plugin::item::json,
    pipeline::{McpRequest, McpResponse, Pipeline},
};
use hooks_plugin::ListOf;

/// How many pages of a list are read.
const MOST_PAGES: usize = 100;

/// How long the SDK does not read a list of the author's again (5 seconds). Names that no list has cause a reading.
const AGAIN: Duration = Duration::from_secs(5);

/// How long the author's list may take (10 seconds).
const LONGEST: Duration = Duration::from_secs(10);

impl Lists {
    /// Reads the author's list, so that its entries are known, and those of the middleware. A list that was read less than
    /// [`AGAIN`] ago is not read again.
    pub(in crate::server::middleware::plugin) async fn read(
        &self,
        of: ListOf,
        pipeline: &Pipeline,
        cx: &RequestContext<RoleServer>,
    ) {
        let mut last = self.0.read[of as usize].lock().await;
        if last.is_some_and(|at| at.elapsed() < AGAIN) {
            return;
        }
        let reading = tokio::time::timeout(LONGEST, self.read_now(of, pipeline, cx)).await;
        if reading.is_err() {
            tracing::error!(
                target: "hooks_sdk::server",
                list = of.as_str(),
                seconds = LONGEST.as_secs(),
                "the author's list did not come in time; list hooks decide by name about items that were in no list"
            );
        }
        *last = Some(Instant::now());
    }

    async fn read_now(&self, of: ListOf, pipeline: &Pipeline, cx: &RequestContext<RoleServer>) {
        if of == ListOf::Resources {
            for resource in pipeline.parts().resources() {
                if let Value::Object(members) = json(resource) {
                    _ = self.know(of, members);
                }
            }
        }
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let page = cursor
                .take()
                .map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let asked = match of {
                ListOf::Tools => McpRequest::ListTools(page),
                ListOf::Prompts => McpRequest::ListPrompts(page),
                ListOf::Resources => McpRequest::ListResources(page),
                _ => McpRequest::ListResourceTemplates(page),
            };
            let answer = pipeline.author().ask(asked, cx.clone());
            let listed = hooks_core::internal::catch_panic(answer).await;
            let (entries, next): (Vec<Value>, _) = match listed {
                Ok(Ok(McpResponse::ListTools(listed))) => {
                    (listed.tools.iter().map(json).collect(), listed.next_cursor)
                }
                Ok(Ok(McpResponse::ListPrompts(listed))) => (
                    listed.prompts.iter().map(json).collect(),
                    listed.next_cursor,
                ),
                Ok(Ok(McpResponse::ListResources(listed))) => (
                    listed.resources.iter().map(json).collect(),
                    listed.next_cursor,
                ),
                Ok(Ok(McpResponse::ListResourceTemplates(listed))) => {
                    let entries = listed.resource_templates.iter().map(json).collect();
                    (entries, listed.next_cursor)
                }
                _ => return,
            };
            for entry in entries {
                if let Value::Object(members) = entry {
                    _ = self.know(of, members);
                }
            }
            match next {
                Some(next) => cursor = Some(next),
                None => return,
            }
        }
    }
}

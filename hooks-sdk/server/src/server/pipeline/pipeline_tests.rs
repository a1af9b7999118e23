//! A step of a middleware that fails is an error, and the author's code that panics is answered.

use rmcp::{
    ErrorData, ServerHandler,
    model::{CustomRequest, CustomResult},
};
use serde_json::json;
use std::sync::Arc;

use super::{Author, Flow, Work, steps::step};
use crate::server::{Hooked, McpContext, building, collect::ServerHooks, settings::ServerSettings};
use hooks_core::Registry;
use hooks_testing::TestHost;

/// A server whose own code panics.
struct Panicking;

impl ServerHandler for Panicking {
    async fn on_custom_request(
        &self,
        _: CustomRequest,
        _: McpContext,
    ) -> Result<CustomResult, ErrorData> {
        panic!("the author's own code")
    }
}

#[tokio::test]
async fn a_step_that_panics_lets_no_request_go_on() {
    let at_once = step("tools/call", || -> Work<'_, Flow> { panic!("at once") }).await;
    let later = step("tools/call", || -> Work<'_, Flow> {
        Work::Later(Box::pin(async { panic!("later") }))
    })
    .await;
    for flow in [at_once, later] {
        let answer = Flow::stop(flow).expect("an answer");
        let error = answer.expect_err("an error");
        assert!(error.message.contains("`tools/call`"), "{error}");
        assert!(!error.message.contains("later"), "{error}");
    }
    let on = step("tools/call", || Flow::On).await;
    assert!(Flow::stop(on).is_none());
}

#[tokio::test]
async fn a_panic_names_the_method_that_was_asked_for() {
    let hooks = Arc::new(ServerHooks::of(Registry::builder().build().unwrap()));
    let settings = ServerSettings::default();
    let parts = building::parts(&settings, &hooks, &Panicking as &dyn Author).unwrap();
    let server = Arc::new(Panicking);
    let server = Hooked::new(server.clone(), server, hooks, settings, parts);
    let host = TestHost::connect(server).await.unwrap();
    let failed = host.request("acme/hello", json!({})).await.unwrap_err();
    assert!(failed.to_string().contains("`acme/hello`"), "{failed}");
}

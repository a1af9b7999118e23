//! A step of a middleware that fails is an error, and the author's code that panics is answered.

use rmcp::{
    ErrorData, ServerHandler,
    model::{CustomRequest, CustomResult},
};
use serde_json::json;
use std::sync::Arc;

use super::{Author, Flow, steps::step};
use crate::server::{
    Hooked, HookedService, McpContext, building, collect::ServerHooks, settings::ServerSettings,
};
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
    let failed = step("tools/call", async { panic!("inside") }).await;
    let Flow::Answer(answer) = failed else {
        panic!("an answer")
    };
    let error = answer.expect_err("an error");
    assert!(error.message.contains("`tools/call`"), "{error}");
    assert!(!error.message.contains("inside"), "{error}");
    let on = step("tools/call", async { Flow::On }).await;
    assert!(matches!(on, Flow::On));
}

#[tokio::test]
async fn a_panic_names_the_method_that_was_asked_for() {
    let hooks = Arc::new(ServerHooks::of(Registry::builder().build().unwrap()));
    let settings = ServerSettings::default();
    let parts = building::parts(&settings, &hooks, &Panicking as &dyn Author).unwrap();
    let server = Arc::new(Panicking);
    let service = HookedService::new(server.clone(), hooks, settings, parts);
    let server = Hooked { server, service };
    let host = TestHost::connect(server).await.unwrap();
    let failed = host.request("acme/hello", json!({})).await.unwrap_err();
    assert!(failed.to_string().contains("`acme/hello`"), "{failed}");
}

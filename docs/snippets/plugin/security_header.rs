//! The document's plugin for HTTP headers, §5.2, and a server with it.

use axum::{body::Body, http::Request};
use hooks_sdk::{
    Policy,
    core::{HookError, Verdict, Violation},
    http,
    plugin::{ForwardedResponse, HttpHeaders, Instance, Outcome, Plugin, PluginHooks, point},
    prelude::*,
};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use tower::ServiceExt;

// ANCHOR: plugin
#[derive(serde::Deserialize)]
struct SecurityHeadersConfig {
    required: Vec<String>,
}

/// Adds headers to requests, and lets no response out that lacks a required one.
struct SecurityHeaders {
    required: Vec<String>,
}

#[plugin(kind = "security_headers")]
impl Plugin for SecurityHeaders {
    type Config = SecurityHeadersConfig;

    fn new(config: SecurityHeadersConfig) -> Result<SecurityHeaders, HookError> {
        let required = config.required;
        Ok(SecurityHeaders { required })
    }

    fn hooks() -> PluginHooks<SecurityHeaders> {
        PluginHooks::new()
            .on(
                point::http_pre_forwarding_call,
                |_: &SecurityHeaders, request, cx| {
                    Box::pin(async move {
                        let mut headers = request.root.clone();
                        if let Some(user) = &cx.global.user {
                            headers.set("Authorization", format!("Bearer {}", token_of(user)));
                        }
                        let tenant = cx.global.tenant_id.as_deref().unwrap_or("default");
                        headers.set("X-Tenant-ID", tenant);
                        headers.set("X-Session-ID", &*cx.global.request_id);
                        Outcome::modify(headers).with("action", "auth_injected")
                    })
                },
            )
            .on(
                point::http_post_forwarding_call,
                |plugin: &SecurityHeaders, response, _| {
                    Box::pin(async move {
                        let required = plugin.required.iter().map(String::as_str);
                        let missing: Vec<&str> = required
                            .filter(|name| !response.root.contains(name))
                            .collect();
                        if missing.is_empty() {
                            return Verdict::Allow;
                        }
                        let mut violation =
                            Violation::new("Required security headers not found in response");
                        violation.code = "SECURITY_HEADERS_MISSING".to_owned();
                        violation.description = format!("Missing headers: {}", missing.join(", "));
                        Verdict::<HttpHeaders>::Deny(violation)
                    })
                },
            )
    }
}
// ANCHOR_END: plugin

/// Asks the token service of the company.
fn token_of(user: &str) -> String {
    format!("token_for_{user}")
}

// ANCHOR: policy
fn policy() -> Result<Policy, HookError> {
    let required = vec!["X-Content-Type-Options".to_owned()];
    let plugin = SecurityHeaders::new(SecurityHeadersConfig { required })?;
    Ok(Policy::new()
        .with(Instance::of(plugin))
        // Also replaces the `Authorization` that a client sent.
        .override_protected("authorization"))
}
// ANCHOR_END: policy

pub(crate) struct Portal;

#[tool_router]
impl Portal {
    #[tool]
    async fn open(&self) -> String {
        "opened".to_owned()
    }
}

// ANCHOR: method
#[hooks_sdk::hooks]
impl Portal {
    /// Responses carry the header that the plugin requires.
    #[plugin::hook(http_post_forwarding_call, priority = 1)]
    async fn no_sniffing(&self, response: &ForwardedResponse) -> Verdict<HttpHeaders> {
        let mut headers = response.root.clone();
        headers.set("X-Content-Type-Options", "nosniff");
        Verdict::Modify(headers)
    }
}
// ANCHOR_END: method

#[tool_handler]
impl ServerHandler for Portal {}

#[tokio::test]
async fn responses_carry_the_required_header() {
    let hooked = Portal.with_hooks().unwrap().policy(policy().unwrap());
    let router = http::Server::new(hooked).router().await.unwrap();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a client","version":"1.0.0"}}}"#;
    let request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Body::from(hello))
        .unwrap();
    let response = router.oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
}

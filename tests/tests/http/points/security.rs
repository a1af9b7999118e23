//! The document's `SecurityHeaderPlugin` (§5.2), as printed as far as Rust allows.

use std::time::SystemTime;

use hooks_sdk::{
    Policy,
    core::{HookError, Violation},
    http::HeaderHooks,
    plugin::{
        ForwardedRequest, ForwardedResponse, GlobalContext, HttpHeaders, Instance, Outcome, Plugin,
        PluginContext, PluginHooks, point,
    },
};
use serde_json::{Value, json};

use super::rig::{self, Serving, desk, hooked, serve};

/// Enterprise security plugin for HTTP header management.
struct SecurityHeaderPlugin {
    required_security_headers: [&'static str; 3],
}

impl SecurityHeaderPlugin {
    /// Inject authentication and security headers before forwarding.
    async fn http_pre_forwarding_call(
        &self,
        payload: &ForwardedRequest,
        context: &mut PluginContext,
    ) -> Outcome<HttpHeaders> {
        let mut modified_headers = payload.root.clone();

        // 1. Authentication token injection based on user context
        if let Some(user) = &context.global.user {
            // Get user-specific token from secure storage
            let token = get_user_token(user).await;
            modified_headers.set("Authorization", format!("Bearer {token}"));
        }

        // 2. Add data classification headers for compliance
        let data_class = classify_request_data(&context.global);
        modified_headers.set("X-Data-Classification", data_class);

        // 3. Add session tracking for audit purposes
        modified_headers.set("X-Session-ID", &*context.global.request_id);
        let tenant = context.global.tenant_id.as_deref();
        modified_headers.set("X-Tenant-ID", tenant.unwrap_or("default"));

        // 4. Add security headers for OWASP compliance
        modified_headers.set("X-Content-Type-Options", "nosniff");
        modified_headers.set("X-Frame-Options", "DENY");
        modified_headers.set("Referrer-Policy", "strict-origin-when-cross-origin");

        Outcome::modify(modified_headers)
            .with("plugin", "security_header")
            .with("action", "auth_injected")
            .with("data_classification", data_class)
            .with("headers_added", 6)
    }

    /// Validate response headers and add compliance metadata.
    async fn http_post_forwarding_call(
        &self,
        payload: &ForwardedResponse,
        context: &mut PluginContext,
    ) -> Outcome<HttpHeaders> {
        let mut modified_headers = payload.root.clone();

        // 1. Validate required security headers are present
        let required = self.required_security_headers.into_iter();
        let missing_headers: Vec<&str> = required
            .filter(|name| !payload.root.contains(name))
            .collect();
        if !missing_headers.is_empty() {
            let mut violation = Violation::new("Required security headers not found in response");
            violation.code = "SECURITY_HEADERS_MISSING".to_owned();
            violation.description = format!("Missing headers: {}", missing_headers.join(", "));
            return Outcome::deny(violation)
                .with("plugin", "security_header")
                .with("action", "validation_failed")
                .with("missing_headers", json!(missing_headers));
        }

        // 2. Add audit trail for compliance
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.map(|now| now.as_secs()).unwrap_or_default();
        let trail = format!("processed-{}-{now}", context.global.request_id);
        modified_headers.set("X-Audit-Trail", trail);

        // 3. Extract and log performance metrics
        let response_time = payload.root.get("X-Response-Time").map(str::to_owned);
        if let Some(response_time) = &response_time {
            let metadata = &mut context.global.metadata;
            metadata.insert("response_time".to_owned(), response_time.as_str().into());
        }

        // 4. Add data governance labels
        modified_headers.set("X-Data-Retention", "30d");
        modified_headers.set("X-Processing-Complete", "true");

        Outcome::modify(modified_headers)
            .with("plugin", "security_header")
            .with("action", "compliance_validated")
            .with("audit_trail_added", true)
            .with("response_time", json!(response_time))
    }
}

/// Retrieve user-specific authentication token.
async fn get_user_token(user: &str) -> String {
    // Implementation would connect to token service
    format!("token_for_{user}")
}

/// Classify request data for compliance purposes.
fn classify_request_data(context: &GlobalContext) -> &'static str {
    // Basic classification logic - could be more sophisticated
    let has = |text: &Option<String>, part| text.as_ref().is_some_and(|text| text.contains(part));
    if has(&context.tenant_id, "enterprise") {
        "confidential"
    } else if has(&context.user, "@internal.com") {
        "internal"
    } else {
        "public"
    }
}

#[hooks_sdk::plugin(kind = "security_header")]
impl Plugin for SecurityHeaderPlugin {
    type Config = ();

    fn new((): ()) -> Result<SecurityHeaderPlugin, HookError> {
        Ok(SecurityHeaderPlugin {
            required_security_headers: [
                "Content-Security-Policy",
                "X-Frame-Options",
                "X-Content-Type-Options",
            ],
        })
    }

    fn hooks() -> PluginHooks<SecurityHeaderPlugin> {
        PluginHooks::new()
            .on(
                point::http_pre_forwarding_call,
                |plugin: &SecurityHeaderPlugin, payload, cx| {
                    Box::pin(plugin.http_pre_forwarding_call(payload, cx))
                },
            )
            .on(
                point::http_post_forwarding_call,
                |plugin: &SecurityHeaderPlugin, payload, cx| {
                    Box::pin(plugin.http_post_forwarding_call(payload, cx))
                },
            )
    }
}

fn policy() -> Policy {
    let plugin = SecurityHeaderPlugin::new(()).expect("a plugin");
    // High priority for security
    let instance = Instance::of(plugin)
        .named("security_header_plugin")
        .priority(10);
    Policy::new().with(instance).expose_plugin_names()
}

/// Serves the plugin around a server whose responses have the headers, in the case that HTTP writes them in.
async fn serving(
    policy: Policy,
    serving: Serving,
    sets: &'static [&'static str],
) -> std::net::SocketAddr {
    let server = hooked(&desk(), [], policy);
    let layer = HeaderHooks::of(&server);
    serve(server, serving, layer, move |headers| {
        for name in sets {
            headers.insert(*name, "set".parse().expect("a value"));
        }
    })
    .await
}

const ALL: &[&str] = &[
    "content-security-policy",
    "x-frame-options",
    "x-content-type-options",
    "x-response-time",
];

#[tokio::test]
async fn the_documents_plugin_adds_its_headers() {
    for form in [Serving::Events, Serving::Json] {
        let address = serving(policy(), form, ALL).await;
        for client in rig::both(address, form).await {
            let answer = rig::call(&client.with("x-user", "alice@internal.com")).await;
            let received = rig::received(&answer);
            let value = |name: &str| received[name].as_str().unwrap_or_else(|| panic!("{name}"));
            assert_eq!(
                value("authorization"),
                "Bearer token_for_alice@internal.com"
            );
            assert_eq!(value("x-data-classification"), "confidential");
            assert_eq!(value("x-tenant-id"), "enterprise-7");
            assert_eq!(value("x-content-type-options"), "nosniff");
            assert_eq!(value("referrer-policy"), "strict-origin-when-cross-origin");
            let trail = answer.header("x-audit-trail").expect("a trail");
            let id = value("x-session-id");
            assert!(trail.starts_with(&format!("processed-{id}-")), "{trail}");
            assert_eq!(answer.header("x-data-retention"), Some("30d"));
            assert_eq!(answer.header("x-processing-complete"), Some("true"));
        }
        // Without a user there is no token.
        let received = rig::received(&rig::call(&rig::stateless(address)).await);
        assert_eq!(received.get("authorization"), None);
        assert_eq!(received["x-data-classification"], "public");
        assert_eq!(received["x-tenant-id"], "default");
    }
}

#[tokio::test]
async fn the_documents_plugin_blocks_a_response_without_its_headers() {
    for form in [Serving::Events, Serving::Json] {
        let address = serving(policy(), form, &["x-frame-options"]).await;
        for client in [
            rig::stateless(address),
            rig::legacy(address, Serving::Json).await,
        ] {
            let answer = rig::call(&client).await;
            assert_eq!(answer.status, 502);
            assert_eq!(
                answer.message(),
                json!({
                    "code": "SECURITY_HEADERS_MISSING",
                    "reason": "Required security headers not found in response",
                    "description": "Missing headers: Content-Security-Policy, X-Content-Type-Options",
                    "details": {},
                    "plugin_name": "security_header_plugin",
                })
            );
        }
    }
}

#[tokio::test]
async fn the_clients_own_authorization_is_replaced_only_with_leave() {
    let leave = policy().override_protected("authorization");
    for (policy, expected) in [
        (policy(), "Bearer of-the-client"),
        (leave, "Bearer token_for_alice"),
    ] {
        let address = serving(policy, Serving::Json, ALL).await;
        let client = rig::stateless(address)
            .with("x-user", "alice")
            .with("authorization", "Bearer of-the-client");
        let received: Value = rig::received(&rig::call(&client).await);
        assert_eq!(received["authorization"], expected);
        // The rest of the change applies in both cases.
        assert_eq!(received["x-frame-options"], "DENY");
    }
}

//! Runs an HTTP request, and the response to it, through the chain.

use super::{
    call::Call,
    decide::{Deciding, Run, Verdict, global},
};
use crate::plugin::{
    Contexts, ForwardedRequest, ForwardedResponse, HttpRequest, HttpResponse, point,
};

impl Deciding<'_> {
    /// Decides about an HTTP request. A question to the user is a refusal, so answers in the call have no effect.
    pub(super) async fn decide_http(&self, mut request: HttpRequest, call: Call) -> Verdict {
        let mut verdict = Verdict::of(&request.path);
        let mut contexts = Contexts::new(global(&call, None)).recording();
        let mut run = Run {
            of: self,
            contexts: &mut contexts,
            answers: &mut Vec::new().into_iter(),
            verdict: &mut verdict,
        };
        if !run.at(point::http_pre_request, &mut request).await {
            return verdict;
        }
        let mut forwarded = ForwardedRequest::from(request.headers);
        let point = point::http_pre_forwarding_call;
        if !run.at(point, &mut forwarded).await {
            return verdict;
        }
        request.headers = forwarded.root;
        let Some(headers) = call.response else {
            return verdict;
        };
        let mut forwarded = ForwardedResponse::from(headers);
        let point = point::http_post_forwarding_call;
        if run.at(point, &mut forwarded).await {
            let mut response = HttpResponse {
                request,
                response_headers: forwarded.root,
                status_code: call.status,
            };
            run.at(point::http_post_request, &mut response).await;
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{from_value, json, to_value};

    use super::*;
    use crate::{
        core::condition::Condition,
        plugin::{Chain, Configuration, HttpHeaders, Outcome, PluginHook, Question},
    };

    #[test]
    fn a_request_and_its_response_pass_the_points_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("policy.yaml");
        std::fs::write(&file, "plugins: []\n").unwrap();
        let configuration = Configuration::read(&file, &[], &[]).unwrap();
        let add = PluginHook::answering_any::<_, Outcome<HttpHeaders>>(
            "add",
            point::http_pre_forwarding_call,
            |request, _| {
                let mut headers = request.root.clone();
                headers.set("X-A", "1");
                Box::pin(async move { Outcome::modify(headers) })
            },
        );
        let guest = Condition::parse("not(user)").unwrap();
        let guests = PluginHook::deny("guests", point::http_pre_request, "no guests").when(guest);
        let plain = Condition::parse("content_type = \"text/plain\"").unwrap();
        let text = PluginHook::deny("text", point::http_post_request, "no text").when(plain);
        let asks = PluginHook::answering_any::<_, Outcome<HttpHeaders>>(
            "asks",
            point::http_post_request,
            |_, _| Box::pin(async { Outcome::ask(Question::confirm("Sure?")) }),
        )
        .priority(200);
        let deciding = Deciding {
            chain: &Chain::new([add, guests, text, asks]),
            configuration: Some(&configuration),
            lists: &[],
            server: Arc::new(()),
            tool: Box::new(|_| None),
        };
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().build().unwrap();
        let decide = |more: serde_json::Value| {
            let mut call = json!({"http": {"path": "/mcp", "method": "POST"}});
            let more = more.as_object().cloned().unwrap_or_default();
            call.as_object_mut().unwrap().extend(more);
            let call: Call = from_value(call).unwrap();
            to_value(runtime.block_on(deciding.decide(call))).unwrap()
        };
        let guest = decide(json!({}));
        assert_eq!(
            (&guest["outcome"], &guest["by"]),
            (&json!("blocked"), &json!("guests"))
        );
        let ann = decide(json!({"user": "ann"}));
        assert_eq!(
            (&ann["outcome"], &ann["item"]),
            (&json!("allowed"), &json!("/mcp"))
        );
        assert_eq!(ann["payload"], json!({"X-A": "1"}));
        let refused = decide(json!({
            "user": "ann", "response": {"Content-Type": "text/plain"}, "status": 200,
        }));
        assert_eq!(refused["by"], "text");
        let points: Vec<_> = refused["points"].as_array().unwrap().iter().collect();
        assert_eq!(points.len(), 4);
        assert_eq!(points[2]["point"], "http_post_forwarding_call");
        // Nobody can be asked here.
        let asked = decide(json!({"user": "ann", "response": {}}));
        assert_eq!(
            (&asked["outcome"], &asked["by"]),
            (&json!("blocked"), &json!("asks"))
        );
    }
}

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

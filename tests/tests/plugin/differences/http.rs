//! The points of HTTP: what the second hook receives, and what its headers replace.

use hooks_sdk::plugin::{Chain, Contexts, HttpHeaders, HttpRequest, Outcome, PluginHook, point};

use super::Seen;

#[tokio::test]
async fn the_second_hook_receives_the_whole_request_with_the_first_ones_headers() {
    let seen = Seen::default();
    let setting = |id: &'static str, name: &'static str| {
        let seen = seen.clone();
        PluginHook::answering_any(
            id,
            point::http_pre_request,
            move |request: &HttpRequest, _| {
                let HttpRequest {
                    path,
                    method,
                    headers,
                    ..
                } = request;
                let names: Vec<_> = headers.iter().map(|(name, _)| name).collect();
                seen.see(format!("{method} {path} {}", names.join(" ")));
                let headers = HttpHeaders::from_iter([(name, "1")]);
                Box::pin(async move { Outcome::modify(headers) })
            },
        )
    };
    let chain = Chain::new([setting("a", "x-a"), setting("b", "x-b")]);
    let mut request = HttpRequest::default();
    request.path = "/mcp".to_owned();
    request.method = "POST".to_owned();
    request.headers = HttpHeaders::from_iter([("host", "h")]);
    let ran = chain
        .run(
            point::http_pre_request,
            &mut request,
            &mut Contexts::default(),
        )
        .await;
    assert!(ran.modified);
    assert_eq!(seen.all(), ["POST /mcp host", "POST /mcp x-a"]);
    // A hook's headers are all the headers there are.
    assert_eq!(request.headers, HttpHeaders::from_iter([("x-b", "1")]));
}

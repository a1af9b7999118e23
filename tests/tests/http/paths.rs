//! Other spellings of the server's path, and connections that end.

use hooks_tests::{
    client::{POST, Raw, ask, call, mcp_head, raw, request, said},
    toy_server::one,
};
use http::Method;
use serde_json::json;

use crate::desk::serve;

/// Spellings of `/mcp` that some server, proxy or file system takes for it.
const SPELLINGS: [&str; 26] = [
    "/mcp/",
    "//mcp",
    "/MCP",
    "/%6dcp",
    "/mc%70",
    "/./mcp",
    "/x/../mcp",
    "/mcp/.",
    "/mcp;a=b",
    "/mcp%00",
    "/mcp%2f",
    "/mcp%20",
    "/mcp\\",
    "/healthz/../mcp",
    "/readyz/%2e%2e/mcp",
    "/mcp/healthz",
    "\\mcp",
    "/mcp%5c",
    "/%2fmcp",
    "/%2e/mcp",
    "/..;/mcp",
    "/healthz;/../mcp",
    "/healthz/..%2fmcp",
    "/%25%36%64cp",
    "/\u{ff4d}\u{ff43}\u{ff50}",
    "/mcp%ef%bc%8f",
];

#[tokio::test]
async fn no_spelling_of_the_path_goes_around_the_token() {
    let served = serve(|server| server.bearer("a token")).await;
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait"}});
    let body = body.to_string();
    for path in SPELLINGS {
        let head = mcp_head(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        let head = head.replacen("/mcp", path, 1);
        let answer = raw(served.address, head).await;
        let status = answer.get(9..12).unwrap_or_default();
        assert!(
            ["400", "401", "404", "405"].contains(&status),
            "{path}: {answer}"
        );
    }
    // The query belongs to no path.
    let mut queried = request(Method::POST, "/mcp", &POST, body);
    *queried.uri_mut() = "/mcp?a=b".parse().expect("a path");
    assert_eq!(ask(served.address, queried).await.status, 401);
    assert_eq!(served.server.begun.available_permits(), 0, "a tool ran");
}

#[tokio::test]
async fn a_connection_that_ends_while_a_tool_runs_leaves_nothing_to_the_next_one() {
    let served = serve(|server| server).await;
    for _ in 0..8 {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "wait", "arguments": {}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }});
        let message = message.to_string();
        let more = format!(
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: wait\r\n\
             Content-Length: {}\r\n\r\n{message}",
            message.len()
        );
        let mut gone = Raw::connect(served.address).await;
        assert!(gone.write(mcp_head(&more)).await);
        one(&served.server.begun).await;
        drop(gone);
        // The id of the call that was given up is another client's, too.
        let answer = ask(served.address, call("work", json!({}), &[])).await;
        assert_eq!(said(&answer), "worked");
        served.server.leave.add_permits(1);
        one(&served.server.ended).await;
    }
}

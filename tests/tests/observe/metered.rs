//! The counters and histograms.

use std::collections::BTreeMap;

use hooks_sdk::{aos::Posture, core::observe::describe_metrics, testing::McplHost};
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use serde_json::json;

use crate::keeper::{call, server};

#[tokio::test]
async fn hooks_requests_and_steps_are_counted_and_timed() {
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    describe_metrics();
    let host = McplHost::connect(server(Posture::Proceed)).await.unwrap();
    for _ in 0..3 {
        call(&host, "remember", json!({"text": "a"})).await;
    }
    call(&host, "lose", json!({})).await;
    call(&host, "remember", json!({"text": "broken"})).await;
    for at in 0..20 {
        let params = json!({"name": format!("unknown_{at}"), "arguments": {}});
        _ = host.request("tools/call", params).await;
        _ = host.request(&format!("acme/{at}"), json!({})).await;
    }
    let mut seen = BTreeMap::new();
    for (key, unit, description, value) in snapshots.snapshot().into_vec() {
        assert!(unit.is_some() && description.is_some(), "{key:?}");
        let labels = key.key().labels();
        let labels: Vec<String> = labels
            .map(|label| format!("{}={}", label.key(), label.value()))
            .collect();
        let count = match value {
            DebugValue::Counter(count) => count,
            DebugValue::Histogram(values) => values.len() as u64,
            DebugValue::Gauge(_) => panic!("there are no gauges"),
        };
        seen.insert(format!("{} {}", key.key().name(), labels.join(" ")), count);
    }
    let printed: String = seen
        .iter()
        .map(|(key, count)| format!("{key}: {count}\n"))
        .collect();
    assert_eq!(
        printed,
        "\
aos.bypasses aos.method=steps/memoryStore acs.failure.class=guardian_error: 1
aos.decisions aos.method=steps/memoryStore acs.decision=allow: 3
aos.decisions aos.method=steps/toolCallRequest acs.decision=allow: 25
aos.decisions aos.method=steps/toolCallResult acs.decision=allow: 25
aos.duration aos.method=steps/memoryStore: 4
aos.duration aos.method=steps/toolCallRequest: 25
aos.duration aos.method=steps/toolCallResult: 25
aos.failures aos.method=steps/memoryStore acs.failure.class=guardian_error acs.failure.posture=proceed: 1
hooks.duration hooks.protocol=aos hooks.point=memory_store hooks.id=keys: 4
hooks.duration hooks.protocol=aos hooks.point=tool_call_request hooks.id=known: 25
hooks.duration hooks.protocol=aos hooks.point=tool_call_result hooks.id=result: 25
hooks.duration hooks.protocol=guidance hooks.point=action_end hooks.id=after-a-note: 4
hooks.duration hooks.protocol=plugin hooks.point=tool_post_invoke hooks.id=look: 4
hooks.duration hooks.protocol=plugin hooks.point=tool_pre_invoke hooks.id=broken: 1
hooks.duration hooks.protocol=plugin hooks.point=tool_pre_invoke hooks.id=check: 25
hooks.runs hooks.protocol=aos hooks.point=memory_store hooks.id=keys hooks.outcome=allowed: 3
hooks.runs hooks.protocol=aos hooks.point=memory_store hooks.id=keys hooks.outcome=failed error.type=panic: 1
hooks.runs hooks.protocol=aos hooks.point=tool_call_request hooks.id=known hooks.outcome=allowed: 25
hooks.runs hooks.protocol=aos hooks.point=tool_call_result hooks.id=result hooks.outcome=allowed: 25
hooks.runs hooks.protocol=guidance hooks.point=action_end hooks.id=after-a-note hooks.outcome=answered: 4
hooks.runs hooks.protocol=plugin hooks.point=tool_post_invoke hooks.id=look hooks.outcome=allowed: 4
hooks.runs hooks.protocol=plugin hooks.point=tool_pre_invoke hooks.id=broken hooks.outcome=failed error.type=panic: 1
hooks.runs hooks.protocol=plugin hooks.point=tool_pre_invoke hooks.id=check hooks.outcome=allowed: 21
hooks.runs hooks.protocol=plugin hooks.point=tool_pre_invoke hooks.id=check hooks.outcome=modified: 4
mcp.server.operation.duration mcp.method.name=_OTHER network.transport=pipe rpc.response.status_code=-32601 error.type=-32601: 20
mcp.server.operation.duration mcp.method.name=initialize network.transport=pipe: 1
mcp.server.operation.duration mcp.method.name=tools/call network.transport=pipe gen_ai.tool.name=_OTHER gen_ai.operation.name=execute_tool rpc.response.status_code=-32602 error.type=-32602: 20
mcp.server.operation.duration mcp.method.name=tools/call network.transport=pipe gen_ai.tool.name=lose gen_ai.operation.name=execute_tool error.type=tool_error: 1
mcp.server.operation.duration mcp.method.name=tools/call network.transport=pipe gen_ai.tool.name=remember gen_ai.operation.name=execute_tool: 4
"
    );
}

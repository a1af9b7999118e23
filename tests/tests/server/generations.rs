//! What newer rmcp has: skills, servers that cap the protocol, sessions without a handshake, refusals that survive.

use std::{borrow::Cow, sync::Arc};

use futures::FutureExt;
use hooks_sdk::{
    Collected, Hooked, WireTransport,
    core::Registry,
    lifecycle::{LifecycleHook, event, point, strength},
    testing::{RequestError, TestHost},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        GetSkillRequestParams, GetSkillResult, ListResourcesResult, ListSkillsResult,
        PaginatedRequestParams, ProtocolVersion, ReadResourceDirectoryRequestParams, Resource,
        ServerCapabilities, ServerConfig, Skill, SkillFrontmatter, SkillResource, SkillResources,
    },
    service::RequestContext,
    transport::Transport,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

const URI: &str = "skill://deploy/SKILL.md";

/// Serves one skill.
struct Skilled;

fn skill() -> Skill {
    let front = SkillFrontmatter::new("deploy", "How to deploy.");
    let file = SkillResource::from_bytes(URI, b"# Deploy");
    Skill::new(URI, front, SkillResources::Files(vec![file]))
}

impl ServerHandler for Skilled {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_resources();
        ServerConfig::new(capabilities.enable_skills_with_directory_read().build())
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(ListSkillsResult::with_all_items(vec![skill()]))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        match &*request.uri {
            URI => Ok(GetSkillResult::new(skill())),
            _ => Err(ErrorData::invalid_params("no such skill", None)),
        }
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let file = Resource::new(format!("{}/SKILL.md", request.uri), "SKILL.md");
        Ok(ListResourcesResult::with_all_items(vec![file]))
    }
}

struct Plain;

impl ServerHandler for Plain {}

fn hooked<H: ServerHandler>(server: H) -> Hooked<H> {
    let recall = LifecycleHook::answering(
        "recall",
        point::session_start,
        strength::important,
        |_: &H, _: event::SessionStart| async { "remembered" }.boxed(),
    );
    let registry = Registry::builder().add(recall.into()).build().unwrap();
    Collected::of(registry).unwrap().wrap(server).unwrap()
}

/// What the server answers to everything about skills.
async fn answers(server: impl ServerHandler, version: &str) -> Vec<Result<Value, RequestError>> {
    let builder = TestHost::builder().version(version).capabilities(json!({}));
    let host = builder.connect(server).await.unwrap();
    let mut answers = vec![Ok(host.handshake()["capabilities"].clone())];
    for (method, params) in [
        ("skills/list", json!({})),
        ("skills/list", json!({"cursor": "x"})),
        ("skills/get", json!({"uri": URI})),
        ("skills/get", json!({"uri": "skill://other/SKILL.md"})),
        ("resources/directory/read", json!({"uri": "skill://deploy"})),
    ] {
        answers.push(host.request(method, params).await);
    }
    answers
}

#[tokio::test]
async fn skills_reach_the_wrapped_server() {
    for version in ["2025-11-25", "2026-07-28"] {
        let ours = answers(hooked(Skilled), version).await;
        assert_eq!(ours, answers(Skilled, version).await, "{version}");
        let of = |at: usize| ours[at].as_ref().unwrap();
        assert_eq!(of(1)["skills"][0]["uri"], URI, "{version}");
        assert_eq!(of(3)["skill"]["uri"], URI, "{version}");
        let file = "skill://deploy/SKILL.md";
        assert_eq!(of(5)["resources"][0]["uri"], file, "{version}");
        assert!(ours[4].is_err());
    }
}

#[tokio::test]
async fn a_server_without_skills_answers_as_without_hooks() {
    for version in ["2025-11-25", "2026-07-28"] {
        let ours = answers(hooked(Plain), version).await;
        assert_eq!(ours, answers(Plain, version).await, "{version}");
        for answer in &ours[1..] {
            let Err(RequestError::Refused { code, .. }) = answer else {
                panic!("{version}: {answer:?}")
            };
            assert_eq!(*code, -32601, "{version}");
        }
    }
}

/// Speaks no revision after 2025-11-25.
struct Capped;

impl ServerHandler for Capped {
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&[ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25])
    }
}

#[tokio::test]
async fn a_server_may_cap_the_protocol() {
    let handshake = async |server: Hooked<Capped>, version: &str| {
        let host = TestHost::builder().version(version).connect(server).await;
        host.map(|host| host.handshake().clone())
    };
    let initialized = handshake(hooked(Capped), "2025-11-25").await.unwrap();
    assert_eq!(initialized["protocolVersion"], "2025-11-25");
    let hooks = &initialized["capabilities"]["hooks"]["declarations"];
    assert_eq!(hooks.as_array().unwrap().len(), 1);
    // An older client that asks for the newest revision by `initialize` gets the newest of the server's.
    let capabilities = json!({"hooks": {"supported_events": ["session_start"]}});
    let params = json!({
        "protocolVersion": "2026-07-28",
        "capabilities": capabilities,
        "clientInfo": {"name": "h", "version": "1"},
    });
    let bare = first_answer(Capped, "initialize", params.clone()).await;
    let ours = first_answer(hooked(Capped), "initialize", params).await;
    assert_eq!(ours["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(
        ours["result"]["protocolVersion"],
        bare["result"]["protocolVersion"]
    );
    let declared = &ours["result"]["capabilities"]["hooks"]["declarations"];
    assert_eq!(declared.as_array().unwrap().len(), 1);
    // A stateless request is refused as without hooks.
    let params = json!({"_meta": stateless_meta()});
    for method in ["tools/list", "server/discover"] {
        let bare = first_answer(Capped, method, params.clone()).await;
        let ours = first_answer(hooked(Capped), method, params.clone()).await;
        assert_eq!(ours["error"], bare["error"], "{method}: {ours}");
    }
}

fn stateless_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "h", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"hooks": {"supported_events": ["session_start"]}},
    })
}

/// What a server answers to the first request of a connection.
async fn first_answer(server: impl ServerHandler, method: &str, params: Value) -> Value {
    let (ours, theirs) = duplex(4096);
    let (read, write) = split(theirs);
    let transport = WireTransport::new(read, write);
    let server = Arc::new(server);
    tokio::spawn(async move {
        if let Ok(running) = rmcp::ServiceExt::serve(server, transport).await {
            _ = running.waiting().await;
        }
    });
    let (read, mut write) = split(ours);
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    write
        .write_all(format!("{request}\n").as_bytes())
        .await
        .unwrap();
    let mut lines = BufReader::new(read).lines();
    serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap()
}

/// rmcp answers lists with "method not found" for a server that declares no tools.
#[tokio::test]
async fn tools_of_the_sdk_are_listed_for_a_server_that_declares_none() {
    for version in ["2025-11-25", "2026-07-28"] {
        let host = TestHost::builder().version(version);
        let host = host.connect(hooked(Plain)).await.unwrap();
        let tools = host.list_tools().await.unwrap();
        assert_eq!(tools.len(), 1, "{version}: {tools:?}");
        assert_eq!(tools[0]["name"], "recall", "{version}");
    }
}

/// On 2026-07-28 nobody says who the client is but each request itself.
#[tokio::test]
async fn a_session_without_a_handshake_has_hooks() {
    let list = first_answer(
        hooked(Plain),
        "tools/list",
        json!({"_meta": stateless_meta()}),
    )
    .await;
    assert_eq!(list["result"]["tools"][0]["name"], "recall", "{list}");
    let mut meta = stateless_meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let params = json!({"_meta": meta});
    let list = first_answer(hooked(Plain), "tools/list", params.clone()).await;
    let bare = first_answer(Plain, "tools/list", params).await;
    assert_eq!(
        list, bare,
        "a client without hooks is answered as without us"
    );
    let params = json!({"name": "recall", "arguments": {}, "_meta": stateless_meta()});
    let called = first_answer(hooked(Plain), "tools/call", params).await;
    assert_eq!(called["result"]["content"][0]["text"], "remembered");
}

/// rmcp's loop drops `receive` whenever something else happens first.
#[tokio::test]
async fn refusals_are_written_whole_when_receive_is_dropped_again_and_again() {
    const LINES: usize = 200;
    let (ours, theirs) = duplex(16);
    let (read, write) = split(theirs);
    let mut transport = WireTransport::new(read, write);
    let (read, mut write) = split(ours);
    tokio::spawn(async move {
        for at in 0..LINES {
            let line = format!("{{\"jsonrpc\": \"2.0\", \"id\": {at}, \"method\": 7}}\n");
            write.write_all(line.as_bytes()).await.unwrap();
        }
        std::future::pending::<()>().await;
    });
    tokio::spawn(async move {
        loop {
            let receive = Transport::<RoleServer>::receive(&mut transport);
            assert!(receive.now_or_never().is_none());
            tokio::task::yield_now().await;
        }
    });
    let mut lines = BufReader::new(read).lines();
    let mut refused = std::collections::BTreeSet::new();
    for _ in 0..LINES {
        let line = lines.next_line().await.unwrap().unwrap();
        let refusal: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(refusal["error"]["code"], -32600);
        refused.insert(refusal["id"].as_u64());
    }
    assert!(refused.into_iter().eq((0..LINES as u64).map(Some)));
}

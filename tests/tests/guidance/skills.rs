//! Skills: in both generations, beside the author's own, and under the list hooks and resource hooks of a policy.

use futures::FutureExt;
use hooks_sdk::{
    Collected, Hooked,
    core::{self, Registry, Verdict},
    guidance::{GuidanceHook, HookInput, Skill},
    plugin::{ListHook, ListOf, PluginContext, PluginHook, ResourceResult, point},
    testing::{RequestError, TestHost},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        GetSkillRequestParams, GetSkillResult, ListResourcesResult, ListSkillsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig,
        SkillFrontmatter, SkillResource, SkillResources,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::shop::{LEGACY, STATELESS, Session, Shop, Start, hook, plain};

const OWN: &str = "skill://deploy/SKILL.md";
const TIDY: &str = "skill://tidy-notes/SKILL.md";

fn skills() -> Registry {
    let text = "---\nname: tidy-notes\ndescription: Merges notes.\nlicense: MIT\n---\nRead.\n";
    let files: [(&str, &[u8]); 3] = [
        ("SKILL.md", text.as_bytes()),
        ("references/more rules.md", b"# Rules"),
        ("references/deep/dot.png", &[0x89, 0x50, 0x00]),
    ];
    let tips: HookInput = hook(Session, Start, "tips").description("Gives \"tips\".");
    let builder = Registry::builder()
        .add(Skill::embedded("skills/tidy-notes", files).into())
        .add(GuidanceHook::new(tips).skill().into());
    builder.build().unwrap()
}

fn hooked<H: ServerHandler>(registry: Registry, server: H) -> Hooked<H> {
    Collected::of(registry).unwrap().wrap(server).unwrap()
}

async fn host(version: &str, server: Hooked<impl ServerHandler>) -> TestHost {
    let builder = TestHost::builder().version(version).capabilities(json!({}));
    builder.connect(server).await.unwrap()
}

fn uris(answer: &Value, list: &str) -> Vec<String> {
    let list = answer[list].as_array().unwrap().iter();
    list.map(|each| each["uri"].as_str().unwrap().to_owned())
        .collect()
}

fn code(answer: Result<Value, RequestError>) -> i32 {
    match answer {
        Err(RequestError::Refused { code, .. }) => code as i32,
        other => panic!("{other:?}"),
    }
}

/// A server with a skill of its own.
struct Skilled;

fn own_skill(uri: &str, name: &str) -> rmcp::model::Skill {
    let file = SkillResource::from_bytes(uri, b"# Deploy");
    let front = SkillFrontmatter::new(name, "How to deploy.");
    rmcp::model::Skill::new(uri, front, SkillResources::Files(vec![file]))
}

impl ServerHandler for Skilled {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_resources();
        ServerConfig::new(capabilities.enable_skills().build())
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let skills = vec![own_skill(OWN, "deploy"), own_skill(TIDY, "tidy-notes")];
        Ok(ListSkillsResult::with_all_items(skills))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        match request.uri.as_str() {
            OWN => Ok(GetSkillResult::new(own_skill(OWN, "deploy"))),
            _ => Err(ErrorData::invalid_params("no such skill", None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let own = vec![
            Resource::new("note://1", "A note"),
            Resource::new(OWN, "SKILL.md"),
        ];
        Ok(ListResourcesResult::with_all_items(own))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = ResourceContents::text("own", request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

#[tokio::test]
async fn hooks_and_folders_are_skills_in_both_generations() {
    for version in [LEGACY, STATELESS] {
        let host = plain(version, hooked(skills(), Shop::default()))
            .await
            .unwrap();
        let declared = &host.handshake()["capabilities"];
        let extension = &declared["extensions"]["io.modelcontextprotocol/skills"];
        assert_eq!(*extension, json!({"directoryRead": true}), "{version}");
        assert!(declared["resources"].is_object(), "{version}");

        let listed = host.request("skills/list", json!({})).await.unwrap();
        assert_eq!(uris(&listed, "skills"), [TIDY, "skill://tips/SKILL.md"]);
        assert_eq!(
            listed["skills"][0]["frontmatter"],
            json!({"name": "tidy-notes", "description": "Merges notes.", "license": "MIT"})
        );
        let params = json!({"uri": "skill://tips/SKILL.md"});
        let got = host.request("skills/get", params).await.unwrap();
        assert_eq!(got["skill"], listed["skills"][1]);

        // Every file of every manifest can be read, and has the digest and the size that it says.
        for skill in listed["skills"].as_array().unwrap() {
            for file in skill["resources"].as_array().unwrap() {
                let file: SkillResource = serde_json::from_value(file.clone()).unwrap();
                let read = host.request("resources/read", json!({"uri": file.uri}));
                let read = read.await.unwrap();
                let contents = &read["contents"][0];
                assert_eq!(contents["uri"], file.uri);
                let bytes = match contents["text"].as_str() {
                    Some(text) => text.as_bytes().to_vec(),
                    None => {
                        assert_eq!(contents["blob"], "iVAA", "{version}");
                        vec![0x89, 0x50, 0]
                    }
                };
                file.verify(&bytes).unwrap();
            }
        }
        let resources = host.request("resources/list", json!({})).await.unwrap();
        assert_eq!(
            uris(&resources, "resources"),
            [TIDY, "skill://tips/SKILL.md"]
        );
        assert_eq!(resources["resources"][0]["description"], "Merges notes.");
        let templates = host.request("resources/templates/list", json!({})).await;
        assert_eq!(templates.unwrap()["resourceTemplates"], json!([]));
    }
}

#[tokio::test]
async fn a_directory_has_its_direct_children() {
    for version in [LEGACY, STATELESS] {
        let host = plain(version, hooked(skills(), Shop::default()))
            .await
            .unwrap();
        let read = |uri: &str| host.request("resources/directory/read", json!({ "uri": uri }));
        let root = read("skill://tidy-notes").await.unwrap();
        let below = "skill://tidy-notes/references";
        assert_eq!(uris(&root, "resources"), [TIDY, below]);
        assert_eq!(root["resources"][1]["mimeType"], "inode/directory");
        let below = read(below).await.unwrap();
        let expected = [
            "skill://tidy-notes/references/deep",
            "skill://tidy-notes/references/more%20rules.md",
        ];
        assert_eq!(uris(&below, "resources"), expected);
        assert_eq!(below["resources"][1]["name"], "more rules.md");
        for (method, uri, expected) in [
            ("resources/directory/read", TIDY, -32602),
            (
                "resources/directory/read",
                "skill://tidy-notes/other",
                -32602,
            ),
            ("skills/get", "skill://other/SKILL.md", -32602),
            ("skills/get", "skill://tidy-notes", -32602),
        ] {
            let answer = host.request(method, json!({ "uri": uri })).await;
            assert_eq!(code(answer), expected, "{version} {method} {uri}");
        }
        let missing = host.request("resources/read", json!({"uri": "skill://tidy-notes/x"}));
        assert!(matches!(code(missing.await), -32002 | -32602), "{version}");
    }
}

#[tokio::test]
async fn the_authors_own_skills_and_resources_stay() {
    for version in [LEGACY, STATELESS] {
        let host = host(version, hooked(skills(), Skilled)).await;
        let listed = host.request("skills/list", json!({})).await.unwrap();
        assert_eq!(
            uris(&listed, "skills"),
            [OWN, TIDY, "skill://tips/SKILL.md"]
        );
        // The skill of the hooks is served instead of the author's with the same name.
        assert_eq!(
            listed["skills"][1]["frontmatter"]["description"],
            "Merges notes."
        );
        let own = host
            .request("skills/get", json!({"uri": OWN}))
            .await
            .unwrap();
        assert_eq!(own["skill"], listed["skills"][0]);
        let resources = host.request("resources/list", json!({})).await.unwrap();
        let expected = ["note://1", OWN, TIDY, "skill://tips/SKILL.md"];
        assert_eq!(uris(&resources, "resources"), expected);
        let own = host
            .request("resources/read", json!({"uri": "note://1"}))
            .await;
        assert_eq!(own.unwrap()["contents"][0]["text"], "own");
    }
}

#[tokio::test]
async fn a_policy_decides_about_skills_as_about_resources() {
    let hidden = ListHook::hide("hide-tips", ListOf::Resources, &["skill://tips/*"]);
    let refused = PluginHook::deny("no-rules", point::resource_pre_fetch, "Ask the user.");
    let shorten = PluginHook::answering_any(
        "shorten",
        point::resource_post_fetch,
        |result: &ResourceResult, _: &mut PluginContext| {
            let mut result = result.clone();
            result.content[0]["text"] = json!("shortened");
            async move { Verdict::<_>::Modify(result) }.boxed()
        },
    );
    for version in [LEGACY, STATELESS] {
        let hooks: [core::Hook; 3] = [
            hidden.clone().into(),
            refused.clone().items(&["*rules.md"]).into(),
            shorten.clone().into(),
        ];
        let skills = skills();
        let all = skills.iter().cloned().chain(hooks);
        let registry = all.fold(Registry::builder(), |all, hook| all.add(hook));
        let host = host(version, hooked(registry.build().unwrap(), Skilled)).await;
        let ask =
            |method: &'static str, uri: &'static str| host.request(method, json!({ "uri": uri }));
        // Without a list before.
        for method in ["resources/read", "skills/get"] {
            let answer = ask(method, "skill://tips/SKILL.md").await;
            assert!(answer.is_err(), "{version} {method}: {answer:?}");
        }
        let listed = host.request("skills/list", json!({})).await.unwrap();
        assert_eq!(uris(&listed, "skills"), [OWN, TIDY]);
        let resources = host.request("resources/list", json!({})).await.unwrap();
        assert_eq!(uris(&resources, "resources"), ["note://1", OWN, TIDY]);
        let rules = ask(
            "resources/read",
            "skill://tidy-notes/references/more%20rules.md",
        );
        assert!(rules.await.is_err(), "{version}");
        let read = ask("resources/read", TIDY).await.unwrap();
        assert_eq!(read["contents"][0]["text"], "shortened", "{version}");
    }
}

#[tokio::test]
async fn the_program_lists_its_skills_with_their_files() {
    let collected = Collected::<Shop>::of(skills()).unwrap();
    let all = collected.skills();
    let shown = all.iter().map(|skill| {
        let files = skill.files().iter().map(|file| file.path.to_string());
        (skill.name(), skill.description(), files.collect::<Vec<_>>())
    });
    let files = [
        "SKILL.md",
        "references/more rules.md",
        "references/deep/dot.png",
    ];
    let files = files.map(str::to_owned).to_vec();
    let expected = [
        ("tidy-notes", "Merges notes.", files),
        ("tips", "Gives \"tips\".", vec!["SKILL.md".to_owned()]),
    ];
    assert!(shown.eq(expected));
}

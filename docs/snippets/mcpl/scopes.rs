//! Files that a host lets be edited, or not.

use hooks_sdk::{
    mcpl::{Call, Scope},
    prelude::*,
};
use rmcp::{
    ErrorData, ServerHandler,
    handler::server::{common::Extension, wrapper::Parameters},
    model::{CallToolResult, ContentBlock},
    schemars, tool, tool_handler, tool_router,
};

pub(crate) struct Editor;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Edit {
    path: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Move {
    from: String,
    to: String,
}

// ANCHOR: set
/// Edit files on the filesystem
#[mcpl::feature_set("files.edit", scoped)]
struct Files;
// ANCHOR_END: set

#[hooks_sdk::hooks]
#[tool_router]
impl Editor {
    // ANCHOR: bound
    /// Edits a file.
    #[tool]
    #[mcpl::tool(feature_set = Files, scope = "path")]
    async fn edit_file(&self, Parameters(edit): Parameters<Edit>) -> String {
        format!("edited {}", edit.path)
    }
    // ANCHOR_END: bound

    // ANCHOR: asked
    /// Moves a file.
    #[tool]
    #[mcpl::tool(feature_set = Files)]
    async fn move_file(
        &self,
        Extension(call): Extension<Call>,
        Parameters(Move { from, to }): Parameters<Move>,
    ) -> Result<CallToolResult, ErrorData> {
        for path in [&from, &to] {
            let leave = call.leave::<Files>(Scope::new(path)).await?;
            if !leave.approved {
                let why = leave.reason.unwrap_or_default();
                let text = format!("`{path}` is out of bounds: {why}");
                return Ok(CallToolResult::error(vec![ContentBlock::text(text)]));
            }
        }
        let text = format!("moved {from} to {to}");
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
    // ANCHOR_END: asked
}

#[tool_handler]
impl ServerHandler for Editor {}

#[tokio::test]
async fn each_path_is_asked_for() {
    use hooks_sdk::{
        mcpl::Elevation,
        testing::{McplHost, mcpl::McplGrants},
    };
    use serde_json::json;

    let policy = McplGrants::new().enable(["files.*"]);
    let host = McplHost::builder()
        .grants(policy.whitelist("files.edit", ["/project/a"]))
        .decide(|_, scope| match scope.label.as_str() {
            "/project/b" => Elevation::approved(None),
            _ => Elevation::denied("it is not yours"),
        })
        .connect(Editor.with_hooks().unwrap())
        .await
        .unwrap();
    let paths = json!({"from": "/project/a", "to": "/project/b"});
    let moved = host.call_tool("move_file", paths).await.unwrap();
    assert!(!moved.is_error());
    assert_eq!(host.received("scope/elevate").len(), 1);
    let paths = json!({"from": "/project/a", "to": "/etc/b"});
    let moved = host.call_tool("move_file", paths).await.unwrap();
    assert_eq!(moved.text(), "`/etc/b` is out of bounds: it is not yours");
}

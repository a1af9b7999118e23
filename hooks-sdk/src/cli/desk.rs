//! Servers for tests: one whose tools must never run, and one whose tools never end.

use crate::rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, Tool,
        ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

const TOOLS: [&str; 5] = ["open", "write", "erase", "secret", "drop_all"];

/// `erase` is marked as destructive.
#[derive(Debug)]
pub(super) struct Desk;

fn tool(name: &'static str) -> Tool {
    let schema = json!({
        "type": "object", "properties": { "path": { "type": "string" } }, "additionalProperties": false,
    });
    let Value::Object(schema) = schema else {
        unreachable!()
    };
    let tool = Tool::new(name, "a tool", schema);
    match name {
        "erase" => tool.annotate(ToolAnnotations::new().destructive(true)),
        _ => tool,
    }
}

impl ServerHandler for Desk {
    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.into_iter().find(|known| *known == name).map(tool)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.map(tool).to_vec()))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        panic!("no tool runs")
    }
}

/// Each of its tools runs until it is dropped.
#[derive(Debug)]
pub(super) struct HangingDesk;

impl ServerHandler for HangingDesk {
    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        std::future::pending().await
    }
}

//! The other MCP server of a trial: its one tool makes a file. It knows no more of MCP than the clients of the trials need.

use std::{
    fs,
    io::{self, BufRead, Write},
};

use serde_json::{Value, json};

use hooks_clients::trial::Inside;

use super::gates::{MARK, OTHER};
use crate::CommandError;

/// Serves on standard input and output until the input ends. Refuses to make files outside of a trial.
pub(crate) fn serve() -> Result<(), CommandError> {
    if Inside::here().is_none() {
        return Err("this process is in no trial of `cargo hooks prove`".into());
    }
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else {
            continue;
        };
        let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) else {
            continue;
        };
        let answer = match result(method, &message["params"]) {
            Some(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            None => json!({
                "jsonrpc": "2.0",
                "id": id,
                "error": { "code": -32601, "message": "Method not found" },
            }),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn result(method: &str, params: &Value) -> Option<Value> {
    Some(match method {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": OTHER, "version": "1" },
        }),
        "tools/list" => json!({ "tools": [{
            "name": MARK,
            "description": "Makes an empty file.",
            "inputSchema": {
                "type": "object",
                "properties": { "path": { "type": "string" } },
                "required": ["path"],
            },
        }] }),
        "tools/call" => {
            let made = params["arguments"]["path"]
                .as_str()
                .map(|path| fs::write(path, ""));
            let is_made = matches!(made, Some(Ok(())));
            let text = if is_made { "made" } else { "not made" };
            json!({ "content": [{ "type": "text", "text": text }], "isError": !is_made })
        }
        "ping" => json!({}),
        _ => return None,
    })
}

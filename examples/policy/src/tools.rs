//! The tools. None of them knows that a user was asked.

use rmcp::{
    ServerHandler,
    handler::server::wrapper::Parameters,
    model::{Implementation, ServerCapabilities, ServerConfig},
    schemars::{self, JsonSchema},
    tool, tool_handler, tool_router,
};
use serde::Deserialize;
use serde_json::json;

use crate::Office;

#[derive(Debug, Deserialize, JsonSchema)]
struct File {
    path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Export {
    format: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Transfer {
    amount: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Processing {
    dataset: String,
    data_retention_days: Option<f64>,
}

#[tool_router(router = tools, vis = "pub(crate)")]
impl Office {
    /// List the files
    #[tool]
    fn list_files(&self) -> String {
        self.count("list_files");
        "report.txt".to_owned()
    }

    /// Delete a file
    #[tool]
    fn delete_file(&self, Parameters(file): Parameters<File>) -> String {
        self.count("delete_file");
        format!("deleted {}", file.path)
    }

    /// Wipe the cache
    #[tool]
    fn wipe_cache(&self) -> String {
        self.count("wipe_cache");
        "wiped".to_owned()
    }

    /// Export the report
    #[tool]
    fn export_report(&self, Parameters(export): Parameters<Export>) -> String {
        self.count("export_report");
        format!("exported as {}", export.format.as_deref().unwrap_or("json"))
    }

    /// Transfer funds
    #[tool]
    fn transfer_funds(&self, Parameters(transfer): Parameters<Transfer>) -> String {
        self.count("transfer_funds");
        format!("transferred {}", transfer.amount)
    }

    /// Process personal data
    #[tool]
    fn process_data(&self, Parameters(processing): Parameters<Processing>) -> String {
        self.count("process_data");
        let days = processing.data_retention_days.unwrap_or_default();
        format!("processed {}, kept for {days} days", processing.dataset)
    }

    /// How often each tool ran
    #[tool(name = "runs")]
    fn all_runs(&self) -> String {
        json!(self.runs()).to_string()
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Office {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(name)
    }
}

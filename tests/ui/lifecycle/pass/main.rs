mod answers;
#[path = "../../collected.rs"]
mod collected;
mod context;
mod context_tool;
mod from_macro_rules;
mod functions;
mod id;
mod matcher;
mod nested_module;
mod origin;
mod points_and_priorities;
mod server;
mod text_beside;
mod text_named;
mod variables;
mod with_cfg;

use collected::collected;

mod answers;
mod arguments;
#[path = "../../collected.rs"]
mod collected;
mod conditions;
mod crate_path;
mod from_macro_rules;
mod gates;
mod generic_by_hand;
mod keys;
mod kinds;
mod lists;
mod methods;
mod points;
pub mod strict_lints;
mod tool_router;
mod with_cfg;

use collected::collected;

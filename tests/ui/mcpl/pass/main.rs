mod answers;
#[path = "../../collected.rs"]
mod collected;
mod crate_path;
mod feature_sets;
mod from_macro_rules;
mod generic_by_hand;
mod keys;
mod methods;
mod points;
pub mod strict_lints;
mod tool_router_inside;
mod tool_router_outside;
mod with_cfg;

use collected::collected;

mod answers;
#[path = "../../collected.rs"]
mod collected;
mod feature_sets;
mod generic_by_hand;
mod keys;
mod methods;
mod points;
pub mod strict_lints;
mod tool_router_inside;
mod with_cfg;

use collected::collected;

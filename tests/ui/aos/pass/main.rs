mod answers;
mod arguments;
#[path = "../../collected.rs"]
mod collected;
mod crate_path;
mod from_macro_rules;
mod generic_by_hand;
mod keys;
mod methods;
mod points;
mod steps;
pub mod strict_lints;
mod with_cfg;

use collected::collected;

mod all_keys;
mod answers;
#[path = "../../collected.rs"]
mod collected;
mod dir;
mod from_macro_rules;
mod functions;
mod generic_by_hand;
mod methods;
mod moments;
mod skills;
pub mod strict_lints;
mod texts;
mod with_cfg;

use collected::collected;

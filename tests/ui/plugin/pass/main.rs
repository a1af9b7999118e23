mod answers;
mod arguments;
#[path = "../../collected.rs"]
mod collected;
mod conditions;
mod crate_path;
mod from_macro_rules;
mod gates;
mod keys;
mod kinds;
mod lists;
mod methods;
mod points;
pub mod strict_lints;

use collected::collected;

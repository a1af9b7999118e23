mod all_keys;
#[path = "../../collected.rs"]
mod collected;
mod dir;
mod functions;
mod moments;
mod skills;
pub mod strict_lints;
mod texts;

use collected::collected;

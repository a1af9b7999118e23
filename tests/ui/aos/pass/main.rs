mod answers;
mod arguments;
#[path = "../../collected.rs"]
mod collected;
mod keys;
mod points;
mod steps;

use collected::collected;

//! The program `cargo-hooks`, which cargo starts as `cargo hooks`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_hooks::main()
}

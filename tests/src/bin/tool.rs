//! `cargo-hooks`, for the tests of servers' commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_hooks::main()
}

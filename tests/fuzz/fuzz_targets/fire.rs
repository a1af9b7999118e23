//! Fuzzes the input of a hook; what has to hold is in `targets/fire.rs`.

#![no_main]

#[path = "../targets/fire.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: &[u8]| target::check(input));

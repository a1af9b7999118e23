//! Fuzzes the types of MCPL; what has to hold is in `targets/mcpl.rs`.

#![no_main]

#[path = "../targets/mcpl.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: &[u8]| target::check(input));

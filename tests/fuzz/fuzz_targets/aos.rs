//! Fuzzes the engine of a guardian; what has to hold is in `targets/aos.rs`.

#![no_main]

#[path = "../targets/aos.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: &[u8]| target::check(input));

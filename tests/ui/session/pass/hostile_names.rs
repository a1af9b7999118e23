//! Generated paths do not depend on what the author's names mean.

#![allow(dead_code, non_camel_case_types)]

mod core {}
mod std {}
mod hooks_sdk {}
struct Result;
struct Option;
struct Some;
struct str;

#[derive(::hooks_sdk::session::SessionState, Clone, Copy)]
enum State {
    #[stage(start, next(session_init => r#type))]
    Machine = 7,
    #[stage(next(back => Machine), text_file = "words/checked.md")]
    r#type = 3,
}

#[test]
fn is_accepted() {
    use ::hooks_sdk::session::SessionState;
    let machine = State::machine().unwrap();
    assert_eq!(machine.name(State::r#type.index()), "type");
    assert_eq!(State::Machine.index().get(), 0);
}

//! The book: its snippets run, its frames are what is sent, its includes exist.

mod frames;
mod includes;

#[path = "../../../docs/snippets/guidance/hooks.rs"]
mod guidance_hooks;
#[path = "../../../docs/snippets/guidance/library.rs"]
mod guidance_library;
#[path = "../../../docs/snippets/host.rs"]
mod host;
#[path = "../../../docs/snippets/mcpl/state.rs"]
mod mcpl_state;
#[path = "../../../docs/snippets/mcpl_testing.rs"]
mod mcpl_testing;
#[path = "../../../docs/snippets/points.rs"]
mod points;
#[path = "../../../docs/snippets/session.rs"]
mod session;
#[path = "../../../docs/snippets/start/src/main.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "it is a program of its own, and its `main` is not run"
)]
mod start;
#[path = "../../../docs/snippets/testing.rs"]
mod testing;

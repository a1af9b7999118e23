//! What does not fit is an error at start-up, and nothing is served.

use hooks_sdk::{
    Collected, WireTransport,
    core::{BuildErrors, Registry},
    lifecycle::{LifecycleHook, point, strength},
    server::{ServeError, ServiceExt, Sessions},
    session::{Machine, SessionState, State, StateIndex},
    testing::TestHost,
};
use hooks_tests::toy_server::ToyServer;

use super::desk::{tool, two_states, with_tool, with_tools};

fn problems(registry: Registry, desk: ToyServer, sessions: Sessions) -> String {
    let collected = Collected::of(registry).unwrap().sessions(sessions);
    collected
        .wrap(desk)
        .expect_err("it does not fit")
        .to_string()
}

#[test]
fn a_tool_with_a_parameter_of_the_arguments_name() {
    let desk = || {
        let desk = with_tools(&["session_clear"]);
        let desk = with_tool(desk, tool("session_clear", &[]));
        with_tool(desk, tool("close", &["session"]))
    };
    let machine = Machine::builder()
        .state(State::new("New").start().next("session_init", "Ready"))
        .state(State::new("Ready").allow("close"))
        .reset("session_clear")
        .build()
        .unwrap();
    let problems = problems(Registry::default(), desk(), Sessions::on(machine.clone()));
    assert!(
        problems.contains("the tool `close` has a parameter `session`"),
        "{problems}"
    );
    assert!(
        problems.contains("set another `Sessions::argument`"),
        "{problems}"
    );
    desk().sessions(Sessions::on(machine).argument("desk"));
}

#[test]
fn a_context_tool_of_the_first_moment_that_the_start_state_refuses() {
    let registry = Registry::builder()
        .add(LifecycleHook::tool("warm", point::session_start, strength::important, "work").into())
        .add(LifecycleHook::tool("ask", point::pre_request, strength::important, "work").into())
        .add(
            LifecycleHook::tool("fine", point::session_start, strength::important, "search").into(),
        )
        .add(LifecycleHook::tool("late", point::session_end, strength::important, "work").into())
        .build()
        .unwrap();
    let desk = with_tools(&["work", "search", "session_clear"]);
    let problems = problems(registry, desk, Sessions::on(two_states()));
    assert!(problems.starts_with("2 problems"), "{problems}");
    assert!(
        problems.contains("the hook `warm` at `session_start` names the context tool `work`"),
        "{problems}"
    );
    assert!(
        problems.contains("the hook `ask` at `pre_request`"),
        "{problems}"
    );
    assert!(
        problems.contains("help: add `allow(work)` to `New`"),
        "{problems}"
    );
    assert!(problems.contains("start_up.rs:"), "{problems}");
}

#[test]
fn a_tool_that_moves_sessions_and_is_none() {
    let machine = Machine::standard().opening("log_in").build().unwrap();
    let problems = problems(
        Registry::default(),
        with_tools(&["work"]),
        Sessions::on(machine),
    );
    assert!(
        problems.contains(
            "the session moves on with `log_in`, and `get_tool` of this server knows no tool of the session's"
        ),
        "{problems}"
    );
    assert!(
        problems.contains("help: implement `get_tool`"),
        "{problems}"
    );
}

#[test]
fn a_misspelt_tool_of_a_server_whose_get_tool_knows_others() {
    let machine = Machine::standard()
        .opening("log_in")
        .allow("work")
        .build()
        .unwrap();
    let desk = with_tools(&["work"]);
    let problems = problems(Registry::default(), desk, Sessions::on(machine));
    assert!(
        problems.contains(
            "the session moves on with `log_in`, which `get_tool` of this server does not know"
        ),
        "{problems}"
    );
    assert!(
        problems.contains("help: name one of its tools"),
        "{problems}"
    );
}

#[test]
fn a_misspelt_tool_that_is_one_letter_away_is_named() {
    for (misspelt, right) in [
        ("log_inn", "log_in"),
        ("lg_in", "log_in"),
        ("log_im", "log_in"),
    ] {
        let machine = Machine::standard().opening(misspelt).allow("work");
        let desk = with_tools(&["work", "log_in"]);
        let sessions = Sessions::on(machine.build().unwrap());
        let problems = problems(Registry::default(), desk, sessions);
        let message =
            format!("the session moves on with `{misspelt}`, which this server does not have");
        assert!(problems.contains(&message), "{problems}");
        let help = format!("help: did you mean `{right}`?");
        assert!(problems.contains(&help), "{problems}");
    }
}

#[derive(Clone, Copy)]
enum Lost {
    New,
    Never,
}

impl SessionState for Lost {
    const ALL: &'static [Lost] = &[Lost::New, Lost::Never];

    fn machine() -> Result<Machine, BuildErrors> {
        Machine::builder()
            .state(State::new("New").start().next("session_init", "New"))
            .state(State::new("Never").allow_any())
            .build()
    }

    fn index(self) -> StateIndex {
        StateIndex::new(self as usize)
    }
}

#[tokio::test]
async fn what_does_not_fit_is_never_served() {
    let hooked = with_tools(&["work"]).bare().session::<Lost>();
    assert!(
        hooked
            .check()
            .unwrap_err()
            .to_string()
            .contains("no transition leads to `Never`")
    );
    let (_ours, theirs) = tokio::io::duplex(1024);
    let (read, write) = tokio::io::split(theirs);
    let error = hooked
        .clone()
        .serve(WireTransport::new(read, write))
        .await
        .unwrap_err();
    assert!(matches!(&error, ServeError::Build(_)), "{error}");
    // Served behind our back, it refuses the handshake and says why.
    for version in ["2025-11-25", "2026-07-28"] {
        let refused = TestHost::builder()
            .version(version)
            .connect(hooked.clone())
            .await
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("no transition leads to `Never`"),
            "{refused}"
        );
    }
    let (ours, theirs) = tokio::io::duplex(4096);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(async move { ServiceExt::serve(hooked, WireTransport::new(read, write)).await });
    let (read, write) = tokio::io::split(ours);
    let refused = TestHost::builder()
        .version("2026-07-28")
        .over(read, write)
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("was not built right"),
        "{refused}"
    );
}

#[test]
fn states_and_their_places() {
    assert_eq!(Lost::Never.index().get(), 1);
    assert!(matches!(Lost::at(StateIndex::new(0)), Some(Lost::New)));
    assert!(Lost::at(StateIndex::new(2)).is_none());
}

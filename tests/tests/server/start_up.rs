//! What is found when hooks are tied to a server.

use futures::FutureExt;
use hooks_sdk::{
    Collected, WithHooks,
    core::Registry,
    lifecycle::{LifecycleHook, event, point, strength},
    mcpl::{self, Definition, FeatureSet},
};

use crate::server::Server;

#[test]
fn every_start_up_problem_is_reported_at_once() {
    let registry = Registry::builder()
        .add(
            LifecycleHook::tool("warm", point::session_start, strength::important, "search").into(),
        )
        .add(
            LifecycleHook::answering(
                "hello",
                point::session_start,
                strength::important,
                |_: &Server, _: event::SessionStart| async { "" }.boxed(),
            )
            .into(),
        )
        .build()
        .unwrap();
    let error = Collected::of(registry)
        .unwrap()
        .wrap(Server::new())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("2 problems with hooks"), "{error}");
    assert!(
        error.contains("`search` of the hook `warm` is unknown to `get_tool` of this server"),
        "{error}"
    );
    assert!(error.contains("must implement `get_tool`"), "{error}");
    assert!(error.contains("has a tool `hello` of its own"), "{error}");
    assert!(error.contains("start_up.rs:"), "{error}");

    let twice = Registry::builder()
        .add(LifecycleHook::text("twice", point::session_end, strength::suggestion, "a").into())
        .add(LifecycleHook::text("twice", point::session_end, strength::suggestion, "a").into());
    let error = twice.build().unwrap_err().to_string();
    assert!(
        error.contains("a second hook with the id `twice`"),
        "{error}"
    );
    let malformed = Registry::builder()
        .add(LifecycleHook::text("Bad Id", point::session_end, strength::suggestion, "a").into())
        .build()
        .unwrap();
    let error = Collected::<Server>::of(malformed).unwrap_err().to_string();
    assert!(error.contains("`Bad Id` cannot be a hook's id"), "{error}");
}

#[test]
fn a_tool_of_a_feature_set_that_the_server_has_not_is_reported_with_its_place() {
    struct Files;
    impl FeatureSet for Files {
        const DEFINITION: Definition = Definition::new("files", "Edit files");
    }
    let tool = mcpl::McplHook::tool::<Files, Server>("no_such_tool");
    let registry = Registry::builder().add(tool.into()).build().unwrap();
    let collected = Collected::of(registry).unwrap();
    let error = collected.wrap(Server::new()).unwrap_err().to_string();
    assert!(error.contains("start_up.rs:"), "{error}");
    assert!(
        error.contains("the feature set `files` has a tool `no_such_tool`"),
        "{error}"
    );
}

#[test]
fn a_program_without_annotated_hooks_still_starts() {
    assert_eq!(
        Server::new().with_hooks().unwrap().registry().iter().len(),
        0
    );
}

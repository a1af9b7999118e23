//! The book: its snippets run, its frames are what is sent, its includes exist. And the rules of the architecture.

mod architecture;
mod book;
mod conformance;
mod figures;
mod frames;
mod includes;
mod limits;
mod made;
mod metrics;
mod order;
mod promises;
mod sentences;

#[path = "../../../docs/snippets/aos.rs"]
#[expect(
    dead_code,
    reason = "two of its functions serve until they are told to stop"
)]
mod aos;
#[path = "../../../docs/snippets/decision_log.rs"]
mod decision_log;
#[path = "../../../docs/snippets/first/src/main.rs"]
#[expect(dead_code, reason = "it is a program, and its `main` is not run")]
mod first;
#[path = "../../../docs/snippets/fragments.rs"]
#[expect(dead_code, reason = "most of its functions serve, or are for reading")]
mod fragments;
#[path = "../../../docs/snippets/gates.rs"]
mod gates;
#[path = "../../../docs/snippets/guidance/hooks.rs"]
mod guidance_hooks;
#[path = "../../../docs/snippets/guidance/library.rs"]
mod guidance_library;
#[path = "../../../docs/snippets/host.rs"]
mod host;
#[path = "../../../docs/snippets/http.rs"]
mod http;
#[path = "../../../docs/snippets/login.rs"]
mod login;
#[path = "../../../docs/snippets/mcpl/channels.rs"]
mod mcpl_channels;
#[path = "../../../docs/snippets/mcpl/context.rs"]
mod mcpl_context;
#[path = "../../../docs/snippets/mcpl/feature_sets.rs"]
mod mcpl_feature_sets;
#[path = "../../../docs/snippets/mcpl/inference.rs"]
mod mcpl_inference;
#[path = "../../../docs/snippets/mcpl/notes.rs"]
mod mcpl_notes;
#[path = "../../../docs/snippets/mcpl/overview.rs"]
mod mcpl_overview;
#[path = "../../../docs/snippets/mcpl/push.rs"]
mod mcpl_push;
#[path = "../../../docs/snippets/mcpl/scopes.rs"]
mod mcpl_scopes;
#[path = "../../../docs/snippets/mcpl/state.rs"]
mod mcpl_state;
#[path = "../../../docs/snippets/mcpl_testing.rs"]
mod mcpl_testing;
#[path = "../../../docs/snippets/mcpl/versions.rs"]
mod mcpl_versions;
#[path = "../../../docs/snippets/plugin/elicitation.rs"]
mod plugin_elicitation;
#[path = "../../../docs/snippets/plugin/hooks.rs"]
mod plugin_hooks;
#[path = "../../../docs/snippets/plugin/policy.rs"]
mod plugin_policy;
#[path = "../../../docs/snippets/plugin/ready.rs"]
mod plugin_ready;
#[path = "../../../docs/snippets/plugin/security_header.rs"]
mod plugin_security_header;
#[path = "../../../docs/snippets/points.rs"]
mod points;
#[path = "../../../docs/snippets/recipes.rs"]
#[expect(dead_code, reason = "some of its functions are for reading")]
mod recipes;
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

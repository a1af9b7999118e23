//! What is wrong with a guarded server is said at start-up.

use std::convert::Infallible;

use hooks_sdk::{
    Collected,
    aos::{Agent, AosHook, Guardian, GuardianClient, Posture, ToolStep, point},
    core::{Registry, Verdict},
    rmcp::ServerHandler,
};

use super::desk::Desk;

fn somewhere() -> GuardianClient {
    Guardian::http("http://127.0.0.1:1/aos").posture(Posture::Deny)
}

#[track_caller]
fn says(problem: Result<(), hooks_sdk::core::BuildErrors>, words: &[&str]) {
    let problem = problem.unwrap_err().to_string();
    for word in words {
        assert!(problem.contains(word), "{word}: {problem}");
    }
}

#[test]
fn an_agent_needs_a_provider_with_a_url() {
    let desk = Desk::default();
    desk.hooked().guardian(somewhere()).check().unwrap();
    let lacks = somewhere().agent(Agent::new("desk", "Desk"));
    says(desk.hooked().guardian(lacks).check(), &["provider's URL"]);
}

#[test]
fn a_path_that_the_schema_lacks_is_an_error() {
    let steps = [
        (
            ToolStep::memory_store::<Desk>("echo", "args.txt"),
            "args.txt",
        ),
        (
            ToolStep::memory_retrieval::<Desk>("typed").content("result.structuredContent.secrets"),
            "result.structuredContent.secrets",
        ),
        (
            ToolStep::knowledge::<Desk>("echo").query("args.q"),
            "args.q",
        ),
    ];
    for (step, path) in steps {
        let registry = Registry::builder().add(step.into()).build().unwrap();
        let collected = Collected::<Desk>::of(registry).unwrap();
        let wrapped = collected.guardian(somewhere()).wrap(Desk::default());
        says(wrapped.map(|_| ()), &[path]);
    }
}

#[test]
fn a_path_leads_into_structured_content_or_is_left_out() {
    for path in [
        "result",
        "result.content[*].text",
        "result._meta.text",
        "result.isError",
        "args.text",
    ] {
        let step = ToolStep::memory_retrieval::<Desk>("recall").content(path);
        let registry = Registry::builder().add(step.into()).build().unwrap();
        let collected = Collected::<Desk>::of(registry).map(|_| ());
        says(
            collected,
            &[
                "leave the key out for each text of the result",
                "`result.structuredContent`",
            ],
        );
    }
}

#[test]
fn the_example_of_the_book_has_the_hooks_that_a_server_of_tools_needs() {
    struct Tools;
    impl ServerHandler for Tools {}
    let page = include_str!("../../../../docs/src/aos/overview.md");
    let words = ["tool_call_request", "tool_call_result"];
    for word in words {
        assert!(page.contains(&format!("#[aos::hook({word}")), "{word}");
    }
    let request = AosHook::answering_any("all", point::tool_call_request, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let result = AosHook::answering_any("all", point::tool_call_result, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let hooks = Registry::builder().add(request.into()).add(result.into());
    let guardian = Guardian::with((), hooks.build().unwrap());
    let agent = Agent::new("notes", "Notes").provider("Example", "https://example.com");
    let client = Guardian::local_with(guardian).agent(agent);
    let none = Registry::builder().build().unwrap();
    let server = Collected::of(none).unwrap().wrap(Tools).unwrap();
    let server = server.guardian(client.posture(Posture::Deny));
    server.check().unwrap();
}

#[test]
fn a_guardian_in_the_process_has_a_hook_for_each_step_of_the_server() {
    let only = |posture| {
        let hook = AosHook::answering_any("all", point::tool_call_request, |_, _| {
            Box::pin(async { Verdict::<Infallible>::Allow })
        });
        let registry = Registry::builder().add(hook.into()).build().unwrap();
        Guardian::local_with(Guardian::with((), registry)).posture(posture)
    };
    let desk = Desk::default();
    says(
        desk.hooked().guardian(only(Posture::Deny)).check(),
        &[
            "`tool_call_result`",
            "`memory_store`",
            "`knowledge_retrieval`",
            "would be denied",
        ],
    );
    desk.hooked()
        .guardian(only(Posture::Proceed))
        .check()
        .unwrap();
}

//! Tests of the machine: what it allows, where calls lead, and what its builder finds.

use serde_json::{Map, json};

use super::*;

fn error(builder: MachineBuilder) -> String {
    builder.build().unwrap_err().to_string()
}

fn ready() -> State {
    State::new("Ready").allow_any()
}

#[test]
fn the_builder_finds_every_problem_at_once() {
    let machine = Machine::builder()
        .state(
            State::new("A")
                .start()
                .next("go", "B")
                .deny("go")
                .next("go", "C")
                .next("go", "C"),
        )
        .state(State::new("B").start().allow("look"))
        .state(State::new("C").next("on", "A"))
        .state(State::new("D").allow_any())
        .state(State::new("D").next_any("A").next_any("B"));
    let error = error(machine);
    for problem in [
        "two start states: `A` and `B`",
        "`go` is both allowed and denied in `A`",
        "`go` has a second edge in `A` that is never taken",
        "`B` has no way on",
        "no transition leads to `D`\n    help: add `next(a_tool => D)` to a state that should lead here",
        "a second state called `D`",
        "two edges for `any` in `D`",
        "machine/tests.rs:",
    ] {
        assert!(error.contains(problem), "{problem} is not in:\n{error}");
    }
}

#[test]
fn a_session_needs_a_start() {
    assert!(error(Machine::builder()).contains("the session has no start state"));
    assert!(error(Machine::builder().state(ready())).contains("the session has no start state"));
}

#[test]
fn a_reset_tool_is_a_way_on_and_has_no_edges() {
    let stuck = || {
        Machine::builder()
            .state(State::new("New").start().next("open", "Done"))
            .state(State::new("Done").allow("look"))
    };
    assert!(error(stuck()).contains("`Done` has no way on"));
    let machine = stuck().reset("clear").build().unwrap();
    let done = machine.state("Done").unwrap();
    assert!(machine.allows(done, "clear") && !machine.allows(machine.start(), "clear"));
    let step = machine.record(done, "clear", &Map::new(), CallOutcome::Succeeded);
    assert!(step.reset && step.to == machine.start());
    assert!(
        error(stuck().reset("open")).contains("`open` resets the session and has an edge in `New`")
    );
}

#[test]
fn a_tool_with_an_edge_is_allowed_and_any_means_the_others() {
    let machine = Machine::builder()
        .state(
            State::new("A")
                .start()
                .allow("look")
                .deny("drop")
                .next("stay", "A")
                .next_any("B"),
        )
        .state(State::new("B").allow("look").next("back", "A"))
        .build()
        .unwrap();
    let (a, b) = (machine.start(), machine.state("B").unwrap());
    let to = |tool| {
        machine
            .record(a, tool, &Map::new(), CallOutcome::Succeeded)
            .to
    };
    assert_eq!([to("stay"), to("look"), to("else")], [a, b, b]);
    assert!(machine.allows(a, "else") && !machine.allows(a, "drop"));
    assert!(machine.allows(b, "back") && !machine.allows(b, "else"));
    for outcome in [CallOutcome::Failed, CallOutcome::Unfinished] {
        assert_eq!(machine.record(a, "else", &Map::new(), outcome).to, a);
    }
    assert_eq!(machine.opening_tools().count(), 0);
    assert_eq!(
        machine.check(b, "else").unwrap_err().to_string(),
        "Tool \"else\" is not available in the session's state \"B\". It becomes available after back. Available now: look."
    );
    assert_eq!(
        machine.check(a, "drop").unwrap_err().to_string(),
        "Tool \"drop\" requires session initialization. You MUST call another tool first before using this tool."
    );
}

#[test]
fn guards_look_at_the_input_in_the_order_of_the_edges() {
    let machine = Machine::builder()
        .state(
            State::new("New")
                .start()
                .next_if(
                    "login",
                    |input| input.get("as") == Some(&json!("admin")),
                    "Admin",
                )
                .next_if("login", |input| input.contains_key("as"), "User"),
        )
        .state(ready().next("logout", "New"))
        .state(State::new("Admin").text("Take care.").next_any("Ready"))
        .state(State::new("User").next_any("Ready"))
        .build()
        .unwrap();
    let login = |input: serde_json::Value| {
        let step = machine.record(
            machine.start(),
            "login",
            input.as_object().unwrap(),
            CallOutcome::Succeeded,
        );
        (machine.name(step.to).to_owned(), step.guidance)
    };
    assert_eq!(
        login(json!({"as": "admin"})),
        ("Admin".to_owned(), Some("Take care."))
    );
    assert_eq!(login(json!({"as": "me"})), ("User".to_owned(), None));
    assert_eq!(login(json!({})), ("New".to_owned(), None));
    assert!(machine.reads_input("login") && !machine.reads_input("logout"));
}

#[test]
fn a_refusal_names_only_the_tools_that_lead_to_the_refused_one() {
    let machine = Machine::builder()
        .state(
            State::new("New")
                .start()
                .allow("help")
                .next("login", "User")
                .next("sudo", "Admin"),
        )
        .state(State::new("User").allow("read").next("logout", "New"))
        .state(
            State::new("Admin")
                .text("Read before you ban.")
                .allow("read")
                .next("ban", "Admin")
                .next("logout", "New"),
        )
        .build()
        .unwrap();
    let first = |tool| {
        let refusal = machine.check(machine.start(), tool).unwrap_err();
        refusal
            .first
            .iter()
            .map(|tool| tool.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(first("ban"), ["sudo"]);
    assert_eq!(first("read"), ["login", "sudo"]);
    assert_eq!(first("nonsense"), [""; 0]);
    let admin = machine
        .check(machine.state("Admin").unwrap(), "help")
        .unwrap_err();
    assert_eq!(
        admin.to_string(),
        "Tool \"help\" is not available in the session's state \"Admin\". It becomes available after logout. \
         Available now: ban, read.\n\nRead before you ban."
    );
}

/// A desk that plans, deploys and rolls back.
fn desk() -> super::MachineBuilder {
    Machine::builder()
        .state(State::new("New").start().allow("list").next("open", "Open"))
        .state(State::new("Open").allow("list").next("plan", "Planned"))
        .state(
            State::new("Planned")
                .allow("list")
                .next("plan", "Planned")
                .next("deploy", "Deployed"),
        )
        .state(
            State::new("Deployed")
                .allow("list")
                .next("roll_back", "Open"),
        )
}

#[test]
fn a_refusal_orders_nothing_but_the_opening() {
    let machine = desk().build().unwrap();
    let told = |state: &str, tool: &str| {
        let state = machine.state(state).unwrap();
        machine.check(state, tool).unwrap_err().to_string()
    };
    assert_eq!(
        told("New", "deploy"),
        "Tool \"deploy\" requires session initialization. You MUST call open first before using this tool. \
         Available now: list."
    );
    assert_eq!(
        told("Planned", "roll_back"),
        "Tool \"roll_back\" is not available in the session's state \"Planned\". It becomes available after \
         deploy. Available now: list, plan."
    );
    assert_eq!(
        told("Planned", "delete"),
        "Tool \"delete\" is not available in the session's state \"Planned\", and no tool leads on to one in \
         which it is."
    );
}

#[test]
fn a_destructive_tool_is_never_proposed() {
    let machine = desk().destructive("deploy").build().unwrap();
    let planned = machine.state("Planned").unwrap();
    for machine in [
        &machine,
        &desk().build().unwrap().with_destructive(["deploy"]),
    ] {
        assert!(machine.is_destructive("deploy") && !machine.is_destructive("plan"));
        let refusal = machine.check(planned, "roll_back").unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "Tool \"roll_back\" is not available in the session's state \"Planned\". Available now: list, plan."
        );
        assert!(refusal.first.is_empty());
        assert!(machine.check(planned, "deploy").is_ok());
    }
    let opens = desk().destructive("open").build().unwrap();
    assert_eq!(
        opens.check(opens.start(), "plan").unwrap_err().to_string(),
        "Tool \"plan\" is not available in the session's state \"New\". Available now: list."
    );
}

#[test]
fn an_author_writes_the_sentence() {
    let machine = desk()
        .state(
            State::new("Frozen")
                .refusal("{tool} waits for the release of {state}: {first} ends it. {other}")
                .text("Nothing moves.")
                .next("thaw", "Open"),
        )
        .state(State::new("Odd").start().next("freeze", "Frozen"))
        .refusal("`{tool}` is not for now.")
        .freeze();
    let told = |state: &str, tool: &str| {
        let state = machine.state(state).unwrap();
        machine.check(state, tool).unwrap_err().to_string()
    };
    assert_eq!(
        told("Frozen", "plan"),
        "plan waits for the release of Frozen: thaw ends it. {other}\n\nNothing moves."
    );
    assert_eq!(told("Planned", "{state}"), "`{state}` is not for now.");
}

#[test]
fn a_long_list_of_tools_is_cut() {
    let open = (0..12).fold(State::new("Open").start(), |state, at| {
        state.allow(format!("tool_{at:02}"))
    });
    let machine = Machine::builder()
        .state(open.next("close", "Closed"))
        .state(State::new("Closed").allow("audit").next("open", "Open"))
        .build()
        .unwrap();
    let told = machine
        .check(machine.start(), "audit")
        .unwrap_err()
        .to_string();
    assert!(told.ends_with("tool_08, tool_09, and 2 more."), "{told}");
}

#[test]
fn the_documents_machine_says_the_documents_sentence() {
    let machine = Machine::standard().build().unwrap();
    assert_eq!(
        machine
            .check(machine.start(), "my_tool")
            .unwrap_err()
            .to_string(),
        "Tool \"my_tool\" requires session initialization. You MUST call session_init first before using \
         any other tools. This is a MANDATORY first action."
    );
    assert_eq!(
        machine.opening_tools().collect::<Vec<_>>(),
        ["session_init"]
    );
    let step = machine.record(
        machine.start(),
        "session_init",
        &Map::new(),
        CallOutcome::Succeeded,
    );
    assert_eq!(step.guidance, Some("Session initialized. Ready to work."));
    let working = machine
        .record(step.to, "my_tool", &Map::new(), CallOutcome::Succeeded)
        .to;
    assert_eq!(machine.name(working), "working");
    let listed = Machine::standard().only("deploy").build().unwrap();
    assert!(listed.allows(listed.start(), "other"));
    assert_eq!(
        listed
            .check(listed.start(), "deploy")
            .unwrap_err()
            .to_string(),
        "Tool \"deploy\" requires session initialization. You MUST call session_init first before using this tool."
    );
}

#[test]
fn the_documents_ready_state_is_opened_by_the_named_tool() {
    let machine = Machine::standard()
        .opening("hello")
        .allow("info")
        .ready("check")
        .reset("bye")
        .build()
        .unwrap();
    let walk = |tools: &[&str]| {
        let mut state = machine.start();
        for tool in tools {
            machine.check(state, tool).unwrap();
            state = machine
                .record(state, tool, &Map::new(), CallOutcome::Succeeded)
                .to;
        }
        machine.name(state).to_owned()
    };
    assert_eq!(walk(&["info"]), "uninitialized");
    assert_eq!(walk(&["hello", "hello", "info"]), "initialized");
    assert_eq!(walk(&["hello", "check", "check", "info"]), "ready");
    assert_eq!(walk(&["hello", "check", "work"]), "working");
    assert_eq!(walk(&["hello", "work", "check"]), "ready");
    assert_eq!(walk(&["hello", "work", "hello"]), "initialized");
    assert_eq!(walk(&["hello", "work", "bye"]), "uninitialized");
}

#[test]
fn what_a_tool_means_to_the_machine() {
    let machine = Machine::builder()
        .state(
            State::new("New")
                .start()
                .allow("search")
                .next("open", "Ready"),
        )
        .state(ready())
        .reset("clear")
        .build()
        .unwrap();
    let of = |tool| (machine.guards(tool), machine.ever_moves(tool));
    assert_eq!(of("search"), (false, false));
    assert_eq!(of("open"), (false, true));
    assert_eq!(of("deploy"), (true, false));
    assert_eq!(of("clear"), (true, true));
    assert_eq!(machine.tools(), ["clear", "open", "search"]);

    // Allowed where a session begins, and refused later.
    let narrow = Machine::builder()
        .state(State::new("Narrow").allow("search"))
        .state(State::new("New").start().allow_any().next("open", "Narrow"))
        .reset("clear")
        .build()
        .unwrap();
    assert_eq!(narrow.name(narrow.start()), "New");
    assert!(narrow.guards("deploy") && !narrow.ever_moves("deploy"));
    // Two calls that are refused, and two that end the session, have an order.
    let same = |tool| narrow.interchangeable(narrow.state("Narrow").unwrap(), tool, tool);
    assert!(same("search") && !same("deploy") && !same("clear"));
}

#[test]
fn calls_are_interchangeable_when_their_order_cannot_be_told() {
    let machine = Machine::standard().ready("check").build().unwrap();
    let initialized = machine.state("initialized").unwrap();
    assert!(machine.interchangeable(initialized, "work", "other_work"));
    assert!(!machine.interchangeable(initialized, "work", "check"));
    assert!(!machine.interchangeable(initialized, "work", "session_init"));
    assert!(!machine.interchangeable(machine.start(), "session_init", "work"));
    assert!(!machine.interchangeable(machine.start(), "session_init", "session_init"));
}

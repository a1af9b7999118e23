//! MCPL entries written as items: what is collected of them, what they do, and what is declared of them.

use hooks_sdk::{
    core::{HookError, Registry},
    mcpl::{
        Acknowledge, ChannelDescriptor, ChannelsClose, ChannelsOpen, Context, Derived, Direction,
        ErrorObject, Modified, OutgoingChunk, OutgoingComplete, Publish, Published,
        RollbackRequest, Version, point,
    },
    prelude::*,
};
use rmcp::{tool, tool_router};
use serde_json::{Value, json};

/// Tells of what happens
#[mcpl::feature_set("own.push", sends(push), server = Acceptance)]
struct Push;

/// Adds to the context
#[mcpl::feature_set("own.context", server = Acceptance)]
struct InContext;

/// Looks at answers
#[mcpl::feature_set("own.after")]
struct After;

#[mcpl::feature_set(
    "own.infer",
    sends(inference),
    optional(model_info),
    description = "Asks",
    server = Acceptance
)]
struct Infer;

/// Edits files
#[mcpl::feature_set("own.files", scoped)]
struct Files;

/// Keeps notes
#[mcpl::feature_set("own.notes", rollback)]
struct Notes;

/// Has channels
#[mcpl::feature_set("own.chan", sends(register, incoming))]
struct Chan;

/// Comes later
#[mcpl::feature_set("own.late", sends(push), later, server = Acceptance)]
struct Late;

struct Acceptance;

#[tool_router]
#[hooks_sdk::hooks]
impl Acceptance {
    #[mcpl::hook(
        before_inference,
        feature_set = InContext,
        inject(system, before_user),
        optional(after_user)
    )]
    async fn before(&self, turn: &BeforeInference) -> Result<Vec<Injection>, ErrorObject> {
        if turn.turn_index == 9 {
            return Err(ErrorObject::unknown_channel("nine"));
        }
        let text = format!("turn {}", turn.turn_index);
        Ok(vec![Injection::new("acc", Position::System, text)])
    }

    #[mcpl::hook(after_inference, feature_set = After, blocking)]
    async fn after(&self, turn: &AfterInference, _cx: &Context) -> Option<Modified> {
        let said = &turn.assistant_message;
        said.contains("sk-").then(|| Modified::to("[REDACTED]"))
    }

    #[mcpl::hook(lifecycle, feature_set = After)]
    async fn lifecycle(&self) {}

    #[mcpl::hook(enabled, feature_set = Chan)]
    async fn enabled(&self, _enabled: &mcpl::Enabled) {}

    #[mcpl::hook(rollback, feature_set = Notes)]
    async fn roll_back(&self, to: &RollbackRequest) -> Result<(), ErrorObject> {
        Err(ErrorObject::checkpoint_not_found(&to.checkpoint))
    }

    #[mcpl::hook(channels_open, feature_set = Chan)]
    async fn open(&self, wanted: &ChannelsOpen) -> ChannelDescriptor {
        ChannelDescriptor::new(
            "acc:lobby",
            &*wanted.kind,
            "Lobby",
            Direction::Bidirectional,
        )
    }

    #[mcpl::hook(channels_close, feature_set = Chan)]
    async fn close(&self, _given_up: &ChannelsClose) {}

    #[mcpl::hook(channels_publish, feature_set = Chan)]
    async fn publish(&self, _said: &Publish) -> Result<Published, HookError> {
        Ok(Published::delivered().message_id("1"))
    }

    #[mcpl::hook(channels_outgoing_chunk, feature_set = Chan)]
    async fn chunk(&self, _part: &OutgoingChunk) {}

    #[mcpl::hook(channels_outgoing_complete, feature_set = Chan)]
    async fn complete(&self, _all: &OutgoingComplete) {}

    #[tool(description = "Edits.")]
    #[mcpl::tool(feature_set = Files, scope = "path")]
    async fn acc_file_edit(&self) -> String {
        String::new()
    }

    #[mcpl::tool(feature_set = Notes, guard = false)]
    #[tool(description = "Lists.", name = "acc-note-list")]
    async fn acc_note_list(&self) -> String {
        String::new()
    }

    #[mcpl::tool(feature_set = Notes)]
    #[lifecycle::hook(session_end, strength = suggestion)]
    #[tool(description = "Adds.")]
    fn acc_note_add(&self) -> String {
        String::new()
    }
}

/// Another server in the same program, which has nothing of the first one's.
struct Other;

/// Shows who is typing
#[mcpl::feature_set("other.presence")]
struct Presence;

#[mcpl::hook(channels_typing, feature_set = Presence)]
async fn typing(_other: &Other) {}

#[mcpl::hook(channels_acknowledge, feature_set = Presence, id = "seen")]
async fn acknowledge(_other: &Other, _message: &Acknowledge) {}

fn registry() -> Registry {
    Registry::collect::<Acceptance>().expect("sound hooks")
}

fn derived() -> Derived {
    Derived::of(&registry())
}

fn now(name: &str) -> bool {
    name != "own.late"
}

#[test]
fn everything_is_collected_and_sound() {
    let registry = registry();
    assert_eq!(mcpl::problems(&registry), []);
    for id in [
        "mcpl:feature_set:own.push",
        "mcpl:before_inference:before",
        "mcpl:after_inference:after",
        "mcpl:rollback:roll_back",
        "mcpl:channels_outgoing_chunk:chunk",
        "mcpl:tool:acc_file_edit",
        "mcpl:tool:acc-note-list",
        "mcpl:tool:acc_note_add",
        "acc_note_add",
    ] {
        let hook = registry.get(id).unwrap_or_else(|| panic!("no {id}"));
        assert_eq!(hook.origin().package, "hooks-tests", "{id}");
    }
    assert!(registry.get("mcpl:channels_acknowledge:seen").is_none());
    assert_eq!(Acceptance::tool_router().list_all().len(), 3);
    assert_eq!(Files::NAME, "own.files");
}

#[test]
fn a_set_is_one_of_the_servers_whose_hooks_name_it() {
    let other = Registry::collect::<Other>().expect("sound hooks");
    assert_eq!(mcpl::problems(&other), []);
    let other = Derived::of(&other);
    let names: Vec<_> = other.sets().map(|set| set.definition().name).collect();
    assert_eq!(names, ["other.presence"]);
    let presence = other.set("other.presence").expect("a set");
    assert!(!presence.is_declared(Version::V04));
    assert_eq!(
        presence.uses(Version::V05),
        ["channels.acknowledge", "channels.typing"]
    );
}

#[test]
fn what_0_4_hears() {
    let declared = Value::Object(derived().declaration(Version::V04, &now));
    let expected = json!({
        "version": "0.4",
        "pushEvents": true,
        "contextHooks": { "beforeInference": true, "afterInference": { "blocking": true } },
        "inferenceRequest": { "streaming": true },
        "modelInfo": true,
        "channels": {
            "register": true,
            "publish": true,
            "observe": true,
            "lifecycle": true,
            "streaming": true,
        },
        "featureSets": {
            "own.push": { "description": "Tells of what happens", "uses": ["pushEvents"] },
            "own.context": { "description": "Adds to the context", "uses": ["contextHooks.beforeInference"] },
            "own.after": { "description": "Looks at answers", "uses": ["contextHooks.afterInference"] },
            "own.infer": { "description": "Asks", "uses": ["inferenceRequest"] },
            "own.files": { "description": "Edits files", "uses": ["tools"], "scoped": true },
            "own.notes": { "description": "Keeps notes", "uses": ["tools"], "rollback": true },
            "own.chan": { "description": "Has channels", "uses": ["channels.publish", "channels.observe"] },
        },
    });
    assert_eq!(declared, expected);
}

#[test]
fn what_0_5_hears() {
    let mut declared = Value::Object(derived().declaration(Version::V05, &now));
    let revision = mcpl::wire::manifest::revision(&declared).expect("a manifest");
    let object = declared.as_object_mut().expect("an object");
    assert_eq!(object.remove("revision"), Some(json!(revision)));
    let expected = json!({
        "version": "0.5",
        "pushEvents": true,
        "contextHooks": {
            "beforeInference": {
                "observe": true,
                "inject": { "system": true, "beforeUser": true, "afterUser": true },
            },
        },
        "inferenceLifecycle": true,
        "inferenceRequest": { "streaming": true },
        "modelInfo": true,
        "channels": {
            "register": true,
            "lifecycle": true,
            "publish": true,
            "incoming": true,
            "streaming": true,
        },
        "featureSets": {
            "own.push": { "description": "Tells of what happens", "uses": ["pushEvents"] },
            "own.context": {
                "description": "Adds to the context",
                "uses": [
                    "contextHooks.beforeInference.inject.system",
                    "contextHooks.beforeInference.inject.beforeUser",
                ],
            },
            "own.after": { "description": "Looks at answers", "uses": ["inferenceLifecycle"] },
            "own.infer": { "description": "Asks", "uses": ["inferenceRequest"] },
            "own.files": { "description": "Edits files", "uses": ["tools"] },
            "own.notes": { "description": "Keeps notes", "uses": ["tools"], "rollback": true },
            "own.chan": {
                "description": "Has channels",
                "uses": [
                    "channels.register",
                    "channels.lifecycle",
                    "channels.publish",
                    "channels.incoming",
                ],
            },
        },
    });
    assert_eq!(declared, expected);
}

#[test]
fn a_change_of_sets_changes_nothing_else() {
    let derived = derived();
    let before = Value::Object(derived.declaration(Version::V05, &now));
    let after = Value::Object(derived.declaration(Version::V05, &|name| name != "own.infer"));
    assert!(after["featureSets"].get("own.late").is_some());
    assert!(after["featureSets"].get("own.infer").is_none());
    let changes = mcpl::wire::manifest::changes(&before, &after).expect("manifests");
    assert_eq!(changes, [mcpl::wire::Domain::FeatureSets]);
}

#[test]
fn tools_have_their_sets() {
    let derived = derived();
    let (edit, files) = derived.tool("acc_file_edit").expect("a tool");
    assert_eq!(
        (edit.scope.as_deref(), edit.guarded, files.name),
        (Some("path"), true, "own.files")
    );
    let (list, notes) = derived.tool("acc-note-list").expect("a tool");
    assert_eq!(
        (list.scope.as_deref(), list.guarded, notes.name),
        (None, false, "own.notes")
    );
    assert!(derived.tool("acc_note_list").is_none());
    assert_eq!(derived.tools().count(), 3);
}

fn before(turn_index: u64) -> BeforeInference {
    serde_json::from_value(json!({
        "inferenceId": "i",
        "conversationId": "c",
        "turnIndex": turn_index,
        "userMessage": null,
        "model": {},
    }))
    .expect("an event")
}

#[tokio::test]
async fn hooks_answer_what_their_points_take() {
    let derived = derived();
    let hook = derived
        .hooks_at::<point::before_inference>()
        .next()
        .expect("a hook");
    let (server, cx) = (Acceptance, Context::detached(Version::V04));
    let run = |turn| hook.run::<point::before_inference>(&server, turn, &cx);
    let (third, ninth) = (before(3), before(9));
    let answer = run(&third).await.expect("an answer").expect("it ran");
    assert_eq!(answer, [Injection::new("acc", Position::System, "turn 3")]);
    let failure = run(&ninth).await.expect_err("a failure");
    let hooks_sdk::core::Failure::Failed(error) = failure else {
        panic!("{failure}")
    };
    let error = error.get_ref().downcast_ref::<ErrorObject>();
    assert_eq!(error, Some(&ErrorObject::unknown_channel("nine")));
}

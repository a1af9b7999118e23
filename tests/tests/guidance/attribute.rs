//! Guidance hooks written as items and as files: what is collected of them, and that both readers of files agree.

use std::{fs, path::Path};

use hooks_sdk::{
    __private::inventory,
    core::Registry,
    guidance::{self, Folder, HookType, Lifecycle, McpFeature, Moment, RequirementLevel},
    prelude::*,
};
use serde_json::json;

struct Memory(&'static str);

/// What to do first.
#[guidance::hook(
    session,
    start,
    requirement = SHOULD,
    name = "Optional Tips",
    text = "Ask for a summary.",
    storage("sqlite"),
    server = Memory
)]
struct Tips;

#[guidance::hook(action, running, requirement = MAY, name = "Recall")]
async fn recall(memory: &Memory, firing: &Firing) -> Option<String> {
    Some(format!("{} {}", memory.0, firing.tool.as_deref()?))
}

guidance::dir!("hooks", server = Memory);

fn registry() -> Registry {
    Registry::collect::<Memory>().expect("sound hooks")
}

fn hook<'r>(registry: &'r Registry, id: &str) -> &'r guidance::GuidanceHook {
    let hook = registry.get(id).expect("a hook of this id");
    hook.detail().expect("a guidance hook")
}

#[test]
fn items_and_files_are_collected() {
    let registry = registry();
    let ids: Vec<_> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(
        ids,
        [
            "action:start:care",
            "session:start:init-required",
            "session:start:welcome",
            "session:start:tips",
            "action:running:recall",
        ]
    );
    assert_eq!(guidance::problems(&registry), []);
    for hook in registry.iter() {
        let moment = hook
            .detail::<guidance::GuidanceHook>()
            .expect("guidance")
            .moment();
        assert_eq!(
            (hook.protocol(), hook.point()),
            ("guidance", moment.as_str())
        );
        assert!(
            hook.id()
                .starts_with(&format!("{}:{}:", moment.hook_type, moment.lifecycle))
        );
        assert!(hook.owner().includes::<Memory>(), "{}", hook.id());
        assert_eq!(hook.origin().package, "hooks-tests");
    }
    let files = registry.iter().map(|hook| hook.origin().file);
    let files: Vec<_> = files.take(3).collect();
    assert_eq!(
        files,
        [
            "hooks/below/care.md",
            "hooks/init-required.md",
            "hooks/welcome.md"
        ]
    );
}

#[test]
fn what_they_say_of_themselves_is_kept() {
    let registry = registry();
    let tips = hook(&registry, Tips::ID).input();
    assert_eq!(tips.description.as_deref(), Some("What to do first."));
    let storage = tips
        .conditions
        .as_ref()
        .and_then(|all| all.requires_storage.clone());
    assert_eq!(storage.expect("a condition"), ["sqlite"]);
    let required = hook(&registry, "session:start:init-required").input();
    assert_eq!(
        (required.requirement_level, required.priority),
        (RequirementLevel::Must, Some(100))
    );
    let config = required
        .conditions
        .as_ref()
        .and_then(|all| all.requires_config.clone());
    assert_eq!(json!(config), json!({"debug": false}));
    let care = hook(&registry, "action:start:care").input();
    assert_eq!(care.requirement_level, RequirementLevel::MustNot);
    assert_eq!(care.tool.as_deref(), Some("delete_*"));
    assert_eq!(
        care.text.as_deref(),
        Some("Delete nothing without a question.")
    );
    let features = care
        .conditions
        .as_ref()
        .and_then(|all| all.requires_features.clone());
    assert_eq!(features.expect("a condition"), [McpFeature::Elicitation]);
}

#[tokio::test]
async fn a_function_makes_its_text_when_it_fires() {
    let registry = registry();
    let recall = hook(&registry, "action:running:recall");
    let mut firing = Firing::at(Moment::new(HookType::Action, Lifecycle::Running));
    let memory = Memory("knows");
    assert_eq!(
        recall.text(&memory, &firing).await.expect("an answer"),
        None
    );
    firing.tool = Some("store".to_owned());
    let text = recall.text(&memory, &firing).await.expect("an answer");
    assert_eq!(text.as_deref(), Some("knows store"));
}

const COPY: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/guidance-copy");
const WELCOME: &str = include_str!("../../hooks/welcome.md");

inventory::submit! {
    guidance::Embedded { folder: COPY, files: &[("welcome.md", WELCOME.as_bytes())] }
}

#[test]
fn a_folder_that_changed_differs_from_the_program() {
    let copy = Path::new(COPY);
    _ = fs::remove_dir_all(copy);
    assert_eq!(guidance::differences(), [""; 0], "no folder, no difference");
    fs::create_dir_all(copy).expect("a folder");
    fs::write(copy.join("welcome.md"), WELCOME).expect("a copy");
    assert_eq!(guidance::differences(), [""; 0]);
    fs::write(copy.join("new.md"), WELCOME).expect("a new file");
    let found = guidance::differences();
    assert!(
        found.len() == 1 && found[0].contains("new.md` is not in the program"),
        "{found:?}"
    );
    fs::remove_dir_all(copy).expect("it is gone again");
}

/// The places that a text names as `file:line`, in order.
fn places<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut places: Vec<String> = texts
        .filter_map(|text| {
            let (file, behind) = text.split_once(".md:")?;
            let (line, _) = behind.split_once(": ")?;
            Some(format!("{file}.md:{line}"))
        })
        .collect();
    places.sort();
    places
}

#[test]
fn a_file_is_wrong_at_run_time_where_it_is_wrong_at_compile_time() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/guidance");
    let mut read = 0;
    for entry in fs::read_dir(ui.join("dirs")).expect("dirs/") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("UTF-8");
        // Only the macro knows skills, and the answers of clients.
        if name.starts_with("skill") || name == "text_over_a_budget" {
            continue;
        }
        let folder = Folder::read(&path);
        let message = ui.join(format!("fail/dir_{name}.stderr"));
        let Ok(message) = fs::read_to_string(message) else {
            assert!(folder.is_ok(), "{name}: {folder:?}");
            continue;
        };
        if name == "folder_empty" {
            continue;
        }
        let prefix = format!("guidance/dirs/{name}/");
        let compiler = message
            .lines()
            .filter(|line| line.starts_with("error"))
            .filter_map(|line| Some(line.split_once(&*prefix)?.1));
        let problems = folder.expect_err(name);
        let program = problems.iter().map(|problem| &*problem.message);
        assert_eq!(places(compiler), places(program), "{name}");
        read += 1;
    }
    assert!(read > 20, "{read}");
}

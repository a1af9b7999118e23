use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(
    tool_pre_invoke,
    tool = ["read_*", "write_[a-z]*"],
    unless(args.path = inside("/srv/data"), not(args.force)),
    deny = "only files under /srv/data",
    server = Memory
)]
struct OnlyData;

#[plugin::hook(
    tool_pre_invoke,
    when(
        args.path = "/etc/**",
        args.count = 10..=100,
        args.size = 1_000..,
        args.ratio = ..0.5,
        args.low = -5..5,
        args.force = true,
        args.mode = ["a", "b*", 5, true],
        args.items[*]."other name"[0].r#type = prefix("x"),
        args.text = longer_than(1000),
        args.name = matches(r"^\w+$"),
        any(user = "root", tenant = "a*", all(server = "memory", content_type = "application/json")),
        not(args.user.id),
    ),
    deny = "no",
    server = Memory
)]
struct Everything;

#[plugin::hook(tool_post_invoke, when(result.isError = true), unless(result.structuredContent.rows[*].id))]
async fn results(_memory: &Memory) {}

#[plugin::hook(prompt_pre_fetch, when(args.topic = "secret"))]
async fn prompts(_memory: &Memory) {}

#[plugin::hook(resource_pre_fetch, when(metadata.source), resource = "file:///*")]
async fn requests(_memory: &Memory) {}

#[plugin::hook(resource_post_fetch, when(content[*].text = longer_than(10), content_type = "text/*"))]
async fn contents(_memory: &Memory) {}

macro_rules! rule {
    ($name:ident, $path:literal, $root:ident) => {
        #[plugin::hook(tool_pre_invoke, when($root.path = $path), deny = "no", server = Memory)]
        struct $name;
    };
}

rule!(Made, "/etc/*", args);

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    let conditions: Vec<String> = registry
        .details::<plugin::PluginHook>()
        .filter_map(|(_, hook)| Some(hook.its_conditions().0?.to_string()))
        .collect();
    assert!(
        conditions.contains(&r#"args.path = "/etc/*""#.to_owned()),
        "{conditions:?}"
    );
    assert!(conditions.contains(&"result.isError = true".to_owned()));
}

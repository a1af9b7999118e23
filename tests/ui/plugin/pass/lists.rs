use hooks_sdk::{
    plugin::{ListHook, ListOf, Listed, ListedItem},
    prelude::*,
};

struct Memory;

#[plugin::list(tools, tool = ["admin_*", "debug"], server = Memory)]
fn hide(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

#[plugin::list(prompts, prompt = "draft_*", id = "drafts")]
fn prompts(prompt: &ListedItem) -> Listed {
    Listed::As(prompt.clone().described("A draft."))
}

#[plugin::list(resources)]
pub fn resources(_resource: &ListedItem) -> Listed {
    Listed::Shown
}

#[plugin::list(resource_templates, resource = "file:///*")]
#[cfg(not(any()))]
fn templates(_template: &hooks_sdk::plugin::ListedItem) -> hooks_sdk::plugin::Listed {
    Listed::Shown
}

#[cfg(any())]
#[plugin::list(tools)]
fn never(_tool: &ListedItem) -> Listed {
    Listed::Shown
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    assert_eq!(registry.iter().len(), 4);
    let hide = registry
        .get("plugin:tools:hide")
        .and_then(|hook| hook.detail::<ListHook>())
        .unwrap();
    let shown = |name: &str| {
        let members = [("name".to_owned(), name.into())].into_iter().collect();
        hide.show(&ListedItem::new(ListOf::Tools, members))
    };
    assert_eq!(
        (shown("admin_all"), shown("search")),
        (Listed::Hidden, Listed::Shown)
    );
    assert!(registry.get("plugin:prompts:drafts").is_some());
}

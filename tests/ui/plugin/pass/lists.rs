use hooks_sdk::{
    core::Registry,
    plugin::{Definition, ListHook, ListOf, Listing},
    prelude::*,
};

struct Memory;

#[plugin::list(tools, tool = ["admin_*", "debug"], server = Memory)]
fn hide(_tool: &Definition) -> Listing {
    Listing::Hidden
}

#[plugin::list(prompts, prompt = "draft_*", id = "drafts")]
fn prompts(prompt: &Definition) -> Listing {
    Listing::As(prompt.clone().renamed("draft"))
}

#[plugin::list(resources)]
pub fn resources(_resource: &Definition) -> Listing {
    Listing::Shown
}

#[plugin::list(resource_templates, resource = "file:///*")]
#[cfg(not(any()))]
fn templates(_template: &hooks_sdk::plugin::Definition) -> hooks_sdk::plugin::Listing {
    Listing::Shown
}

#[cfg(any())]
#[plugin::list(tools)]
fn never(_tool: &Definition) -> Listing {
    Listing::Shown
}

fn main() {
    let registry = Registry::collect::<Memory>().unwrap();
    assert_eq!(plugin::problems(&registry), []);
    assert_eq!(registry.iter().len(), 4);
    let hide = registry.get("plugin:tools:hide").and_then(|hook| hook.detail::<ListHook>()).unwrap();
    let shown = |name: &str| {
        let members = [("name".to_owned(), name.into())].into_iter().collect();
        hide.show(&Definition::new(ListOf::Tools, members))
    };
    assert_eq!((shown("admin_all"), shown("search")), (Listing::Hidden, Listing::Shown));
    assert!(registry.get("plugin:prompts:drafts").is_some());
}

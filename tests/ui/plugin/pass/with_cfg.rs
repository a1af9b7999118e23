use hooks_sdk::prelude::*;

struct Memory;

#[cfg(any())]
#[plugin::hook(tool_pre_invoke, deny = "never")]
struct Never;

#[plugin::hook(tool_pre_invoke, deny = "always")]
#[cfg(not(any()))]
struct Always;

#[plugin::hook(tool_pre_invoke)]
#[cfg(any())]
async fn never(_call: &Nothing) {}

#[hooks_sdk::hooks]
impl Memory {
    #[cfg(any())]
    #[plugin::hook(tool_pre_invoke)]
    async fn nor(&self, _call: &Nothing) {}

    #[cfg(not(any()))]
    #[plugin::hook(tool_pre_invoke)]
    async fn method(&self) {}
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    assert_eq!(registry.iter().len(), 2);
}

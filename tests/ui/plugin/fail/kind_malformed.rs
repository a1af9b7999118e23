use hooks_sdk::{
    core::HookError,
    plugin::{Plugin, PluginHooks},
    prelude::*,
};

struct Greylist;

#[plugin(kind = "Grey List")]
impl Plugin for Greylist {
    type Config = ();

    fn new((): ()) -> Result<Greylist, HookError> {
        Ok(Greylist)
    }

    fn hooks() -> PluginHooks<Greylist> {
        PluginHooks::new()
    }
}

fn main() {}

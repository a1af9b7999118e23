use hooks_sdk::{
    core::HookError,
    plugin::{Plugin, PluginHooks},
    prelude::*,
};

struct Many<T>(T);

#[plugin(kind = "many")]
impl<T: Send + Sync + 'static> Plugin for Many<T> {
    const KIND: &'static str = "many";
    type Config = ();

    fn new((): ()) -> Result<Many<T>, HookError> {
        Err(HookError::new("none"))
    }

    fn hooks() -> PluginHooks<Many<T>> {
        PluginHooks::new()
    }
}

fn main() {}

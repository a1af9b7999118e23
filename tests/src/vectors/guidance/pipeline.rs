//! `pipeline`: register, query, load and compose; of failed hooks only the ids are compared.

use futures::executor::block_on;
use hooks_sdk::guidance::{ComposedHooksResult, ContentLoader, HookDefinition};
use serde_json::{Value, json};

use super::{
    Ran, compare,
    composer::composer,
    list,
    loader::{Folder, failures},
    query, registry,
};

pub(super) fn run(vector: &Value) -> Ran {
    let (input, output) = (&vector["input"], &vector["output"]);
    let folder = Folder::of(&input["files"]);
    let registry = registry::filled(&input["hooks"]);
    let queried = query::ids(&registry, &input["query"]);
    let hooks: Vec<&HookDefinition> = queried.iter().filter_map(|id| registry.get(id)).collect();
    let loaded = block_on(
        ContentLoader::new(&folder.base)
            .lossy(true)
            .load_all(&hooks),
    );
    let composer = composer(&input["options"]);
    let resolved: Vec<&str> = loaded
        .resolved
        .iter()
        .map(|one| &*one.summary().id)
        .collect();
    let failed = failures(&loaded.failed, list(&output["failed"]));
    let with_failed =
        composer.compose_with_transparency(&loaded.resolved, Vec::new(), loaded.failed.clone());
    let ours = json!({
        "queried": queried,
        "resolved": resolved,
        "failed": failed,
        "compose": composer.compose(&loaded.resolved),
        "composeWithFailed": in_recorded_words(&with_failed, &output["composeWithFailed"]),
    });
    compare::same(output, &ours)
}

/// A result in which the words of failures are those recorded, as far as the same hooks failed.
fn in_recorded_words(result: &ComposedHooksResult, recorded: &Value) -> Value {
    let mut ours = json!(result);
    for (at, failed) in list(&recorded["failedHooks"]).iter().enumerate() {
        if ours["failedHooks"][at]["id"] == failed["id"] {
            ours["failedHooks"][at]["error"] = failed["error"].clone();
        }
    }
    let begins = |notice: &Value| {
        notice
            .as_str()
            .and_then(|words| words.split_once(": "))
            .map(|(head, _)| head.to_owned())
    };
    for (at, notice) in list(&recorded["notices"]).iter().enumerate() {
        if begins(&ours["notices"][at]).is_some_and(|head| Some(head) == begins(notice)) {
            ours["notices"][at] = notice.clone();
        }
    }
    ours
}

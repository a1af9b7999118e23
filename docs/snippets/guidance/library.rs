//! Registry, loader and composer used directly, with the folder of texts that the book shows.

use std::{error::Error, path::Path};

use hooks_sdk::guidance::{
    ComposedHooksResult, Composer, ContentLoader, Folder, HookInput, HookQuery, HookRegistry,
    HookType, Lifecycle, McpFeature, RequirementLevel,
};

// ANCHOR: library
async fn session_start(folder: &Path) -> Result<ComposedHooksResult, Box<dyn Error>> {
    let mut registry = HookRegistry::with_app("notes")?;
    registry.register_all(Folder::read(folder)?)?;
    registry.register(
        HookInput::new(
            HookType::Session,
            Lifecycle::Start,
            "shared-notes",
            "Shared Notes",
            RequirementLevel::Should,
        )
        .requires_storage(["postgres"])
        .text("Write notes that people who do not know this session understand."),
    )?;

    let query = HookQuery::at(HookType::Session, Lifecycle::Start)
        .storage("sqlite")
        .features([McpFeature::Tools]);
    let queried = registry.query_with_transparency(&query);

    let loader = ContentLoader::new(folder);
    let loaded = loader.load_all(&queried.hooks).await;

    let composer = Composer::new().shielded(true).max_characters(8_000);
    Ok(composer.compose_with_transparency(&loaded.resolved, queried.skipped, loaded.failed))
}
// ANCHOR_END: library

#[tokio::test]
async fn the_page_is_what_the_book_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/snippets/guidance/folder");
    let composed = session_start(&folder).await.unwrap();
    assert_eq!(format!("{}\n", composed.content), include_str!("page.md"));
    let ids: Vec<&str> = composed
        .included_hooks
        .iter()
        .map(|hook| &*hook.id)
        .collect();
    assert_eq!(
        ids,
        [
            "notes:session:start:init-required",
            "notes:session:start:no-secrets",
            "notes:session:start:welcome",
        ]
    );
    assert_eq!(
        composed.notices,
        [
            "2 hook(s) were skipped (conditions not met): Debugging (requires config: debug), \
             Shared Notes (requires storage: postgres)"
        ]
    );
}

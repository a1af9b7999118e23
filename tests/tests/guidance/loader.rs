//! Texts that cannot be loaded: each is a reported failure, and none keeps another from being loaded.

use std::{fs, path::Path};

use hooks_sdk::guidance::{
    Composer, ContentLoader, DEFAULT_APP, HookDefinition, HookInput, HookType, Lifecycle,
    LoadError, RequirementLevel,
};
use tempfile::TempDir;

fn hook(file: &str) -> HookDefinition {
    let level = RequirementLevel::Should;
    let input = HookInput::new(
        HookType::Session,
        Lifecycle::Start,
        "tag",
        file.to_owned(),
        level,
    );
    HookDefinition::new(input.content_file(file.to_owned()), DEFAULT_APP).unwrap()
}

/// A folder of texts, good and bad, and beside it a file that is none of them.
fn folder() -> TempDir {
    let above = tempfile::tempdir().unwrap();
    let base = above.path().join("texts");
    fs::create_dir_all(base.join("sub")).unwrap();
    fs::write(above.path().join("secret.md"), "secret").unwrap();
    fs::write(base.join("good.md"), "Good.").unwrap();
    fs::write(base.join("sub/deep.md"), "Deep.").unwrap();
    fs::write(base.join("empty.md"), "").unwrap();
    fs::write(base.join("latin.md"), b"caf\xe9").unwrap();
    fs::write(base.join("full.md"), "x".repeat(32 * 1024)).unwrap();
    fs::write(base.join("huge.md"), "x".repeat(32 * 1024 + 1)).unwrap();
    fs::write(base.join("odd.md"), "\u{feff}a\r\nb\0\u{1b}[31m\r\n").unwrap();
    above
}

async fn load(base: &Path, file: &str) -> Result<String, LoadError> {
    let hook = hook(file);
    let resolved = ContentLoader::new(base).load(&hook).await?;
    Ok(resolved.content().to_owned())
}

#[tokio::test]
async fn each_bad_file_is_a_failure_of_its_own() {
    let above = folder();
    let base = above.path().join("texts");
    for (file, expected) in [
        ("gone.md", "`gone.md` does not exist"),
        ("sub", "`sub` is a directory"),
        ("latin.md", "`latin.md` is not UTF-8 (byte 3)"),
        ("huge.md", "`huge.md` is longer than 32768 bytes"),
        (
            "../secret.md",
            "`../secret.md` leads out of the folder of hook texts",
        ),
        (
            "sub/../../secret.md",
            "`sub/../../secret.md` leads out of the folder of hook texts",
        ),
        ("..", "`..` leads out of the folder of hook texts"),
        // A leading slash is the folder's, as in the reference implementation.
        ("/etc/passwd", "`etc/passwd` does not exist"),
    ] {
        let problem = load(&base, file).await.unwrap_err();
        assert_eq!(problem.to_string(), expected);
    }
    let problem = load(&above.path().join("nowhere"), "good.md")
        .await
        .unwrap_err();
    assert!(matches!(problem, LoadError::NotFound(_)), "{problem}");
    let problem = load(&base, "a\0b.md").await.unwrap_err();
    assert!(matches!(problem, LoadError::Io { .. }), "{problem}");
}

#[tokio::test]
async fn a_good_file_is_taken_as_it_is() {
    let above = folder();
    let base = above.path().join("texts");
    for (file, expected) in [
        ("good.md", "Good."),
        ("./sub/../good.md", "Good."),
        ("sub/deep.md", "Deep."),
        ("/good.md", "Good."),
        ("empty.md", ""),
        ("odd.md", "\u{feff}a\r\nb\0\u{1b}[31m\r\n"),
    ] {
        assert_eq!(load(&base, file).await.unwrap(), expected, "{file}");
    }
    assert_eq!(load(&base, "full.md").await.unwrap().len(), 32 * 1024);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_may_not_lead_out() {
    use std::os::unix::fs::symlink;

    let above = folder();
    let base = above.path().join("texts");
    symlink(above.path().join("secret.md"), base.join("out.md")).unwrap();
    symlink(above.path(), base.join("up")).unwrap();
    symlink("good.md", base.join("in.md")).unwrap();
    symlink("/dev/zero", base.join("endless.md")).unwrap();
    for file in ["out.md", "up/secret.md", "endless.md"] {
        let problem = load(&base, file).await.unwrap_err();
        assert!(
            matches!(problem, LoadError::Outside(_)),
            "{file}: {problem}"
        );
    }
    assert_eq!(load(&base, "in.md").await.unwrap(), "Good.");
    let problem = load(Path::new("/dev"), "zero").await.unwrap_err();
    assert_eq!(problem.to_string(), "`zero` is no ordinary file");
    // The folder itself may be reached through a link.
    symlink(&base, above.path().join("linked")).unwrap();
    assert_eq!(
        load(&above.path().join("linked"), "good.md").await.unwrap(),
        "Good."
    );
}

#[tokio::test]
async fn failures_keep_no_other_hook_from_the_result() {
    let above = folder();
    let hooks = ["good.md", "gone.md", "sub/deep.md", "latin.md", "good.md"].map(hook);
    let hooks: Vec<&HookDefinition> = hooks.iter().collect();
    let loader = ContentLoader::new(above.path().join("texts"));
    for _ in 0..2 {
        let loaded = loader.load_all(&hooks).await;
        let texts: Vec<&str> = loaded.resolved.iter().map(|one| one.content()).collect();
        assert_eq!(texts, ["Good.", "Deep.", "Good."]);
        assert_eq!(loader.cache_size(), 2);
        let composer = Composer::new();
        let result = composer.compose_with_transparency(&loaded.resolved, vec![], loaded.failed);
        let expected = "2 hook(s) failed to load: gone.md (`gone.md` does not exist), \
                        latin.md (`latin.md` is not UTF-8 (byte 3))";
        assert_eq!(result.notices, [expected]);
        let shown = serde_json::json!(result);
        assert_eq!(shown["failedHooks"][0]["error"], "`gone.md` does not exist");
    }
}

#[tokio::test]
async fn texts_are_kept_until_the_cache_is_cleared() {
    let above = folder();
    let base = above.path().join("texts");
    let (hook, missing) = (hook("good.md"), hook("gone.md"));
    let loader = ContentLoader::new(&base);
    loader.load(&hook).await.unwrap();
    assert!(loader.load(&missing).await.is_err());
    fs::write(base.join("good.md"), "New.").unwrap();
    fs::write(base.join("gone.md"), "Back.").unwrap();
    assert_eq!(loader.load(&hook).await.unwrap().content(), "Good.");
    assert_eq!(loader.load(&missing).await.unwrap().content(), "Back.");
    fs::remove_file(base.join("gone.md")).unwrap();
    assert_eq!(loader.load(&missing).await.unwrap().content(), "Back.");
    loader.clear_cache();
    assert_eq!(loader.cache_size(), 0);
    assert_eq!(loader.load(&hook).await.unwrap().content(), "New.");
    assert!(loader.load(&missing).await.is_err());
}

#[test]
fn no_runtime_is_needed() {
    let above = folder();
    let loaded = futures::executor::block_on(load(&above.path().join("texts"), "good.md"));
    assert_eq!(loaded.unwrap(), "Good.");
}

#[tokio::test]
async fn embedded_texts_and_own_texts_need_no_disk() {
    let files = [
        ("a.md", &b"A"[..]),
        ("./b.md", b"\xff"),
        ("c.md", &[b'x'; 40_000]),
    ];
    let loader = ContentLoader::embedded(files);
    let [a, b, c, d] = ["a.md", "b.md", "c.md", "d.md"].map(hook);
    assert_eq!(loader.load(&a).await.unwrap().content(), "A");
    assert!(matches!(
        loader.load(&b).await,
        Err(LoadError::NotUtf8 { at: 0, .. })
    ));
    assert!(matches!(loader.load(&c).await, Err(LoadError::TooLong(_))));
    assert!(matches!(loader.load(&d).await, Err(LoadError::NotFound(_))));
    let lossy = ContentLoader::embedded([("b.md", b"\xff")]).lossy(true);
    assert_eq!(lossy.load(&b).await.unwrap().content(), "\u{fffd}");

    let level = RequirementLevel::May;
    let own = HookInput::new(HookType::Action, Lifecycle::End, "own", "Own", level).text("Mine.");
    let own = HookDefinition::new(own, DEFAULT_APP).unwrap();
    let resolved = loader.load(&own).await.unwrap();
    assert_eq!(
        (resolved.content(), resolved.content_path()),
        ("Mine.", None)
    );
}

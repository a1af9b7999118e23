//! The loader of hooks' texts, and a hook with its text.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, RwLock},
};

use hashbrown::HashMap;

use super::{
    HookDefinition, LoadError, Timestamp,
    composed::{FailedHook, HookSummary},
    files::{FileName, Files, below},
    text::Text,
};
use crate::{
    lock::{read_lock, write_lock},
    macros::setters,
};

/// The texts by their files.
type Texts<T = Arc<Text>> = HashMap<FileName, T>;

/// Loads the texts of hooks from one folder, and caches them.
///
/// A hook's file is its content file, or `<tag>.md`, and never outside the folder. The text is the unchanged file,
/// at most 32 KiB of UTF-8; an empty file is an empty text. A hook with a text of its own needs no file.
///
/// Implements the Hooks System document, "Content Resolution" and "Loader API".
///
/// ```
/// use hooks_sdk::guidance::ContentLoader;
///
/// let of_a_folder = ContentLoader::new("hooks");
/// let embedded = ContentLoader::embedded([("welcome.md", "Welcome to the session.")]);
/// assert_eq!(embedded.cache_size(), 0);
/// ```
#[derive(Debug)]
pub struct ContentLoader {
    files: Files,
    lossy: bool,
    cache: Option<RwLock<Texts>>,
}

impl ContentLoader {
    /// Makes a loader for the files in a directory. A file is read when its hook is first loaded.
    pub fn new(base: impl AsRef<Path>) -> ContentLoader {
        ContentLoader::of(Files::Directory(base.as_ref().into()))
    }

    /// Makes a loader for embedded files, by their names.
    ///
    /// ```
    /// # use hooks_sdk::guidance::ContentLoader;
    /// let loader = ContentLoader::embedded([("welcome.md", "Welcome to the session.")]);
    /// ```
    pub fn embedded<N: AsRef<str>, C: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (N, C)>,
    ) -> ContentLoader {
        let named = |(name, content): (N, C)| {
            let name = name.as_ref();
            (
                below(name).unwrap_or_else(|| name.to_owned()),
                content.into(),
            )
        };
        ContentLoader::of(Files::Embedded(files.into_iter().map(named).collect()))
    }

    fn of(files: Files) -> ContentLoader {
        ContentLoader {
            files,
            lossy: false,
            cache: Some(RwLock::default()),
        }
    }

    setters! {
        /// Sets whether to cache texts, which is the default. Without the cache, each load reads the file.
        fn cache(mut self, cache: bool) { self.cache = cache.then(RwLock::default) }

        /// Sets whether bytes that are not UTF-8 become U+FFFD, like in the reference implementation. By default, they
        /// are a failure.
        fn lossy(mut self, lossy: bool) { self.lossy = lossy }
    }

    /// Returns the path of a hook's file.
    ///
    /// # Errors
    ///
    /// [`LoadError::Outside`].
    pub fn resolve_content_path(&self, hook: &HookDefinition) -> Result<PathBuf, LoadError> {
        Ok(self.files.path(hook.file()?))
    }

    /// Loads the text of one hook.
    ///
    /// # Errors
    ///
    /// The text cannot be loaded.
    pub async fn load<'h>(&self, hook: &'h HookDefinition) -> Result<ResolvedHook<'h>, LoadError> {
        let mut loaded = self.load_all(&[hook]).await;
        match loaded.resolved.pop() {
            Some(resolved) => Ok(resolved),
            None => Err(loaded.failed.remove(0).error),
        }
    }

    /// Loads the texts of several hooks, in their order. A failure is returned and logged, and the others are loaded.
    pub async fn load_all<'h>(&self, hooks: &[&'h HookDefinition]) -> Loaded<'h> {
        let mut texts = self.known(hooks);
        if texts.iter().any(Option::is_none) {
            let unknown = hooks.iter().zip(&texts).filter(|(_, text)| text.is_none());
            let names = unknown.filter_map(|(hook, _)| hook.file().ok().cloned());
            let read = self.read(names.collect()).await;
            for (hook, text) in hooks
                .iter()
                .zip(&mut texts)
                .filter(|(_, text)| text.is_none())
            {
                *text = hook
                    .file()
                    .map_or_else(|error| Some(Err(error)), |file| read.get(file).cloned());
            }
        }
        let mut loaded = Loaded {
            resolved: Vec::with_capacity(hooks.len()),
            failed: Vec::new(),
        };
        for (&hook, text) in hooks.iter().zip(texts) {
            // Only a runtime that is shutting down leaves a file unread.
            let unread = || Err(LoadError::Failed("the runtime is shutting down".into()));
            match text.unwrap_or_else(unread) {
                Ok(text) => loaded.resolved.push(ResolvedHook::of(hook, text)),
                Err(error) => {
                    tracing::error!(
                        target: "hooks_sdk::guidance",
                        hook = hook.id(), %error, "hook text not loaded"
                    );
                    loaded.failed.push(FailedHook::new(hook.summary(), error));
                }
            }
        }
        loaded
    }

    /// Uses an available text as the text of a hook.
    pub fn load_inline<'h>(
        &self,
        hook: &'h HookDefinition,
        content: impl Into<Box<str>>,
    ) -> ResolvedHook<'h> {
        ResolvedHook::new(hook.summary(), content)
    }

    /// Clears the cache.
    pub fn clear_cache(&self) {
        if let Some(cache) = &self.cache {
            write_lock(cache).clear();
        }
    }

    /// Returns the number of cached texts.
    pub fn cache_size(&self) -> usize {
        let cache = self.cache.as_ref();
        cache.map_or(0, |cache| read_lock(cache).len())
    }

    /// Returns the text of each hook that has one in memory.
    fn known(&self, hooks: &[&HookDefinition]) -> Vec<Option<Result<Arc<Text>, LoadError>>> {
        let cache = self.cache.as_ref().map(read_lock);
        let cached = |hook: &HookDefinition| cache.as_ref()?.get(hook.file.as_ref()?);
        let known = hooks.iter().map(|hook| {
            let text = hook.text().or_else(|| cached(hook))?;
            Some(Ok(Arc::clone(text)))
        });
        known.collect()
    }

    /// Reads files on a thread that may block, and caches the texts.
    async fn read(&self, names: Vec<FileName>) -> Texts<Result<Arc<Text>, LoadError>> {
        let (files, lossy) = (self.files.clone(), self.lossy);
        let read_all = move || {
            let mut read = HashMap::new();
            for name in names {
                let text = || files.read(&name, lossy).map(Arc::new);
                read.entry(name.clone()).or_insert_with(text);
            }
            read
        };
        let on_disk = matches!(self.files, Files::Directory(_));
        let read = match tokio::runtime::Handle::try_current() {
            Ok(runtime) if on_disk => runtime.spawn_blocking(read_all).await.unwrap_or_default(),
            _ => read_all(),
        };
        if let Some(cache) = &self.cache {
            let good = read
                .iter()
                .filter_map(|(name, text)| Some((name, text.as_ref().ok()?)));
            let good = good.map(|(name, text)| (name.clone(), Arc::clone(text)));
            write_lock(cache).extend(good);
        }
        read
    }
}

/// A hook with its text, ready to be composed.
///
/// Implements the Hooks System document, "Loader API".
#[derive(Clone, Debug)]
pub struct ResolvedHook<'h> {
    summary: &'h Arc<HookSummary>,
    text: Arc<Text>,
}

/// The result of loading the texts of several hooks.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Loaded<'h> {
    /// The hooks with their texts, in the order asked for.
    pub resolved: Vec<ResolvedHook<'h>>,
    /// The hooks whose texts could not be loaded, in the order asked for.
    pub failed: Vec<FailedHook>,
}

impl<'h> ResolvedHook<'h> {
    /// Makes a resolved hook of an available text and a summary.
    pub fn new(summary: &'h Arc<HookSummary>, content: impl Into<Box<str>>) -> ResolvedHook<'h> {
        let text = Arc::new(Text::new(content, None));
        ResolvedHook { summary, text }
    }

    pub(super) fn of(hook: &'h HookDefinition, text: Arc<Text>) -> ResolvedHook<'h> {
        ResolvedHook {
            summary: hook.summary(),
            text,
        }
    }

    /// Returns the summary of the hook.
    pub fn summary(&self) -> &'h Arc<HookSummary> {
        self.summary
    }

    /// Returns the loaded text.
    pub fn content(&self) -> &str {
        &self.text.content
    }

    /// Returns the shielded text; see [`Composer::shielded`](super::Composer::shielded).
    pub fn shielded_content(&self) -> &str {
        self.text.shielded()
    }

    /// Returns the file of the text, if there is one.
    pub fn content_path(&self) -> Option<&Path> {
        self.text.path.as_deref()
    }

    /// Returns when the text was read. A cached text keeps the time of its first read.
    pub fn resolved_at(&self) -> Timestamp {
        self.text.read_at
    }
}

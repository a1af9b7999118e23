//! `loader`: calls on a loader of a fresh directory, `${BASE}`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use futures::executor::block_on;
use hooks_sdk::guidance::{
    ContentLoader, DEFAULT_APP, FailedHook, HookDefinition, HookInput, LoadError, ResolvedHook,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Ran, list, ok, steps, text};

/// A directory with a vector's files, and above it room for those that are named `../`.
pub(super) struct Folder {
    pub(super) base: PathBuf,
    _above: TempDir,
}

impl Folder {
    pub(super) fn of(files: &Value) -> Folder {
        let above = tempfile::tempdir().expect("a directory");
        let folder = Folder {
            base: above.path().join("base"),
            _above: above,
        };
        fs::create_dir(&folder.base).expect("a directory");
        for (name, content) in files.as_object().into_iter().flatten() {
            folder.write(name, content);
        }
        folder
    }

    fn write(&self, name: &str, content: &Value) {
        let path = self.base.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        match content {
            Value::String(text) => fs::write(&path, text).expect("a file"),
            directory if directory["dir"] == true => {
                fs::create_dir_all(&path).expect("a directory")
            }
            bytes => fs::write(&path, base64(text(&bytes["b64"]))).expect("a file"),
        }
    }
}

pub(super) fn run(vector: &Value) -> Ran {
    let folder = Folder::of(&vector["files"]);
    // The reference reads what is not UTF-8 with replacement characters.
    let cache = vector["loaderOptions"]["cache"].as_bool().unwrap_or(true);
    let loader = ContentLoader::new(&folder.base).cache(cache).lossy(true);
    let hooks: Vec<HookDefinition> = list(&vector["hooks"]).iter().map(hook).collect();
    steps(vector, |step| operation(&folder, &loader, &hooks, step))
}

/// A hook of which a vector gives only what a loader looks at.
fn hook(given: &Value) -> HookDefinition {
    let mut whole = json!({ "type": "session", "lifecycle": "start", "requirementLevel": "SHOULD", "name": "x" });
    for (key, value) in given.as_object().expect("an object") {
        whole[key] = value.clone();
    }
    let input = HookInput::try_from(&whole).expect("a valid hook");
    HookDefinition::new(input, DEFAULT_APP).expect("a valid hook")
}

fn operation(
    folder: &Folder,
    loader: &ContentLoader,
    hooks: &[HookDefinition],
    step: &Value,
) -> Value {
    let (call, recorded) = (&step["op"], &step["result"]);
    let hook = || &hooks[call[1].as_u64().expect("a hook's number") as usize];
    match text(&call[0]) {
        "resolveContentPath" => match loader.resolve_content_path(hook()) {
            Ok(path) => ok(folder.shown(&path)),
            Err(problem) => error(recorded, &problem),
        },
        "load" => match block_on(loader.load(hook())) {
            Ok(resolved) => ok(folder.resolved(hook(), &resolved)),
            Err(problem) => error(recorded, &problem),
        },
        "loadAll" => {
            let asked: Vec<&HookDefinition> = hooks.iter().collect();
            let loaded = block_on(loader.load_all(&asked));
            let by_id = |id: &str| {
                hooks
                    .iter()
                    .find(|hook| hook.id() == id)
                    .expect("a known hook")
            };
            let resolved = loaded.resolved.iter();
            let resolved = resolved.map(|one| folder.resolved(by_id(&one.summary().id), one));
            let recorded = list(&recorded["ok"]["failed"]);
            ok(json!({
                "resolved": resolved.collect::<Vec<_>>(),
                "failed": failures(&loaded.failed, recorded),
            }))
        }
        "loadInline" => ok(folder.resolved(hook(), &loader.load_inline(hook(), text(&call[2])))),
        "cacheSize" => ok(loader.cache_size()),
        "clearCache" => {
            loader.clear_cache();
            ok(Value::Null)
        }
        "writeFile" => {
            folder.write(text(&call[1]), &call[2]);
            ok(Value::Null)
        }
        "deleteFile" | "removeFile" | "unlink" | "rm" => {
            fs::remove_file(folder.base.join(text(&call[1]))).expect("a file");
            ok(Value::Null)
        }
        other => panic!("no such operation: {other}"),
    }
}

impl Folder {
    fn shown(&self, path: &Path) -> String {
        path.display()
            .to_string()
            .replace(&self.base.display().to_string(), "${BASE}")
    }

    fn resolved(&self, hook: &HookDefinition, resolved: &ResolvedHook<'_>) -> Value {
        let mut shown = json!({
            "id": hook.id(),
            "tag": hook.tag,
            "content": resolved.content(),
            "resolvedAt": resolved.resolved_at(),
        });
        if let Some(path) = resolved.content_path() {
            shown["contentPath"] = self.shown(path).into();
        }
        shown
    }
}

/// Failures in the form in which the recording holds them: ids, or ids with errors, whose codes count.
pub(super) fn failures(failed: &[FailedHook], recorded: &[Value]) -> Vec<Value> {
    let recorded = recorded.iter().chain(std::iter::repeat(&Value::Null));
    let failures = failed.iter().zip(recorded);
    let failure = |(failed, recorded): (&FailedHook, &Value)| {
        let code = code(&failed.error);
        let same_code = recorded["error"]
            .as_str()
            .is_some_and(|words| words.starts_with(code));
        let error = if same_code {
            recorded["error"].clone()
        } else {
            code.into()
        };
        if recorded.is_string() {
            json!(failed.hook.id)
        } else {
            json!({ "id": failed.hook.id, "error": error })
        }
    };
    failures.map(failure).collect()
}

fn error(recorded: &Value, problem: &LoadError) -> Value {
    let mut error = json!({ "kind": "io", "code": code(problem) });
    if let Some(message) = recorded["error"].get("message") {
        error["message"] = message.clone();
    }
    json!({ "error": error })
}

fn code(problem: &LoadError) -> &'static str {
    match problem {
        LoadError::NotFound(_) => "ENOENT",
        LoadError::Directory(_) => "EISDIR",
        LoadError::Io { error, .. } => match error.kind() {
            std::io::ErrorKind::NotADirectory => "ENOTDIR",
            std::io::ErrorKind::PermissionDenied => "EACCES",
            std::io::ErrorKind::InvalidFilename => "ENAMETOOLONG",
            _ => "another error of the system",
        },
        _ => "a failure that the reference does not know",
    }
}

fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.chars().filter(|&letter| letter != '=') {
        bits = bits << 6 | LETTERS.find(letter).expect("base64") as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

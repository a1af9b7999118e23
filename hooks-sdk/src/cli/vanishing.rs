//! The places of programs that others delete: caches, plugin folders, and folders of temporary files.

use std::{
    env, fs,
    path::{Component, Path, PathBuf},
};

/// A place that a program vanishes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vanishing {
    /// The place and what deletes it, for people.
    pub(super) place: &'static str,
    /// Whether `install` copies a program from there without being asked.
    pub(super) is_copied: bool,
}

/// Folders with these names one below the other are such a place. In a name, `*` is any rest.
const FOLDERS: [(&[&str], &str); 14] = [
    (&["_npx"], NPX),
    (&["pnpm", "dlx"], "the cache of pnpm, which deletes it"),
    (&["archive-v*"], UV),
    (&["environments-v*"], UV),
    (
        &["uv", "tools"],
        "the environment of a tool of uv, which `uv tool uninstall` deletes",
    ),
    (
        &["pipx", "venvs"],
        "the environment of a tool of pipx, which `pipx uninstall` deletes",
    ),
    (
        &["Claude Extensions"],
        "the folder of an MCPB extension, which an update of the extension deletes",
    ),
    (&[".claude", "plugins"], PLUGIN),
    (&[".codex", "plugins"], PLUGIN),
    (&[".copilot", "installed-plugins"], PLUGIN),
    (&[".cursor", "plugins"], PLUGIN),
    (&[".cline", "plugins"], PLUGIN),
    (&["opencode", "packages"], PLUGIN),
    (&["opencode", "node_modules"], PLUGIN),
];

/// Folders of extensions: the first name is a client's folder, which begins with a dot.
const EXTENSIONS: &str = "extensions";

const NPX: &str = "the cache of npx, which `npm cache npx rm` deletes";
const UV: &str = "the cache of uv, which `uv cache clean` deletes";
const PLUGIN: &str = "the folder of a client's plugin, which an update of the plugin deletes";
const TEMPORARY: &str = "a folder of temporary files, which the system deletes";
const CARGO: &str = "Cargo's folder `target`, which `cargo clean` deletes";

/// The variables that name such a place.
const VARIABLES: [(&str, &str); 6] = [
    ("UV_CACHE_DIR", UV),
    (
        "UV_TOOL_DIR",
        "the environment of a tool of uv, which `uv tool uninstall` deletes",
    ),
    ("CLAUDE_PLUGIN_ROOT", PLUGIN),
    ("PLUGIN_ROOT", PLUGIN),
    ("TMPDIR", TEMPORARY),
    ("XDG_RUNTIME_DIR", TEMPORARY),
];

/// Folders of temporary files, whatever the variables are.
const TEMPORARY_FOLDERS: [&str; 7] = [
    "/tmp",
    "/private/tmp",
    "/var/tmp",
    "/private/var/tmp",
    "/var/folders",
    "/private/var/folders",
    "/dev/shm",
];

impl Vanishing {
    /// Returns what `doctor` says about entries that start a program in this place.
    pub(super) fn note(self, program: &Path, install: &str) -> String {
        let option = if self.is_copied { "" } else { " --copy" };
        format!(
            "the entries start {}, in {}: run `{install}{option}` again, and they start a copy that stays",
            program.display(),
            self.place
        )
    }
}

/// Returns the place that this program vanishes from; `None` if it stays.
///
/// `data` is the folder that a copy is made in. A folder of temporary files that has this folder, too, does not count: a copy
/// there stays no longer.
pub(super) fn vanishing(program: &Path, data: Option<&Path>) -> Option<Vanishing> {
    let variables = VARIABLES.into_iter().filter_map(|(name, place)| {
        let folder = PathBuf::from(env::var_os(name)?);
        Some((folder, place))
    });
    let fixed = TEMPORARY_FOLDERS.map(|folder| (PathBuf::from(folder), TEMPORARY));
    let temporary = [(env::temp_dir(), TEMPORARY)].into_iter().chain(fixed);
    let folders: Vec<(PathBuf, &str)> = variables.chain(temporary).collect();
    let real = fs::canonicalize(program);
    place(program, data, &folders).or_else(|| place(&real.ok()?, data, &folders))
}

fn place(
    program: &Path,
    data: Option<&Path>,
    folders: &[(PathBuf, &'static str)],
) -> Option<Vanishing> {
    if is_cargos(program) {
        return Some(Vanishing {
            place: CARGO,
            is_copied: false,
        });
    }
    let above = program.parent()?;
    let names: Vec<&str> = above
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let named = FOLDERS.into_iter().find(|(folders, _)| {
        let mut windows = names.windows(folders.len());
        windows.any(|window| window.iter().zip(*folders).all(|(name, of)| is(name, of)))
    });
    let is_extension = || {
        let mut pairs = names.windows(2);
        pairs.any(|pair| pair[0].starts_with('.') && pair[1] == EXTENSIONS)
    };
    let has = |folder: &Path, path: &Path| {
        // A variable can be empty, or name the root of everything.
        folder.is_absolute()
            && folder.parent().is_some()
            && (path.starts_with(folder)
                || fs::canonicalize(folder).is_ok_and(|folder| path.starts_with(folder)))
    };
    let is_below = |(folder, place): &&(PathBuf, &str)| {
        let has_data = *place == TEMPORARY && data.is_some_and(|data| has(folder, data));
        has(folder, above) && !has_data
    };
    let below = || folders.iter().find(is_below).map(|(_, place)| *place);
    let place = named
        .map(|(_, place)| place)
        .or_else(|| is_extension().then_some(PLUGIN))
        .or_else(below)?;
    Some(Vanishing {
        place,
        is_copied: true,
    })
}

fn is(name: &str, of: &str) -> bool {
    match of.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == of,
    }
}

/// Returns whether the program is where Cargo builds it.
fn is_cargos(program: &Path) -> bool {
    let Some(folder) = program.parent() else {
        return false;
    };
    let is_profile = folder.ends_with("debug") || folder.ends_with("release");
    // With `--target`, the triple is between `target` and the profile.
    let mut above = folder.ancestors().skip(1).take(2);
    is_profile && above.any(|folder| folder.ends_with("target"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_a_cache_a_plugin_or_a_temporary_folder_vanishes() {
        let folders = [
            (PathBuf::from("/scratch"), TEMPORARY),
            (PathBuf::from("/tmp"), TEMPORARY),
            (PathBuf::new(), UV),
            (PathBuf::from("/"), UV),
        ];
        for (program, expected) in [
            (
                "/home/me/.npm/_npx/b24/node_modules/@x/y/bin/notes",
                Some(NPX),
            ),
            ("/home/me/.cache/uv/archive-v0/x/bin/notes", Some(UV)),
            ("/big/cache/environments-v2/x/bin/notes", Some(UV)),
            (
                "/home/me/.local/share/uv/tools/notes/bin/notes",
                Some(FOLDERS[4].1),
            ),
            (
                "/home/me/.local/share/pipx/venvs/notes/bin/notes",
                Some(FOLDERS[5].1),
            ),
            (
                "/home/me/.cache/pnpm/dlx/a/b/node_modules/notes/notes",
                Some(FOLDERS[1].1),
            ),
            (
                "/Users/me/Library/Application Support/Claude/Claude Extensions/x/server/notes",
                Some(FOLDERS[6].1),
            ),
            (
                "/home/me/.claude/plugins/cache/a/b/1.0.0/bin/notes",
                Some(PLUGIN),
            ),
            ("/home/me/.gemini/extensions/notes/bin/notes", Some(PLUGIN)),
            (
                "/home/me/.vscode/extensions/me.notes-1.0.0/notes",
                Some(PLUGIN),
            ),
            (
                "/home/me/.cache/opencode/packages/notes/bin/notes",
                Some(PLUGIN),
            ),
            ("/tmp/.mount_x/notes", Some(TEMPORARY)),
            ("/scratch/a/notes", Some(TEMPORARY)),
            ("/p/target/debug/notes", Some(CARGO)),
            ("/tmp/p/target/debug/notes", Some(CARGO)),
            ("/p/target/release/notes", Some(CARGO)),
            (
                "/p/target/x86_64-unknown-linux-musl/release/notes",
                Some(CARGO),
            ),
            ("/home/me/.cargo/bin/notes", None),
            ("/home/me/.local/bin/_npx", None),
            ("/home/me/.claude/notes", None),
            ("/opt/extensions/notes", None),
            ("/usr/lib/node_modules/@x/y/bin/notes", None),
            ("/opt/release/notes", None),
            ("/target/notes", None),
            ("/tmpfiles/notes", None),
            ("notes", None),
        ] {
            let found = place(
                Path::new(program),
                Some(Path::new("/home/me/data")),
                &folders,
            );
            assert_eq!(found.map(|found| found.place), expected, "{program}");
            let is_copied = found.is_some_and(|found| found.is_copied);
            assert_eq!(
                is_copied,
                expected.is_some_and(|place| place != CARGO),
                "{program}"
            );
        }
        // A copy in the same folder of temporary files gains nothing.
        let in_scratch = Some(Path::new("/scratch/home/data"));
        let found = place(Path::new("/scratch/home/notes"), in_scratch, &folders);
        assert_eq!(found, None);
        assert!(place(Path::new("/tmp/notes"), in_scratch, &folders).is_some());
    }
}

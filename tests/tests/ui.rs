//! What the compiler says to an author, word for word, and what it accepts.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use toml_edit::{DocumentMut, Item, Table, value};
use trybuild::TestCases;

/// Where trybuild writes its package, and we write ours.
fn packages() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tests/trybuild")
}

/// `dir!` looks in the package that is being built: the folders are copied there.
fn copy_folders(package: &Path) {
    let source = ui().join("guidance/dirs");
    let target = package.join("ui/guidance/dirs");
    _ = fs::remove_dir_all(&target);
    copy(&source, &target).expect("the folders are copied");
    // Nothing that should be kept in a repository.
    let write = |file: &str, content: String| {
        let path = target.join(file);
        fs::create_dir_all(path.parent().expect("a folder"))?;
        fs::write(path, content)
    };
    let text = fs::read_to_string(source.join("folder_of_hooks/welcome.md")).expect("a hook");
    write(
        "file_too_long/welcome.md",
        text + &"x".repeat(hooks_sdk::core::text::MAX_TEXT),
    )
    .expect("a long file");
    write("link_out_of_the_package/notes.txt", String::new()).expect("a folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        source.join("folder_of_hooks/welcome.md"),
        target.join("link_out_of_the_package/welcome.md"),
    )
    .expect("a link");
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to: PathBuf = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), &to)?;
        }
    }
    Ok(())
}

#[test]
fn messages() {
    copy_folders(&packages().join("hooks-tests"));
    let cases = TestCases::new();
    cases.compile_fail("ui/*/fail/*.rs");
}

/// trybuild builds and runs such cases one after the other; here Cargo builds all of them at once.
#[test]
fn accepted() {
    let cases = accepted_cases();
    let package = packages().join("accepted");
    fs::create_dir_all(&package).expect("a folder");
    copy_folders(&package);
    fs::write(package.join("Cargo.toml"), manifest(&cases).to_string()).expect("a manifest");
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    fs::copy(lock, package.join("Cargo.lock")).expect("a lock file");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--quiet", "--bins", "--keep-going"])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", packages())
        .env("CARGO_INCREMENTAL", "0")
        .output()
        .expect("Cargo runs");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    let failed: Vec<&String> = cases
        .iter()
        .map(|(name, _)| name)
        .filter(|name| {
            let program = packages().join("debug").join(name);
            let run = Command::new(program).current_dir(&package).status();
            !run.expect("the case runs").success()
        })
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// The cases by a name of their own, of those that `trybuild=` on the command line names, as for trybuild's.
fn accepted_cases() -> Vec<(String, PathBuf)> {
    let filters: Vec<String> = env::args()
        .filter_map(|argument| argument.strip_prefix("trybuild=").map(str::to_owned))
        .collect();
    let mut cases = Vec::new();
    for protocol in fs::read_dir(ui()).expect("ui/") {
        let protocol = protocol.expect("a protocol");
        let Ok(files) = fs::read_dir(protocol.path().join("pass")) else {
            continue;
        };
        for file in files {
            let path = file.expect("a file").path();
            let is_source = path.extension().is_some_and(|ending| ending == "rs");
            let text = path.to_string_lossy();
            let is_meant = filters.is_empty() || filters.iter().any(|filter| text.contains(filter));
            if let (true, true, Some(stem)) = (is_source, is_meant, path.file_stem()) {
                let protocol = protocol.file_name();
                let name = format!("{}_{}", protocol.display(), stem.display());
                cases.push((name, path));
            }
        }
    }
    cases.sort();
    cases
}

/// A package with these programs, and the dependencies that tests have.
fn manifest(cases: &[(String, PathBuf)]) -> DocumentMut {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |folder: &Path| -> DocumentMut {
        let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let mut manifest: DocumentMut = text.parse().expect("TOML");
        for table in ["dependencies", "dev-dependencies"] {
            if let Some(table) = manifest.get_mut(table) {
                absolute(table, folder);
            }
        }
        manifest
    };
    let tests = read(own);
    let root = own.join("..");
    let mut workspace = read(&root);
    absolute(&mut workspace["workspace"]["dependencies"], &root);
    let mut manifest = DocumentMut::new();
    manifest["package"]["name"] = value("accepted");
    manifest["package"]["version"] = value("0.0.0");
    manifest["package"]["edition"] = workspace["workspace"]["package"]["edition"].clone();
    manifest["profile"]["dev"]["debug"] = value(false);
    manifest["workspace"]["dependencies"] = workspace["workspace"]["dependencies"].clone();
    let mut dependencies = tests["dependencies"].clone();
    for (name, item) in tests["dev-dependencies"].as_table().into_iter().flatten() {
        dependencies[name] = item.clone();
    }
    manifest["dependencies"] = dependencies;
    let mut programs = toml_edit::ArrayOfTables::new();
    for (name, path) in cases {
        let mut program = Table::new();
        program["name"] = value(name);
        program["path"] = value(path.to_string_lossy().into_owned());
        programs.push(program);
    }
    manifest["bin"] = Item::ArrayOfTables(programs);
    manifest
}

/// Makes the paths of dependencies independent of the manifest's folder.
fn absolute(dependencies: &mut Item, folder: &Path) {
    let Some(dependencies) = dependencies.as_table_like_mut() else {
        return;
    };
    for (_, dependency) in dependencies.iter_mut() {
        let path = dependency.get("path").and_then(Item::as_str);
        if let Some(path) = path.map(|path| folder.join(path)) {
            dependency["path"] = value(path.to_string_lossy().into_owned());
        }
    }
}

fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ui")
}

/// The sources of the standard library are not installed everywhere, and other machines have other paths.
#[test]
fn messages_read_alike_on_every_machine() {
    let mut read = 0;
    for protocol in fs::read_dir(ui()).expect("ui/") {
        for file in fs::read_dir(protocol.expect("a protocol").path().join("fail")).expect("fail/")
        {
            let path = file.expect("a file").path();
            if path
                .extension()
                .is_none_or(|extension| extension != "stderr")
            {
                continue;
            }
            let message = fs::read_to_string(&path).expect("a message");
            for foreign in [
                "$RUST", "$CARGO", "/rustc/", ".cargo/", "/home/", "warning:",
            ] {
                assert!(!message.contains(foreign), "{}: {foreign}", path.display());
            }
            read += 1;
        }
    }
    assert!(read > 0);
}

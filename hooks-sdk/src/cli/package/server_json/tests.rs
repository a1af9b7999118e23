//! The registry's file, and what the registry refuses only when the file is published.

use super::*;

fn about<'a>(arguments: &'a [String]) -> PackageFacts<'a> {
    PackageFacts {
        name: "notes",
        server: "notes",
        program: "notes-server",
        arguments,
        description: "Notes for agents.",
        version: Some("1.2.3"),
        author: None,
        license: None,
        repository: Some("https://github.com/acme/notes"),
        homepage: None,
        registry_name: Some("io.github.acme/notes"),
        icon: None,
    }
}

const RELEASE: &str = "https://github.com/acme/notes/releases/download/v1.2.3";

fn of(about: &PackageFacts<'_>, packages: &[&str], release: Option<&str>) -> Result<Value, String> {
    let packages: Result<Vec<ListedPackage>, String> =
        packages.iter().map(|package| package.parse()).collect();
    let made = contents(about, &packages?, release, "/dist").map_err(|error| error.to_string())?;
    let (_, file) = made.files.iter().find(|(path, _)| *path == FILE).unwrap();
    Ok(serde_json::from_slice(&file.bytes).unwrap())
}

#[track_caller]
fn refused(outcome: Result<Value, String>, why: &str) {
    let error = outcome.unwrap_err();
    assert!(error.contains(why), "{error}");
}

#[test]
fn a_client_of_the_registry_starts_serve() {
    let arguments = ["--database".to_owned(), "/data/notes.db".to_owned()];
    let server = of(
        &about(&arguments),
        &["npm=@acme/notes", "cargo=notes-server"],
        None,
    )
    .unwrap();
    let values = |package: &Value| -> Vec<String> {
        let words = package["packageArguments"].as_array().unwrap().iter();
        words
            .map(|word| word["value"].as_str().unwrap().to_owned())
            .collect()
    };
    let npm = &server["packages"][0];
    assert_eq!(
        (npm["identifier"].as_str(), npm["runtimeHint"].as_str()),
        (Some("@acme/notes"), Some("npx"))
    );
    assert_eq!(values(npm), ["serve", "--database", "/data/notes.db"]);
    assert_eq!(values(&server["packages"][1]), values(npm));
    assert_eq!(npm["environmentVariables"][0]["name"], "HOOKS_INSTALL");
    assert_eq!(npm["environmentVariables"][0]["default"], "false");
}

#[test]
fn a_bundle_is_listed_with_its_hash_and_without_a_version() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("notes-1.2.3-linux-x64.mcpb");
    fs::write(&file, b"PK\x03\x04").unwrap();
    let package = format!("mcpb={}", file.display());
    let listed = |release| of(&about(&[]), &[&package], release);
    let server = listed(Some(RELEASE)).unwrap();
    let expected = json!({
        "registryType": "mcpb",
        "identifier": format!("{RELEASE}/notes-1.2.3-linux-x64.mcpb"),
        "fileSha256": "da7d2fab84ac86bc85deca3ee83a5cb0aa22cf5f9ff15b0c46e8d3fa0a9dd4b6",
        "transport": { "type": "stdio" },
    });
    let hash = expected["fileSha256"].as_str().unwrap().len();
    assert_eq!(
        server["packages"][0]["fileSha256"].as_str().unwrap().len(),
        hash
    );
    assert_eq!(server["packages"][0]["identifier"], expected["identifier"]);
    assert!(server["packages"][0].get("version").is_none());
    assert!(server["packages"][0].get("packageArguments").is_none());

    refused(listed(None), "--release");
    for wrong in [
        "http://github.com/acme/notes/releases/download/v1",
        "https://example.com/releases/download/v1",
        "https://github.com/acme/notes",
        "https://github.com/acme/notes/releases/download/v1?x",
        "https://github.com/acme/notes/releases/tag/v1",
    ] {
        refused(listed(Some(wrong)), "help:");
    }
    let gitlab = "https://gitlab.com/a/b/notes/-/releases/v1/downloads/";
    assert!(listed(Some(gitlab)).is_ok());
    fs::write(&file, b"text").unwrap();
    refused(listed(Some(RELEASE)), "is no ZIP archive");
    let missing = format!("mcpb={}", home.path().join("x.mcpb").display());
    refused(of(&about(&[]), &[&missing], Some(RELEASE)), "cannot read");
    refused(
        of(&about(&[]), &["mcpb=/a/b.zip"], Some(RELEASE)),
        "not a bundle by its name",
    );
}

#[test]
fn what_the_registry_would_refuse_is_refused_here() {
    let npm = ["npm=notes"];
    let with = |about: PackageFacts<'_>| of(&about, &npm, None);
    refused(
        with(PackageFacts {
            registry_name: Some("notes"),
            ..about(&[])
        }),
        "exactly one `/`",
    );
    refused(
        with(PackageFacts {
            version: Some("^1.2.3"),
            ..about(&[])
        }),
        "`^1.2.3` is not a version",
    );
    refused(
        with(PackageFacts {
            description: &"x".repeat(101),
            ..about(&[])
        }),
        "101 characters",
    );
    refused(
        with(PackageFacts {
            homepage: Some("http://x.org"),
            ..about(&[])
        }),
        "`Program::homepage`",
    );
    for url in [
        "https://example.com/a/b",
        "https://github.com/acme",
        "https://github.com/a/b/tree/main",
    ] {
        refused(
            with(PackageFacts {
                repository: Some(url),
                ..about(&[])
            }),
            "the registry knows no repository",
        );
    }
    refused(of(&about(&[]), &[], None), "none is given");
    refused(
        of(&about(&[]), &["pypi=notes"], None),
        "`uvx notes`, which finds",
    );
    refused(
        of(&about(&[]), &["npm=notes", "npm=notes"], None),
        "two packages are the same",
    );
    for wrong in [
        "floppy=x",
        "npm",
        "npm=Notes",
        "cargo=a b",
        "pypi=",
        "mcpb=",
    ] {
        assert!(of(&about(&[]), &[wrong], None).is_err(), "{wrong}");
    }
}

#[test]
fn a_repository_is_named_without_the_ending_of_git() {
    let about = PackageFacts {
        repository: Some("https://gitlab.com/a/b/c.git"),
        ..about(&[])
    };
    let server = of(&about, &["pypi=notes-server"], None).unwrap();
    assert_eq!(
        server["repository"],
        json!({ "url": "https://gitlab.com/a/b/c", "source": "gitlab" })
    );
}

//! `server.json`, by which the MCP registry lists a server and its packages.

use std::{fs, path::PathBuf, str::FromStr};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    checks, folder::Files, format::PackageFacts, mcpb::INSTALL_VARIABLE, release::Contents,
};
use crate::cli::CommandError;

/// The registry's schema that the file follows.
pub(super) const SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// The file, which `mcp-publisher publish` reads in the current folder.
const FILE: &str = "server.json";

/// A package that the registry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ListedPackage {
    /// A package of npm, by its name.
    Npm(String),
    /// A package of PyPI, by its name.
    PyPi(String),
    /// A crate, by its name.
    Cargo(String),
    /// A bundle of a release, by its file here.
    Mcpb(PathBuf),
}

impl FromStr for ListedPackage {
    type Err = String;

    fn from_str(text: &str) -> Result<ListedPackage, String> {
        let form = "a package has one of the forms npm=NAME, pypi=NAME, cargo=NAME and mcpb=FILE";
        let (kind, name) = text.split_once('=').ok_or(form)?;
        let package = match kind {
            "npm" => ListedPackage::Npm(checks::npm_name(name)?),
            "pypi" => ListedPackage::PyPi(plain(name)?),
            "cargo" => ListedPackage::Cargo(plain(name)?),
            "mcpb" if !name.is_empty() => ListedPackage::Mcpb(name.into()),
            _ => return Err(form.to_owned()),
        };
        Ok(package)
    }
}

/// Checks a name without a scope, as crates and packages of Python have them.
pub(super) fn plain(name: &str) -> Result<String, String> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let is_end = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
    let ends = is_end(name.chars().next()) && is_end(name.chars().next_back());
    match ends && name.chars().all(is_plain) {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "`{}` is not a name of a package: it has letters, digits, `-`, `_` and `.`",
            name.escape_debug()
        )),
    }
}

/// Makes the file.
pub(super) fn contents(
    about: &PackageFacts<'_>,
    packages: &[ListedPackage],
    release: Option<&str>,
    folder: &str,
) -> Result<Contents, CommandError> {
    if packages.is_empty() {
        return Err("the registry lists a server by its packages, and none is given\nhelp: add `--package npm=NAME`".into());
    }
    let name = about.needed_registry_name()?;
    let mut server = json!({
        "$schema": SCHEMA,
        "name": name,
        "description": about.short_description()?,
        "version": about.exact_version()?.to_string(),
    });
    if let Some(url) = about.repository {
        server["repository"] = repository(url)?;
    }
    if let Some(url) = about.homepage {
        server["websiteUrl"] = checks::https(url, "`Program::homepage`")?.into();
    }
    let mut listed = Vec::new();
    for package in packages {
        let entry = Value::Object(package.entry(about, release)?);
        if listed.contains(&entry) {
            return Err(format!("two packages are the same: {}", entry["identifier"]).into());
        }
        listed.push(entry);
    }
    server["packages"] = listed.into();
    let mut files = Files::default();
    files.add_json(FILE, &server)?;
    Ok(Contents {
        files,
        next: vec![format!(
            "publish the packages, then: cd {folder} && mcp-publisher login github && mcp-publisher publish"
        )],
        notes: packages
            .iter()
            .filter_map(|package| package.note(name))
            .collect(),
    })
}

/// Returns the repository, whose host the registry must know.
fn repository(url: &str) -> Result<Value, CommandError> {
    let url = checks::https(url, "`Program::repository`")?;
    let url = url.trim_end_matches('/').trim_end_matches(".git");
    let parts: Vec<&str> = url.split('/').skip(2).collect();
    let source = match parts.as_slice() {
        ["github.com" | "www.github.com", _, _] => "github",
        ["gitlab.com" | "www.gitlab.com", _, _, ..] => "gitlab",
        _ => {
            return Err(format!(
                "the registry knows no repository `{url}`\nhelp: give `Program::repository` one of the form \
                 https://github.com/OWNER/NAME or https://gitlab.com/GROUP/NAME"
            )
            .into());
        }
    };
    Ok(json!({ "url": url, "source": source }))
}

impl ListedPackage {
    fn entry(
        &self,
        about: &PackageFacts<'_>,
        release: Option<&str>,
    ) -> Result<Map<String, Value>, CommandError> {
        let (kind, identifier, runtime) = match self {
            ListedPackage::Npm(name) => ("npm", name, Some("npx")),
            ListedPackage::PyPi(name) if name != about.program => {
                return Err(format!(
                    "a client runs `uvx {name}`, which finds a program of that name only, and the program is \
                     `{program}`\nhelp: publish the wheel as `{program}`",
                    program = about.program
                )
                .into());
            }
            ListedPackage::PyPi(name) => ("pypi", name, Some("uvx")),
            ListedPackage::Cargo(name) => ("cargo", name, None),
            ListedPackage::Mcpb(file) => return bundle(file, release),
        };
        let words = ["serve"].into_iter();
        let words = words.chain(about.arguments.iter().map(String::as_str));
        // Verbatim: an argument that the registry calls `named` would be written as `--name=value`.
        let arguments: Vec<Value> = words
            .map(|word| json!({ "type": "positional", "value": word }))
            .collect();
        let mut entry = Map::new();
        entry.insert("registryType".to_owned(), kind.into());
        entry.insert("identifier".to_owned(), identifier.as_str().into());
        entry.insert(
            "version".to_owned(),
            about.exact_version()?.to_string().into(),
        );
        if let Some(runtime) = runtime {
            entry.insert("runtimeHint".to_owned(), runtime.into());
        }
        entry.insert("transport".to_owned(), json!({ "type": "stdio" }));
        entry.insert("packageArguments".to_owned(), arguments.into());
        entry.insert(
            "environmentVariables".to_owned(),
            json!([install_variable(about)]),
        );
        Ok(entry)
    }

    /// Returns what the author must do, so that the registry believes that the package is the server's.
    fn note(&self, name: &str) -> Option<String> {
        match self {
            ListedPackage::Npm(package) => Some(format!(
                "npm: the package.json of `{package}` needs `\"mcpName\": \"{name}\"`, as `--format npm` writes it"
            )),
            ListedPackage::PyPi(package) => Some(format!(
                "PyPI: the README of `{package}` needs a line `mcp-name: {name}`, as `--format wheel` writes it"
            )),
            ListedPackage::Cargo(package) => Some(format!(
                "crates.io: the README of `{package}` needs the line `mcp-name: {name}` as visible text: a comment is \
                 not found"
            )),
            ListedPackage::Mcpb(_) => None,
        }
    }
}

/// Returns the variable that lets a user of a registry have the hooks, too.
fn install_variable(about: &PackageFacts<'_>) -> Value {
    json!({
        "name": INSTALL_VARIABLE,
        "description": format!(
            "true: write the hooks of `{}` into the agent clients on this computer", about.server
        ),
        "format": "boolean",
        "default": "false",
        "isRequired": false,
    })
}

/// Returns the entry of a bundle. The registry wants no version and no arguments: the bundle has both.
fn bundle(file: &PathBuf, release: Option<&str>) -> Result<Map<String, Value>, CommandError> {
    let shown = file.display();
    let release = release.ok_or_else(|| {
        format!(
            "`{shown}` is listed by its place in a release, and none is given\nhelp: add `--release \
             https://github.com/OWNER/NAME/releases/download/TAG`"
        )
    })?;
    let release = release_folder(release)?;
    let is_bundle = |name: &&str| {
        let plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
        name.ends_with(".mcpb") && name.chars().all(plain)
    };
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.filter(is_bundle).ok_or_else(|| {
        format!(
            "`{shown}` is not a bundle by its name\nhelp: name a file that `--format mcpb` wrote"
        )
    })?;
    let bytes = fs::read(file).map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    if !bytes.starts_with(b"PK\x03\x04") {
        return Err(format!("`{shown}` is not a bundle: it is no ZIP archive\nhelp: write it anew with `--format mcpb`").into());
    }
    let hash = Sha256::digest(&bytes);
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let entry = json!({
        "registryType": "mcpb",
        "identifier": format!("{release}/{name}"),
        "fileSha256": hash,
        "transport": { "type": "stdio" },
    });
    match entry {
        Value::Object(entry) => Ok(entry),
        _ => Ok(Map::new()),
    }
}

/// Returns the folder of a release at a forge that the registry allows.
fn release_folder(url: &str) -> Result<&str, CommandError> {
    let url = checks::https(url, "`--release`")?.trim_end_matches('/');
    let parts: Vec<&str> = url.split('/').skip(2).collect();
    let is_release = match parts.as_slice() {
        ["github.com", _, _, "releases", "download", tag] => !tag.is_empty(),
        ["gitlab.com", _, _, .., "-", "releases", tag, "downloads"] => !tag.is_empty(),
        _ => false,
    };
    match is_release && !url.contains(['?', '#']) {
        true => Ok(url),
        false => Err(format!(
            "`{}` is not the place of a release's files\nhelp: it has the form \
             https://github.com/OWNER/NAME/releases/download/TAG or https://gitlab.com/GROUP/NAME/-/releases/TAG/downloads",
            url.escape_debug()
        )
        .into()),
    }
}

#[cfg(test)]
mod tests;

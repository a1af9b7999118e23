//! The lock file of a package of npm, by which Claude Code installs it.
//!
//! It is `package-lock.json`, which npm ignores in a package that it installs. `npm-shrinkwrap.json` would be obeyed, and npm
//! 11.19 then fetches the packages of all platforms.

use serde_json::{Map, Value, json};

use super::Packed;

/// The registry whose URLs are in the file. npm puts the user's own registry in its place.
const REGISTRY: &str = "https://registry.npmjs.org";

/// Returns the lock file, with which Claude Code installs exactly these packages.
pub(super) fn lock(manifest: &Value, packed: &[Packed]) -> Value {
    let copied = |from: &Value, members: &[&str]| -> Map<String, Value> {
        let has = members.iter().filter(|member| from.get(**member).is_some());
        has.map(|member| ((*member).to_owned(), from[*member].clone()))
            .collect()
    };
    let mut packages = Map::new();
    let own = [
        "name",
        "version",
        "license",
        "bin",
        "engines",
        "optionalDependencies",
    ];
    packages.insert(String::new(), copied(manifest, &own).into());
    for each in packed {
        let mut entry = copied(&each.manifest, &["version", "license", "os", "cpu", "libc"]);
        let name = each.manifest["name"].as_str().unwrap_or_default();
        let last = name.rsplit('/').next().unwrap_or(name);
        let version = each.manifest["version"].as_str().unwrap_or_default();
        let resolved = format!("{REGISTRY}/{name}/-/{last}-{version}.tgz");
        entry.insert("resolved".to_owned(), resolved.into());
        entry.insert("integrity".to_owned(), each.integrity.as_str().into());
        entry.insert("optional".to_owned(), true.into());
        packages.insert(format!("node_modules/{name}"), entry.into());
    }
    json!({
        "name": manifest["name"],
        "version": manifest["version"],
        "lockfileVersion": 3,
        "requires": true,
        "packages": packages,
    })
}

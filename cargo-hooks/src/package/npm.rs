//! Packages of npm: one that people name, and one for each platform, which holds the program.
//!
//! The first one is a command, and a plugin of Claude Code, OpenCode and Cline. None has an install script, which these
//! clients do not run. The archives are made here and not by `npm pack`: the first one names the hashes of the others, in a lock
//! file that `npm pack` leaves out.

mod lock;
mod scripts;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hooks_clients::{config::quoted, script};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha512};

use self::lock::lock;
use super::{
    Contents, archive, checks,
    folder::Files,
    format::{PackageFacts, set},
    formats,
    parts::{Inside, PackageParts},
    programs::PlatformProgram,
};
use crate::CommandError;

/// The lowest version of Node.js that runs the JavaScript.
const NODE: &str = ">=18";

/// A packed package.
struct Packed {
    /// Its name, its version, its `os` and the like.
    manifest: Value,
    /// The hash of its archive, as npm writes it.
    integrity: String,
}

/// What the packages are made of.
pub(super) struct NpmPackages<'a> {
    pub(super) about: &'a PackageFacts<'a>,
    /// The name of the package that people name.
    pub(super) name: &'a str,
    pub(super) programs: &'a [PlatformProgram],
}

impl NpmPackages<'_> {
    /// Makes the archives, and a catalog for Claude Code that names the package.
    pub(super) fn contents(&self, folder: &str) -> Result<Contents, CommandError> {
        let version = self.about.exact_version()?.to_string();
        let mut files = Files::default();
        let (mut packed, mut next) = (Vec::new(), Vec::new());
        for each in self.programs {
            let (manifest, content) = self.platform(each, &version)?;
            let bytes = archive::tar_gz(&content, "package/")?;
            let file = archive_name(&manifest);
            next.push(format!("npm publish --access public {folder}/{file}"));
            let hash = BASE64_STANDARD.encode(Sha512::digest(&bytes));
            packed.push(Packed {
                manifest,
                integrity: format!("sha512-{hash}"),
            });
            files.add(&file, bytes)?;
        }
        let manifest = self.manifest(&packed, &version)?;
        let content = self.wrapper(&manifest, &packed)?;
        let file = archive_name(&manifest);
        files.add(&file, archive::tar_gz(&content, "package/")?)?;
        next.push(format!("then: npm publish --access public {folder}/{file}"));
        if let Some(catalog) = &formats::CLAUDE.catalog {
            let source = json!({ "source": "npm", "package": self.name, "version": version });
            files.add_json(catalog.file, &catalog.content(self.about, source))?;
        }
        next.push(format!(
            "put {folder}/.claude-plugin into your repository, which is then a catalog for Claude Code"
        ));
        Ok(Contents {
            files,
            next,
            notes: self.notes(),
        })
    }

    fn notes(&self) -> Vec<String> {
        let is_nameless = self.about.said().registry_name.is_none();
        let note = "the MCP registry cannot list the package: set `Program::registry_name`";
        is_nameless.then(|| note.to_owned()).into_iter().collect()
    }

    /// Returns the members that all packages have.
    fn described(&self, name: &str, version: &str) -> Result<Value, CommandError> {
        let said = self.about.said();
        let mut members = json!({ "name": name, "version": version });
        set(&mut members, "license", said.license.as_deref());
        let author = self.about.author().map(|author| author.json());
        set(&mut members, "author", author);
        if let Some(url) = &said.repository {
            let url = checks::https(url, "`Program::repository`")?;
            let url = format!(
                "git+{}.git",
                url.trim_end_matches('/').trim_end_matches(".git")
            );
            members["repository"] = json!({ "type": "git", "url": url });
        }
        if let Some(url) = &said.homepage {
            let url = checks::https(url, "`Program::homepage`")?;
            members["homepage"] = url.into();
        }
        Ok(members)
    }

    /// Returns the package of a platform: the program, and who can use it.
    fn platform(
        &self,
        program: &PlatformProgram,
        version: &str,
    ) -> Result<(Value, Files), CommandError> {
        let platform = program.platform;
        let name = format!("{}-{}", self.name, platform.label());
        let mut manifest = self.described(&name, version)?;
        let text = format!("The program of {} for {}", self.name, platform.triple);
        manifest["description"] = text.clone().into();
        manifest["os"] = json!([platform.os]);
        manifest["cpu"] = json!(platform.cpu);
        let libc = self.libc(program).map(|libc| json!([libc]));
        set(&mut manifest, "libc", libc);
        let mut files = Files::default();
        files.add_json("package.json", &manifest)?;
        let page = format!(
            "# {name}\n\n{text}. Install `{}` instead: it takes this package where it fits.\n",
            self.name
        );
        files.add("README.md", page.into_bytes())?;
        files.add_program(&self.program_file(program), program.bytes.clone())?;
        Ok((manifest, files))
    }

    /// Returns the C library that the platform's package asks for. A program for musl runs everywhere: it asks for nothing
    /// unless there is a program for glibc.
    fn libc(&self, program: &PlatformProgram) -> Option<&'static str> {
        let platform = program.platform;
        let mut others = self.programs.iter().map(|other| other.platform);
        let has_other = others.any(|other| other != platform && other.meets(platform));
        platform.libc.filter(|_| has_other || !platform.is_musl())
    }

    /// Returns the path of a program in the package of its platform.
    fn program_file(&self, program: &PlatformProgram) -> String {
        format!("bin/{}", program.platform.file_name(self.about.program))
    }

    /// Returns the manifest of the package that people name.
    fn manifest(&self, packed: &[Packed], version: &str) -> Result<Value, CommandError> {
        let mut manifest = self.described(self.name, version)?;
        let platforms: Map<String, Value> = packed
            .iter()
            .filter_map(|each| {
                let name = each.manifest["name"].as_str()?;
                Some((name.to_owned(), version.into()))
            })
            .collect();
        let said = self.about.said();
        manifest["description"] = said.description.as_str().into();
        if said.registry_name.is_some() {
            manifest["mcpName"] = self.about.needed_registry_name()?.into();
        }
        let program = self.about.program;
        manifest["type"] = "module".into();
        manifest["bin"] = json!({ program: format!("bin/{program}.js") });
        // OpenCode loads the second one.
        let exports = json!({ ".": "./opencode.js", "./server": "./opencode.js" });
        manifest["exports"] = exports;
        manifest["cline"] = json!({ "plugins": ["./cline.js"] });
        manifest["engines"] = json!({ "node": NODE });
        let files = [
            "bin",
            "lib",
            "cline.js",
            "opencode.js",
            ".claude-plugin",
            ".mcp.json",
            "hooks",
            "skills",
            "icon.png",
        ];
        manifest["files"] = json!(files);
        manifest["optionalDependencies"] = platforms.into();
        Ok(manifest)
    }

    /// Returns the files of the package that people name.
    fn wrapper(&self, manifest: &Value, packed: &[Packed]) -> Result<Files, CommandError> {
        let parts = PackageParts {
            format: &formats::CLAUDE,
            about: self.about,
            inside: Some(self.inside()),
        };
        let mut files = parts.files_of_plugin()?;
        files.add_json("package.json", manifest)?;
        files.add_json("package-lock.json", &lock(manifest, packed))?;
        files.add("README.md", self.readme(&parts)?.into_bytes())?;
        let start = include_str!("npm/start.js").replacen("__NAME__", &script(self.name), 1);
        files.add_program(
            &format!("bin/{}.js", self.about.program),
            start.into_bytes(),
        )?;
        let platforms = self.programs.iter().zip(packed).map(|(each, packed)| {
            let name = packed.manifest["name"].as_str().unwrap_or_default();
            json!({
                "file": format!("{name}/{}", self.program_file(each)),
                "os": each.platform.os,
                "cpu": each.platform.cpu,
                "libc": each.platform.libc,
            })
        });
        let find = include_str!("npm/program.js");
        let find = find.replacen("__PACKAGES__", &script(platforms.collect::<Vec<_>>()), 1);
        files.add("lib/program.js", find.into_bytes())?;
        for plugin in &scripts::PLUGINS {
            plugin.add(self.about, &mut files)?;
        }
        Ok(files)
    }

    /// Returns how the entries of Claude Code find the program: it installs the packages of platforms below this one.
    fn inside(&self) -> Inside {
        let root = "\"${CLAUDE_PLUGIN_ROOT}\"";
        let program = self.about.program;
        let (name, file) = (self.name, quoted(program));
        // Windows has no shell for the server's entry. The start by Node.js takes 40 ms, once a session.
        let has_windows = self.programs.iter().any(|each| each.platform.os == "win32");
        let start = format!("${{CLAUDE_PLUGIN_ROOT}}/bin/{program}.js");
        let command = match has_windows {
            true => vec!["node".to_owned(), start],
            false => Vec::new(),
        };
        Inside {
            pattern: format!("{root}/node_modules/{name}-*/bin/{file}"),
            command,
            folder: None,
        }
    }

    fn readme(&self, parts: &PackageParts<'_>) -> Result<String, CommandError> {
        let (about, name) = (self.about, self.name);
        let mut page = format!(
            "# {}\n\n{}\n\nThis package has the MCP server `{}` and its hooks for agent clients.\n\n## Install\n\n| you have \
             | run |\n|---|---|\n| any client | `npx -y {name} hooks install --client all` |\n| OpenCode | `opencode plugin \
             -g {name}` |\n| Cline CLI | `cline plugin install --npm {name}` |\n\nClaude Code installs this package as a plugin from the catalog of its author.\n\n## \
             Contents\n\n",
            about.name,
            about.said().description,
            about.dump.name
        );
        page.push_str(&parts.additions()?);
        page.push_str(&format!("\n`npx -y {name} hooks list` lists the hooks.\n"));
        page.push_str(&about.registry_line());
        Ok(page)
    }
}

/// Returns the name of the archive, as `npm pack` names it.
fn archive_name(manifest: &Value) -> String {
    let member = |name: &str| manifest[name].as_str().unwrap_or_default();
    let name = member("name").trim_start_matches('@').replace('/', "-");
    format!("{name}-{}.tgz", member("version"))
}

#[cfg(test)]
mod tests;

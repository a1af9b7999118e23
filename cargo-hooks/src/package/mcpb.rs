//! Bundles for desktop applications (MCPB): one file for each system and processor.

use serde_json::{Value, json};

use super::{
    Contents, archive,
    checks::{self, icon as check_icon},
    folder::Files,
    format::{PackageFacts, set},
    programs::{self, PlatformProgram},
};
use crate::CommandError;

/// The version of MCPB's manifest that applications read. The next one differs by servers in Python only.
const MANIFEST_VERSION: &str = "0.3";

/// Where the program is in a bundle.
const FOLDER: &str = "server";

/// Makes a bundle for each program.
pub(super) fn contents(
    about: &PackageFacts<'_>,
    programs: &[PlatformProgram],
    folder: &str,
) -> Result<Contents, CommandError> {
    let version = about.exact_version()?;
    programs::refuse_meeting(programs)?;
    checks::placeholders(&about.dump.arguments)?;
    let mut files = Files::default();
    let mut next = Vec::new();
    for program in programs {
        let bundle = archive::zip(&bundle(about, program)?)?;
        let name = format!("{}-{version}-{}.mcpb", about.name, program.platform.label());
        next.push(format!("open {folder}/{name} with Claude Desktop"));
        files.add(&name, bundle)?;
    }
    let notes = vec![
        "a bundle adds the server and installs no hooks: its user runs `hooks install` to have them"
            .to_owned(),
    ];
    Ok(Contents { files, next, notes })
}

/// Returns the files of a bundle.
fn bundle(about: &PackageFacts<'_>, program: &PlatformProgram) -> Result<Files, CommandError> {
    let mut files = Files::default();
    files.add_json("manifest.json", &manifest(about, program)?)?;
    files.add("README.md", readme(about).into_bytes())?;
    if let Some(icon) = about.icon() {
        files.add("icon.png", icon.to_vec())?;
    }
    let file = program.platform.file_name(about.program);
    files.add_program(&format!("{FOLDER}/{file}"), program.bytes.clone())?;
    Ok(files)
}

fn manifest(about: &PackageFacts<'_>, program: &PlatformProgram) -> Result<Value, CommandError> {
    let file = format!("{FOLDER}/{}", program.platform.file_name(about.program));
    let said = about.said();
    let mut manifest = json!({
        "manifest_version": MANIFEST_VERSION,
        "name": about.name,
        "version": about.exact_version()?.to_string(),
        "description": said.description,
        "author": about.needed_author()?.json(),
        "server": {
            "type": "binary",
            "entry_point": file,
            "mcp_config": {
                "command": format!("${{__dirname}}/{file}"),
                "args": about.serve(),
            },
        },
        "tools_generated": true,
        "compatibility": { "platforms": [program.platform.os] },
    });
    set(&mut manifest, "license", said.license.as_deref());
    if let Some(url) = &said.repository {
        let url = checks::https(url, "`Program::repository`")?;
        manifest["repository"] = json!({ "type": "git", "url": url });
    }
    if let Some(url) = &said.homepage {
        manifest["homepage"] = checks::https(url, "`Program::homepage`")?.into();
    }
    if let Some(icon) = about.icon() {
        check_icon(icon)?;
        manifest["icon"] = "icon.png".into();
    }
    Ok(manifest)
}

fn readme(about: &PackageFacts<'_>) -> String {
    let mut page = format!(
        "# {}\n\n{}\n\nThis bundle has the MCP server `{}`, and installs no hooks. To have them in your agent clients, \
         install the program `{}`, and run its `hooks install --client all`.\n",
        about.name,
        about.said().description,
        about.dump.name,
        about.program
    );
    page.push_str(&about.registry_line());
    page
}

#[cfg(test)]
mod tests;

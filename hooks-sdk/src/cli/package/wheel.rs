//! Wheels, by which PyPI installs the program itself: no Python runs when the program starts.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use semver::Version;
use sha2::{Digest as _, Sha256};

use super::{
    archive, checks,
    folder::Files,
    format::PackageFacts,
    programs::{self, PlatformProgram},
    release::Contents,
};
use crate::cli::CommandError;

/// The oldest glibc that tools for wheels have a name for.
const OLDEST_GLIBC: u32 = 17;

/// Makes a wheel for each program.
pub(super) fn contents(
    about: &PackageFacts<'_>,
    name: &str,
    programs: &[PlatformProgram],
    folder: &str,
) -> Result<Contents, CommandError> {
    let version = python_version(&about.exact_version()?)?;
    programs::refuse_meeting(programs)?;
    let mut files = Files::default();
    for program in programs {
        let (file, wheel) = wheel(about, name, &version, program)?;
        files.add(&file, archive::zip(&wheel)?)?;
    }
    let mut notes: Vec<String> = programs.iter().filter_map(PlatformProgram::note).collect();
    if name != about.program {
        notes.push(format!(
            "`uvx {name}` finds no program of this name: people run `uvx --from {name} {}`",
            about.program
        ));
    }
    Ok(Contents {
        files,
        next: vec![
            format!("publish: uv publish {folder}/*.whl"),
            format!(
                "its users: uv tool install {name}, then {} hooks install",
                about.program
            ),
        ],
        notes,
    })
}

/// Returns a wheel's file name and files.
fn wheel(
    about: &PackageFacts<'_>,
    name: &str,
    version: &str,
    program: &PlatformProgram,
) -> Result<(String, Files), CommandError> {
    let stem = format!("{}-{version}", written(name));
    let glibc = program.glibc().unwrap_or(0).max(OLDEST_GLIBC);
    let platforms = program
        .platform
        .wheel
        .replace("{glibc}", &glibc.to_string());
    let tags: String = platforms
        .split('.')
        .map(|platform| format!("Tag: py3-none-{platform}\n"))
        .collect();
    let mut files = Files::default();
    let file = program.platform.file_name(about.program);
    files.add_program(
        &format!("{stem}.data/scripts/{file}"),
        program.bytes.clone(),
    )?;
    let info = format!("{stem}.dist-info");
    files.add(
        &format!("{info}/METADATA"),
        metadata(about, name, version)?.into_bytes(),
    )?;
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: hooks-sdk ({})\nRoot-Is-Purelib: false\n{tags}",
        env!("CARGO_PKG_VERSION")
    );
    files.add(&format!("{info}/WHEEL"), wheel.into_bytes())?;
    let mut record: String = files
        .iter()
        .map(|(path, file)| {
            let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&file.bytes));
            format!("{path},sha256={hash},{}\n", file.bytes.len())
        })
        .collect();
    record.push_str(&format!("{info}/RECORD,,\n"));
    files.add(&format!("{info}/RECORD"), record.into_bytes())?;
    Ok((format!("{stem}-py3-none-{platforms}.whl"), files))
}

/// Returns the metadata: fields of one line, and the page of the package.
fn metadata(about: &PackageFacts<'_>, name: &str, version: &str) -> Result<String, CommandError> {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut fields = format!(
        "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {}\n",
        line(about.description)
    );
    if let Some(author) = about.author {
        fields.push_str(&format!("Author: {}\n", line(&author.name)));
    }
    if let Some(license) = about.license {
        fields.push_str(&format!("License: {}\n", line(license)));
    }
    for (label, url, from) in [
        ("Repository", about.repository, "`Program::repository`"),
        ("Homepage", about.homepage, "`Program::homepage`"),
    ] {
        if let Some(url) = url {
            fields.push_str(&format!(
                "Project-URL: {label}, {}\n",
                checks::https(url, from)?
            ));
        }
    }
    fields.push_str("Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n");
    fields.push_str(&format!(
        "# {name}\n\n{}\n\nThis package has the MCP server `{}` and its hooks for agent clients. `uv tool install {name}` puts \
         the program `{2}` on your PATH, and `{2} hooks install --client all` writes the hooks.\n",
        about.description, about.server, about.program
    ));
    fields.push_str(&about.registry_line());
    Ok(fields)
}

/// Returns a name as it is in the name of a wheel.
fn written(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '.'], "_")
}

/// Returns the version as Python writes it.
fn python_version(version: &Version) -> Result<String, CommandError> {
    let plain = format!("{}.{}.{}", version.major, version.minor, version.patch);
    if version.pre.is_empty() && version.build.is_empty() {
        return Ok(plain);
    }
    let stage = [("alpha", "a"), ("beta", "b"), ("rc", "rc")];
    let stage = stage.iter().find_map(|(word, letters)| {
        let number = version.pre.strip_prefix(word)?.strip_prefix('.')?;
        let number: u64 = number.parse().ok()?;
        Some(format!("{plain}{letters}{number}"))
    });
    stage.filter(|_| version.build.is_empty()).ok_or_else(|| {
        format!(
            "PyPI has no version `{version}`\nhelp: take one of the forms 1.2.3, 1.2.3-alpha.1, 1.2.3-beta.1 and 1.2.3-rc.1"
        )
        .into()
    })
}

#[cfg(test)]
mod tests;

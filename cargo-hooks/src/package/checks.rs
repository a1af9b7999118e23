//! What registries and clients demand of a package, and their own tools accept unseen.

use semver::Version;

use super::format::{PackageAuthor, PackageFacts};
use crate::CommandError;

/// The longest name in the MCP registry, in characters.
const LONGEST_NAME: usize = 200;

/// The placeholders that MCPB replaces in arguments.
const PLACEHOLDERS: [&str; 7] = [
    "__dirname",
    "HOME",
    "DESKTOP",
    "DOCUMENTS",
    "DOWNLOADS",
    "pathSeparator",
    "/",
];

impl PackageFacts<'_> {
    /// Returns the version, which must be one and no range.
    pub(super) fn exact_version(&self) -> Result<Version, CommandError> {
        const HELP: &str = "help: set it with `Program::version(env!(\"CARGO_PKG_VERSION\"))`";
        let text = self.said().version.as_deref();
        let text = text.ok_or_else(|| format!("the program has no version\n{HELP}"))?;
        let wrong = |error| {
            format!(
                "`{}` is not a version of the form MAJOR.MINOR.PATCH: {error}\n{HELP}",
                text.escape_debug()
            )
        };
        Ok(Version::parse(text).map_err(wrong)?)
    }

    /// Returns the first author.
    pub(super) fn needed_author(&self) -> Result<PackageAuthor, CommandError> {
        self.author().ok_or_else(|| {
            "the program has no author\nhelp: set one with `Program::author(env!(\"CARGO_PKG_AUTHORS\"))`".into()
        })
    }

    /// Returns the name in the MCP registry, which must have the registry's form.
    pub(super) fn needed_registry_name(&self) -> Result<&str, CommandError> {
        let name = self.said().registry_name.as_deref().ok_or(
            "the program has no name in the MCP registry\nhelp: set one with \
             `Program::registry_name(\"io.github.OWNER/SERVER\")`",
        )?;
        let is_part = |part: &str, also: &str| {
            let letters = part
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || also.contains(it));
            let ends = [part.chars().next(), part.chars().next_back()];
            let ends = ends
                .iter()
                .all(|end| end.is_some_and(|it| it.is_ascii_alphanumeric()));
            part.len() >= 2 && letters && ends
        };
        let is_name = name
            .split_once('/')
            .is_some_and(|(space, server)| is_part(space, ".-") && is_part(server, "._-"));
        if !is_name || name.len() > LONGEST_NAME {
            return Err(format!(
                "`{}` is not a name in the MCP registry: it has exactly one `/` between two parts of letters, digits, \
                 `.` and `-`, which begin and end with a letter or digit, and at most {LONGEST_NAME} \
                 characters\nhelp: give `Program::registry_name` a name such as `io.github.OWNER/SERVER`",
                name.escape_debug()
            )
            .into());
        }
        Ok(name)
    }
}

/// Returns a URL that begins with `https://`, or says where the wrong one is from.
pub(super) fn https<'u>(url: &'u str, from: &str) -> Result<&'u str, CommandError> {
    let host = url
        .strip_prefix("https://")
        .and_then(|rest| rest.split('/').next());
    let is_host = |host: &str| {
        let plain = |it: char| it.is_ascii_alphanumeric() || "-.:".contains(it);
        !host.is_empty() && host.chars().all(plain)
    };
    match host.is_some_and(is_host)
        && !url.contains(|it: char| it.is_whitespace() || it.is_control())
    {
        true => Ok(url),
        false => Err(format!(
            "`{}`, from {from}, is not a URL that begins with https://\nhelp: give {from} one",
            url.escape_debug()
        )
        .into()),
    }
}

/// Checks a name of npm, such as `memory` or `@acme/memory`.
pub(super) fn npm_name(name: &str) -> Result<String, String> {
    let is_part = |part: &str| {
        let letter =
            |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "-_.".contains(it);
        part.chars().all(letter) && part.starts_with(|it: char| it.is_ascii_alphanumeric())
    };
    let is_name = match name.strip_prefix('@') {
        Some(scoped) => scoped
            .split_once('/')
            .is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
        None => is_part(name),
    };
    // The longest suffix of a platform is added to it.
    match is_name && name.len() <= 190 {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "`{}` is not a name of npm: it is NAME or @SCOPE/NAME, of lower-case letters, digits, `-`, `_` and `.`",
            name.escape_debug()
        )),
    }
}

/// Refuses an argument with a placeholder that MCPB would not replace.
pub(super) fn placeholders(arguments: &[String]) -> Result<(), CommandError> {
    for argument in arguments {
        for rest in argument.split("${").skip(1) {
            let (name, is_closed) = match rest.split_once('}') {
                Some((name, _)) => (name, true),
                None => (rest, false),
            };
            if !is_closed || !PLACEHOLDERS.contains(&name) {
                return Err(format!(
                    "the argument `{}` names `${{{}}}`, which the manifest does not have\nhelp: take one of ${{{}}}, or \
                     leave it out of `Program::arguments`",
                    argument.escape_debug(),
                    name.escape_debug(),
                    PLACEHOLDERS.join("}, ${")
                )
                .into());
            }
        }
    }
    Ok(())
}

/// The largest icon that Claude Code's directory of plugins takes, in bytes.
const LARGEST_ICON: usize = 2 << 20;

/// Checks the picture of a catalog: a square PNG with 512 to 2,048 pixels a side.
pub(super) fn icon(png: &[u8]) -> Result<(), CommandError> {
    if png.len() >= LARGEST_ICON {
        return Err("the icon has 2 MB or more\nhelp: give `Program::icon` a smaller PNG".into());
    }
    let side = |at: usize| {
        let bytes = png.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(bytes))
    };
    let is_png = png.starts_with(b"\x89PNG\r\n\x1a\n") && png.get(12..16) == Some(b"IHDR");
    let sides = side(16).zip(side(20)).filter(|_| is_png);
    match sides {
        Some((width, height)) if width == height && (512..=2048).contains(&width) => Ok(()),
        Some((width, height)) => Err(format!(
            "the icon has {width} by {height} pixels\nhelp: give `Program::icon` a square with 512 to 2048 pixels a side"
        )
        .into()),
        None => Err("the icon is not a PNG\nhelp: give `Program::icon` the bytes of a PNG file".into()),
    }
}

#[cfg(test)]
pub(super) mod tests;

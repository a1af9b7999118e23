//! What a program says about its publication: who made it, under which license, and where it is found.

use std::borrow::Cow;

use crate::{
    cli::{CommandError, Program},
    server::ServerHandler,
};

/// What packages say about a program, beyond its name, description and version.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct Publication {
    pub(super) authors: Option<Cow<'static, str>>,
    pub(super) license: Option<Cow<'static, str>>,
    pub(super) repository: Option<Cow<'static, str>>,
    pub(super) homepage: Option<Cow<'static, str>>,
    pub(super) registry_name: Option<Cow<'static, str>>,
    pub(super) icon: Option<Cow<'static, [u8]>>,
}

/// Without a value in the manifest, the variables of cargo are empty.
fn said(text: impl Into<Cow<'static, str>>) -> Option<Cow<'static, str>> {
    Some(text.into()).filter(|text| !text.trim().is_empty())
}

impl<H: ServerHandler> Program<H> {
    /// Sets the authors of the server, usually to `env!("CARGO_PKG_AUTHORS")`. `hooks package` writes the first author
    /// into a package.
    pub fn author(mut self, authors: impl Into<Cow<'static, str>>) -> Program<H> {
        self.publication.authors = said(authors);
        self
    }

    /// Sets the license, usually to `env!("CARGO_PKG_LICENSE")`, for the packages that `hooks package` writes.
    pub fn license(mut self, license: impl Into<Cow<'static, str>>) -> Program<H> {
        self.publication.license = said(license);
        self
    }

    /// Sets the URL of the source code, usually to `env!("CARGO_PKG_REPOSITORY")`, for the packages that `hooks package`
    /// writes. npm and the MCP registry compare it with the place that publishes.
    pub fn repository(mut self, url: impl Into<Cow<'static, str>>) -> Program<H> {
        self.publication.repository = said(url);
        self
    }

    /// Sets the URL of a page for users, usually to `env!("CARGO_PKG_HOMEPAGE")`, for the packages that `hooks package`
    /// writes.
    pub fn homepage(mut self, url: impl Into<Cow<'static, str>>) -> Program<H> {
        self.publication.homepage = said(url);
        self
    }

    /// Sets the server's name in the MCP registry, such as `io.github.acme/memory`. Packages repeat it, because the
    /// registry takes a package from its owner only.
    pub fn registry_name(mut self, name: impl Into<Cow<'static, str>>) -> Program<H> {
        self.publication.registry_name = said(name);
        self
    }

    /// Sets a picture for catalogs, usually to `include_bytes!("icon.png")`: a square PNG with 512 to 2,048 pixels a
    /// side. `hooks package` refuses another one.
    pub fn icon(mut self, png: impl Into<Cow<'static, [u8]>>) -> Program<H> {
        self.publication.icon = Some(png.into());
        self
    }
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

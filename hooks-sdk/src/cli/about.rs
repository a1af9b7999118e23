//! What a program says about its publication: who made it, under which license, and where it is found.

use std::borrow::Cow;

use super::Program;
use crate::server::ServerHandler;

/// What packages say about a program, beyond its name, description and version.
#[derive(Clone, Debug, Default)]
pub(super) struct Publication {
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
    /// Sets the authors of the server, usually to `env!("CARGO_PKG_AUTHORS")`. `cargo hooks package` writes the first author
    /// into a package.
    pub fn author(mut self, authors: impl Into<Cow<'static, str>>) -> Program<H> {
        self.publication.authors = said(authors);
        self
    }

    /// Sets the license, usually to `env!("CARGO_PKG_LICENSE")`, for the packages that `cargo hooks package` writes.
    pub fn license(mut self, license: impl Into<Cow<'static, str>>) -> Program<H> {
        self.publication.license = said(license);
        self
    }

    /// Sets the URL of the source code, usually to `env!("CARGO_PKG_REPOSITORY")`, for the packages that `cargo hooks package`
    /// writes. npm and the MCP registry compare it with the place that publishes.
    pub fn repository(mut self, url: impl Into<Cow<'static, str>>) -> Program<H> {
        self.publication.repository = said(url);
        self
    }

    /// Sets the URL of a page for users, usually to `env!("CARGO_PKG_HOMEPAGE")`, for the packages that `cargo hooks package`
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
    /// side. `cargo hooks package` refuses another one.
    pub fn icon(mut self, png: impl Into<Cow<'static, [u8]>>) -> Program<H> {
        self.publication.icon = Some(png.into());
        self
    }
}

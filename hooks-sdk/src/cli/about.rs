//! What a program says of itself: what it is, who made it, under which license, and where it is found.

use std::borrow::Cow;

use super::{Package, Program};
use crate::{
    clients::dump::{About, FileBytes},
    server::ServerHandler,
};
use hooks_core::internal::setters;

/// Without a value in the manifest, the variables of cargo are empty.
fn said(text: impl Into<Cow<'static, str>>) -> Option<String> {
    let text = text.into().into_owned();
    (!text.trim().is_empty()).then_some(text)
}

impl<H: ServerHandler> Program<H> {
    setters! {
        /// Takes the server's id and the facts for `--help`, `--version` and packages from `Cargo.toml`: give it
        /// [`package!()`](crate::package).
        fn package(mut self, package: Package) {
            self = self
                .id(package.name)
                .about(package.description)
                .version(package.version)
                .author(package.authors)
                .license(package.license)
                .repository(package.repository)
                .homepage(package.homepage);
        }

        /// Sets the first lines of `--help`, for example to `env!("CARGO_PKG_DESCRIPTION")`.
        fn about(mut self, text: impl Into<Cow<'static, str>>) {
            self.about.description = said(text).unwrap_or_default();
        }

        /// Sets the output of `--version`, usually to `env!("CARGO_PKG_VERSION")`. Without it, there is no `--version`.
        fn version(mut self, version: impl Into<Cow<'static, str>>) {
            self.about.version = Some(version.into().into_owned());
        }

        /// Sets the authors of the server, usually to `env!("CARGO_PKG_AUTHORS")`. `cargo hooks package` writes the first author
        /// into a package.
        fn author(mut self, authors: impl Into<Cow<'static, str>>) { self.about.authors = said(authors) }

        /// Sets the license, usually to `env!("CARGO_PKG_LICENSE")`, for the packages that `cargo hooks package` writes.
        fn license(mut self, license: impl Into<Cow<'static, str>>) { self.about.license = said(license) }

        /// Sets the URL of the source code, usually to `env!("CARGO_PKG_REPOSITORY")`, for the packages that `cargo hooks package`
        /// writes. npm and the MCP registry compare it with the place that publishes.
        fn repository(mut self, url: impl Into<Cow<'static, str>>) { self.about.repository = said(url) }

        /// Sets the URL of a page for users, usually to `env!("CARGO_PKG_HOMEPAGE")`, for the packages that `cargo hooks package`
        /// writes.
        fn homepage(mut self, url: impl Into<Cow<'static, str>>) { self.about.homepage = said(url) }

        /// Sets the server's name in the MCP registry, such as `io.github.acme/memory`. Packages repeat it, because the
        /// registry takes a package from its owner only.
        fn registry_name(mut self, name: impl Into<Cow<'static, str>>) {
            self.about.registry_name = said(name);
        }

        /// Sets a picture for catalogs, usually to `include_bytes!("icon.png")`: a square PNG with 512 to 2,048 pixels a
        /// side. `cargo hooks package` refuses another one.
        fn icon(mut self, png: impl Into<Cow<'static, [u8]>>) { self.icon = Some(png.into()) }
    }

    /// Returns what the server is, in the author's words if there are some.
    pub(super) fn description(&self) -> String {
        match &*self.about.description {
            "" => format!("The MCP server `{}`", self.name),
            about => about.to_owned(),
        }
    }

    /// Returns all of it, for packages.
    pub(super) fn about_itself(&self) -> About {
        let mut about = self.about.clone();
        about.description = self.description();
        about.icon = self.icon.as_deref().map(FileBytes::of);
        about
    }
}

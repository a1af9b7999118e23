//! The facts about a server that the manifest of its package says.

/// The facts of the author's package: [`package!()`](crate::package) makes them.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a macro makes it in the author's package"
)]
pub struct Package {
    /// The name.
    pub name: &'static str,
    /// The version.
    pub version: &'static str,
    /// The description; empty if there is none, like the members below.
    pub description: &'static str,
    /// The authors, with colons between them.
    pub authors: &'static str,
    /// The license.
    pub license: &'static str,
    /// The URL of the source code.
    pub repository: &'static str,
    /// The URL of a page for users.
    pub homepage: &'static str,
}

/// Makes the [`Package`](crate::cli::Package) of the package in which it is written, for
/// [`Program::package`](crate::cli::Program::package).
///
/// It takes no arguments, and Cargo must build the package.
///
/// ```
/// let package = hooks_sdk::package!();
/// assert_eq!(package.name, env!("CARGO_PKG_NAME"));
/// ```
#[macro_export]
macro_rules! package {
    () => {
        $crate::cli::Package {
            name: ::core::env!("CARGO_PKG_NAME"),
            version: ::core::env!("CARGO_PKG_VERSION"),
            description: ::core::env!("CARGO_PKG_DESCRIPTION"),
            authors: ::core::env!("CARGO_PKG_AUTHORS"),
            license: ::core::env!("CARGO_PKG_LICENSE"),
            repository: ::core::env!("CARGO_PKG_REPOSITORY"),
            homepage: ::core::env!("CARGO_PKG_HOMEPAGE"),
        }
    };
}

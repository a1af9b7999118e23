//! The login of a server: OAuth 2.1 access tokens, checked by the keys of their issuers.

mod discovery;
mod fetch;
mod introspection;
mod keys;
mod login;
mod ring;
mod settings;
mod token;

pub use login::{Admitted, Login};
pub use ring::install;
pub use settings::{Issuer, OAuth};

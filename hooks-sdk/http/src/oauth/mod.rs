//! The login of a server: OAuth 2.1 access tokens, checked by the keys of their issuers.

mod discovery;
mod fetch;
mod introspection;
mod keys;
mod login;
mod settings;
mod signature;
mod token;

pub use login::Login;
pub use settings::{Issuer, OAuth};
